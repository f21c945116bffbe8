"""Keep all that an exchange has brought on this machine, for the index and for offline work.

One transaction takes facts, withdrawals and the cursor. A fact is withdrawn by its own author
alone; its tombstone stays. The next pull brings a deleted mirror again.
"""

import os
import sqlite3
from collections.abc import Container, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from memoria.errors import VaultError
from memoria.team.fact import FOREVER, TOMBSTONE, Batch, TeamFact
from memoria.vault.storage import disk

NAME = "team_mirror.sqlite"
_VERSION = 1
_TABLES = (
    """CREATE TABLE fact(
        author TEXT, id TEXT, generation INTEGER, project TEXT, kind TEXT, day TEXT, text TEXT,
        link TEXT, title TEXT, detail TEXT, machine TEXT, PRIMARY KEY (author, id, generation)
    ) WITHOUT ROWID""",
    "CREATE INDEX fact_part ON fact(author, substr(day, 1, 7))",
    "CREATE INDEX fact_kind ON fact(kind)",
    "CREATE INDEX fact_latest ON fact(author, project, day)",
    # who withdrew what up to which generation
    """CREATE TABLE withdrawn(
        author TEXT, id TEXT, generation INTEGER, project TEXT, PRIMARY KEY (author, id)
    ) WITHOUT ROWID""",
    # a part is what one author said in one month: the index reads it anew when its version changes
    "CREATE TABLE part(author TEXT, month TEXT, version INTEGER, PRIMARY KEY (author, month))",
    "CREATE TABLE state(exchange TEXT, cursor TEXT, mark INTEGER)",
)
_COLUMNS = "author, project, kind, day, text, link, title, detail, generation, machine"
# other processes hold the mirror for a batch, well under a second
_PATIENCE_SECONDS = 30.0
# lines of one author and month that the index reads, the latest: a busy month has some 1,000, and
# who sends more floods
MOST_OF_PART = 5_000
# facts of one author and project that the pages of a vault choose from, as some may not be said
LATEST = 30
# facts of one author that are kept: ten busy years; who sends more floods this machine's disk
MOST_OF_AUTHOR = 200_000


class MonthPart(NamedTuple):
    """What one author said in one month; `stamp` changes with it."""

    author: str
    month: str
    stamp: tuple[int, int, int]


class Mirror:
    """The mirror of one vault on one machine; reading one that is not there gives nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def put(self, batch: Batch, exchange: str) -> None:
        """Take what a pull brought, whole or not at all."""
        with self._open_to_write() as base:
            base.execute("UPDATE state SET (exchange, cursor) = (?, ?)", (exchange, batch.cursor))
            changed_parts: set[tuple[str, str]] = set()
            room = _count_room(base, batch)
            for fact in batch.facts:
                is_end = fact.kind == TOMBSTONE
                changed_parts |= _withdraw(base, fact) if is_end else _add(base, fact, room)
            if batch.projects is not None:
                changed_parts |= _remove_other_projects(base, batch.projects)
            base.executemany(_COUNT_CHANGE, sorted(changed_parts))

    def withdraw(self, tombstones: Iterable[TeamFact]) -> None:
        """Take out what tombstones withdraw, before the exchange has them."""
        if not self._path.exists():
            return
        with self._open_to_write() as base:
            changed_parts = {part for fact in tombstones for part in _withdraw(base, fact)}
            base.executemany(_COUNT_CHANGE, sorted(changed_parts))

    def cursor(self, exchange: str) -> str:
        """Say where the next pull from an exchange begins; of another one nothing is kept."""
        rows = self._select_rows("SELECT exchange, cursor FROM state")
        if rows and rows[0][0] not in {"", exchange}:
            self.delete()
            return ""
        return str(rows[0][1]) if rows else ""

    def delete(self) -> None:
        """Throw the mirror away."""
        for ending in ("", "-journal"):
            disk.remove(self._path.with_name(self._path.name + ending))

    def facts(self, kind: str = "", author: str = "") -> list[TeamFact]:
        """Give the facts of a kind or author, in an order that does not hang on how they came."""
        condition = "(? IN ('', kind)) AND (? IN ('', author))"
        return self._select_facts(f"{condition} ORDER BY author, day, id, generation", kind, author)

    def find_withdrawn(self, author: str) -> dict[str, int]:
        """Give the ids that an author withdrew, with the last generation of each."""
        query = "SELECT id, generation FROM withdrawn WHERE author = ?"
        return {str(name): int(last) for name, last in self._select_rows(query, author)}

    def parts(self) -> list[MonthPart]:
        """List the parts that the index reads."""
        rows = self._select_rows("SELECT author, month, version, mark FROM part, state")
        return [MonthPart(author, month, (count, mark, 1)) for author, month, count, mark in rows]

    def facts_of_part(self, author: str, month: str) -> list[TeamFact]:
        """Give the latest facts of a part, in the order of their days and entries."""
        condition = "author = ? AND substr(day, 1, 7) = ? ORDER BY day DESC, link, id LIMIT ?"
        return self._select_facts(condition, author, month, MOST_OF_PART)

    def latest(self, projects: Container[str] | None, reader: str, last: str) -> list[TeamFact]:
        """Give the latest facts of each author in projects (None: all), of all authors but one.

        `last` is the last day that they may be dated.
        """
        pairs = self._select_rows("SELECT DISTINCT author, project FROM fact")
        condition = "author = ? AND project = ? AND day <= ? ORDER BY day DESC, link, id LIMIT ?"
        return [
            fact
            for author, project in pairs
            if author != reader and (projects is None or project in projects)
            for fact in self._select_facts(condition, author, project, last, LATEST)
        ]

    def _select_facts(self, condition: str, *values: object) -> list[TeamFact]:
        rows = self._select_rows(f"SELECT {_COLUMNS} FROM fact WHERE {condition}", *values)  # noqa: S608 - fixed
        return [TeamFact(*row) for row in rows]

    def _select_rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        if not self._path.exists():
            return []
        with self._open() as base:
            return base.execute(query, values).fetchall()

    @contextmanager
    def _open_to_write(self) -> Iterator[sqlite3.Connection]:
        if not self._path.exists():
            disk.write(disk.make_folder(self._path.parent) / self._path.name, b"")
        with self._open() as base:
            base.execute("BEGIN IMMEDIATE")
            if base.execute("PRAGMA user_version").fetchone() != (_VERSION,):
                _create_tables(base)
            yield base
            base.execute("COMMIT")

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            base = sqlite3.connect(self._path, timeout=_PATIENCE_SECONDS, isolation_level=None)
            with closing(base):
                # what was withdrawn leaves no trace in the file
                base.execute("PRAGMA secure_delete = ON")
                yield base
        except sqlite3.DatabaseError as error:
            raise VaultError(
                f"{self._path} cannot be used ({error}): delete it, the next pull brings it again"
            ) from error


def _create_tables(base: sqlite3.Connection) -> None:
    for table in _TABLES:
        base.execute(table)
    # a mirror that was made anew counts its versions anew, too
    mark = int.from_bytes(os.urandom(6))
    base.execute("INSERT INTO state VALUES ('', '', ?)", (mark,))
    base.execute(f"PRAGMA user_version = {_VERSION}")


_COUNT_CHANGE = """INSERT INTO part VALUES (?, ?, 1)
    ON CONFLICT (author, month) DO UPDATE SET version = version + 1"""
_IS_WITHDRAWN = """SELECT 1 FROM withdrawn WHERE author = ? AND id = ? AND generation >= ?"""
_NOTE_WITHDRAWAL = """INSERT INTO withdrawn VALUES (?, ?, ?, ?) ON CONFLICT (author, id)
    DO UPDATE SET generation = max(generation, excluded.generation)"""


def _count_room(base: sqlite3.Connection, batch: Batch) -> dict[str, int]:
    """Say how many more facts of each author of a batch are kept."""
    count = "SELECT count(*) FROM fact WHERE author = ?"
    return {
        author: MOST_OF_AUTHOR - int(base.execute(count, (author,)).fetchone()[0])
        for author in {fact.author for fact in batch.facts}
    }


def _add(base: sqlite3.Connection, fact: TeamFact, room: dict[str, int]) -> set[tuple[str, str]]:
    """Add a fact that nobody has withdrawn; give the part that has changed."""
    if room[fact.author] <= 0 or base.execute(_IS_WITHDRAWN, fact.key).fetchone():
        return set()
    cells = (*fact.key, fact.project, fact.kind, fact.day, fact.text)
    details = (fact.link, fact.title, fact.detail, fact.machine)
    new = "INSERT OR IGNORE INTO fact VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    added_count = base.execute(new, (*cells, *details)).rowcount
    room[fact.author] -= added_count
    return {(fact.author, fact.day[:7])} if added_count else set()


def _withdraw(base: sqlite3.Connection, fact: TeamFact) -> set[tuple[str, str]]:
    """Take out what a tombstone's author said; give the parts that have changed."""
    generation = min(fact.generation, FOREVER)
    base.execute(_NOTE_WITHDRAWAL, (fact.author, fact.text, generation, fact.project))
    sql = "DELETE FROM fact WHERE author = ? AND id = ? AND generation <= ? RETURNING author, day"
    rows = base.execute(sql, (fact.author, fact.text, generation)).fetchall()
    return {(author, day[:7]) for author, day in rows}


def _remove_other_projects(
    base: sqlite3.Connection, projects: frozenset[str]
) -> set[tuple[str, str]]:
    """Take out the projects that this person may not see any more."""
    query = "SELECT project FROM fact UNION SELECT project FROM withdrawn"
    present = {row[0] for row in base.execute(query)}
    changed_parts: set[tuple[str, str]] = set()
    for project in present - projects:
        sql = "DELETE FROM fact WHERE project = ? RETURNING author, day"
        rows = base.execute(sql, (project,)).fetchall()
        changed_parts |= {(author, day[:7]) for author, day in rows}
        base.execute("DELETE FROM withdrawn WHERE project = ?", (project,))
    return changed_parts
