"""Read and replace a tool's file outside the vault, without leaving the project.

A path is followed to its end before it is opened; a write is atomic, keeps the mode, and is refused
when the file is no longer what was read. Replacing a file in a writable folder succeeds even where
the file itself is read-only, so that is asked first. A new file has the mode of its folder, as it
is for all who may read the repository.
"""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memoria.errors import UsageError
from memoria.vault.storage import disk

# the client passes over a CLAUDE.md of more than some MB, and a person reads none of 100 KB
MAX_BYTES = 4 * 1024 * 1024
# of a folder's mode, what makes sense for a file
_FILE_MODE = 0o666


def project_root(folder: Path) -> Path:
    """Give the root of the repository or worktree that a folder lies in, else the folder."""
    above = (folder, *folder.parents)
    return next((path for path in above if os.path.lexists(path / ".git")), folder)


def resolved(root: Path, name: str, within: Path) -> Path:
    """Follow `root/name` to the file that it leads to; UsageError where that is not in `within`."""
    path = root / name
    with reported(path):
        target = Path(os.path.realpath(path))
        limit = Path(os.path.realpath(within))
        if target.is_symlink():
            raise UsageError(f"{path}: a link that leads round in a circle; nothing was changed")
    if not target.is_relative_to(limit):
        raise UsageError(
            f"{path} is a link that leads out of {within}, to {target}; nothing was changed: "
            "promote to the folder where the file lies"
        )
    if target.suffix.lower() != path.suffix.lower():
        # Markdown in a script would be run
        raise UsageError(f"{path} is a link to {target}, another kind of file; nothing was changed")
    return target


def read(path: Path) -> str | None:
    """Read a file that `resolved` gave, None where there is none.

    UsageError where it could not be written anew, is no text file or far too large.
    """
    with reported(path):
        if reason := _refusal(path):
            raise UsageError(f"{path} {reason}; nothing was changed")
        try:
            return path.read_bytes().decode("utf-8") if path.exists() else None
        except UnicodeDecodeError as error:
            raise UsageError(
                f"{path} is not UTF-8 at byte {error.start}; nothing was changed: save it as UTF-8"
            ) from None


def _refusal(path: Path) -> str:
    """Say why a file is not to be read and replaced, "" where nothing is in the way."""
    above = next(folder for folder in path.parents if folder.exists())
    if path.is_symlink():
        return "has become a link"
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        return f"lies in {above}, which is no folder that can be written in"
    if not path.exists():
        return ""
    if not path.is_file():  # opening a FIFO would wait for ever
        return f"is {'a folder' if path.is_dir() else 'no regular file'}"
    if path.stat().st_size > MAX_BYTES:
        return f"has over {MAX_BYTES >> 20} MB"
    is_writable = path.stat().st_mode & stat.S_IWUSR and os.access(path, os.W_OK)
    return "" if is_writable else "is read-only"


def write(path: Path, old: str | None, text: str | None, root: Path) -> None:
    """Replace what was read by a text, or for None remove it; UsageError, and nothing has changed.

    Folders are made where they are missing; those that are empty without the file go with it, up to
    `root`.
    """
    with reported(path):
        if text is None:
            _expect(path, old)
            path.unlink(missing_ok=True)
            tidy(path.parent, Path(os.path.realpath(root)))
        elif text != old:
            _put(path, old, text.encode("utf-8", "replace"))


@contextmanager
def reported(path: Path) -> Iterator[None]:
    """Turn the system's refusal into one line for the person."""
    try:
        yield
    except (OSError, ValueError) as bad:  # ValueError: a path that no system can have
        reason = getattr(bad, "strerror", None) or bad
        raise UsageError(f"{path}: {reason}; nothing was changed there") from bad


def _put(path: Path, old: str | None, data: bytes) -> None:
    """Write beside, look once more that nobody else wrote, rename."""
    mode = mode_of(path)
    _folder(path.parent)
    disk.drop_temporaries(path)  # whoever writes such files holds the lock
    temporary = path.with_name(f".{path.name[:50]}.{secrets.token_hex(6)}.tmp")
    try:
        disk.write(temporary, data)
        temporary.chmod(mode)
        _expect(path, old)
        disk.rename(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    disk.sync_folder(path.parent)


def mode_of(path: Path) -> int:
    """Give the mode that a file has, or that a new one is to have: that of its folder."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    above = next(folder for folder in path.parents if folder.is_dir())
    return stat.S_IMODE(above.stat().st_mode) & _FILE_MODE


def _folder(path: Path) -> None:
    """Make a folder, as open as the one that it lies in."""
    if not path.is_dir():
        _folder(path.parent)
        path.mkdir()
        path.chmod(stat.S_IMODE(path.parent.stat().st_mode))
        disk.sync_folder(path.parent)


def _expect(path: Path, old: str | None) -> None:
    if read(path) != old:
        raise UsageError(f"{path}: something else has just written it; run this again")


def tidy(folder: Path, root: Path) -> None:
    """Remove folders that are empty, from the inmost one up to `root`, which stays."""
    while folder != root and folder.is_relative_to(root):
        try:
            folder.rmdir()
        except OSError:
            return  # not empty: it holds something else
        folder = folder.parent
