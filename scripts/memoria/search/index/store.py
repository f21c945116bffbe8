"""Keep the one index of lines: what search, query, compile and the hooks look into.

SQLite FTS5 with the porter stemmer, beside the vault's other state: it can be deleted and comes
back with the same results. A document is found by its text, an entry by each subject of its session
as well; every line of it stands in a row of its own, with its source and whether a hook may say it.
The index of words holds no text: a row is read back to be taken out. A file of another version or a
broken one is thrown away and made again. The traps: a file that is broken in its middle shows that
only when it is read there, so a search, too, may have to make it again; and a hook never waits, so
what is written at once has to be little.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from memoria.errors import VaultError
from memoria.search.index import amendments
from memoria.search.index.ranking import TOKENS, Hit, Scope, Wanted, ranked
from memoria.search.index.reader import VERSION
from memoria.search.query_words import sought, spread
from memoria.vault.storage import disk

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memoria.search.cures.known_cures import Cure
    from memoria.search.index.lines import Line
    from memoria.search.index.passages import Document

__all__ = ["FreshRule", "Hit", "Read", "Scope", "Search", "Stamp"]

# what is the fault of the disk or of another process, and not the file's: it is not made anew
_ELSEWHERE = frozenset(
    (
        *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR),
        *(sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PERM),
        sqlite3.SQLITE_READONLY,
    )
)
_TABLES = (
    """CREATE TABLE file(
        id INTEGER PRIMARY KEY, path TEXT UNIQUE, mtime INTEGER, size INTEGER, inode INTEGER,
        sha TEXT
    )""",
    """CREATE TABLE document(
        id INTEGER PRIMARY KEY, file INTEGER, title TEXT, names TEXT, kind TEXT, date TEXT,
        moment TEXT, projects TEXT, tags TEXT, link TEXT, session TEXT, author TEXT, branch TEXT,
        files TEXT
    )""",
    "CREATE INDEX document_file ON document(file)",
    # `heard`: what was said in a session, which is never shown; `asked`: a prompt is compared with
    # it; `newer` is the passage that replaces this one; `searched` is the text with the parts of
    # its names, NULL where it has none
    """CREATE TABLE passage(
        id INTEGER PRIMARY KEY, document INTEGER, turn INTEGER, heard INTEGER, asked INTEGER,
        amends INTEGER, newer INTEGER, text TEXT, searched TEXT
    )""",
    "CREATE INDEX passage_document ON passage(document)",
    "CREATE INDEX passage_amends ON passage(amends) WHERE amends",
    "CREATE INDEX passage_newer ON passage(newer) WHERE newer IS NOT NULL",
    """CREATE TABLE line(
        id INTEGER PRIMARY KEY, passage INTEGER, kind TEXT, weight INTEGER, origin TEXT,
        told INTEGER, key TEXT, link TEXT, text TEXT
    )""",
    "CREATE INDEX line_passage ON line(passage)",
    "CREATE INDEX line_held ON line(key) WHERE NOT told",
    # pages when it was last tidied; passages that prompts are compared with, and their characters
    "CREATE TABLE measure(pages INTEGER, rows INTEGER, characters INTEGER, known TEXT)",
    "INSERT INTO measure VALUES (0, 0, 0, '')",
    # the body comes first, since every word of a second column costs two bytes more
    f"CREATE VIRTUAL TABLE words USING fts5(body, title, content='', {TOKENS})",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, 'row')",
    "CREATE TABLE rule(name TEXT, hash TEXT, text TEXT, scope TEXT, since REAL)",
    """CREATE TABLE cure(key TEXT, anchor TEXT, signature TEXT, action TEXT, project TEXT,
        day TEXT, log TEXT, line TEXT, how TEXT, change TEXT, file TEXT)""",
    "CREATE INDEX cure_anchor ON cure(anchor)",
)
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


class FreshRule(NamedTuple):
    """A rule that a person brought in force: `scope` "" for all projects, `since` in seconds."""

    name: str
    hash: str
    text: str
    scope: str
    since: float


class _Broken(VaultError):
    """There is no index, or one that can only be made again."""


class Search:
    """The index of one vault; `mend` is called to make it again when a search finds it broken."""

    def __init__(self, path: Path, mend: Callable[[Search], None] | None = None) -> None:
        self._path = path
        self._mend = mend

    def is_current(self, files: Mapping[str, Stamp], known: str = "") -> bool:
        """Whether the index holds these files as they are, and no others.

        `known` tells two states of the lines apart that hooks may say.
        """
        try:
            with self._reading() as base:
                return (
                    _UNKNOWN not in files.values()
                    and _held(base) == files
                    and base.execute("SELECT known FROM measure").fetchone() == (known,)
                )
        except _Broken:
            return False

    def update(
        self,
        files: Mapping[str, Stamp],
        read: Callable[[str], Read],
        told: Container[str] = (),
        known: str = "",
    ) -> None:
        """Bring the index to these files: what is new or changed is read, others go.

        `told` are the keys of lines that a hook may say. To be called by one process at a time; a
        broken index is made again. VaultError for a file that the disk does not let us write.
        """
        try:
            self._update(files, read, told, known)
        except _Broken:
            self.reset()
            self._update(files, read, told, known)

    def refresh(self, documents: Iterable[Document], told: Container[str] = ()) -> None:
        """Bring the index to these documents, told by the hashes of their files; others go."""
        ordered = sorted(documents, key=lambda document: document.path)
        groups = groupby(ordered, lambda document: document.path)
        files = {path: Read(first.sha, (first, *more)) for path, (first, *more) in groups}
        self.update(dict.fromkeys(files, _UNKNOWN), files.__getitem__, told)

    def put(self, rules: Sequence[FreshRule], cures: Iterable[Cure]) -> None:
        """Bring the rules that a person brought in force and the known fixes up to date."""
        with self._writing() as base:
            if base.execute("SELECT * FROM rule").fetchall() != rules:
                base.execute("DELETE FROM rule")
                base.executemany("INSERT INTO rule VALUES (?, ?, ?, ?, ?)", rules)
            _put_cures(base, cures)
            base.execute("COMMIT")

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

    def _update(
        self,
        files: Mapping[str, Stamp],
        read: Callable[[str], Read],
        told: Container[str],
        known: str,
    ) -> None:
        with self._writing() as base:
            held = _held(base)
            gone = held.keys() - files.keys()
            for path in gone:
                _drop(base, path)
            new = [
                path
                for path in files
                if held.get(path, _UNKNOWN) != files[path] or files[path] == _UNKNOWN
            ]
            is_changed = bool(gone)
            for count, path in enumerate(new, 1):
                is_changed |= _put(base, path, files[path], read(path), told)
                if count % _BATCH == 0:
                    base.execute("COMMIT")
                    base.execute("BEGIN IMMEDIATE")
            _let_tell(base, told)
            if is_changed:
                amendments.link(base)
                _measure(base)
            base.execute("UPDATE measure SET known = ?", (known,))
            base.execute("COMMIT")
            _tidy(base)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._open() as base:
            if base.execute("PRAGMA user_version").fetchone() != (VERSION,):
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
            # the low byte is the kind of error, what is above it a detail; some have no code at all
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            kind = VaultError if code in _ELSEWHERE else _Broken
            raise kind(f"{self._path} cannot be used: {error}") from error


def _prepare(base: sqlite3.Connection) -> None:
    (version,) = base.execute("PRAGMA user_version").fetchone()
    if version == VERSION:
        return
    if base.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise sqlite3.DatabaseError("an index of another version")
    for table in _TABLES:
        base.execute(table)
    base.execute(f"PRAGMA user_version = {VERSION}")


def _measure(base: sqlite3.Connection) -> None:
    """Count what the hooks' scores need: passages, and how long they are together."""
    base.execute(
        """UPDATE measure SET (rows, characters) =
            (SELECT count(*), coalesce(sum(length(text)), 0) FROM passage WHERE asked)"""
    )


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


def _put(
    base: sqlite3.Connection, path: str, stamp: Stamp, content: Read, told: Container[str]
) -> bool:
    """Hold a file; of one that was only touched the stamp alone is new. Say if it has changed."""
    if time.time() - stamp[0] / 1e9 < _RACY_SECONDS:
        stamp = _UNKNOWN
    held = base.execute("SELECT sha FROM file WHERE path = ?", (path,)).fetchone()
    if held == (content.sha,):
        change = "UPDATE file SET mtime = ?, size = ?, inode = ? WHERE path = ?"
        base.execute(change, (*stamp, path))
        return False
    if held:
        _drop(base, path)
    new = "INSERT INTO file VALUES (NULL, ?, ?, ?, ?, ?)"
    file = base.execute(new, (path, *stamp, content.sha)).lastrowid or 0
    for document in content.documents:
        _add(base, file, document, told)
    return True


def _add(base: sqlite3.Connection, file: int, document: Document, told: Container[str]) -> None:
    names = "\n".join(document.names)
    cells = (
        *(file, document.title, names, document.kind, document.date, document.moment),
        "\n".join(document.projects),
        "".join(f"\n{tag.lower()}\n" for tag in document.tags),
        *(document.link, document.session, document.author, document.branch),
        "\n".join(document.files),
    )
    marks = ", ".join("?" * len(cells))
    new = base.execute(f"INSERT INTO document VALUES (NULL, {marks})", _plain(cells))  # noqa: S608 - marks alone
    number = new.lastrowid or 0
    titled = spread(f"{document.title}\n{names}")
    for passage in _passages(document):
        _put_passage(base, number, passage, titled, told)


class _Passage(NamedTuple):
    """A row of `passage` but for its document, and its lines."""

    turn: int
    heard: bool
    asked: bool
    amends: int
    text: str
    lines: tuple[Line, ...]


def _passages(document: Document) -> Iterator[_Passage]:
    """Give the text of a document, then what was said in its session.

    A prompt is compared with what was said where that is known, and with an article where it says
    something that stands in no entry: its other lines were taken from one.
    """
    own = document.kind == "entry" or any(not line.link for line in document.lines)
    is_asked = own and not document.heard
    yield _Passage(0, False, is_asked, 0, document.text, document.lines)
    for heard in document.heard:
        came_to = (line.text for line in heard.lines if line.kind == "conclusion")
        amends = amendments.strength(heard.amends, came_to)
        yield _Passage(heard.turn, True, True, amends, heard.text, heard.lines)


def _put_passage(
    base: sqlite3.Connection, document: int, passage: _Passage, titled: str, told: Container[str]
) -> None:
    *about, text, lines = passage
    searched = spread(text)
    new = "INSERT INTO passage VALUES (NULL, ?, ?, ?, ?, ?, NULL, ?, ?)"
    stored = (document, *about, text, None if searched == text else searched)
    row = base.execute(new, _plain(stored)).lastrowid or 0
    base.execute(
        "INSERT INTO words(rowid, body, title) VALUES (?, ?, ?)", _plain((row, searched, titled))
    )
    base.executemany(
        "INSERT INTO line VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            _plain((row, line.kind, line.weight, line.origin, line.key in told, line.key))
            + _plain((line.link, line.text))
            for line in lines
        ),
    )


def _plain(cells: Iterable[object]) -> tuple[object, ...]:
    """Give cells that can be stored: a lone surrogate, as a note may hold, cannot."""
    return tuple(
        cell.encode("utf-8", "replace").decode() if isinstance(cell, str) else cell
        for cell in cells
    )


def _drop(base: sqlite3.Connection, path: str) -> None:
    """Let go of a file, and take its words out of the index as they were put in."""
    (file,) = base.execute("SELECT id FROM file WHERE path = ?", (path,)).fetchone()
    held = """SELECT passage.id, coalesce(searched, text), title, names FROM document
        JOIN passage ON document.id = document WHERE file = ?"""
    for row, text, title, names in base.execute(held, (file,)).fetchall():
        base.execute(
            "INSERT INTO words(words, rowid, body, title) VALUES ('delete', ?, ?, ?)",
            (row, text, spread(f"{title}\n{names}")),
        )
        base.execute("DELETE FROM line WHERE passage = ?", (row,))
        base.execute("DELETE FROM passage WHERE id = ?", (row,))
    base.execute("DELETE FROM document WHERE file = ?", (file,))
    base.execute("DELETE FROM file WHERE id = ?", (file,))


def _let_tell(base: sqlite3.Connection, told: Container[str]) -> None:
    """Let hooks say what has come to be known since it was put in."""
    held = base.execute("SELECT DISTINCT key FROM line WHERE NOT told AND key != ''").fetchall()
    base.executemany(
        "UPDATE line SET told = 1 WHERE NOT told AND key = ?",
        [row for row in held if row[0] in told],
    )


def _put_cures(base: sqlite3.Connection, cures: Iterable[Cure]) -> None:
    """Write the cures anew where one has changed: they are few."""
    wanted = [_plain(astuple(cure)) for cure in cures]
    if base.execute("SELECT * FROM cure").fetchall() != wanted:
        base.execute("DELETE FROM cure")
        base.executemany("INSERT INTO cure VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", wanted)
