"""A tool's file and the rules that it is to hold -> the file and the ledger, in a safe order.

The order keeps one promise, that the ledger never says less than the files hold: what is added is
recorded before the file is written, what is taken out after it. A crash between leaves a record
that says too much; the next promote to that file, or the next rule that is taken out of it, writes
the file anew and puts the record right. A file that cannot be written gets its old record back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents.claude_code.settings import difference
from memoria.errors import UsageError
from memoria.privacy import clean as gate
from memoria.rules.model import aged
from memoria.rules.promotion import file_store as files
from memoria.rules.promotion import records as promotion
from memoria.rules.promotion import targets as target
from memoria.vault.storage import clock
from memoria.vault.storage.history import PROMOTE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from memoria.rules.decisions import Rulebook
    from memoria.rules.model import Rule
    from memoria.rules.promotion.file_store import Held
    from memoria.rules.promotion.records import Promotion
    from memoria.vault.regions import Region
    from memoria.workspace import Workspace

# the name of the lock that whoever writes such files holds
LOCK = "promote"


@dataclass(frozen=True, slots=True)
class Placement:
    """What is to change: `text` is the file's next one, None for no file; `before` says what is in.

    `rules` are those that the file holds then, `sha` is the hash of their section.
    """

    held: Held
    before: Promotion
    rules: tuple[Rule, ...]
    text: str | None
    sha: str = ""

    @property
    def after(self) -> Promotion:
        """What the ledger is to say."""
        ids = tuple(found.id for found in self.rules)
        return replace(self.before, ids=ids, sha=self.sha if ids else "")

    @property
    def changes(self) -> bool:
        """Whether the file will be another one."""
        return self.text != self.held.text

    @property
    def diff(self) -> str:
        """The change of the file."""
        return difference(self.held.text or "", self.text or "", str(self.held.path))


def promoted(work: Workspace) -> Mapping[str, Promotion]:
    """Read from the ledger which rules stand where, by path."""
    return promotion.promoted(work.vault.history().of(PROMOTE))


def current(book: Rulebook) -> dict[str, Rule]:
    """Give the rules by their ids, and by those that they have taken over."""
    return {one.id: one for one in book.rules} | {
        name: one for one in book.rules for name in one.merged
    }


def holding(
    work: Workspace,
    book: Rulebook,
    ids: Iterable[str],
    chosen: Iterable[Rule] = (),
    without: Collection[str] = (),
) -> tuple[Rule, ...]:
    """Give the rules that a file is to hold: those of `ids` that are in force, and those chosen."""
    known = current(book)
    held = [known[one] for one in ids if one in known]
    held = [one for one in held if book.is_in_force(one) and one.id not in without]
    by_id = {one.id: one for one in (*held, *chosen)}
    return tuple(shown(work, one) for one in by_id.values())


def _accounted(work: Workspace, book: Rulebook, kept: Collection[str]) -> tuple[Rule, ...]:
    """Give the rules that a file may lose or has in other words, once for each of their wordings.

    `kept` are the ids of those that stay in it.
    """
    over = {"rejected", "retired"}
    found = [one for one in book.rules if one.id in kept or one.status in over or one.superseded_by]
    return tuple(shown(work, one) for rule in found for one in wordings(rule))


def wordings(found: Rule) -> tuple[Rule, ...]:
    """Give a rule once for each wording that it has or had."""
    return tuple(replace(found, text=text) for text in (found.text, *found.aliases))


def theirs(
    work: Workspace, book: Rulebook, before: Promotion, found: Region, section: str
) -> tuple[str, ...]:
    """Give the words of a part that would be lost and are no rules of this vault's.

    A teammate's machine has promoted them, or another vault.
    """
    if found.sha == before.sha:
        return ()
    kind = target.target(before.target)
    kept = {one.id for one in book.rules if book.is_in_force(one)}
    return target.lost(kind, found.body, section, _accounted(work, book, kept))


def shown(work: Workspace, found: Rule) -> Rule:
    """Give a rule as it may leave the vault: without secrets, its confidence as of today."""
    today = clock.now(work.settings.zone).date()
    return replace(aged(found, today), text=gate.clean(found.text, work.settings.secrets))


def land(work: Workspace, placement: Placement) -> None:
    """Write file and ledger; on an error of the file the ledger is as it was."""
    before, after = placement.before, placement.after
    both = replace(after, ids=tuple(dict.fromkeys([*before.ids, *after.ids])))
    if not set(after.ids) - set(before.ids):
        # nothing is added, so the old record is no lie; on a disk that dies now it has to stand
        both = before
    try:
        record(work, both if both != before else None, placement if placement.changes else None)
        files.write(placement.held, placement.text, Path(after.root))
    except BaseException:
        if both != before and not _landed(placement):
            record(work, before)
        raise
    if both != after:
        record(work, after)


def _landed(placement: Placement) -> bool:
    """Whether the file holds its next text though writing it has failed (at its last flush)."""
    try:
        return files.read(placement.held.path).text == placement.text
    except UsageError:
        return True  # the ledger may say too much, never too little


def record(work: Workspace, what: Promotion | None, change_of: Placement | None = None) -> None:
    """Say in the ledger what a file holds, and keep how it changes, for `memoria undo`."""
    at = clock.now(work.settings.zone).isoformat(timespec="seconds")
    with work.vault.changing() as change:
        if what:
            change.record(promotion.record(at, what))
        if change_of:
            before, after = (
                None if text is None else text.encode("utf-8", "replace")
                for text in (change_of.held.text, change_of.text)
            )
            change.picture(change_of.held.path, before, after)
