"""Keep the one index of lines: what search, query, compile and the hooks look into.

SQLite FTS5 with the porter stemmer, beside the vault's other state: it can be deleted and comes
back with the same results. A document is found by its text, an entry by each subject of its session
as well; every line stands in a row of its own, with its source and whether a hook may say it. A
file of another version or a broken one is made again; one that is broken in its middle shows that
only when it is read there, so a search, too, may have to.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from memoria.errors import VaultError
from memoria.search.index import amendments, ranking
from memoria.search.index.ranking import TOKENS, Hit, Scope, SearchFilter, expand_names, parse_query
from memoria.search.index.reader import VERSION
from memoria.vault.storage import disk

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memoria.search.cures.from_ledger import Cure
    from memoria.search.index.passages import Document

# what is the fault of the disk or of another process, and not the file's: it is not made anew
_FAULTS_ELSEWHERE = (
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR),
    *(sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY),
)
_TABLES = (
    "CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT UNIQUE, mtime, size, inode, sha)",
    """CREATE TABLE document(id INTEGER PRIMARY KEY, file INTEGER, title TEXT, names TEXT,
        kind TEXT, date TEXT, moment TEXT, projects TEXT, tags TEXT, link TEXT, session TEXT,
        author TEXT)""",
    "CREATE INDEX document_file ON document(file)",
    # `heard`: what was said in a session, which is never shown; `asked`: a prompt is compared with
    # it; `newer` is the passage that replaces this one; `searched` is the text with the parts of
    # its names, NULL where it has none
    """CREATE TABLE passage(id INTEGER PRIMARY KEY, document INTEGER, heard INTEGER, asked INTEGER,
        amends INTEGER, text TEXT, searched TEXT, newer INTEGER)""",
    "CREATE INDEX passage_document ON passage(document)",
    "CREATE INDEX passage_amends ON passage(amends) WHERE amends",
    "CREATE INDEX passage_newer ON passage(newer) WHERE newer IS NOT NULL",
    """CREATE TABLE line(id INTEGER PRIMARY KEY, passage INTEGER, kind TEXT, weight INTEGER,
        told INTEGER, key TEXT, link TEXT, text TEXT)""",
    "CREATE INDEX line_passage ON line(passage)",
    "CREATE INDEX line_held ON line(key) WHERE NOT told",
    # pages when it was last tidied; passages, of which vocabulary counts those with a word
    "CREATE TABLE measure(pages INTEGER, rows INTEGER, known TEXT)",
    "INSERT INTO measure VALUES (0, 0, '')",
    # It holds no text: a row is read back to be taken out. The body comes first, since every word
    # of a second column costs two bytes more.
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
_ALWAYS_READ: Stamp = (0, 0, 0)  # tells nothing: such a file is read and told by its hash
# a batch of files takes half a second, and for so long readers wait; a minute means a writer hangs
_BATCH_FILES, _PATIENCE_SECONDS = 200, 60.0
# what was written so shortly ago can change again within the same tick of the disk's clock
_SAME_TICK_SECONDS = 0.1
# what is taken out leaves marks in the index, and free pages in the file: when it has grown by half
# since the last time it is tidied, which takes a second for a hundred thousand passages
_GROWTH, _LEAST_PAGES = 1.5, 64


class FileContent(NamedTuple):
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


class _BrokenIndex(VaultError):
    """There is no index, or one that can only be made again."""


class SearchIndex:
    """The index of one vault; `mend` is called to make it again when a search finds it broken."""

    def __init__(self, path: Path, mend: Callable[[SearchIndex], None] | None = None) -> None:
        self._path = path
        self._mend = mend

    def is_current(self, files: Mapping[str, Stamp], known_stamp: str = "") -> bool:
        """Whether the index holds these files as they are, and no others."""
        try:
            with self._open_to_read() as base:
                if base.execute("SELECT known FROM measure").fetchone() != (known_stamp,):
                    return False
                return _ALWAYS_READ not in files.values() and _read_stamps(base) == files
        except _BrokenIndex:
            return False

    def sync_files(
        self,
        files: Mapping[str, Stamp],
        read_file: Callable[[str], FileContent],
        sayable_keys: Container[str] = (),
        known_stamp: str = "",
    ) -> None:
        """Bring the index to these files: what is new or changed is read, others go.

        `sayable_keys` are the keys of lines that a hook may say. To be called by one process at a
        time; a broken index is made again. VaultError for a file that the disk does not let us
        write.
        """
        try:
            self._sync_files(files, read_file, sayable_keys, known_stamp)
        except _BrokenIndex:
            self.reset()
            self._sync_files(files, read_file, sayable_keys, known_stamp)

    def sync_documents(self, documents: Iterable[Document], keys: Container[str] = ()) -> None:
        """Bring the index to these documents, told by the hashes of their files; others go."""
        path_of = attrgetter("path")
        groups = groupby(sorted(documents, key=path_of), path_of)
        files = {path: FileContent(first.sha, (first, *more)) for path, (first, *more) in groups}
        self.sync_files(dict.fromkeys(files, _ALWAYS_READ), files.__getitem__, keys)

    def sync_rules_and_cures(self, rules: Sequence[FreshRule], cures: Iterable[Cure]) -> None:
        """Replace the tables of a person's active rules and of known fixes where they differ."""
        cure_rows = [_replace_surrogates(astuple(cure)) for cure in cures]
        with self._open_to_write() as base:
            for table, rows in (("rule", list(rules)), ("cure", cure_rows)):
                if base.execute(f"SELECT * FROM {table}").fetchall() != rows:  # noqa: S608 - a constant
                    base.execute(f"DELETE FROM {table}")  # noqa: S608 - as above
                    for row in rows:
                        _insert_row(base, table, *row)
            base.execute("COMMIT")

    def reset(self) -> None:
        """Throw the index away."""
        for ending in ("", "-journal", "-wal", "-shm"):
            disk.remove(self._path.with_name(self._path.name + ending))

    def find(  # noqa: PLR0913 - filters, each by its name
        self,
        query: str,
        *,
        limit: int = 10,
        scope: Scope = "all",
        project: str = "",
        since: str = "",
        kind: str = "",
        tag: str = "",
    ) -> list[Hit]:
        """Give the documents that fit best, best first; ties in order of path and place."""
        units = parse_query(query) or parse_query(query, everything=True)
        return self._rank(units, SearchFilter(scope, project, since, kind, tag), limit)

    def find_related(self, text: str, limit: int) -> list[str]:
        """Give the paths of the articles that share most with a text, best first, ties by path."""
        hits = self._rank(parse_query(text), SearchFilter("articles"), limit)
        return [hit.path.removeprefix("knowledge/").removesuffix(".md") for hit in hits]

    def _rank(self, units: Mapping[str, int], filters: SearchFilter, limit: int) -> list[Hit]:
        try:
            with self._open_to_read() as base:
                return ranking.rank_documents(base, units, filters, limit)
        except _BrokenIndex:
            if self._mend is None:
                return []
        self._mend(self)
        with self._open_to_read() as base:
            return ranking.rank_documents(base, units, filters, limit)

    def _sync_files(
        self,
        files: Mapping[str, Stamp],
        read_file: Callable[[str], FileContent],
        sayable_keys: Container[str],
        known_stamp: str,
    ) -> None:
        with self._open_to_write() as base:
            stamps = _read_stamps(base)
            removed = stamps.keys() - files.keys()
            for path in removed:
                _remove_file(base, path)
            unchanged = {row for row in stamps.items() if row[1] != _ALWAYS_READ}
            is_changed = bool(removed)
            for count, (path, stamp) in enumerate(
                row for row in files.items() if row not in unchanged
            ):
                is_changed |= _store_file(base, path, stamp, read_file(path), sayable_keys)
                if count % _BATCH_FILES == _BATCH_FILES - 1:
                    base.execute("COMMIT")
                    base.execute("BEGIN IMMEDIATE")
            # hooks may say what has come to be known since it was put in
            keys = base.execute("SELECT DISTINCT key FROM line WHERE NOT told AND key != ''")
            keys_learned = [row for row in keys.fetchall() if row[0] in sayable_keys]
            base.executemany("UPDATE line SET told = 1 WHERE NOT told AND key = ?", keys_learned)
            if is_changed:
                amendments.link_passages(base)
                base.execute("UPDATE measure SET rows = (SELECT count(*) FROM passage)")
            base.execute("UPDATE measure SET known = ?", (known_stamp,))
            base.execute("COMMIT")
            _compact(base)

    @contextmanager
    def _open_to_read(self) -> Iterator[sqlite3.Connection]:
        with self._open() as base:
            if base.execute("PRAGMA user_version").fetchone() != (VERSION,):
                raise _BrokenIndex(f"{self._path} is of another version")
            yield base

    @contextmanager
    def _open_to_write(self) -> Iterator[sqlite3.Connection]:
        if not self._path.exists():
            disk.make_folder(self._path.parent)
            disk.write(self._path, b"")  # ours alone to read
        with self._open() as base:
            # what a power failure breaks is made again
            base.execute("PRAGMA synchronous = OFF")
            base.execute("BEGIN IMMEDIATE")
            if base.execute("PRAGMA user_version").fetchone() != (VERSION,):
                if base.execute("SELECT 1 FROM sqlite_master").fetchone():
                    raise _BrokenIndex(f"{self._path} is of another version")
                for table in (*_TABLES, f"PRAGMA user_version = {VERSION}"):
                    base.execute(table)
            yield base

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        if not self._path.exists():
            raise _BrokenIndex(f"there is no {self._path}")
        try:
            base = sqlite3.connect(self._path, timeout=_PATIENCE_SECONDS, isolation_level=None)
            with closing(base):
                yield base
        except sqlite3.DatabaseError as error:
            # the low byte is the kind of error, what is above it a detail; some have no code at all
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            kind = VaultError if code in _FAULTS_ELSEWHERE else _BrokenIndex
            raise kind(f"{self._path} cannot be used: {error}") from error


def _compact(base: sqlite3.Connection) -> None:
    (tidied_pages,) = base.execute("SELECT pages FROM measure").fetchone()
    (pages,) = base.execute("PRAGMA page_count").fetchone()
    if pages > tidied_pages * _GROWTH + _LEAST_PAGES:
        base.execute("INSERT INTO words(words) VALUES ('optimize')")
        with suppress(sqlite3.OperationalError):  # somebody reads: the next time, then
            base.execute("VACUUM")
        base.execute("UPDATE measure SET pages = ?", base.execute("PRAGMA page_count").fetchone())


def _read_stamps(base: sqlite3.Connection) -> dict[str, Stamp]:
    rows = base.execute("SELECT path, mtime, size, inode FROM file")
    return {row[0]: row[1:] for row in rows}


def _store_file(
    base: sqlite3.Connection, path: str, stamp: Stamp, content: FileContent, keys: Container[str]
) -> bool:
    """Hold a file; of one that was only touched the stamp alone is new. Say if it has changed."""
    if time.time() - stamp[0] / 1e9 < _SAME_TICK_SECONDS:
        stamp = _ALWAYS_READ
    stored_sha = base.execute("SELECT sha FROM file WHERE path = ?", (path,)).fetchone()
    if stored_sha == (content.sha,):
        query = "UPDATE file SET mtime = ?, size = ?, inode = ? WHERE path = ?"
        base.execute(query, (*stamp, path))
        return False
    if stored_sha:
        _remove_file(base, path)
    file = _insert_row(base, "file", None, path, *stamp, content.sha)
    for document in content.documents:
        _store_document(base, file, document, keys)
    return True


def _store_document(
    base: sqlite3.Connection, file: int, document: Document, keys: Container[str]
) -> None:
    names, projects = "\n".join(document.names), "\n".join(document.projects)
    tags = "".join(f"\n{tag.lower()}\n" for tag in document.tags)
    dated = (document.kind, document.date, document.moment)
    source = (document.link, document.session, document.author)
    cells = (file, document.title, names, *dated, projects, tags, *source)
    document_id = _insert_row(base, "document", None, *cells)
    searched_title = expand_names(f"{document.title}\n{names}")
    # A prompt is compared with what was said where that is known, and with an article where it says
    # something that stands in no entry: its other lines were taken from one.
    is_compared = document.kind == "entry" or any(not line.link for line in document.lines)
    passages = [(False, is_compared and not document.heard, 0, document.text, document.lines)]
    for subject in document.heard:
        came_to = (line.text for line in subject.lines if line.kind == "conclusion")
        amends = amendments.rate_strength(subject.amends, came_to)
        passages.append((True, True, amends, subject.text, subject.lines))
    for *flags, text, lines in passages:
        searched = expand_names(text)
        searched_text = None if searched == text else searched
        row = _insert_row(base, "passage", None, document_id, *flags, text, searched_text, None)
        _insert_row(base, "words(rowid, body, title)", row, searched, searched_title)
        line_rows = (
            (None, row, kind, weight, key in keys, key, *_replace_surrogates((link, line_text)))
            for kind, weight, key, line_text, link in lines
        )
        base.executemany("INSERT INTO line VALUES (?, ?, ?, ?, ?, ?, ?, ?)", line_rows)


def _insert_row(base: sqlite3.Connection, table: str, *cells: object) -> int:
    """Put a row into a table; give its number."""
    marks = ", ".join("?" * len(cells))
    query = f"INSERT INTO {table} VALUES ({marks})"  # noqa: S608 - constants and marks
    return base.execute(query, _replace_surrogates(cells)).lastrowid or 0


def _replace_surrogates(cells: Iterable[object]) -> tuple[object, ...]:
    """Give cells that can be stored: a lone surrogate, as a note may hold, cannot."""
    return tuple(
        cell
        if not isinstance(cell, str) or cell.isascii()
        else cell.encode("utf-8", "replace").decode()
        for cell in cells
    )


def _remove_file(base: sqlite3.Connection, path: str) -> None:
    """Let go of a file, and take its words out of the index as they were put in."""
    (file_id,) = base.execute("SELECT id FROM file WHERE path = ?", (path,)).fetchone()
    query = """SELECT passage.id, coalesce(searched, text), title, names FROM document
        JOIN passage ON document.id = document WHERE file = ?"""
    for passage_id, text, title, names in base.execute(query, (file_id,)).fetchall():
        words = (passage_id, text, expand_names(f"{title}\n{names}"))
        # as fts5 takes out a row whose text it does not hold
        _insert_row(base, "words(words, rowid, body, title)", "delete", *words)
        base.execute("DELETE FROM line WHERE passage = ?", (passage_id,))
        base.execute("DELETE FROM passage WHERE id = ?", (passage_id,))
    base.execute("DELETE FROM document WHERE file = ?", (file_id,))
    base.execute("DELETE FROM file WHERE id = ?", (file_id,))
