"""Write rules into the files in which other tools look for instructions: `memoria promote [ID...]`.

Naming a rule is a person's approval of it (an agent's is a proposal). A person's edit inside the
marked part, or a rule that a teammate's machine put there, is never written over unasked.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.agents.port import CODEX
from memoria.errors import MemoriaError, UsageError
from memoria.privacy.project_keys import project_key
from memoria.rules.model import CLOSED, CONFIDENCES, Rule, in_force
from memoria.rules.promotion import file_store, placement, targets
from memoria.rules.promotion.placement import Placement, Promotion
from memoria.rules.proposal_service import find_driver_and_settle, propose_command, propose_rules
from memoria.rules.rulebook import Rulebook, Ruling, decide, rulebook
from memoria.terminal_driver import Driver
from memoria.text.numbers import format_count
from memoria.vault.regions import digest
from memoria.vault.storage import clock, disk, foreign_file

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from memoria.workspace import Workspace


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Promote, or with --dry-run show what would change."""
    is_dry = arguments.dry_run
    if work.is_demo and not is_dry:
        raise UsageError(work.explain_demo_refusal("promote"))
    if arguments.everywhere and arguments.dir:
        raise UsageError("--global and --dir name two places: use one of them")
    kind, skill = arguments.target, arguments.name or targets.SKILL
    file = file_of(work, kind, skill, arguments.dir, everywhere=arguments.everywhere)
    driver = Driver() if is_dry else find_driver_and_settle(arguments, work)
    act = plan_promotion if is_dry or not driver.is_person else promote
    plan, new_rules = act(
        work, file, arguments.ids, force=arguments.force, level=arguments.confidence
    )
    if not driver.is_person:
        # rules that are not in force yet wait for a review, all else is a command to type
        if new_rules:
            return propose_rules(arguments, work, driver, "promote", new_rules)
        if plan.changes:
            return propose_command(arguments, work, driver)
    elif arguments.json:
        terminal.print_json(_describe_plan(plan, new_rules, written=not is_dry))
    elif plan.diff:
        terminal.print_document(plan.diff)
    for rule in new_rules:
        work.terminal.say(f"{'would be ' * is_dry}active: {rule.id} {rule.text}")
    work.terminal.say(_format_summary(plan, dry_run=is_dry))
    return 0


def file_of(
    work: Workspace,
    kind: str,
    skill: str = targets.SKILL,
    folder: str = "",
    *,
    everywhere: bool = False,
) -> Promotion:
    """Find the file to promote to: of this project, of a folder, or of all projects."""
    target = targets.find_target(kind)
    name = targets.file_path(target, skill, everywhere=everywhere)
    home, config = work.settings.home.absolute(), work.settings.config_dir.absolute()
    agent_roots = {"codex": CODEX.folder(work.settings.environment, home), "any": home}
    root = agent_roots.get(target.agent, config) if everywhere else _resolve_folder(folder)
    # a person's own settings may lie in a folder of dotfiles that they link to
    boundary = home if everywhere and root.is_relative_to(home) else root
    path = file_store.resolve_target(root, name, boundary)
    for notes in (work.vault.daily, work.vault.knowledge):
        if path.is_relative_to(os.path.realpath(notes)):
            raise UsageError(f"{path} lies among the vault's own notes: promote to a project")
    project = "" if everywhere else project_key(str(root))
    return Promotion(kind, str(path), str(root), project)


def _resolve_folder(named: str) -> Path:
    if not named:
        return file_store.project_root(Path.cwd())
    folder = Path(named).absolute()
    with foreign_file.convert_os_errors(folder):
        if not folder.is_dir():
            raise UsageError(f"--dir {named}: there is no such folder")
    return folder


def promote(
    work: Workspace, file: Promotion, names: Sequence[str], *, force: bool = False, level: str = ""
) -> tuple[Placement, tuple[Rule, ...]]:
    """Write, then approve what was named; where either fails, all is as it was."""
    with work.vault.state.lock(placement.LOCK), work.vault.step("promote"):
        plan, new_rules = plan_promotion(work, file, names, force=force, level=level)
        if plan.conflict and plan.part:
            aside = work.vault.journal.aside / f"promote-{digest(plan.part.body)}.md"
            disk.replace(aside, plan.part.body.encode("utf-8", "replace"))
            work.terminal.warn(f"the rules as they stood in {plan.path} are kept in {aside}")
        placement.land(work, plan)
        try:
            if new_rules:
                decide(work, [Ruling(rule.id, "active", "promote") for rule in new_rules])
        except BaseException:
            with suppress(MemoriaError, OSError):
                file_store.write(plan.path, plan.text, plan.old, Path(file.root))
                placement.record(work, plan.before)
            raise
    return plan, new_rules


def plan_promotion(
    work: Workspace, file: Promotion, names: Sequence[str], *, force: bool = False, level: str = ""
) -> tuple[Placement, tuple[Rule, ...]]:
    """Say what promoting would change in a file, and which rules it would bring in force.

    Where none are named: those in force that are pinned or at least so sure.
    """
    day = clock.now(work.settings.zone).date()
    book = rulebook(work).age_confidences(day)  # as `status` and `skills` tell it
    named = _find_named_rules(book, names)
    record = placement.read_promotions(work).get(file.path, file)
    promotion = replace(file, ids=record.ids, sha=record.sha)
    new = {rule.id: replace(rule, updated=str(day)) for rule in named if not book.is_in_force(rule)}
    rules = [new.get(rule.id, rule) for rule in named or _choose_ready(book, file.project, level)]
    plan = placement.plan_file(work, book, promotion, rules)
    if plan.conflict and not force:
        raise UsageError(f"{file.path}: {plan.conflict}, or use --force, which keeps them aside")
    return plan, tuple(new.values())


def _find_named_rules(book: Rulebook, names: Sequence[str]) -> tuple[Rule, ...]:
    rules = {rule.id: rule for rule in map(book.find, names)}
    for rule in rules.values():
        if rule.superseded_by:
            raise UsageError(f"{rule.id} was overruled by {rule.superseded_by}: promote that")
        if rule.status in CLOSED:
            raise UsageError(
                f"{rule.id} is {rule.status}: bring it back with `memoria remember` first"
            )
    return tuple(rules.values())


def _choose_ready(book: Rulebook, project: str, level: str) -> tuple[Rule, ...]:
    """Choose what is promoted without being named: in force here, pinned or seen often enough."""
    levels = CONFIDENCES[CONFIDENCES.index(level or "medium") :]
    rules = in_force(book.rules, book.approvals, project)
    return tuple(rule for rule in rules if rule.pinned or rule.confidence in levels)


def _format_summary(plan: Placement, *, dry_run: bool) -> str:
    path, count = plan.path, len(plan.rules)
    if not count and not plan.changes:
        return (
            "Nothing to promote: no rule that was seen often enough, or pinned, is active here. "
            "`memoria status` lists the rules; `memoria promote ID` approves one and writes it."
        )
    if not plan.changes:
        return f"{path} holds these rules already ({count}); nothing to do."
    if dry_run:
        return f"This is what would change in {path}; nothing was written."
    if plan.text is None:
        return f"{path} is gone: it held nothing but rules that are no longer active."
    return f"{path} holds {format_count(count, 'rule')} now."


def _describe_plan(plan: Placement, new_rules: Sequence[Rule], *, written: bool) -> dict[str, Any]:
    old_ids, new_ids = plan.before.ids, plan.after.ids
    return {
        "target": plan.before.target,
        "path": plan.before.path,
        "project": plan.before.project or None,
        "rules": [{"id": rule.id, "rule": rule.text} for rule in plan.rules],
        "added": [name for name in new_ids if name not in old_ids],
        "removed": [name for name in old_ids if name not in new_ids],
        "approved": [rule.id for rule in new_rules],
        "changed": plan.changes,
        "written": plan.changes and written,
        "diff": plan.diff,
    }
