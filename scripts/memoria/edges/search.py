"""Articles -> a full-text index -> those related to a text.

SQLite FTS5 with the porter stemmer, beside the vault's other state: it can be deleted and comes
back with the same results. It is brought up to date by comparing hashes, so a person's edit is
found too. A broken file is thrown away and made again.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS note(path TEXT PRIMARY KEY, sha TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS passage
    USING fts5(path UNINDEXED, title, body, tokenize='porter');
"""
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
        """Bring the index to these notes, given as (path, hash, title, text)."""
        try:
            self._update(list(notes))
        except sqlite3.DatabaseError:
            self._path.unlink(missing_ok=True)
            self._update(list(notes))

    def related(self, text: str, most: int) -> list[str]:
        """Give the paths of the notes that share most with a text, best first, ties by path."""
        words = sorted(set(_WORD.findall(text.lower())), key=lambda word: (-len(word), word))
        if not words or not self._path.exists():
            return []
        query = " OR ".join(f'"{word}"' for word in words[:_TERMS])
        with closing(sqlite3.connect(self._path)) as base:
            rows = base.execute(
                f"SELECT path FROM passage WHERE passage MATCH ? ORDER BY {_RANK}, path LIMIT ?",  # noqa: S608 - a constant
                (query, most),
            )
            return [path for (path,) in rows]

    def _update(self, notes: list[tuple[str, str, str, str]]) -> None:
        with closing(sqlite3.connect(self._path)) as base, base:
            base.executescript(_SCHEMA)
            held = dict(base.execute("SELECT path, sha FROM note"))
            wanted = {path: sha for path, sha, _, _ in notes}
            for path in held.keys() - wanted.keys():
                self._drop(base, path)
            for path, sha, title, text in notes:
                if held.get(path) != sha:
                    self._drop(base, path)
                    base.execute("INSERT INTO note VALUES (?, ?)", (path, sha))
                    base.execute("INSERT INTO passage VALUES (?, ?, ?)", (path, title, text))

    @staticmethod
    def _drop(base: sqlite3.Connection, path: str) -> None:
        base.execute("DELETE FROM note WHERE path = ?", (path,))
        base.execute("DELETE FROM passage WHERE path = ?", (path,))
