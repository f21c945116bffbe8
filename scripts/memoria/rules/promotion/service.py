"""Write rules into the files in which other tools look for instructions: `memoria promote [ID...]`.

Naming a rule is a person's approval of it (an agent's is a proposal). A person's edit inside the
marked part, or a rule that a teammate's machine put there, is never written over unasked.
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
from memoria.rules.model import CONFIDENCES, in_force
from memoria.rules.promotion import file_store as files
from memoria.rules.promotion import placement
from memoria.rules.promotion import targets as target
from memoria.rules.promotion.placement import Placement, Promotion, refresh, withdraw
from memoria.rules.proposal_service import decides, propose_command, propose_rules
from memoria.rules.rulebook import Trail, decide, rulebook
from memoria.rules.ruling import Ruling
from memoria.terminal_driver import Driver
from memoria.vault.regions import digest
from memoria.vault.storage import disk

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from memoria.rules.model import Rule
    from memoria.rules.promotion.targets import Target
    from memoria.rules.rulebook import Rulebook
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


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Promote, or with --dry-run show what would change."""
    work.vault.require()
    is_dry = arguments.dry_run
    if work.is_demo and not is_dry:
        raise UsageError(work.own_vault_needed("promote"))
    if arguments.everywhere and arguments.dir:
        raise UsageError("--global and --dir name two places: use one of them")
    kind, skill = target.target(arguments.target), arguments.name or target.SKILL
    place = _place(work, kind, skill, arguments.dir, everywhere=arguments.everywhere)
    driver = Driver() if is_dry else decides(arguments, work)
    arguments.ids = arguments.ids or _of_confidence(work, place, arguments.confidence)
    if not is_dry and driver.is_person:
        with work.vault.state.lock(placement.LOCK), work.vault.step("promote"):
            plan = _promote(work, place, arguments.ids, force=arguments.force)
    else:
        plan = _plan(work, place, arguments.ids, force=arguments.force)
    if not driver.is_person:
        # rules that are not in force yet wait for a review, all else is a command to type
        if plan.approve:
            return propose_rules(arguments, work, driver, "promote", plan.approve)
        if plan.changes:
            return propose_command(arguments, work, driver)
    elif arguments.json:
        terminal.data(_described(place, plan, written=not is_dry))
    elif plan.diff:
        terminal.document(plan.diff)
    for rule in plan.approve:
        work.terminal.say(f"{'would be ' * is_dry}active: {rule.id} {rule.text}")
    work.terminal.say(_summary(plan, dry_run=is_dry))
    return 0


def planned(work: Workspace, kind: str, names: Sequence[str]) -> tuple[Place, Placement]:
    """Say what promoting rules into this project's file would change; nothing is written."""
    place = _place(work, target.target(kind), target.SKILL, "", everywhere=False)
    return place, _plan(work, place, names, force=False)


def carried_out(work: Workspace, kind: str, names: Sequence[str]) -> Placement:
    """Promote rules into this project's file, which a person has agreed to."""
    place = _place(work, target.target(kind), target.SKILL, "", everywhere=False)
    with work.vault.state.lock(placement.LOCK), work.vault.step("promote"):
        return _promote(work, place, names, force=False)


def _place(work: Workspace, kind: Target, skill: str, folder: str, *, everywhere: bool) -> Place:
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


def _promote(work: Workspace, place: Place, names: Sequence[str], *, force: bool) -> Placement:
    """Approve what was named, then write; nothing is approved for a file that is not written."""
    plan = _plan(work, place, names, force=force)
    trail = Trail()
    try:
        if plan.approve:
            rulings = [Ruling(rule.id, "active", "promote") for rule in plan.approve]
            decide(work, rulings, trail=trail)
            plan = replace(_plan(work, place, names, force=force), approve=plan.approve)
        if plan.aside:
            aside = work.vault.journal.aside / f"promote-{digest(plan.aside)}.md"
            disk.replace(aside, plan.aside.encode("utf-8", "replace"))
            work.terminal.warn(f"the rules as they stood in {place.path} are kept in {aside}")
        placement.land(work, plan)
    except BaseException:
        with suppress(MemoriaError, OSError):
            # an approval that was given for a file which could not be written
            if trail.after and files.read(place.path).text != plan.text:
                from memoria.rules.review.decide import restore  # noqa: PLC0415 - it promotes, too

                restore(work, trail)
        raise
    return plan


def _plan(work: Workspace, place: Place, names: Sequence[str], *, force: bool) -> Placement:
    book = rulebook(work)
    named = _named(book, names)
    held, here = files.read(place.path), str(place.path)
    files.check(held)
    found = target.part(place.kind, held.text or "", here)
    now = Promotion(place.kind.name, here, str(place.root), place.project)
    known = placement.promoted(work).get(here, now)
    before = replace(now, ids=known.ids, sha=known.sha)
    ids = list(before.ids)
    if found and found.sha != before.sha:  # those in force here that another machine has promoted
        active = (rule for rule in book.rules if book.is_in_force(rule))
        ids += [rule.id for rule in target.saying(place.kind, found.body, active)]
    rules = placement.holding(work, book, ids, named or _ready(book, place.project))
    section = target.body(place.kind, rules)
    reason = _reason(work, book, before, found, section) if found else ""
    if reason and not force:
        raise UsageError(f"{here}: {reason}, or use --force, which keeps them aside")
    text = target.rewritten(place.kind, held.text, section, here, place.name)
    approve = tuple(rule for rule in named if not book.is_in_force(rule))
    aside = found.body if found and reason else ""
    return Placement(held, before, rules, text, digest(section), approve, aside)


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
    rules = {rule.id: rule for rule in map(book.find, names)}
    for rule in rules.values():
        if rule.superseded_by:
            raise UsageError(f"{rule.id} was overruled by {rule.superseded_by}: promote that")
        if rule.status in {"rejected", "retired"}:
            raise UsageError(
                f"{rule.id} is {rule.status}: bring it back with `memoria remember` first"
            )
    return tuple(rules.values())


def _ready(book: Rulebook, project: str) -> tuple[Rule, ...]:
    """Choose what is promoted without being named: in force here, and seen more than once."""
    rules = in_force(book.rules, book.approvals, project)
    return tuple(rule for rule in rules if rule.pinned or rule.confidence != "low")


def _of_confidence(work: Workspace, place: Place, least: str) -> list[str]:
    """Name the rules in force here that are at least so sure; [] where no level is asked for."""
    if not least:
        return []
    book, levels = rulebook(work), CONFIDENCES[CONFIDENCES.index(least) :]
    rules = in_force(book.rules, book.approvals, place.project)
    sure = [rule.id for rule in rules if rule.confidence in levels]
    if not sure:
        raise UsageError(
            f"no active rule here has the confidence {least}: `memoria status --rules`"
        )
    return sure


def _summary(plan: Placement, *, dry_run: bool) -> str:
    path, count = plan.held.path, len(plan.rules)
    if not count and not plan.changes:
        return (
            "Nothing to promote: no rule that was seen more than once, or pinned, is active "
            "here. `memoria status` lists the rules; to name one promotes and approves it."
        )
    if not plan.changes:
        return f"{path} holds these rules already ({count}); nothing to do."
    if dry_run:
        return f"This is what would change in {path}; nothing was written."
    if plan.text is None:
        return f"{path} is gone: it held nothing but rules that are no longer active."
    return f"{path} holds {count} {'rule' if count == 1 else 'rules'} now."


def _described(place: Place, plan: Placement, *, written: bool) -> dict[str, Any]:
    before, after = plan.before.ids, plan.after.ids
    return {
        "target": place.kind.name,
        "path": str(plan.held.path),
        "project": place.project or None,
        "rules": [{"id": rule.id, "rule": rule.text} for rule in plan.rules],
        "added": [name for name in after if name not in before],
        "removed": [name for name in before if name not in after],
        "approved": [rule.id for rule in plan.approve],
        "changed": plan.changes,
        "written": plan.changes and written,
        "diff": plan.diff,
    }
