"""Articles -> a full-text index -> those related to a text.

SQLite FTS5 with the porter stemmer, beside the vault's other state: it can be deleted and comes
back with the same results. It is brought up to date by comparing hashes, so a person's edit is
found too. A broken file is thrown away and made again.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from memoria.edges import disk
from memoria.errors import VaultError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# a passage has its note's rowid: to find it by its path would read the whole index each time
_SCHEMA = """
CREATE TABLE IF NOT EXISTS note(id INTEGER PRIMARY KEY, path TEXT UNIQUE, sha TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS passage
    USING fts5(path UNINDEXED, title, body, tokenize='porter');
"""
# what the disk or another process is to blame for: the file itself may be whole
_NOT_ITS_FAULT = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
# a title names the topic: a word of it counts as much as several in the text
_RANK = "bm25(passage, 0.0, 4.0, 1.0)"
# a day's entries hold hundreds of words; the longest distinct ones carry the topics
_TERMS = 60
_WORD = re.compile(r"\w{4,}")


class Search:
    """The index of one vault."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def update(self, notes: Iterable[tuple[str, str, str, str]]) -> None:
        """Bring the index to these notes, given as (path, hash, title, text).

        VaultError for a file that the disk does not let us write.
        """
        found = list(notes)
        try:
            try:
                self._update(found)
            except sqlite3.DatabaseError as error:
                if _code(error) in _NOT_ITS_FAULT:
                    raise
                self._throw_away()
                self._update(found)
        except (sqlite3.DatabaseError, OSError) as error:
            raise VaultError(f"{self._path} cannot be used: {error}") from error

    def related(self, text: str, most: int) -> list[str]:
        """Give the paths of the notes that share most with a text, best first, ties by path.

        Nothing where there is no index, or one that only the next update() can mend.
        """
        words = sorted(set(_WORD.findall(text.lower())), key=lambda word: (-len(word), word))
        if not words or not self._path.exists():
            return []
        query = " OR ".join(f'"{word}"' for word in words[:_TERMS])
        with closing(sqlite3.connect(self._path)) as base, suppress(sqlite3.DatabaseError):
            rows = base.execute(
                f"SELECT path FROM passage WHERE passage MATCH ? ORDER BY {_RANK}, path LIMIT ?",  # noqa: S608 - a constant
                (query, most),
            )
            return [path for (path,) in rows]
        return []

    def _update(self, notes: list[tuple[str, str, str, str]]) -> None:
        if not self._path.exists():
            disk.write(disk.folder(self._path.parent) / self._path.name, b"")  # ours alone to read
        with closing(sqlite3.connect(self._path)) as base, base:
            base.executescript(_SCHEMA)
            held = dict(base.execute("SELECT path, sha FROM note"))
            wanted = {path: sha for path, sha, _, _ in notes}
            for path in held.keys() - wanted.keys():
                self._drop(base, path)
            for path, sha, title, text in notes:
                if held.get(path) != sha:
                    self._drop(base, path)
                    row = base.execute("INSERT INTO note(path, sha) VALUES (?, ?)", (path, sha))
                    base.execute(
                        "INSERT INTO passage(rowid, path, title, body) VALUES (?, ?, ?, ?)",
                        (row.lastrowid, path, title, text),
                    )

    def _throw_away(self) -> None:
        for ending in ("", "-journal", "-wal", "-shm"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)

    @staticmethod
    def _drop(base: sqlite3.Connection, path: str) -> None:
        for (row,) in base.execute("SELECT id FROM note WHERE path = ?", (path,)).fetchall():
            base.execute("DELETE FROM passage WHERE rowid = ?", (row,))
            base.execute("DELETE FROM note WHERE id = ?", (row,))


def _code(error: sqlite3.DatabaseError) -> int:
    # the low byte is the kind of error, what is above it a detail; some have no code at all
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
