"""The vault's files <-> logs, articles, index: the only writer under daily/ and knowledge/.

Reading is lazy and remembers parses by the file's stamp, as a compile looks at many articles and
changes few. Writing goes through one transaction (edges/journal.py), which lands whole or not at
all and only if no file was changed since it was read: a person's edit is never written over. A file
that cannot be read is left out, named in `unreadable` and left untouched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from memoria.edges import disk
from memoria.edges.journal import Append, Change, Journal, Write
from memoria.errors import NoVault, VaultError
from memoria.stages import catalog, daily
from memoria.stages import ledger as records
from memoria.stages.article import Article, parse, render
from memoria.stages.schema import Schema, schema

if TYPE_CHECKING:
    from pathlib import Path

    from memoria.edges.state import State
    from memoria.stages.ledger import History, Record

# an article of 1 MB is no article; reading it would only cost memory
_ARTICLE_LIMIT = 1024 * 1024
_LOG_LIMIT = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Log:
    """A daily log as it stands."""

    day: date
    text: str
    blocks: tuple[daily.Block, ...]

    @property
    def name(self) -> str:
        """The log's name as sources have it: daily/DATE.md."""
        return f"daily/{self.day}.md"


class Vault:
    """A vault on disk and this machine's state of it."""

    def __init__(self, root: Path, state: State) -> None:
        self.root = root
        self.state = state
        self.journal = Journal(state.journal)
        self.daily = root / "daily"
        self.knowledge = root / "knowledge"
        self._schema: Schema | None = None
        self._shelf: Shelf | None = None

    def require(self) -> Vault:
        """Give the vault if it was initialised on this machine, else NoVault."""
        if not self.state.exists or not self.daily.is_dir() or not self.knowledge.is_dir():
            raise NoVault(f"no vault at {self.root}: `memoria init {self.root}` makes one")
        return self

    @property
    def schema(self) -> Schema:
        """The kinds of article that the vault's AGENTS.md declares."""
        if self._schema is None:
            data = disk.read(self.root / "AGENTS.md")
            if data is None:
                raise VaultError(f"{self.root}/AGENTS.md is missing: `memoria init` restores it")
            self._schema = schema(_decode(self.root / "AGENTS.md", data))
        return self._schema

    @property
    def articles(self) -> Shelf:
        """All articles, loaded when asked for."""
        if self._shelf is None:
            self._shelf = Shelf(self.knowledge, self.schema)
        return self._shelf

    def logs(self) -> list[date]:
        """Days that have a log, oldest first."""
        found = []
        for path in self.daily.glob("????-??-??.md"):
            try:
                found.append(date.fromisoformat(path.stem))
            except ValueError:
                continue
        return sorted(found)

    def log(self, day: date) -> Log:
        """Read the log of a day (empty where there is none)."""
        path = self.daily / f"{day}.md"
        text = _decode(path, _limited(path, _LOG_LIMIT))
        return Log(day, text, daily.blocks(text, day))

    def history(self) -> History:
        """Fold the ledger."""
        if disk.read(self.state.ledger) is None:
            return records.fold(())
        with self.state.ledger.open(encoding="utf-8", errors="replace") as lines:
            return records.fold(lines)

    @contextmanager
    def changing(self) -> Iterator[Transaction]:
        """Hold the vault's lock, finish what a dead process left, and commit what is put in.

        Everything that is read to decide on a change has to be read inside.
        """
        with self.state.lock("vault"):
            self.journal.recover()
            if self._shelf is not None:
                self._shelf.refresh()
            transaction = Transaction(self)
            yield transaction
            transaction.commit()


@dataclass
class Transaction:
    """What is to change, gathered; files that would not change are left out.

    `label` names a step that a person may take back.
    """

    vault: Vault
    label: str = ""
    wrote: dict[str, str] = field(default_factory=dict)
    _articles: dict[str, Article] = field(default_factory=dict)
    _files: dict[Path, tuple[str, bytes]] = field(default_factory=dict)
    _records: list[Record] = field(default_factory=list)

    def put_log(self, log: Log, text: str) -> None:
        """Set the text of a daily log that was read as `log`."""
        old, new = log.text.encode(), text.encode("utf-8", "replace")
        if new != old:
            self._files[self.vault.daily / f"{log.day}.md"] = (disk.sha(old) if old else "", new)

    def put_article(self, article: Article) -> None:
        """Set an article; `wrote` remembers its hash, to tell later edits of a person."""
        data = render(article).encode("utf-8", "replace")
        path = self.vault.knowledge / f"{article.path}.md"
        self._files[path] = (self.vault.articles.sha(article.path), data)
        self._articles[article.path] = article
        self.wrote[article.path] = disk.sha(data)

    def put_index(self) -> None:
        """Derive index.md from the articles as they will be."""
        shelf = self.vault.articles
        after = {path: shelf[path] for path in shelf} | self._articles
        text = catalog.index(after.values(), self.vault.schema)
        self._replace(self.vault.knowledge / "index.md", text.encode("utf-8", "replace"))

    def append_log(self, text: str) -> None:
        """Add to log.md."""
        path = self.vault.knowledge / "log.md"
        old = disk.read(path) or catalog.LOG_HEADER.encode()
        self._replace(path, old + text.encode("utf-8", "replace"))

    def put_state(self, path: Path, data: bytes) -> None:
        """Set a file of the state folder."""
        self._replace(path, data)

    def record(self, record: Record) -> None:
        """Add a record to the ledger; it is there if and only if the files have changed."""
        self._records.append(record)

    def commit(self) -> None:
        """Make the changes through the journal."""
        changes: list[Change] = [
            Write(path, new, expected) for path, (expected, new) in self._files.items()
        ]
        if self._records:
            changes.append(self._ledger())
        if not changes:
            return
        try:
            self.vault.journal.commit(changes, label=self.label)
        except OSError as error:
            where = error.filename or self.vault.root
            raise VaultError(f"cannot write {where}: {error.strerror or error}") from error

    def _ledger(self) -> Append:
        text = "".join(records.line(record) for record in self._records)
        path = self.vault.state.ledger
        # a torn last line (a full disk) is closed, so that it spoils itself alone
        torn = b"" if disk.ends_with(path, b"\n") else b"\n"
        return Append(path, torn + text.encode())

    def _replace(self, path: Path, data: bytes) -> None:
        old = disk.read(path)
        if data != old:
            self._files[path] = (disk.sha(old) if old is not None else "", data)


class Shelf(Mapping[str, Article]):
    """The articles of a vault by path ("concepts/x"), parsed when asked for.

    Iteration is in order of the paths and passes over what cannot be read; `unreadable` names
    those with the reason.
    """

    def __init__(self, root: Path, schema: Schema) -> None:
        self._root = root
        self._schema = schema
        self._parsed: dict[str, tuple[tuple[int, int], Article | None, str]] = {}
        self._stamps: dict[str, tuple[int, int]] = {}
        self.unreadable: dict[str, str] = {}
        self.refresh()

    def refresh(self) -> None:
        """List the files again; parses of unchanged ones stay."""
        self._stamps = {}
        for kind in self._schema.kinds:
            for path in (self._root / kind.folder).glob("*.md"):
                status = path.lstat()
                self._stamps[f"{kind.folder}/{path.stem}"] = (status.st_mtime_ns, status.st_size)
        # on a case-insensitive disk Foo.md is in the way of foo.md
        self.unreadable = {
            path.lower(): "a file of that name in other case is in the way"
            for path in self._stamps
            if path != path.lower()
        }

    def __getitem__(self, path: str) -> Article:
        """Load an article; KeyError where there is none or it cannot be read."""
        article = self._load(path)
        if article is None:
            raise KeyError(path)
        return article

    def __contains__(self, path: object) -> bool:
        """Whether there is a file for that path, readable or not."""
        return path in self._stamps

    def __iter__(self) -> Iterator[str]:
        """Go through the readable articles in order of their paths."""
        return (path for path in sorted(self._stamps) if self._load(path) is not None)

    def __len__(self) -> int:
        """Count the files, readable or not."""
        return len(self._stamps)

    def sha(self, path: str) -> str:
        """Give the hash of the file that was read for an article, "" where there is none."""
        held = self._parsed.get(path) if self._load(path) else None
        return held[2] if held else ""

    def _load(self, path: str) -> Article | None:
        stamp = self._stamps.get(path)
        if stamp is None:
            return None
        held = self._parsed.get(path)
        if held is None or held[0] != stamp:
            held = (stamp, *self._read(path))
            self._parsed[path] = held
        if held[1] is None:
            self.unreadable[path] = held[2]
        return held[1]

    def _read(self, path: str) -> tuple[Article | None, str]:
        """Give the article and its file's hash, or None and the reason."""
        file = self._root / f"{path}.md"
        kind = self._schema.kind_of(path)
        try:
            data = _limited(file, _ARTICLE_LIMIT)
            article = parse(path, kind.name if kind else "", _decode(file, data))
        except VaultError as error:
            return None, str(error)
        return article, disk.sha(data)


def _limited(path: Path, limit: int) -> bytes:
    data = disk.read(path) or b""
    if len(data) > limit:
        raise VaultError(f"{path} is over {limit >> 20} MB; split it by hand")
    return data


def _decode(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise VaultError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8") from error
