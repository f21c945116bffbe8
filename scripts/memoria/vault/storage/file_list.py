"""List every file of a folder with its mode, and read it as text; no link is followed."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from pathlib import Path

# larger than any note, ledger or index of ten years; more of a file is not looked at
_MOST_BYTES = 64 << 20
# what of a database is worth a look: shorter runs hold no key
_RUN = re.compile(rb"[\t\x20-\x7e\x80-\xff]{12,}")


@dataclass(frozen=True, slots=True)
class Item:
    """A file or folder: its path relative to the folder it was found in, and its mode bits."""

    path: str
    bits: int
    is_folder: bool
    full: Path


def items(root: Path, without: Container[str] = ()) -> Iterator[Item]:
    """Go through a folder; those whose first part is in `without` are left out, links as well."""
    for folder, folders, files in os.walk(root, followlinks=False):
        here = root.joinpath(os.path.relpath(folder, root))
        folders[:] = sorted(name for name in folders if here != root or name not in without)
        for full in (here / name for name in (*folders, *sorted(files))):
            try:
                status = full.lstat()
            except OSError:
                continue  # gone since the folder was listed
            if stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode):
                bits = stat.S_IMODE(status.st_mode) if os.name == "posix" else 0
                yield Item(
                    full.relative_to(root).as_posix(), bits, stat.S_ISDIR(status.st_mode), full
                )


def text(path: Path) -> str:
    """Read a file as text, "" where it cannot be read; of a binary one what is printable."""
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES)
    except OSError:
        return ""
    if b"\0" in data[:4096]:
        data = b"\n".join(_RUN.findall(data))
    return data.decode("utf-8", "replace")
