"""Documents -> a full-text index -> the passages that fit a query, and what is related to a text.

SQLite FTS5 with the porter stemmer, beside the vault's other state: it can be deleted and comes
back with the same results. It is brought up to date by comparing hashes, so a person's edit is
found too. A broken file is thrown away and made again.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from memoria.edges import disk
from memoria.errors import VaultError
from memoria.stages.passage import Document, around, passages

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Scope = Literal["articles", "daily", "all"]
# another layout is no index of ours: it is made again
_VERSION = 2
_SCHEMA = f"""
PRAGMA user_version = {_VERSION};
CREATE TABLE IF NOT EXISTS file(path TEXT PRIMARY KEY, sha TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS document(id INTEGER PRIMARY KEY, path TEXT NOT NULL, title TEXT NOT NULL,
    kind TEXT NOT NULL, date TEXT NOT NULL, projects TEXT NOT NULL, tags TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS document_path ON document(path);
CREATE TABLE IF NOT EXISTS passage(id INTEGER PRIMARY KEY, document INTEGER NOT NULL, text TEXT);
CREATE INDEX IF NOT EXISTS passage_document ON passage(document);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(title, body, around, tokenize='porter');
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
_RANK = "bm25(words, 4.0, 1.0, 1.0)"
# a day's entries hold hundreds of words; the longest distinct ones carry the topics
_TERMS = 60
_WORD = re.compile(r"\w{4,}")
_ANY = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that fits a query, with its best passage, in which the hits are **marked**.

    `path` is relative to the vault, with ending; a higher `score` is better.
    """

    path: str
    title: str
    kind: str
    date: str
    project: str
    score: float
    passage: str


class Search:
    """The index of one vault."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def refresh(self, documents: Iterable[Document]) -> None:
        """Bring the index to these documents; others go.

        VaultError for a file that the disk does not let us write.
        """
        found = list(documents)
        try:
            try:
                self._refresh(found)
            except sqlite3.DatabaseError as error:
                if _code(error) in _NOT_ITS_FAULT:
                    raise
                self._throw_away()
                self._refresh(found)
        except (sqlite3.DatabaseError, OSError) as error:
            raise VaultError(f"{self._path} cannot be used: {error}") from error

    def find(
        self,
        query: str,
        *,
        most: int = 10,
        scope: Scope = "all",
        project: str = "",
        since: str = "",
        kind: str = "",
        tag: str = "",
    ) -> list[Hit]:
        """Give the documents that fit best, best first; ties in order of path and place."""
        words = list(dict.fromkeys(_ANY.findall(query.lower())))
        if not words or not self._path.exists():
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        with closing(sqlite3.connect(self._path)) as base, suppress(sqlite3.DatabaseError):
            rows = base.execute(
                f"SELECT document.id, path, document.title, kind, date, projects, tags, text,"  # noqa: S608 - a constant
                f" -{_RANK} AS score FROM words JOIN passage ON passage.id = words.rowid"
                " JOIN document ON document.id = passage.document WHERE words MATCH ?"
                " ORDER BY score DESC, path, passage.id",
                (match,),
            )
            found: dict[int, Hit] = {}
            for row, path, title, of, date, projects, tags, text, score in rows:
                wanted = (
                    scope in {"all", "daily" if path.startswith("daily/") else "articles"}
                    and project.casefold() in projects.casefold()
                    and date >= since
                    and kind in {"", of}
                    and (not tag or tag in tags.split("\n"))
                )
                if wanted and row not in found:
                    name = ", ".join(projects.split("\n"))
                    marked = re.sub(
                        rf"\b({'|'.join(map(re.escape, words))})", r"**\1**", text, flags=re.I
                    )
                    found[row] = Hit(path, title, of, date, name, score, marked)
                    if len(found) == most:
                        break
            return list(found.values())
        return []

    def related(self, text: str, most: int) -> list[str]:
        """Give the paths of the articles that share most with a text, best first, ties by path.

        Nothing where there is no index, or one that only the next refresh() can mend.
        """
        words = sorted(set(_WORD.findall(text.lower())), key=lambda word: (-len(word), word))
        hits = self.find(" ".join(words[:_TERMS]), most=most, scope="articles")
        return [hit.path.removeprefix("knowledge/").removesuffix(".md") for hit in hits]

    def _refresh(self, documents: list[Document]) -> None:
        if not self._path.exists():
            disk.write(disk.folder(self._path.parent) / self._path.name, b"")  # ours alone to read
        documents.sort(key=lambda document: document.path)
        with closing(sqlite3.connect(self._path)) as base, base:
            (version,) = base.execute("PRAGMA user_version").fetchone()
            if version != _VERSION and base.execute("SELECT 1 FROM sqlite_master").fetchone():
                raise sqlite3.DatabaseError("an index of another version")
            base.executescript(_SCHEMA)
            held = dict(base.execute("SELECT path, sha FROM file"))
            for path in held.keys() - {document.path for document in documents}:
                _drop(base, path)
            for path, group in groupby(documents, key=lambda document: document.path):
                those = list(group)
                if held.get(path) != those[0].sha:
                    _drop(base, path)
                    base.execute("INSERT INTO file VALUES (?, ?)", (path, those[0].sha))
                    for document in those:
                        _add(base, document)

    def _throw_away(self) -> None:
        for ending in ("", "-journal", "-wal", "-shm"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)


def _add(base: sqlite3.Connection, document: Document) -> None:
    row = base.execute(
        "INSERT INTO document(path, title, kind, date, projects, tags) VALUES (?, ?, ?, ?, ?, ?)",
        (
            document.path,
            document.title,
            document.kind,
            document.date,
            "\n".join(document.projects),
            "\n".join(document.tags),
        ),
    )
    found = passages(document.text) or (document.title,)
    for at, text in enumerate(found):
        new = base.execute(
            "INSERT INTO passage(document, text) VALUES (?, ?)", (row.lastrowid, text)
        )
        base.execute(
            "INSERT INTO words(rowid, title, body, around) VALUES (?, ?, ?, ?)",
            (new.lastrowid, document.title, text, around(found, at)),
        )


def _drop(base: sqlite3.Connection, path: str) -> None:
    rows = base.execute(
        "SELECT passage.id FROM passage JOIN document ON document.id = passage.document"
        " WHERE path = ?",
        (path,),
    ).fetchall()
    base.executemany("DELETE FROM words WHERE rowid = ?", rows)
    base.executemany("DELETE FROM passage WHERE id = ?", rows)
    base.execute("DELETE FROM document WHERE path = ?", (path,))
    base.execute("DELETE FROM file WHERE path = ?", (path,))


def _code(error: sqlite3.DatabaseError) -> int:
    # the low byte is the kind of error, what is above it a detail; some have no code at all
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
