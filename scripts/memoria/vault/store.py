"""Read a vault's logs, entries and articles, and open the one way to change them."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from memoria.errors import NoVault, VaultError
from memoria.program import quote_words
from memoria.vault import package_files, setup
from memoria.vault.article_store import ArticleStore
from memoria.vault.file_names import find_sync_copies
from memoria.vault.schema import SCHEMA_FILE, Schema, find_unknown_lines, parse_schema
from memoria.vault.storage import disk, ledger_records as records
from memoria.vault.storage.history import History, fold_ledger
from memoria.vault.storage.journal import Conflict, Journal, WriteScope, create_step_id
from memoria.vault.trust.known_lines import KnownLines

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from pathlib import Path

    from memoria.vault.daily_log import Block
    from memoria.vault.storage.state import State
    from memoria.vault.transaction import Transaction

# a day of a busy person has some 100 KB; what is far larger is no log
MAX_LOG_BYTES = 32 << 20
# an entry that a person writes has some 10 KB, with pasted output a few hundred
_MAX_PAGE_BYTES = 4 << 20
TEMPLATE = "_TEMPLATE.md"
_PAGE_NAME = re.compile(r"(\d{4}-\d\d-\d\d)-(.+)\.md")  # "2026-01-16-auth.md"
_LOG_NAME_CHARS = len("2026-01-16.md")


class Log(NamedTuple):
    """A daily log as it stands; `sha` is the hash of its file, "" where there is none."""

    day: date
    text: str
    blocks: tuple[Block, ...]
    sha: str = ""

    @property
    def name(self) -> str:
        """The log's name as sources have it: daily/DATE.md."""
        return f"daily/{self.day}.md"


class WrittenPage(NamedTuple):
    """A written entry as it stands: daily/DATE-SLUG.md; `name` is the file's base name."""

    name: str
    day: date
    slug: str
    text: str


class Vault:
    """A vault on disk and this machine's state of it; `read_only`: it is not registered here."""

    def __init__(self, root: Path, state: State, *, read_only: bool = False) -> None:
        self.root, self.state, self.read_only = root, state, read_only
        scope = WriteScope(root, state.root, self._read_promoted_paths)
        self.journal = Journal(state.journal, scope)
        self.lines = KnownLines(state.known_lines)
        self.daily = root / "daily"
        self.knowledge = root / "knowledge"
        self.reports = root / "reports"
        self._schema: Schema | None = None
        self._articles: ArticleStore | None = None
        # the last fold of the ledger, with what tells that it has grown since
        self._folded: tuple[tuple[int, int, int], History] | None = None
        # whether what hooks read is older than the vault: `refresh` runs once, at a verb's end
        self.changed = False
        # the step under way: label and id
        self._step = ("", "")

    def require(self) -> Vault:
        """Give the vault; NoVault or VaultError for one that this machine cannot work with."""
        hint = f"`memoria init {quote_words(str(self.root))}`"
        if not self.looks_like_one:
            raise NoVault(f"no vault at {self.root}: {hint} makes one")
        if not self.state.exists:
            raise NoVault(
                f"{self.root} is not registered on this machine: {hint} does that; --trust only "
                "reads it"
            )
        for folder in (self.daily, self.knowledge, self.reports):
            disk.refuse_links(self.root, folder / "x")
        setup.check_format(self.root, self.state)
        return self

    def check_writable(self) -> None:
        """Refuse to begin on a disk that takes nothing: what is left undone there is not seen."""
        for folder in (self.state.root, self.daily, self.knowledge):
            try:
                disk.probe(folder)
            except OSError as error:
                raise VaultError(f"cannot write {folder}: {error.strerror or error}") from error

    @property
    def looks_like_one(self) -> bool:
        """Whether the folder has what a vault has; anybody's folder can."""
        return self.daily.is_dir() and self.knowledge.is_dir()

    def read(self, name: str, limit: int) -> tuple[str, str]:
        """Read a file of the vault by its path in it, as `disk.read_text` does; through no link."""
        disk.refuse_links(self.root, self.root / name)
        return disk.read_text(self.root / name, limit)

    def place(self, path: Path) -> Path:
        """Give a file to be written or removed without a transaction, where no link leads to it."""
        if path.is_relative_to(self.root):
            disk.refuse_links(self.root, path)
        return path

    @property
    def schema(self) -> Schema:
        """The kinds of article that the vault's AGENTS.md declares."""
        if self._schema is None:
            text, sha = disk.read_text(self.root / "AGENTS.md")
            if not sha:
                raise VaultError(f"{self.root}/AGENTS.md is missing: `memoria init` restores it")
            self._schema = parse_schema(text)
        return self._schema

    @property
    def prompt_schema(self) -> str:
        """The schema region for prompts: AGENTS.md's, the package's where a line is not known."""
        if not self.find_unknown_schema_lines(self.lines.sayable):
            return self.schema.region
        return parse_schema(package_files.read_agents_file()).region

    def find_unknown_schema_lines(self, keys: Container[str]) -> tuple[str, ...]:
        """Give the lines of the schema region that this machine neither wrote nor adopted."""
        copy = setup.read_copy(self.state, SCHEMA_FILE) or ""
        texts = (package_files.read_agents_file(), copy)
        return find_unknown_lines(self.schema.region, texts, keys)

    @property
    def articles(self) -> ArticleStore:
        """All articles, loaded when asked for."""
        if self._articles is None:
            self._articles = ArticleStore(self.knowledge, self.schema)
        return self._articles

    def logs(self) -> list[date]:
        """Days that have a log, oldest first."""
        days = (_parse_day(path.name) for path in self.daily.glob("????-??-??.md"))
        return sorted(day for day in days if day)

    def log(self, day: date) -> Log:
        """Read the log of a day (empty where there is none)."""
        from memoria.vault.daily_log import parse_blocks  # noqa: PLC0415 - many verbs read no log

        text, sha = self.read(f"daily/{day}.md", MAX_LOG_BYTES)
        return Log(day, text, parse_blocks(text, day), sha)

    def pages(self) -> tuple[list[str], list[str]]:
        """Name the files of written entries, oldest first, and those misnamed, which nothing reads.

        Names with "_" or "." in front are templates and other programs'.
        """
        entries, misnamed = [], []
        names = [path.name for path in self.daily.iterdir()]
        for name in set(names) - find_sync_copies(names).keys():
            if name.endswith(".md") and name[0] not in "_.":
                is_dated = _parse_day(name) is not None
                if is_dated and _PAGE_NAME.fullmatch(name):
                    entries.append(name)
                elif not is_dated or len(name) != _LOG_NAME_CHARS:
                    misnamed.append(name)
        return sorted(entries), sorted(misnamed)

    def find_synced_files(self) -> list[str]:
        """Name the copies of notes that a sync program brought, which nothing reads."""
        paths = [path for folder in (self.daily, self.knowledge) for path in folder.rglob("*.*")]
        return sorted(find_sync_copies(path.relative_to(self.root).as_posix() for path in paths))

    def page(self, name: str) -> WrittenPage:
        """Read a written entry; VaultError where it is no file that can be read, or too large."""
        text, _ = self.read(f"daily/{name}", _MAX_PAGE_BYTES)
        match = _PAGE_NAME.fullmatch(name)
        if not match:
            raise VaultError(f"daily/{name} is no written entry: DATE-SLUG.md")
        return WrittenPage(name, date.fromisoformat(match[1]), match[2], text)

    def template(self) -> str:
        """Read daily/_TEMPLATE.md, "" where there is none."""
        return self.read(f"daily/{TEMPLATE}", _MAX_PAGE_BYTES)[0]

    def history(self) -> History:
        """Fold the ledger, with what a dead process had committed to it."""
        if self.journal.pending:
            with self.state.lock("vault"):
                self.journal.recover()
        ledger = self.state.ledger
        if not disk.size(ledger):
            return fold_ledger(())
        if self._folded and self._folded[0] == _stamp(ledger.stat()):
            return self._folded[1]
        with ledger.open(encoding="utf-8", errors="replace") as lines:
            self._folded = _stamp(os.fstat(lines.fileno())), fold_ledger(lines)
        return self._folded[1]

    def _read_promoted_paths(self) -> set[str]:
        """Name the files outside that rules were ever promoted to, by undone steps as well."""
        lines = (disk.read(self.state.ledger) or b"").decode("utf-8", "replace").splitlines()
        rows = (records.parse_record(line) or {} for line in lines if records.PROMOTE in line)
        return {str(row.get("path")) for row in rows if row.get("kind") == records.PROMOTE}

    def check_nothing_forgotten(self, since: History) -> None:
        """Raise Conflict within `open_transaction` if something was forgotten since."""
        if self.history().forgot != since.forgot:
            raise Conflict("something was forgotten in the meantime; try again")

    @contextmanager
    def step(self, label: str) -> Iterator[None]:
        """Make all changes within it one step, to be taken back as one, or a part of another."""
        outer_step = self._step
        self._step = outer_step if outer_step[1] else (label, create_step_id())
        try:
            yield
        finally:
            self._step = outer_step

    @contextmanager
    def open_transaction(self) -> Iterator[Transaction]:
        """Hold the vault's lock for reading and changing, recover, and commit what is put in."""
        if self.read_only:
            raise VaultError(
                f"{self.root} is not registered on this machine and only read: "
                f"`memoria init {quote_words(str(self.root))}` registers it"
            )
        from memoria.vault.transaction import Transaction  # noqa: PLC0415 - many verbs only read

        with self.state.lock("vault"):
            self.journal.recover()
            if self._articles is not None:
                self._articles.refresh()
            transaction = Transaction(self, *self._step)
            yield transaction
            transaction.commit()
            self.changed = self.changed or transaction.affects_hooks
            if transaction.schema_changes:
                self._schema = self._articles = None
            if transaction.wrote and self._articles is not None:
                self._articles.refresh()


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _parse_day(name: str) -> date | None:
    """Give the day that a file's name begins with, None where it begins with none."""
    try:
        return date.fromisoformat(name[:10])
    except ValueError:
        return None
