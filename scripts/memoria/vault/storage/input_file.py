"""Read the file or pipe that a person hands in, or say in one line why it is no text."""

from __future__ import annotations

import sys
from pathlib import Path

from memoria.errors import UsageError

STDIN = "-"


def text(name: str, most: int) -> str:
    """Read a file, or standard input for "-", as UTF-8 of at most `most` bytes; else UsageError."""
    what = "standard input" if name == STDIN else name
    data = _read(name, most + 1)
    if len(data) > most:
        raise UsageError(f"{what} is over {most >> 10} KB; hand it in in parts")
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UsageError(f"{what} is binary, not text")
    try:
        found = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{what} is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    if not found.strip():
        raise UsageError(f"{what} is empty")
    return found


def _read(name: str, most: int) -> bytes:
    if name == STDIN:
        return sys.stdin.buffer.read(most)
    path = Path(name).expanduser()
    try:
        if path.is_dir():
            raise UsageError(f"{name} is a folder; name a file, or - for standard input")
        with path.open("rb") as file:
            return file.read(most)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{name} cannot be read: {why}") from error


def is_terminal(name: str) -> bool:
    """Whether reading would wait for somebody to type."""
    return name == STDIN and sys.stdin.isatty()
