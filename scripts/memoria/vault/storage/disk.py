"""Replace a file, whole or not at all: the one way in which Memoria does it.

Write beside the target, flush to the disk, rename over it, flush the folder. Windows refuses the
rename while another program has the file open; a link in the target's place is refused.
"""

import errno
import hashlib
import os
import re
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from memoria.errors import VaultError

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
# of a reparse point on Windows that stands for another folder, such as a junction
_NAME_SURROGATE = 0x2000_0000
# Windows has no such flags, and one of its own
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_READ_FLAGS = os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
# waits while an editor or virus scanner has the file open: 5 ms, doubled, 2.5 s in all
_RETRIES = tuple(0.005 * 2**n for n in range(9))
# what file systems answer that cannot flush a folder; SQLite takes it for done too
_NO_FLUSH = {errno.EINVAL, errno.ENOTSUP}
# what replace() puts behind a name, "0f3a12bc34de.tmp": other programs' files have other endings
_TMP_ENDING = re.compile(r"[0-9a-f]{12}\.tmp")
# "registry.json.0f3a12bc34de.tmp", and as hooks call a file that they write "hooks.json.4711.tmp"
_HALF_WRITTEN = re.compile(r".+\.(?:[0-9a-f]{12}|[0-9]+)\.tmp")
# what the entry of a long session takes, its extract and the journal's copy of both
_PROBE_BYTES = 256 * 1024
# to write a file takes well under a second, but a machine may sleep in the middle of it
_STALE_SECONDS = 3600.0


def sha(data: bytes) -> str:
    """Hash the content of a file: what its state is recognised by."""
    return hashlib.sha256(data).hexdigest()[:24]


def sha_of(data: bytes | None) -> str:
    """Hash the content of a file, "" for none."""
    return "" if data is None else sha(data)


@contextmanager
def name_file_in_errors(path: Path) -> Iterator[None]:
    """Name the file in an OSError: the system names none for a write, and for a rename another."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        del error.filename2
        raise


def make_folder(path: Path) -> Path:
    """Make a folder for this user alone, and those above it."""
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        sync_folder(path.parent)
    return path


def replace(path: Path, data: bytes) -> None:
    """Replace or create a file atomically, keeping the mode of an existing one."""
    replace_if(path, data, None)


def replace_if(path: Path, data: bytes, expected: str | None, mode: int | None = None) -> bool:
    """Replace a file if its content just before hashes to `expected`; say whether it did."""
    status = _stat_regular_file(path)
    if mode is None:
        mode = stat.S_IMODE(status.st_mode) if status else PRIVATE_FILE
    make_folder(path.parent)
    temporary = path.with_name(f"{_temporary_prefix(path)}{os.urandom(6).hex()}.tmp")
    with name_file_in_errors(path):
        try:
            write(temporary, data, mode)
            temporary.chmod(mode)  # the umask has taken from it what other users had
            if expected is not None and sha_of(read(path)) != expected:
                temporary.unlink()
                return False
            rename(temporary, path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)
    return True


def remove_temporaries(path: Path) -> None:
    """Remove what a process that died in replace() has left beside the file."""
    prefix = _temporary_prefix(path)
    for file in path.parent.iterdir() if path.parent.is_dir() else ():
        if file.name.startswith(prefix) and _TMP_ENDING.fullmatch(file.name.removeprefix(prefix)):
            file.unlink(missing_ok=True)


def remove_stale_temporaries(folder: Path, now: float) -> None:
    """Remove what processes that died while they wrote a file below the folder have left of it."""
    for path in folder.rglob("*.tmp"):
        with suppress(OSError):
            if _HALF_WRITTEN.fullmatch(path.name) and now - path.lstat().st_mtime > _STALE_SECONDS:
                path.unlink()


def write(path: Path, data: bytes, mode: int = PRIVATE_FILE) -> None:
    """Write a new file and flush it to the disk; FileExistsError where there is one."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW
    with name_file_in_errors(path):
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0), mode)
        with os.fdopen(descriptor, "wb") as file:
            write_through(file, data)


def append(path: Path, data: bytes, mode: int = PRIVATE_FILE) -> None:
    """Add lines to a file and flush it; a torn last line is closed, so that it spoils itself."""
    line_end = find_missing_line_end(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NO_FOLLOW
    with name_file_in_errors(path), os.fdopen(os.open(path, flags, mode), "ab") as file:
        write_through(file, line_end + data)


def probe(path: Path) -> None:
    """Try whether a folder takes a file, or a file new lines; OSError as on a full disk."""
    if path.is_dir():
        # it has no name, so nothing is left of it whatever instant the process dies
        with name_file_in_errors(path), tempfile.TemporaryFile(dir=path) as file:
            write_through(file, b"\0" * _PROBE_BYTES)
    else:
        with name_file_in_errors(path), path.open("ab"):
            pass


def write_through(file: IO[bytes], data: bytes) -> None:
    """Write to an open file, and on to the disk."""
    file.write(data)
    file.flush()
    flush(file.fileno())


def flush(descriptor: int) -> None:
    """Flush a file to the disk; on macOS fsync stops at the drive's cache, F_FULLFSYNC does not."""
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415 - only there on POSIX

        # disks of a network or of another system's format have no such thing
        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def rename(source: Path, target: Path) -> None:
    """Rename over the target; on Windows wait for other programs to let go of it."""
    _retry_on_windows(lambda: source.replace(target))


def remove(path: Path) -> None:
    """Remove a file, if it is there; on Windows wait as `rename` does."""
    _retry_on_windows(lambda: path.unlink(missing_ok=True))


def _retry_on_windows(change: Callable[[], object]) -> None:
    for wait in _RETRIES if sys.platform == "win32" else ():
        try:
            change()
        except PermissionError:
            time.sleep(wait)
        else:
            return
    change()


def sync_folder(path: Path) -> None:
    """Flush a folder's entries to the disk, where the system can (Windows cannot)."""
    if sys.platform == "win32":
        return
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        return  # a folder that we may write to and not list
    try:
        with name_file_in_errors(path):
            os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FLUSH:
            raise
    finally:
        os.close(descriptor)


def read(path: Path, limit: int | None = None) -> bytes | None:
    """Read a file, None for none; VaultError for a link, no file, or more than `limit` bytes."""
    status = _stat_regular_file(path)
    if status is None:
        return None
    if limit is not None and status.st_size > limit:
        raise VaultError(f"{path} is over {limit >> 20} MB; split it by hand")
    try:
        # a link that took its place since then is not followed
        descriptor = os.open(path, _READ_FLAGS)
        with os.fdopen(descriptor, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise VaultError(f"{path} cannot be read: {error.strerror or error}") from error


def refuse_links(root: Path, path: Path) -> None:
    """Raise VaultError where a folder between `root` and a file in it leads elsewhere."""
    folder = os.fspath(root)
    for part in path.parent.relative_to(root).parts:
        folder = os.path.join(folder, part)  # noqa: PTH118 - this is asked for each file read
        if part == os.pardir or _leads_elsewhere(folder):
            raise VaultError(f"{folder} is a link; put a folder in its place and try again")


def _leads_elsewhere(folder: str) -> bool:
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    is_surrogate = getattr(status, "st_reparse_tag", 0) & _NAME_SURROGATE
    return stat.S_ISLNK(status.st_mode) or bool(is_surrogate)


def read_text(path: Path, limit: int | None = None) -> tuple[str, str]:
    """Read a file as UTF-8, with the hash of its bytes; ("", "") for none, VaultError as `read`."""
    data = read(path, limit)
    try:
        return (data or b"").decode("utf-8"), sha_of(data)
    except UnicodeDecodeError as error:
        raise VaultError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8") from error


def size(path: Path) -> int:
    """Give a file's size in bytes, 0 where there is none; VaultError as `read` has it."""
    status = _stat_regular_file(path)
    return status.st_size if status else 0


def find_missing_line_end(path: Path) -> bytes:
    """Give what closes a torn last line, so that it spoils itself alone; b"" for none."""
    length = size(path)
    if not length:
        return b""
    with path.open("rb") as file:
        file.seek(length - 1)
        return b"" if file.read() == b"\n" else b"\n"


def _temporary_prefix(path: Path) -> str:
    # with the random part and the ending it stays below the 255 bytes of a file's name
    return f".{path.name[:50]}."


def _stat_regular_file(path: Path) -> os.stat_result | None:
    """Look at a file without following a link to it; None where there is none."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise VaultError(f"{path} cannot be used: {error.strerror or error}") from error
    if not stat.S_ISREG(status.st_mode):
        raise VaultError(f"{path} is not a regular file; move it away and try again")
    return status
