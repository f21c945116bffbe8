"""Bytes -> a file, whole or not at all: the one way in which Memoria replaces a file.

Write beside the target, flush to the disk, rename over it, flush the folder: a reader sees the old
bytes or the new ones whatever instant the process dies (SQLite and git do the same). The traps:
Windows refuses the rename while another program has the file open, so it is retried for two
seconds; a symlink in the target's place is refused, since the rename would replace the link.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import sys
import time
from typing import TYPE_CHECKING

from memoria.errors import VaultError

if TYPE_CHECKING:
    from pathlib import Path

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
# waits while an editor or virus scanner has the file open: 5 ms, doubled, 2.5 s in all
_RETRIES = tuple(0.005 * 2**n for n in range(9))


def sha(data: bytes) -> str:
    """Hash the content of a file: what its state is recognised by."""
    return hashlib.sha256(data).hexdigest()[:24]


def folder(path: Path) -> Path:
    """Make a folder for this user alone, and those above it."""
    path.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    return path


def replace(path: Path, data: bytes) -> None:
    """Replace or create a file atomically, keeping the mode of an existing one."""
    mode = _mode(path)
    folder(path.parent)
    temporary = path.with_name(f".{path.name[:80]}.{secrets.token_hex(6)}.tmp")
    try:
        write(temporary, data, mode)
        temporary.chmod(mode)  # the umask has taken from it what other users had
        rename(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write(path: Path, data: bytes, mode: int = PRIVATE_FILE) -> None:
    """Write a new file and flush it to the disk; FileExistsError where there is one."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(path, flags | getattr(os, "O_BINARY", 0), mode)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        flush(file.fileno())


def flush(handle: int) -> None:
    """Flush a file to the disk; on macOS fsync stops at the drive's cache, F_FULLFSYNC does not."""
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415 - only there on POSIX

        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
    else:
        os.fsync(handle)


def rename(source: Path, target: Path) -> None:
    """Rename over the target; on Windows wait for other programs to let go of it."""
    for wait in _RETRIES:
        try:
            source.replace(target)
        except PermissionError:
            if sys.platform != "win32":
                raise
            time.sleep(wait)
        else:
            return
    source.replace(target)


def sync_folder(path: Path) -> None:
    """Flush a folder's entries to the disk, where the system can (Windows cannot)."""
    if sys.platform == "win32":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read(path: Path) -> bytes | None:
    """Read a file, None where there is none; a symlink or a thing that is no file is refused."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(status.st_mode):
        raise VaultError(f"{path} is not a regular file; move it away and try again")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def size(path: Path) -> int:
    """Give a file's size in bytes, 0 where there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def ends_with(path: Path, ending: bytes) -> bool:
    """Whether a file is empty, missing or ends with those bytes."""
    length = size(path)
    if not length:
        return True
    with path.open("rb") as file:
        file.seek(max(0, length - len(ending)))
        return file.read() == ending


def _mode(path: Path) -> int:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return PRIVATE_FILE
    if not stat.S_ISREG(status.st_mode):
        raise VaultError(f"{path} is not a regular file; move it away and try again")
    return stat.S_IMODE(status.st_mode)
