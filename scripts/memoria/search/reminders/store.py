"""Rules and articles -> the small database that the prompt hook looks into.

SQLite, since a lookup then costs the same in a vault of ten and of ten thousand articles, and a
flush writes only what changed; hooks open it read-only with the interpreter's own module. It is
derived: deleted, of another version or broken it is made again. The traps: a hook never waits, so
what is written at once has to be little (a batch takes some tens of milliseconds); and a word has
its counts by project, since what all articles of a project have tells nothing there.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.errors import VaultError
from memoria.vault.storage import disk
from memoria.vault.storage.sqlite import is_damage

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memoria.search.reminders.rows import Found, Known

_TABLES = (
    """CREATE TABLE rule(id INTEGER PRIMARY KEY, name TEXT, hash TEXT, text TEXT, scope TEXT,
        since REAL, total REAL, occasions INTEGER)""",
    """CREATE TABLE rule_word(word TEXT, rule INTEGER, weight REAL, occasion INTEGER,
        PRIMARY KEY(word, rule)) WITHOUT ROWID""",
    # scope 0 holds in every project
    "CREATE TABLE scope(id INTEGER PRIMARY KEY, project TEXT UNIQUE, articles INTEGER)",
    "INSERT INTO scope VALUES (0, '', 0)",
    "CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT UNIQUE, common INTEGER)",
    """CREATE TABLE count(word INTEGER, scope INTEGER, articles INTEGER,
        PRIMARY KEY(word, scope)) WITHOUT ROWID""",
    """CREATE TABLE posting(word INTEGER, scope INTEGER, article INTEGER,
        PRIMARY KEY(word, scope, article)) WITHOUT ROWID""",
    """CREATE TABLE article(id INTEGER PRIMARY KEY, words TEXT, scopes TEXT, path TEXT UNIQUE,
        sha TEXT, title TEXT, day TEXT, passages TEXT)""",
    "CREATE TABLE mark(name TEXT PRIMARY KEY, value TEXT)",
)
# hooks/reminder_reader.py reads these tables and has the same number: raise both with any change
VERSION = 1
# while a batch is being committed a hook finds nothing: some ten milliseconds
_BATCH, _PATIENCE_SECONDS = 500, 60.0
# what a batch touches, so that it is not written page by page
_CACHE_KB = 64 * 1024


@dataclass(frozen=True, slots=True)
class Content:
    """What the database is to hold.

    `rules` are in the order in which a session's start has them. `articles` maps paths to the
    hashes of their files; `make` gives the row of one that is new. `common` are words of any topic.
    """

    rules: Sequence[Known]
    articles: Mapping[str, str]
    make: Callable[[str], Found]
    common: Collection[str]


class Recall:
    """The database of one vault, to be updated by one process at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def update(self, content: Content) -> None:
        """Bring it to this content; VaultError for a file that cannot be written."""
        try:
            try:
                self._change(content)
            except _Unusable:
                self._make(content)
        except sqlite3.DatabaseError as error:
            raise VaultError(f"{self._path} cannot be used: {error}") from error

    def _change(self, content: Content) -> None:
        """Write what has changed, in steps between which hooks can read."""
        if not self._path.exists():
            raise _Unusable
        try:
            with _connected(self._path) as base:
                if base.execute("PRAGMA user_version").fetchone() != (VERSION,):
                    raise _Unusable
                base.execute("BEGIN IMMEDIATE")
                for _ in _steps(base, content):
                    base.execute("COMMIT")
                    base.execute("BEGIN IMMEDIATE")
                base.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            raise (_Unusable if is_damage(error) else error) from error

    def _make(self, content: Content) -> None:
        """Make it beside its place; a rollback journal of the old one must not meet the new one."""
        new = self._path.with_name(f"{self._path.name}.new")
        new.unlink(missing_ok=True)
        disk.write(disk.folder(new.parent) / new.name, b"")  # ours alone to read
        with _connected(new) as base:
            base.execute("PRAGMA journal_mode = OFF")
            base.execute("BEGIN")
            for table in _TABLES:
                base.execute(table)
            for _ in _steps(base, content):
                pass  # nobody waits for it
            base.execute(f"PRAGMA user_version = {VERSION}")
            base.execute("COMMIT")
        self._path.with_name(f"{self._path.name}-journal").unlink(missing_ok=True)
        disk.rename(new, self._path)


class _Unusable(Exception):
    """There is no database, or one that can only be made again."""


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(path, timeout=_PATIENCE_SECONDS, isolation_level=None)
    with closing(connection) as base:
        # what a power failure breaks is made again
        base.execute("PRAGMA synchronous = OFF")
        base.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        yield base


def _steps(base: sqlite3.Connection, content: Content) -> Iterator[None]:
    """Do the work in steps, after each of which all of it hangs together."""
    _rules(base, content.rules)
    held = dict(base.execute("SELECT path, sha FROM article"))
    wanted = content.articles
    for part in _parts([path for path, sha in held.items() if wanted.get(path) != sha]):
        _drop(base, part)
        yield
    for part in _parts([path for path, sha in wanted.items() if held.get(path) != sha]):
        _put(base, [content.make(path) for path in part], content.common)
        yield


def _rules(base: sqlite3.Connection, rules: Sequence[Known]) -> None:
    """Write the rules anew where one has changed: their weights hang together."""
    mark = f"{zlib.crc32(repr(rules).encode('utf-8', 'replace')):08x}-{len(rules)}"
    if base.execute("SELECT value FROM mark WHERE name = 'rules'").fetchone() == (mark,):
        return
    base.execute("DELETE FROM rule")
    base.execute("DELETE FROM rule_word")
    base.executemany(
        "INSERT INTO rule VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ((at, *_rule(one)) for at, one in enumerate(rules)),
    )
    base.executemany(
        "INSERT INTO rule_word VALUES (?, ?, ?, ?)",
        ((word, at, *rest) for at, one in enumerate(rules) for word, *rest in one.words),
    )
    base.execute("INSERT OR REPLACE INTO mark VALUES ('rules', ?)", (mark,))


def _rule(one: Known) -> tuple[object, ...]:
    return (one.name, one.hash, one.text, one.scope, one.since, one.total, one.occasions)


def _parts(paths: list[str]) -> Iterator[list[str]]:
    return (paths[at : at + _BATCH] for at in range(0, len(paths), _BATCH))


def _drop(base: sqlite3.Connection, paths: Iterable[str]) -> None:
    found = "SELECT id, words, scopes FROM article WHERE path = ?"
    rows = [base.execute(found, (path,)).fetchone() for path in paths]
    placed = sorted(_places(rows))
    base.executemany("DELETE FROM posting WHERE word = ? AND scope = ? AND article = ?", placed)
    base.executemany("DELETE FROM article WHERE id = ?", [row[:1] for row in rows])
    _count(base, rows, placed, -1)


def _put(base: sqlite3.Connection, made: Sequence[Found], common: Collection[str]) -> None:
    """Write articles; what belongs to one word is written together: that is far faster."""
    words = _words(base, {word for found in made for word in found.words}, common)
    scopes = _scopes(base, {name for found in made for name in found.scopes})
    rows = []
    for found in made:
        numbers = _json([words[word] for word in found.words])
        places = _json([scopes[name] for name in found.scopes])
        passages = [[f"{zlib.crc32(text.encode()):08x}", text] for text in found.passages]
        about = (found.path, found.sha, found.title, found.day, _json(passages))
        new = "INSERT INTO article VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)"
        number = base.execute(new, (numbers, places, *about)).lastrowid or 0
        rows.append((number, numbers, places))
    placed = sorted(_places(rows))
    base.executemany("INSERT INTO posting VALUES (?, ?, ?)", placed)
    _count(base, rows, placed, 1)


def _words(
    base: sqlite3.Connection, texts: Collection[str], common: Collection[str]
) -> dict[str, int]:
    """Give the numbers of words, new ones too."""
    new = ((text, text in common) for text in sorted(texts))
    base.executemany("INSERT OR IGNORE INTO word(text, common) VALUES (?, ?)", new)
    query = "SELECT id FROM word WHERE text = ?"
    return {text: int(base.execute(query, (text,)).fetchone()[0]) for text in texts}


def _scopes(base: sqlite3.Connection, names: Collection[str]) -> dict[str, int]:
    """Give the numbers of projects, new ones too."""
    new = ((name,) for name in sorted(names))
    base.executemany("INSERT OR IGNORE INTO scope VALUES (NULL, ?, 0)", new)
    return dict(base.execute("SELECT project, id FROM scope"))


def _places(rows: Iterable[tuple[int, str, str]]) -> Iterator[tuple[int, int, int]]:
    """Give (word, scope, article) of articles: number, and numbers of words and scopes as JSON."""
    for number, words, scopes in rows:
        for scope in json.loads(scopes):
            yield from ((word, scope, number) for word in json.loads(words))


def _count(
    base: sqlite3.Connection,
    rows: Iterable[tuple[int, str, str]],
    placed: Iterable[tuple[int, int, int]],
    sign: int,
) -> None:
    """Count articles in or out: those of each word in each project, and those of each project."""
    words = Counter((word, scope) for word, scope, _ in placed)
    base.executemany(
        "INSERT INTO count VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET articles = articles + ?",
        ((*place, sign * many, sign * many) for place, many in words.items()),
    )
    scopes = Counter(scope for _, _, names in rows for scope in json.loads(names))
    base.executemany(
        "UPDATE scope SET articles = articles + ? WHERE id = ?",
        ((sign * many, scope) for scope, many in scopes.items()),
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
