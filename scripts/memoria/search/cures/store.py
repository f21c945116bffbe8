"""Cures -> the file that the failure hook looks into.

SQLite, since a lookup then costs the same with ten and with five thousand cures; the hook opens it
read-only with the interpreter's own module. It is made anew beside its place where a cure has
changed, so that a hook never meets half of it, and it is derived: deleted, it is made again.
"""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing, suppress
from dataclasses import fields
from typing import TYPE_CHECKING

from memoria.errors import VaultError
from memoria.search.cures.known_cures import Cure
from memoria.vault.storage import disk

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAME = "cures.sqlite"
# hooks/failure_answer.py reads the table by these names
_COLUMNS = tuple(field.name for field in fields(Cure))


def write(path: Path, cures: Sequence[Cure]) -> None:
    """Bring the file to these cures; VaultError where it cannot be written."""
    rows = [tuple(map(_storable, cure.row)) for cure in cures]
    mark = zlib.crc32(repr((_COLUMNS, rows)).encode()) & 0x7FFFFFFF
    if _mark(path) == mark:
        return
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    disk.write(disk.folder(new.parent) / new.name, b"")  # ours alone to read
    try:
        _make(new, rows, mark)
    except sqlite3.Error as error:
        raise VaultError(f"{path} cannot be written: {error}") from error
    disk.rename(new, path)


def _mark(path: Path) -> int | None:
    """Read what the file was made of, None where there is none or it is broken."""
    if path.is_file():
        with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as base:
            return int(base.execute("PRAGMA user_version").fetchone()[0])
    return None


def _make(path: Path, rows: Sequence[tuple[str, ...]], mark: int) -> None:
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("PRAGMA journal_mode = OFF")
        base.execute(f"CREATE TABLE cure({', '.join(_COLUMNS)})")
        base.execute("CREATE INDEX by_anchor ON cure(anchor)")
        marks = ", ".join("?" * len(_COLUMNS))
        base.executemany(f"INSERT INTO cure VALUES ({marks})", rows)  # noqa: S608 - marks alone
        base.execute(f"PRAGMA user_version = {mark}")


def _storable(text: str) -> str:
    """Give a text that can be stored: a lone surrogate, as the ledger may hold, cannot."""
    return text.encode("utf-8", "replace").decode()
