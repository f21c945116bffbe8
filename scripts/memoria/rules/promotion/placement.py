"""Write the rules of a tool's file: the file and the ledger's record of it, in a safe order.

The ledger never says less than the files hold, so that a rejected rule leaves each of them: what is
added is recorded before the file is written, what is taken out after it. What a crash leaves, the
next write of the file puts right.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria.errors import MemoriaError, UsageError, VaultError
from memoria.privacy import clean
from memoria.rules.model import Rule, age_confidence
from memoria.rules.promotion import file_store, targets
from memoria.rules.rulebook import Rulebook, rulebook
from memoria.text.merge import format_diff
from memoria.text.restored import restore_record
from memoria.vault.regions import Region, digest
from memoria.vault.storage import clock, foreign_file
from memoria.vault.storage.ledger_records import PROMOTE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from memoria.workspace import Workspace

# the name of the lock that whoever writes such files holds
LOCK = "promote"


@dataclass(frozen=True, slots=True)
class Promotion:
    """The rules (by id) in a file: `path` is absolute and without links, `target` says its kind.

    `root` is the folder that was named: the project's, or the client's. `project` is the key of the
    project that the file serves, "" for all projects, `sha` the hash of the section as it was
    written: another one in the file is another machine's.
    """

    target: str
    path: str
    root: str
    project: str
    ids: tuple[str, ...] = ()
    sha: str = ""


@dataclass(frozen=True, slots=True)
class Placement:
    """What is to change in a file: `old` is its text, `text` the next one, None for no file.

    `before` is what the ledger says of it. `rules` are those that the file holds then, `sha` is the
    hash of their section. `part` is the section as it stands; `conflict` says why it is not to be
    written over unasked, "" where nothing of a person's or another machine's would be lost.
    """

    before: Promotion
    old: str | None
    text: str | None
    rules: tuple[Rule, ...]
    sha: str
    part: Region | None
    conflict: str = ""

    @property
    def path(self) -> Path:
        """Give the file's path."""
        return Path(self.before.path)

    @property
    def after(self) -> Promotion:
        """Give what the ledger is to say."""
        ids = tuple(rule.id for rule in self.rules)
        return replace(self.before, ids=ids, sha=self.sha if ids else "")

    @property
    def changes(self) -> bool:
        """Whether the file will be another one."""
        return self.text != self.old

    @property
    def diff(self) -> str:
        """Give the change of the file."""
        return format_diff(self.old or "", self.text or "", self.before.path)


def read_promotions(work: Workspace) -> dict[str, Promotion]:
    """Read from the ledger which rules stand where, by path; what is no such record is left."""
    table: dict[str, Promotion] = {}
    for record in work.vault.history().records_of(PROMOTE):
        promotion = restore_record(Promotion, record)
        if promotion:
            table.pop(promotion.path, None)
        if promotion and promotion.ids and promotion.path:
            table[promotion.path] = promotion
    return table


def plan_file(
    work: Workspace,
    book: Rulebook,
    file: Promotion,
    added: Iterable[Rule] = (),
    without: Collection[str] = (),
) -> Placement:
    """Plan what a file is to hold: of its rules those in force but `without`, and those chosen."""
    kind, path = targets.find_target(file.target), Path(file.path)
    old = foreign_file.read_to_write(path)
    part = targets.find_part(kind, old or "", file.path)
    old_rules = [rule for rule in book.rules if rule.id in file.ids]
    if part and part.sha != file.sha:  # rules of this vault that another machine has promoted
        old_rules += targets.choose_promoted(kind, part.body, book.rules)
    old_rules = [rule for rule in old_rules if book.is_in_force(rule) and rule.id not in without]
    by_id = {rule.id: rule for rule in (*old_rules, *added)}
    rules = tuple(redact_rule(work, rule) for rule in by_id.values())
    section = targets.format_section_for(kind, rules)
    text = targets.rewrite(kind, old, section, file.path, path.parent.name)
    conflict = _find_loss(work, book, file, part, section) if part else ""
    return Placement(file, old, text, rules, digest(section), part, conflict)


def _find_loss(work: Workspace, book: Rulebook, file: Promotion, part: Region, section: str) -> str:
    """Say why a part is not to be written over, "" where nothing would be lost.

    A teammate's machine or another vault may have promoted rules; a rule of this vault that is
    over, or in force in other words, may go.
    """
    if part.edited:
        return (
            f"lines {part.line} to {part.last} were edited by hand, and promote rewrites them: "
            "move your words above or below"
        )
    if part.sha == file.sha:
        return ""
    own_rules = (rule for rule in book.rules if book.is_in_force(rule) or rule.is_closed)
    own_wordings = [wording for rule in own_rules for wording in _list_wordings(work, rule)]
    kind = targets.find_target(file.target)
    foreign = targets.list_foreign(kind, part.body, section, own_wordings)
    if not foreign:
        return ""
    return (
        f"it holds {len(foreign)} rules that were promoted from another machine or vault, such "
        f"as {foreign[0]!r}: teach them here (`memoria remember`)"
    )


def _list_wordings(work: Workspace, rule: Rule) -> list[Rule]:
    """Give a rule once for each wording that it has or had."""
    return [redact_rule(work, replace(rule, text=text)) for text in (rule.text, *rule.aliases)]


def redact_rule(work: Workspace, rule: Rule) -> Rule:
    """Give a rule as it may leave the vault: without secrets, its confidence as of today."""
    today = clock.now(work.settings.zone).date()
    text = clean.clean_value(rule.text, work.settings.secrets)
    return replace(age_confidence(rule, today), text=text)


def land(work: Workspace, placement: Placement) -> None:
    """Write file and ledger; on an error of the file the ledger is as it was."""
    before, after = placement.before, placement.after
    # where nothing is added the old record is no lie; on a disk that dies now it has to stand
    adds = not set(after.ids) <= set(before.ids)
    union = replace(after, ids=tuple(dict.fromkeys([*before.ids, *after.ids]))) if adds else before
    try:
        record(work, union if adds else None, placement if placement.changes else None)
        file_store.write(placement.path, placement.old, placement.text, Path(after.root))
    except BaseException:
        if adds and not _is_landed(placement):
            record(work, before)
        raise
    if union != after:
        record(work, after)


def _is_landed(placement: Placement) -> bool:
    """Whether the file holds its next text though writing it has failed (at its last flush)."""
    try:
        return foreign_file.read_to_write(placement.path) == placement.text
    except UsageError:
        return True  # the ledger may say too much, never too little


def record(work: Workspace, promotion: Promotion | None, changed: Placement | None = None) -> None:
    """Say in the ledger what a file holds, and keep how it changes, for `memoria undo`."""
    at = clock.now(work.settings.zone).isoformat(timespec="seconds")
    with work.vault.open_transaction() as change:
        if promotion:
            value: dict[str, Any] = {"kind": PROMOTE, "at": at} | asdict(promotion)
            change.record(value | {"ids": list(promotion.ids)})
        if changed:
            before, after = (
                None if text is None else text.encode("utf-8", "replace")
                for text in (changed.old, changed.text)
            )
            change.picture(changed.path, before, after)


# -- Rules that are out of force, or have other words ----------------------------------------------


def renew_files(
    work: Workspace, rule_ids: Iterable[str], *, without: Collection[str] = (), strict: bool = False
) -> list[str]:
    """Write the files anew that hold rules which were touched; give what could not be done.

    To be called after the decision: what is in force (but `without`) stays, in its words of now,
    and all else goes; of a part that a person has edited, or that another machine wrote, only the
    lines of rules that go. Nothing is raised for a file that is gone, read-only or damaged, but
    with `strict`: VaultError for one that is there and cannot be written.
    """
    ids, problems = frozenset(rule_ids), list[str]()
    if not read_promotions(work):
        return problems
    try:
        with work.vault.state.lock(LOCK):
            book = rulebook(work)
            for promotion in read_promotions(work).values():
                if ids.isdisjoint(promotion.ids):
                    continue
                try:
                    problems.append(_renew_file(work, book, promotion, without))
                except (MemoriaError, OSError) as error:
                    problem = f"{promotion.path} could not be written anew: {error}"
                    if strict:
                        raise VaultError(problem) from error
                    problems.append(problem)
    except MemoriaError as error:
        if strict:
            raise
        problems.append(str(error))
    return list(filter(None, problems))


def _renew_file(work: Workspace, book: Rulebook, file: Promotion, without: Collection[str]) -> str:
    """Write one file anew; give the problem, "" for none."""
    path = file.path
    plan = plan_file(work, book, file, without=without)
    if plan.old is None and not Path(file.root).is_dir():
        return f"{path} cannot be reached: promote to it again when it is back"
    if plan.old is None or not plan.part:
        record(work, replace(file, ids=()))
        work.terminal.say(f"{path} holds no rules of Memoria any more")
        return ""
    if plan.conflict:
        ids = {rule.id for rule in plan.rules}
        dropped = [rule for rule in book.rules if rule.id in file.ids and rule.id not in ids]
        lines = [wording for rule in dropped for wording in _list_wordings(work, rule)]
        text = targets.take_out(targets.find_target(file.target), plan.old, lines, path)
        if text == plan.old:
            return (
                f"{path}: lines {plan.part.line} to {plan.part.last} were edited by hand or on "
                "another machine and were left alone: change the rule there by hand, or promote "
                "with --force"
            )
        plan = replace(plan, text=text, sha=file.sha)
    if plan.changes:
        work.terminal.say(f"{path} was written anew")
    land(work, plan)
    return ""
