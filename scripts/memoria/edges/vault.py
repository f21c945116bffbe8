"""The vault's files <-> logs, articles, index: the only writer under daily/ and knowledge/.

Writing goes through one transaction (edges/journal.py), which lands whole or not at all and only if
no file was changed since it was read: a person's edit is never written over. The trap: a log or an
article has to be handed back as what it was read as, since the hash of its file goes with it.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from memoria.edges import disk
from memoria.edges.articles import Shelf
from memoria.edges.journal import Append, Change, Conflict, Journal, Write
from memoria.errors import NoVault, VaultError
from memoria.stages import catalog, daily
from memoria.stages import ledger as records
from memoria.stages.article import Article, render
from memoria.stages.schema import Schema, schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memoria.edges.state import State
    from memoria.stages.ledger import History, Record

# the index among the files whose hashes the ledger keeps; articles go by their paths
INDEX = "index"
# a day of a busy person has some 100 KB; what is far larger is no log
_LOG_LIMIT = 32 * 1024 * 1024
# an entry that a person writes has some 10 KB, with pasted output a few hundred
_PAGE_LIMIT = 4 * 1024 * 1024
TEMPLATE = "_TEMPLATE.md"
_PAGE = re.compile(r"(\d{4}-\d\d-\d\d)-(.+)\.md")
_LOG_NAME = len("2026-01-16.md")


@dataclass(frozen=True, slots=True)
class Log:
    """A daily log as it stands; `sha` is the hash of its file, "" where there is none."""

    day: date
    text: str
    blocks: tuple[daily.Block, ...]
    sha: str = ""

    @property
    def name(self) -> str:
        """The log's name as sources have it: daily/DATE.md."""
        return f"daily/{self.day}.md"


@dataclass(frozen=True, slots=True)
class Page:
    """A written entry as it stands: daily/DATE-SLUG.md; `name` is the file's base name."""

    name: str
    day: date
    slug: str
    text: str


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
        # the last fold of the ledger, with what tells that it has grown since
        self._folded: tuple[tuple[int, int, int], History] | None = None

    def require(self) -> Vault:
        """Give the vault if it was initialised on this machine, else NoVault."""
        if not self.state.exists or not self.daily.is_dir() or not self.knowledge.is_dir():
            raise NoVault(f"no vault at {self.root}: `memoria init {self.root}` makes one")
        return self

    @property
    def schema(self) -> Schema:
        """The kinds of article that the vault's AGENTS.md declares."""
        if self._schema is None:
            text, found = disk.text(self.root / "AGENTS.md")
            if not found:
                raise VaultError(f"{self.root}/AGENTS.md is missing: `memoria init` restores it")
            self._schema = schema(text)
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
        text, found = disk.text(self.daily / f"{day}.md", _LOG_LIMIT)
        return Log(day, text, daily.blocks(text, day), found)

    def pages(self) -> tuple[list[str], list[str]]:
        """Name the files of the written entries, oldest first, and those misnamed.

        Misnamed is a Markdown file under daily/ that is no log and whose name begins with no day,
        so nothing reads it; names with "_" or "." in front are templates and other programs'.
        """
        found, misnamed = [], []
        for name in (path.name for path in self.daily.iterdir()):
            if name.endswith(".md") and name[0] not in "_.":
                if _day_of(name) and _PAGE.fullmatch(name):
                    found.append(name)
                elif not (_day_of(name) and len(name) == _LOG_NAME):
                    misnamed.append(name)
        return sorted(found), sorted(misnamed)

    def page(self, name: str) -> Page:
        """Read a written entry; VaultError where it is no file that can be read, or too large."""
        text, _ = disk.text(self.daily / name, _PAGE_LIMIT)
        match = _PAGE.fullmatch(name)
        if not match:
            raise VaultError(f"daily/{name} is no written entry: DATE-SLUG.md")
        return Page(name, date.fromisoformat(match[1]), match[2], text)

    def template(self) -> str:
        """Read daily/_TEMPLATE.md, "" where there is none."""
        return disk.text(self.daily / TEMPLATE, _PAGE_LIMIT)[0]

    def history(self) -> History:
        """Fold the ledger, with what a dead process had committed to it."""
        if self.journal.pending:
            with self.state.lock("vault"):
                self.journal.recover()
        if not disk.size(self.state.ledger):
            return records.fold(())
        with self.state.ledger.open(encoding="utf-8", errors="replace") as lines:
            status = os.fstat(lines.fileno())
            stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
            if self._folded and self._folded[0] == stamp:
                return self._folded[1]
            found = records.fold(lines)
        if found.newer:
            raise VaultError(
                f"{self.state.ledger} was written by a newer Memoria (version {found.newer} of "
                f"the ledger, this one knows {records.VERSION}): update memoria-compiler"
            )
        self._folded = (stamp, found)
        return found

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
            if transaction.wrote and self._shelf is not None:
                self._shelf.refresh()


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
        new = text.encode("utf-8", "replace")
        if new != log.text.encode():
            self._files[self.vault.daily / f"{log.day}.md"] = (log.sha, new)

    def put_entry(self, name: str, text: str, read: str = "") -> None:
        """Set the entry daily/NAME.md (DATE-SLUG); `read` is the hash of the file it was read from.

        `wrote` remembers its hash.
        """
        data = text.encode("utf-8", "replace")
        if disk.sha(data) != read:
            self._files[self.vault.daily / f"{name}.md"] = (read, data)
            self.wrote[f"daily/{name}"] = disk.sha(data)

    def put_article(self, article: Article) -> None:
        """Set an article; `wrote` remembers its hash, to tell later edits of a person.

        Conflict at once where there is a file that it was not read from.
        """
        if not article.sha and article.path in self.vault.articles:
            fault = self.vault.articles.fault(article.path)
            raise Conflict(fault or f"knowledge/{article.path}.md is there already; try again")
        data = render(article).encode("utf-8", "replace")
        path = self.vault.knowledge / f"{article.path}.md"
        if disk.sha(data) == article.sha:
            self._files.pop(path, None)
            return
        self._files[path] = (article.sha, data)
        self._articles[article.path] = article
        self.wrote[article.path] = disk.sha(data)

    def put_index(self, written: Mapping[str, str] | None = None) -> None:
        """Derive index.md from the articles as they will be.

        `written` are the hashes of the files as Memoria wrote them last. What a person wrote into
        the index is no part of any article: it is put aside, where the doctor names it.
        """
        path = self.vault.knowledge / "index.md"
        shelf = self.vault.articles
        before = {name: shelf[name] for name in shelf}
        old = disk.read(path) or b""
        found = disk.sha(old)
        known = {(written or {}).get(INDEX), disk.sha(b"")}
        # to derive it from ten thousand articles takes half a second, so only where it has to be
        if found not in known and found != disk.sha(self._index(before)):
            aside = self.vault.journal.aside / f"index-{found}.md"
            self._replace(aside, old)
        new = self._index(before | self._articles)
        self._replace(path, new)
        self.wrote[INDEX] = disk.sha(new)

    def _index(self, articles: Mapping[str, Article]) -> bytes:
        return catalog.index(articles.values(), self.vault.schema).encode("utf-8", "replace")

    def append_log(self, text: str) -> None:
        """Add to log.md."""
        path = self.vault.knowledge / "log.md"
        _, pending = self._files.get(path, ("", b""))
        old = pending or disk.read(path) or catalog.LOG_HEADER.encode()
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
        if changes:
            self.vault.journal.commit(changes, label=self.label)

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


def _day_of(name: str) -> date | None:
    """Give the day that a file's name begins with, None where it begins with none."""
    try:
        return date.fromisoformat(name[:10])
    except ValueError:
        return None
