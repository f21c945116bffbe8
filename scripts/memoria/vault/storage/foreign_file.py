"""Read and replace a file that belongs to a person or to another program.

Either may write it at any moment, so a write is atomic and refused when the file is no longer what
was read. The trap: replacing a file in a writable folder succeeds even where the file itself is
read-only, so that is asked first.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memoria.errors import UsageError
from memoria.vault.storage import disk

# the client passes over a CLAUDE.md of more than some MB, and a person reads none of 100 KB
MAX_BYTES = 4 * 1024 * 1024


def follow_links(path: Path) -> Path:
    """Follow the links that dotfiles managers set to the file to write; UsageError for a circle."""
    with convert_os_errors(path):
        target = Path(os.path.realpath(path))
        if target.is_symlink():
            raise UsageError(f"{path}: a link that leads round in a circle; nothing was changed")
    return target


def read(path: Path) -> str | None:
    """Read a file to the byte, byte order mark and line ends included; None where there is none.

    UsageError where it is no text file or far too large.
    """
    with convert_os_errors(path):
        if not path.exists():
            return None
        if not path.is_file():  # opening a FIFO would wait for ever
            description = "a folder" if path.is_dir() else "no regular file"
            raise UsageError(f"{path} is {description}; nothing was changed")
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{path} has over {MAX_BYTES >> 20} MB; nothing was changed")
        try:
            return path.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(
                f"{path} is not UTF-8 at byte {error.start}; nothing was changed: save it as UTF-8"
            ) from None


def read_to_write(path: Path) -> str | None:
    """Read a file as `read` does; UsageError also where it could not be written anew."""
    with convert_os_errors(path):
        if reason := _find_refusal(path):
            raise UsageError(f"{path} {reason}; nothing was changed")
    return read(path)


def _find_refusal(path: Path) -> str:
    """Say why a file is not to be replaced, "" where nothing is in the way."""
    parent = next(folder for folder in path.parents if folder.exists())
    if path.is_symlink():
        return "has become a link"
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        return f"lies in {parent}, which is no folder that can be written in"
    if not path.exists():
        return ""
    is_writable = path.stat().st_mode & stat.S_IWUSR and os.access(path, os.W_OK)
    remedy = "make it writable, or put there what --dry-run prints"
    return "" if is_writable else f"is read-only: {remedy}"


def write(path: Path, old: str | None, text: str | None, mode: int | None = None) -> None:
    """Replace what was read by a text, or for None remove it; UsageError, and nothing has changed.

    A new file is private unless there is a `mode`.
    """
    with convert_os_errors(path):
        is_done = read_to_write(path) == old
        if is_done and text is None:
            disk.remove(path)
        elif is_done and text is not None:
            sha = disk.sha_of(None if old is None else old.encode())
            is_done = disk.replace_if(path, text.encode("utf-8", "replace"), sha, mode)
    if not is_done:
        raise UsageError(f"{path}: something else has just written it; run this again")


@contextmanager
def convert_os_errors(path: Path) -> Iterator[None]:
    """Turn the system's refusal into one line for the person."""
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a path that no system can have
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: {reason}; nothing was changed there") from error
