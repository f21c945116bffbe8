"""The vault -> the database that the prompt and failure hooks look into, brought up to date.

Called with every snapshot, so after each flush, compile and decision about a rule: what a person
has just taught is there at the next prompt. Only articles that changed since are cut into words. A
database that cannot be written leaves the hooks without it, and capture goes on.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from memoria.errors import VaultError
from memoria.privacy import clean as gate
from memoria.rules import model as rule
from memoria.search.reminders import rows as reminder
from memoria.search.reminders.known_fixes import cures
from memoria.search.reminders.store import Content, Recall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memoria.rules.model import Rule
    from memoria.vault.article import Article
    from memoria.vault.storage.history import Record
    from memoria.workspace import Workspace

NAME = "recall.sqlite"


def refresh(
    work: Workspace,
    articles: Iterable[Article],
    rules: Iterable[Rule],
    approvals: Mapping[str, str],
) -> bool:
    """Bring the hooks' database up to date with what the snapshot is made of; say if it is."""
    history = work.vault.history()
    told = work.vault.lines.told
    held = [one for one in rules if rule.is_in_force(one, approvals)]
    # in the order in which a session's start has them, whatever project they are of
    ranked = sorted(held, key=lambda one: (not one.pinned, -one.frequency, one.id))
    since = decided(history.of("rule"), {one.id: rule.text_hash(one.text) for one in held})
    notes = {one.path: one for one in articles if one.kind != "rule"}

    def clean(text: str) -> str:
        return gate.clean(text, work.settings.secrets)

    def make(path: str) -> reminder.Found:
        kind = work.vault.schema.kind_of(path)
        note = notes[path]
        return reminder.found(note, kind.sections if kind else (), told, clean)

    content = Content(
        reminder.known(ranked, since),
        {path: note.sha for path, note in notes.items()},
        make,
        reminder.COMMON,
        cures(history.mistakes, history.captures),
    )
    try:
        with work.vault.state.lock("recall"):
            Recall(work.vault.state.root / NAME).update(content)
    except VaultError as error:
        work.terminal.warn(f"{error}; the prompt and failure hooks do without")
        return False
    return True


def drop(work: Workspace) -> None:
    """Take the database away: of notes that did not change other lines may be said now."""
    with work.vault.state.lock("recall"):
        (work.vault.state.root / NAME).unlink(missing_ok=True)


def decided(records: Iterable[Record], hashes: Mapping[str, str]) -> dict[str, float]:
    """Say when each rule was last brought in force in its present words by a person's decision."""
    return dict(_decisions(records, hashes))


def _decisions(records: Iterable[Record], hashes: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    for record in records:
        name, by = str(record.get("id")), record.get("by")
        approved = record.get("status") == "active" and by != "compile"
        if approved and hashes.get(name) == record.get("hash"):
            with suppress(ValueError):
                yield name, datetime.fromisoformat(str(record.get("at"))).timestamp()
