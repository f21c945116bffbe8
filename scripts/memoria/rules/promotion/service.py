"""`memoria promote [ID...]`: rules -> the files in which other tools look for instructions.

Naming a rule is a person's approval of it (an agent's is a proposal). Each file is rewritten from
the ids that were promoted to it, so words that change follow, and what is rejected later is taken
out again (withdrawal.py).
The trap: a person's edit inside the marked part, or a rule that a teammate's machine put there, is
none of this vault's rules, so it is never written over unasked.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.agents.claude_code.git import project_key
from memoria.agents.port import CODEX
from memoria.errors import MemoriaError, UsageError
from memoria.rules.decision import Ruling
from memoria.rules.decisions import Trail, decide, rulebook
from memoria.rules.model import CONFIDENCES, in_force
from memoria.rules.promotion import file_store as files
from memoria.rules.promotion import placement
from memoria.rules.promotion import targets as target
from memoria.rules.promotion.placement import Placement
from memoria.rules.promotion.records import Promotion
from memoria.rules.promotion.withdrawal import refresh, withdraw
from memoria.rules.propose import decides, propose_command, propose_rules
from memoria.terminal_driver import Driver
from memoria.vault.regions import digest
from memoria.vault.storage import disk

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from memoria.rules.decisions import Rulebook
    from memoria.rules.model import Rule
    from memoria.rules.promotion.targets import Target
    from memoria.vault.regions import Region
    from memoria.workspace import Workspace

__all__ = ["refresh", "run", "withdraw"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where to promote to: `root` is the named folder, `path` the file that it leads to."""

    kind: Target
    name: str
    root: Path
    path: Path
    project: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A promotion: `approve` are the rules that naming them brings in force.

    `aside` is the part as it was, where it is not Memoria's of this machine alone.
    """

    placement: Placement
    approve: tuple[Rule, ...]
    aside: str


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Promote, or with --dry-run show what would change."""
    work.vault.require()
    if work.is_demo and not arguments.dry_run:
        raise UsageError(work.own_vault_needed("promote"))
    place = _place(arguments, work)
    driver = Driver() if arguments.dry_run else decides(arguments, work)
    arguments.ids = arguments.ids or _of_confidence(work, place, arguments.confidence)
    if not driver.is_person:
        return _propose(arguments, work, place, driver)
    if arguments.dry_run:
        plan = _plan(work, place, arguments.ids, force=arguments.force)
    else:
        with work.vault.state.lock(placement.LOCK), work.vault.step("promote"):
            plan = _promote(work, place, arguments.ids, force=arguments.force)
    if arguments.json:
        terminal.data(_described(place, plan, written=not arguments.dry_run))
    elif plan.placement.diff:
        terminal.document(plan.placement.diff)
    for one in plan.approve:
        verb = "would be active" if arguments.dry_run else "active"
        work.terminal.say(f"{verb}: {one.id} {one.text}")
    work.terminal.say(_summary(plan.placement, dry_run=arguments.dry_run))
    return 0


def _propose(arguments: argparse.Namespace, work: Workspace, place: Place, driver: Driver) -> int:
    """Propose to approve the rules that are not in force yet, else to write them into the file."""
    plan = _plan(work, place, arguments.ids, force=arguments.force)
    if plan.approve:
        return propose_rules(arguments, work, driver, "promote", plan.approve)
    if plan.placement.changes:
        return propose_command(arguments, work, driver)
    work.terminal.say(_summary(plan.placement, dry_run=False))
    return 0


def planned(work: Workspace, kind: str, names: Sequence[str]) -> tuple[Place, Plan]:
    """Say what promoting rules into this project's file would change; nothing is written."""
    place = _at(work, target.target(kind), target.SKILL, "", everywhere=False)
    return place, _plan(work, place, names, force=False)


def carried_out(work: Workspace, kind: str, names: Sequence[str]) -> Plan:
    """Promote rules into this project's file, which a person has agreed to."""
    place = _at(work, target.target(kind), target.SKILL, "", everywhere=False)
    with work.vault.state.lock(placement.LOCK), work.vault.step("promote"):
        return _promote(work, place, names, force=False)


def _place(arguments: argparse.Namespace, work: Workspace) -> Place:
    if arguments.everywhere and arguments.dir:
        raise UsageError("--global and --dir name two places: use one of them")
    kind, skill = target.target(arguments.target), arguments.name or target.SKILL
    return _at(work, kind, skill, arguments.dir, everywhere=arguments.everywhere)


def _at(work: Workspace, kind: Target, skill: str, folder: str, *, everywhere: bool) -> Place:
    name = target.place(kind, skill, everywhere=everywhere)
    home, config = work.settings.home.absolute(), work.settings.config_dir.absolute()
    own = {"codex": CODEX.folder(work.settings.environment, home), "any": home}
    root = own.get(kind.agent, config) if everywhere else _folder(folder)
    # a person's own settings may lie in a folder of dotfiles that they link to
    within = home if everywhere and root.is_relative_to(home) else root
    path = files.resolved(root, name, within)
    for notes in (work.vault.daily, work.vault.knowledge):
        if path.is_relative_to(os.path.realpath(notes)):
            raise UsageError(f"{path} lies among the vault's own notes: promote to a project")
    return Place(kind, skill, root, path, "" if everywhere else project_key(str(root)))


def _folder(named: str) -> Path:
    if not named:
        return files.project_root(Path.cwd())
    folder = Path(named).absolute()
    with files.reported(folder):
        if not folder.is_dir():
            raise UsageError(f"--dir {named}: there is no such folder")
    return folder


def _promote(work: Workspace, place: Place, names: Sequence[str], *, force: bool) -> Plan:
    """Approve what was named, then write; nothing is approved for a file that is not written."""
    plan = _plan(work, place, names, force=force)
    trail = Trail()
    try:
        if plan.approve:
            decide(work, [_approval(one) for one in plan.approve], trail=trail)
            plan = replace(_plan(work, place, names, force=force), approve=plan.approve)
        if plan.aside:
            aside = work.vault.journal.aside / f"promote-{digest(plan.aside)}.md"
            disk.replace(aside, plan.aside.encode("utf-8", "replace"))
            work.terminal.warn(f"the rules as they stood in {place.path} are kept in {aside}")
        placement.land(work, plan.placement)
    except BaseException:
        with suppress(MemoriaError, OSError):
            _take_back(work, place, plan, trail)
        raise
    return plan


def _take_back(work: Workspace, place: Place, plan: Plan, trail: Trail) -> None:
    """Take back an approval that was given for a file which could not be written."""
    from memoria.rules.review.decide import restore  # noqa: PLC0415 - that one promotes, too

    if trail.after and files.read(place.path).text != plan.placement.text:
        restore(work, trail)


def _approval(found: Rule) -> Ruling:
    return Ruling(found.id, "active", "promote")


def _plan(work: Workspace, place: Place, names: Sequence[str], *, force: bool) -> Plan:
    book = rulebook(work)
    named = _named(book, names)
    held, here = files.read(place.path), str(place.path)
    files.check(held)
    found = target.part(place.kind, held.text or "", here)
    before = _before(work, place)
    ids = [*before.ids, *_adopted(place.kind, book, before, found)]
    rules = placement.holding(work, book, ids, named or _ready(book, place.project))
    section = target.body(place.kind, rules)
    reason = _reason(work, book, before, found, section) if found else ""
    if reason and not force:
        raise UsageError(f"{here}: {reason}, or use --force, which keeps them aside")
    text = target.rewritten(place.kind, held.text, section, here, place.name)
    approve = tuple(one for one in named if not book.is_in_force(one))
    placed = Placement(held, before, rules, text, digest(section))
    return Plan(placed, approve, found.body if found and reason else "")


def _before(work: Workspace, place: Place) -> Promotion:
    path, root = str(place.path), str(place.root)
    known = placement.promoted(work).get(path)
    ids, sha = (known.ids, known.sha) if known else ((), "")
    return Promotion(path, place.kind.name, root, place.project, ids, sha)


def _adopted(
    kind: Target, book: Rulebook, before: Promotion, found: Region | None
) -> tuple[str, ...]:
    """Give the rules in force here that another machine has promoted to the file."""
    if found is None or found.sha == before.sha:
        return ()
    rules = (one for one in book.rules if book.is_in_force(one))
    return tuple(one.id for one in target.saying(kind, found.body, rules))


def _reason(work: Workspace, book: Rulebook, before: Promotion, found: Region, section: str) -> str:
    """Say why a part is not to be written over, "" where nothing would be lost."""
    if found.edited:
        return (
            f"lines {found.line} to {found.last} were edited by hand, and promote rewrites them: "
            "move your words above or below"
        )
    theirs = placement.theirs(work, book, before, found, section)
    if theirs:
        return (
            f"it holds {len(theirs)} rules that were promoted from another machine or vault, such "
            f"as {theirs[0]!r}: teach them here (`memoria remember`)"
        )
    return ""


def _named(book: Rulebook, names: Sequence[str]) -> tuple[Rule, ...]:
    rules = {one.id: one for one in (book.find(name) for name in names)}
    for found in rules.values():
        if found.superseded_by:
            raise UsageError(f"{found.id} was overruled by {found.superseded_by}: promote that")
        if found.status in {"rejected", "retired"}:
            raise UsageError(
                f"{found.id} is {found.status}: bring it back with `memoria remember` first"
            )
    return tuple(rules.values())


def _ready(book: Rulebook, project: str) -> tuple[Rule, ...]:
    """Choose what is promoted without being named: in force here, and seen more than once."""
    rules = in_force(book.rules, book.approvals, project)
    return tuple(one for one in rules if one.pinned or one.confidence != "low")


def _of_confidence(work: Workspace, place: Place, least: str) -> list[str]:
    """Name the rules in force here that are at least so sure; [] where no level is asked for."""
    if not least:
        return []
    book = rulebook(work)
    rules = in_force(book.rules, book.approvals, place.project)
    sure = [
        one.id for one in rules if CONFIDENCES.index(one.confidence) >= CONFIDENCES.index(least)
    ]
    if not sure:
        raise UsageError(
            f"no active rule here has the confidence {least}: `memoria status --rules`"
        )
    return sure


def _summary(placed: Placement, *, dry_run: bool) -> str:
    path, count = placed.held.path, len(placed.rules)
    if not count and not placed.changes:
        return (
            "Nothing to promote: no rule that was seen more than once, or pinned, is active "
            "here. `memoria status` lists the rules; to name one promotes and approves it."
        )
    if not placed.changes:
        return f"{path} holds these rules already ({count}); nothing to do."
    if dry_run:
        return f"This is what would change in {path}; nothing was written."
    if placed.text is None:
        return f"{path} is gone: it held nothing but rules that are no longer active."
    return f"{path} holds {count} {'rule' if count == 1 else 'rules'} now."


def _described(place: Place, plan: Plan, *, written: bool) -> dict[str, Any]:
    placed = plan.placement
    before, after = placed.before.ids, placed.after.ids
    return {
        "target": place.kind.name,
        "path": str(placed.held.path),
        "project": place.project or None,
        "rules": [{"id": one.id, "rule": one.text} for one in placed.rules],
        "added": [one for one in after if one not in before],
        "removed": [one for one in before if one not in after],
        "approved": [one.id for one in plan.approve],
        "changed": placed.changes,
        "written": placed.changes and written,
        "diff": placed.diff,
    }
