"""Gather what is to change in a vault, and commit it through the journal.

Each file goes with the hash of what it was read as, so that a person's edit is never written over.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memoria.errors import VaultError
from memoria.vault import home_page, index
from memoria.vault.article import Article, parse_article, render_article
from memoria.vault.regions import DamagedRegion
from memoria.vault.storage import disk, journal, ledger_records as records
from memoria.vault.storage.journal import Append, Change, Conflict, OutsideChange, Write

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memoria.vault.storage.ledger_records import Record
    from memoria.vault.store import Log, Vault

# the index among the files whose hashes the ledger keeps; articles go by their paths
INDEX = "index"


@dataclass
class Transaction:
    """What is to change: `label` names a step that a person may take back, `step` is its id.

    `wrote` holds the hashes of notes as they were put, to tell later edits of a person.
    """

    vault: Vault
    label: str = ""
    step: str = ""
    wrote: dict[str, str] = field(default_factory=dict)
    schema_changes: bool = False
    _articles: dict[str, Article | None] = field(default_factory=dict)
    _files: dict[Path, tuple[str, bytes | None]] = field(default_factory=dict)
    _derived: set[Path] = field(default_factory=set)
    _pictures: list[OutsideChange] = field(default_factory=list)
    _records: list[Record] = field(default_factory=list)

    @property
    def articles(self) -> Mapping[str, Article | None]:
        """The articles that are to change, as they will be."""
        return self._articles

    @property
    def affects_hooks(self) -> bool:
        """Whether hooks may be told otherwise after it; some records and log.md are for people."""
        records = any(record["kind"] != "call" for record in self._records)
        return records or bool(self._files.keys() - {self.vault.knowledge / "log.md"})

    def put_log(self, log: Log, text: str) -> None:
        """Set the text of a daily log that was read as `log`."""
        new = text.encode("utf-8", "replace")
        if new != log.text.encode():
            self._files[self.vault.daily / f"{log.day}.md"] = (log.sha, new)

    def put_entry(self, name: str, text: str) -> None:
        """Make the entry daily/NAME.md, of which there is no file yet."""
        data = text.encode("utf-8", "replace")
        self._files[self.vault.daily / f"{name}.md"] = ("", data)
        self.wrote[f"daily/{name}"] = disk.sha(data)

    def put_article(self, article: Article) -> None:
        """Set an article; Conflict where there is a file that it was not read from."""
        if not article.sha and article.path in self.vault.articles:
            fault = self.vault.articles.fault(article.path)
            raise Conflict(fault or f"knowledge/{article.path}.md is there already; try again")
        data = render_article(article).encode("utf-8", "replace")
        path = self.vault.knowledge / f"{article.path}.md"
        if disk.sha(data) == article.sha:
            self._files.pop(path, None)
            return
        self._files[path] = (article.sha, data)
        self._articles[article.path] = article
        self.wrote[article.path] = disk.sha(data)

    def put_index(self, hashes: Mapping[str, str] | None = None) -> None:
        """Make index.md anew; what a person wrote into it is put aside for the doctor."""
        path = self.vault.knowledge / "index.md"
        articles = self.vault.articles
        current = {name: articles[name] for name in articles}
        data = disk.read(path) or b""
        sha = disk.sha(data)
        own_hashes = {(hashes or {}).get(INDEX), disk.sha(b"")}
        # to derive it from ten thousand articles takes half a second, so only where it has to be
        if sha not in own_hashes and sha != disk.sha(self._render_index(current)):
            self.put_state(self.vault.journal.aside / f"index-{sha}.md", data)
        rows = (current | self._articles).items()
        new = self._render_index({name: article for name, article in rows if article})
        self.put_state(path, new, derived=True)
        self.wrote[INDEX] = disk.sha(new)

    def _render_index(self, articles: Mapping[str, Article]) -> bytes:
        return index.render_index(articles.values(), self.vault.schema).encode("utf-8", "replace")

    def put_home(self, body: str) -> None:
        """Set Memoria's part of HOME.md, unless a person has made the page or the part theirs."""
        path = self.vault.root / home_page.NAME
        old = disk.read(path)
        text = None if old is None else old.decode("utf-8", "surrogateescape")
        with suppress(DamagedRegion):
            new = home_page.update_page(text, body)
            if new is not None:
                self.put_state(path, new.encode("utf-8", "surrogateescape"), derived=True)

    def append_log(self, text: str) -> None:
        """Add to log.md."""
        path = self.vault.knowledge / "log.md"
        _, pending_data = self._files.get(path, ("", b""))
        old = pending_data or disk.read(path) or index.LOG_HEADER.encode()
        self.put_state(path, old + text.encode("utf-8", "replace"), derived=True)

    def put_file(self, path: Path, data: bytes | None, expected: str) -> None:
        """Set a whole file, or with None take it away; `expected` is the hash of it as read."""
        self._files[path] = (expected, data)
        self.schema_changes = self.schema_changes or path == self.vault.root / "AGENTS.md"
        if path.is_relative_to(self.vault.knowledge):
            name = path.relative_to(self.vault.knowledge).as_posix().removesuffix(".md")
            if kind := self.vault.schema.kind_of(name):
                self._articles[name] = None
                # the index has nothing of what cannot be read
                with suppress(VaultError, UnicodeDecodeError):
                    if data is not None:
                        self._articles[name] = parse_article(name, kind.name, data.decode())

    def picture(self, path: Path, before: bytes | None, after: bytes | None) -> None:
        """Keep both states of a file that is no part of the vault, to take the step back by."""
        self._pictures.append(OutsideChange(path, before, after))

    def record(self, record: Record) -> None:
        """Add a record to the ledger; it is there if and only if the files have changed."""
        self._records.append(record)

    def commit(self) -> None:
        """Make the changes through the journal."""
        changes: list[Change] = [
            Write(path, new, expected, path in self._derived)
            for path, (expected, new) in self._files.items()
        ]
        self.step = self.step or (journal.create_step_id() if self.label else "")
        if self._records:
            changes.append(self._build_ledger_append())
        changes += self._pictures
        # what changed no file is no step to take back; that an undo was made is told by its step
        is_step = self._pictures or self._files.keys() - self._derived or self.label == records.UNDO
        if changes:
            label = self.label if is_step else ""
            self.vault.journal.commit(changes, label=label, step=self.step)

    def _build_ledger_append(self) -> Append:
        step_field = {records.STEP: self.step} if self.step else {}
        text = "".join(records.format_line(record | step_field) for record in self._records)
        path = self.vault.state.ledger
        return Append(path, disk.find_missing_line_end(path) + text.encode())

    def put_state(self, path: Path, data: bytes, *, derived: bool = False) -> None:
        """Replace a file as it is now, of the state or made by code alone."""
        old = disk.read(path)
        self._derived |= {path} if derived else set()
        if data != old:
            self._files[path] = (disk.sha(old) if old is not None else "", data)
