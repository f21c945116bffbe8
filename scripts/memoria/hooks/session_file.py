"""A small file of a session <-> its lines, which the hooks of several processes only ever append.

The client starts several hooks at once, and none may wait for a lock. The trap: a hook may die in
the middle of its line, so one without an end is torn and counts for nothing.
"""

from __future__ import annotations

import os

from memoria.hooks import protocol

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterable


def append(path: str, rows: Iterable[tuple[str, ...]]) -> None:
    """Add a line for each row, its parts apart by tabs; OSError where that cannot be."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    text = "".join("\t".join(" ".join(part.split()) for part in row) + "\n" for row in rows)
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | protocol.BINARY, 0o600)
    try:
        # one write, so that the lines of two hooks do not mix
        protocol.put(handle, text.encode("utf-8", "replace"))
    finally:
        os.close(handle)


def read(path: str) -> list[str]:
    """Give the whole lines of a file, [] for one that cannot be read."""
    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return []
    return text.split("\n")[:-1]
