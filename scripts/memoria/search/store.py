"""Documents -> a full-text index -> those that fit a query, each with its best passage.

SQLite FTS5 with the porter stemmer, beside the vault's other state: it can be deleted and comes
back with the same results. The index of words holds no text: a document's is kept once, pressed,
and its windows are cut from it again to take them out. A file of another version or a broken one is
thrown away and made again. The trap: a file that is broken in its middle shows that only when it is
read there, so a search, too, may have to make it again.
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from contextlib import closing, contextmanager, suppress
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from memoria.errors import VaultError
from memoria.search.passages import MOST, Document, passages, windows
from memoria.search.query_words import sought, spread
from memoria.search.ranking import TOKENS, Hit, Scope, Wanted, ranked
from memoria.vault.storage import disk
from memoria.vault.storage.sqlite import is_damage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = ["Hit", "Read", "Scope", "Search", "Stamp"]

_TABLES = (
    """CREATE TABLE file(
        id INTEGER PRIMARY KEY, path TEXT UNIQUE, mtime INTEGER, size INTEGER, inode INTEGER,
        sha TEXT
    )""",
    """CREATE TABLE document(
        id INTEGER PRIMARY KEY, file INTEGER, title TEXT, names TEXT, kind TEXT, date TEXT,
        projects TEXT, tags TEXT
    )""",
    "CREATE INDEX document_file ON document(file)",
    "CREATE TABLE body(document INTEGER PRIMARY KEY, text BLOB)",
    # a passage's row is its document's id times MOST and its place in it; the body comes first,
    # since every word of a second column costs two bytes more
    # of the file when it was last tidied, of the index now
    "CREATE TABLE measure(pages INTEGER, rows INTEGER)",
    "INSERT INTO measure VALUES (0, 0)",
    f"CREATE VIRTUAL TABLE words USING fts5(body, title, content='', {TOKENS})",
)
_SAMPLE = "".join(f"Line {number} of `TokenStore` in \u4e00\u4e01.\n" for number in range(99))
# only what was put in can be taken out again: windows that are cut otherwise are another version
_VERSION = zlib.crc32(repr((_TABLES, MOST, *windows(passages(_SAMPLE)))).encode()) >> 1
# what tells two states of a file apart without reading it: time in ns, size, inode. Plain tuples:
# ten thousand are compared before each search
Stamp = tuple[int, int, int]
# tells nothing: such a file is read and told by its hash
_UNKNOWN: Stamp = (0, 0, 0)
# a batch of files takes half a second, and for so long readers wait; a minute means a writer hangs
_BATCH, _PATIENCE_SECONDS = 200, 60.0
# what was written so shortly ago can be written again within the same tick of the disk's clock
_RACY_SECONDS = 0.1
# what is taken out leaves marks in the index, and free pages in the file: when it has grown by half
# since the last time it is tidied, which takes a second for a hundred thousand passages
_GROWTH, _LEAST_PAGES = 1.5, 64


class Read(NamedTuple):
    """What a file holds: the hash of its content, and documents (none where it is unreadable)."""

    sha: str
    documents: tuple[Document, ...]


class _Broken(VaultError):
    """There is no index, or one that can only be made again."""


class Search:
    """The index of one vault; `mend` is called to make it again when a search finds it broken."""

    def __init__(self, path: Path, mend: Callable[[Search], None] | None = None) -> None:
        self._path = path
        self._mend = mend

    def is_current(self, files: Mapping[str, Stamp]) -> bool:
        """Whether the index holds these files as they are, and no others."""
        try:
            with self._reading() as base:
                return _UNKNOWN not in files.values() and _held(base) == files
        except _Broken:
            return False

    def update(self, files: Mapping[str, Stamp], read: Callable[[str], Read]) -> None:
        """Bring the index to these files: what is new or changed is read, others go.

        To be called by one process at a time; a broken index is made again. VaultError for a file
        that the disk does not let us write.
        """
        try:
            self._update(files, read)
        except _Broken:
            self.reset()
            self._update(files, read)

    def refresh(self, documents: Iterable[Document]) -> None:
        """Bring the index to these documents, told by the hashes of their files; others go."""
        ordered = sorted(documents, key=lambda document: document.path)
        groups = groupby(ordered, lambda document: document.path)
        files = {path: Read(one.sha, (one, *more)) for path, (one, *more) in groups}
        self.update(dict.fromkeys(files, _UNKNOWN), files.__getitem__)

    def reset(self) -> None:
        """Throw the index away."""
        for ending in ("", "-journal", "-wal", "-shm"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)

    def find(  # noqa: PLR0913 - filters, each by its name
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
        units = sought(query) or sought(query, everything=True)
        return self._ranked(units, Wanted(scope, project, since, kind, tag), most)

    def related(self, text: str, most: int) -> list[str]:
        """Give the paths of the articles that share most with a text, best first, ties by path."""
        hits = self._ranked(sought(text), Wanted("articles"), most)
        return [hit.path.removeprefix("knowledge/").removesuffix(".md") for hit in hits]

    def _ranked(self, units: Mapping[str, int], wanted: Wanted, most: int) -> list[Hit]:
        try:
            with self._reading() as base:
                return ranked(base, units, wanted, most)
        except _Broken:
            if self._mend is None:
                return []
        self._mend(self)
        with self._reading() as base:
            return ranked(base, units, wanted, most)

    def _update(self, files: Mapping[str, Stamp], read: Callable[[str], Read]) -> None:
        with self._writing() as base:
            held = _held(base)
            for path in held.keys() - files.keys():
                _drop(base, path)
            new = [
                path
                for path in files
                if held.get(path, _UNKNOWN) != files[path] or files[path] == _UNKNOWN
            ]
            for count, path in enumerate(new, 1):
                _put(base, path, files[path], read(path))
                if count % _BATCH == 0:
                    base.execute("COMMIT")
                    base.execute("BEGIN IMMEDIATE")
            base.execute("UPDATE measure SET rows = (SELECT count(*) FROM words_docsize)")
            base.execute("COMMIT")
            _tidy(base)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._open() as base:
            if base.execute("PRAGMA user_version").fetchone() != (_VERSION,):
                raise _Broken(f"{self._path} is of another version")
            yield base

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if not self._path.exists():
            disk.write(disk.folder(self._path.parent) / self._path.name, b"")  # ours alone to read
        with self._open() as base:
            # what a power failure breaks is made again
            base.execute("PRAGMA synchronous = OFF")
            base.execute("BEGIN IMMEDIATE")
            _prepare(base)
            yield base

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        if not self._path.exists():
            raise _Broken(f"there is no {self._path}")
        try:
            base = sqlite3.connect(self._path, timeout=_PATIENCE_SECONDS, isolation_level=None)
            with closing(base):
                yield base
        except sqlite3.DatabaseError as error:
            kind = _Broken if is_damage(error) else VaultError
            raise kind(f"{self._path} cannot be used: {error}") from error


def _prepare(base: sqlite3.Connection) -> None:
    (version,) = base.execute("PRAGMA user_version").fetchone()
    if version == _VERSION:
        return
    if base.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise sqlite3.DatabaseError("an index of another version")
    for table in _TABLES:
        base.execute(table)
    base.execute(f"PRAGMA user_version = {_VERSION}")


def _tidy(base: sqlite3.Connection) -> None:
    (before,) = base.execute("SELECT pages FROM measure").fetchone()
    if _pages(base) > before * _GROWTH + _LEAST_PAGES:
        base.execute("INSERT INTO words(words) VALUES ('optimize')")
        with suppress(sqlite3.OperationalError):  # somebody reads: the next time, then
            base.execute("VACUUM")
        base.execute("UPDATE measure SET pages = ?", (_pages(base),))


def _pages(base: sqlite3.Connection) -> int:
    (pages,) = base.execute("PRAGMA page_count").fetchone()
    return int(pages)


def _held(base: sqlite3.Connection) -> dict[str, Stamp]:
    rows = base.execute("SELECT path, mtime, size, inode FROM file")
    return {row[0]: row[1:] for row in rows}


def _put(base: sqlite3.Connection, path: str, stamp: Stamp, found: Read) -> None:
    """Hold a file; of one that was only touched the stamp alone is new."""
    if time.time() - stamp[0] / 1e9 < _RACY_SECONDS:
        stamp = _UNKNOWN
    held = base.execute("SELECT sha FROM file WHERE path = ?", (path,)).fetchone()
    if held == (found.sha,):
        change = "UPDATE file SET mtime = ?, size = ?, inode = ? WHERE path = ?"
        base.execute(change, (*stamp, path))
        return
    if held:
        _drop(base, path)
    new = "INSERT INTO file VALUES (NULL, ?, ?, ?, ?, ?)"
    file = base.execute(new, (path, *stamp, found.sha)).lastrowid or 0
    for document in found.documents:
        _add(base, file, document)


def _add(base: sqlite3.Connection, file: int, document: Document) -> None:
    text = document.text.encode("utf-8", "replace")
    names = "\n".join(document.names)
    cells = (
        *(file, document.title, names, document.kind, document.date),
        "\n".join(document.projects),
        "".join(f"\n{tag.lower()}\n" for tag in document.tags),
    )
    new = base.execute("INSERT INTO document VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", cells)
    number = new.lastrowid or 0
    base.execute("INSERT INTO body VALUES (?, ?)", (number, zlib.compress(text)))
    base.executemany(
        "INSERT INTO words(rowid, body, title) VALUES (?, ?, ?)",
        _rows(number, document.title, names, text.decode()),
    )


def _drop(base: sqlite3.Connection, path: str) -> None:
    """Let go of a file, and take its words out of the index as they were put in."""
    (file,) = base.execute("SELECT id FROM file WHERE path = ?", (path,)).fetchone()
    held = "SELECT id, title, names, text FROM document JOIN body ON id = document WHERE file = ?"
    for number, title, names, text in base.execute(held, (file,)).fetchall():
        base.executemany(
            "INSERT INTO words(words, rowid, body, title) VALUES ('delete', ?, ?, ?)",
            _rows(number, title, names, zlib.decompress(text).decode()),
        )
        base.execute("DELETE FROM body WHERE document = ?", (number,))
    base.execute("DELETE FROM document WHERE file = ?", (file,))
    base.execute("DELETE FROM file WHERE id = ?", (file,))


def _rows(number: int, title: str, names: str, text: str) -> Iterator[tuple[int, str, str]]:
    """Give the rows of the index for a document."""
    named = spread(f"{title}\n{names}")
    for row, window in enumerate(windows(passages(text) or ("",)), number * MOST):
        yield row, window, named
