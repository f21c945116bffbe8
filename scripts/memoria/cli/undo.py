"""Take back a compile, a filed answer, a promotion or a decision (`memoria undo [STEP]`).

The files get back what they held before, all in one transaction with a record in the ledger, and
what is derived from the ledger (what counts as compiled, approvals, what was learned) follows. A
file that somebody edited since keeps the edit: it is merged line by line where the two do not meet,
else the file is left and named. An undo is a step itself: naming its number takes it back. The
trap: log.md tells what was done, so the step stays in it and the undo is added.
"""

import argparse
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memoria import refresh, terminal
from memoria.cli.undo_files import (
    PastStep,
    Revert,
    find_reverted_files,
    list_past_steps,
    plan_reverts,
)
from memoria.errors import UsageError, VaultError
from memoria.rules.promotion import file_store, placement
from memoria.rules.proposal_service import propose_if_agent
from memoria.rules.rulebook import rulebook
from memoria.search.service import refresh_index
from memoria.text.numbers import format_count
from memoria.vault import index
from memoria.vault.storage import clock, disk, ledger_records as records
from memoria.vault.storage.state import encode_json
from memoria.vault.transaction import INDEX
from memoria.workspace import Workspace

# files of a step that are named on the terminal; --json names all
_SHOWN = 20
# columns before the label of a step in the list
_LABEL = 25


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """What taking a step back would do; `problems` are promoted files that could not be written."""

    step: PastStep
    reverts: tuple[Revert, ...]
    problems: tuple[str, ...] = ()

    @property
    def refused(self) -> list[Revert]:
        """What stays as it is."""
        return [revert for revert in self.reverts if revert.why]

    @property
    def changed(self) -> list[Revert]:
        """What gets another content."""
        return [revert for revert in self.reverts if not revert.why and revert.changes]


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """List the steps, or take one back after showing what that does."""
    steps, unfinished = _list_steps(work)
    if arguments.list:
        _print_steps(steps, work, as_json=arguments.json)
        return 0
    if unfinished and arguments.step is None and not arguments.dry_run:
        return _finish_undo(work, unfinished, as_json=arguments.json)
    step = _choose_step(steps, work.vault.history().undone, arguments.step)
    plan = UndoPlan(step, plan_reverts(work, step))
    if not arguments.json:
        _show(plan, work)
    is_undone = not arguments.dry_run  # what is taken back can be brought back: nothing is asked
    if is_undone:
        command = f"memoria undo {step.number}"
        if _decides_rules(work, plan) and propose_if_agent(
            arguments, work, command, why="It takes back what was decided about rules"
        ):
            return 0
        plan = undo(work, step)
    if arguments.json:
        value: dict[str, Any] = {"step": step.number, "label": step.label, "undone": is_undone}
        value["files"] = [{"path": file.name, "how": file.how} for file in plan.changed]
        value["left"] = [{"path": file.name, "why": file.why} for file in plan.refused]
        terminal.print_json(value)
    if is_undone:
        return _report(work, plan)
    work.terminal.say("Nothing was changed.")
    return 0


def _decides_rules(work: Workspace, plan: UndoPlan) -> bool:
    """Whether taking a step back may bring a rule in force, lift its guard, or promote it.

    A file of another tool counts in both directions: its sessions follow what stands in it.
    """
    approvals = work.vault.state.approvals
    return any(
        revert.outside or revert.path == approvals or revert.note.startswith("rules/")
        for revert in plan.changed
    )


def _list_steps(work: Workspace) -> tuple[Sequence[PastStep], PastStep | None]:
    """List the steps, and the undo among them whose process died, which is finished by now.

    Whoever says `memoria undo` again after an error means that one, and not the step before.
    """
    journal = work.vault.journal
    ids = {step.id for step in list_past_steps(journal)} if journal.pending else None
    work.vault.history()
    steps = list_past_steps(journal)
    new_steps = [step for step in steps if ids is not None and step.id not in ids]
    return steps, next((step for step in reversed(new_steps) if step.label == records.UNDO), None)


def _finish_undo(work: Workspace, step: PastStep, *, as_json: bool) -> int:
    with work.vault.step(records.UNDO):
        problems = _update_derived(work)
    work.terminal.say(
        f"An undo that was interrupted is finished: {len(step.paths)} files. "
        f"`memoria undo {step.number}` takes it back; say it again to undo the step before."
    )
    if as_json:
        terminal.print_json({"step": step.number, "label": step.label, "undone": True})
    return 1 if problems else 0


def undo(work: Workspace, step: PastStep) -> UndoPlan:
    """Take a step back; what was looked at before is looked at again under the lock."""
    state = work.vault.state
    with work.vault.step(records.UNDO):
        with state.lock("compile"), state.lock(placement.LOCK):
            promotions = placement.read_promotions(work).items()
            roots = {path: promotion.root for path, promotion in promotions}
            try:
                plan = _retract(work, step)
            except VaultError:
                # its last calls to the disk may have failed when it was committed
                if step.id not in work.vault.history().undone:
                    raise
                plan = UndoPlan(step, plan_reverts(work, step))
            for revert in plan.changed:
                if revert.outside:
                    _tidy(revert, roots)
        return replace(plan, problems=_update_derived(work))


def _update_derived(work: Workspace) -> tuple[str, ...]:
    """Bring what follows from the step up to date; give the promoted files that could not be.

    The step is taken back, so nothing else is an error here: who repeats it undoes another one.
    """
    rule_ids = _find_unapproved_rules(work)
    problems = placement.renew_files(work, rule_ids) if rule_ids else []
    for problem in problems:
        work.terminal.warn(f"  {problem}; `memoria promote` to it takes the rule out")
    try:
        with work.vault.open_transaction() as change:  # by the kinds of articles that there are now
            change.put_index(work.vault.history().written)
        disk.replace(work.vault.state.summary, encode_json(work.vault.history().state()))
        work.vault.articles.refresh()
    except (VaultError, OSError) as error:
        work.terminal.warn(f"what is derived is not up to date yet: {error}")
    refresh.refresh(work)
    with suppress(VaultError, OSError):  # a search brings its index up to date itself
        refresh_index(work)
    return tuple(problems)


def _retract(work: Workspace, step: PastStep) -> UndoPlan:
    now = clock.now(work.settings.zone)
    with work.vault.open_transaction() as change:
        plan = UndoPlan(step, plan_reverts(work, step))
        known_hashes = work.vault.history().written
        hashes: dict[str, str] = {}
        for revert in plan.changed:
            change.put_file(revert.path, revert.after, revert.sha)
            is_owned = revert.note and known_hashes.get(revert.note) == revert.sha
            if is_owned and revert.after is not None:
                hashes[revert.note] = disk.sha(revert.after)
        change.put_index(known_hashes)
        hashes[INDEX] = change.wrote[INDEX]
        at = now.isoformat(timespec="seconds")
        change.record(records.build_undo_record(at, step.id, step.label, hashes))
        # a merge is Memoria's as far as the note was; what came back whole, the fold knows
        notes = [revert.note for revert in plan.changed if revert.note]
        lines = [
            f"Taken back: step {step.number}, {step.label}",
            f"Files: {index.format_links(notes)}",
        ]
        lines += [f"Left: {revert.name}: {revert.why}" for revert in plan.refused]
        change.append_log(index.format_log_entry(now, "undo", step.label, lines))
    return plan


def _find_unapproved_rules(work: Workspace) -> list[str]:
    """Give the promoted rules that nobody has approved any more: they have to leave those files."""
    book = rulebook(work)
    active_ids = {rule.id for rule in book.rules if book.is_in_force(rule)}
    promotions = placement.read_promotions(work).values()
    return sorted({name for promotion in promotions for name in promotion.ids} - active_ids)


def _tidy(revert: Revert, roots: dict[str, str]) -> None:
    """Leave a file outside the vault as promote would: no empty folder, the mode of its folder."""
    root = roots.get(str(revert.path))
    with suppress(OSError):
        if revert.after is None and root:
            file_store.remove_empty_folders(revert.path.parent, type(revert.path)(root))
        elif revert.after is not None and not revert.sha:
            mode = file_store.mode_of(revert.path.with_name(f"{revert.path.name}.new"))
            revert.path.chmod(mode)


def _choose_step(steps: Sequence[PastStep], undone: frozenset[str], number: int | None) -> PastStep:
    """Find the step: the one that is named, else the last that stands and is no undo."""
    for step in reversed(steps):
        if step.number == number and step.id in undone:
            raise UsageError(
                f"step {number} is taken back already; to bring it back name the step that "
                "did it (`memoria undo --list`)"
            )
        is_last = number is None and step.id not in undone and step.label != records.UNDO
        if is_last or step.number == number:
            return step
    if number is None:
        raise UsageError("there is nothing to take back; `memoria undo --list` shows the steps")
    raise UsageError(f"there is no step {number}; `memoria undo --list` shows those there are")


# -- Telling ---------------------------------------------------------------------------------------


def _print_steps(steps: Sequence[PastStep], work: Workspace, *, as_json: bool) -> None:
    undone, zone = work.vault.history().undone, work.settings.zone
    rows: list[dict[str, Any]] = [
        {
            "step": step.number,
            "label": step.label,
            "at": datetime.fromtimestamp(step.at, zone).isoformat(timespec="seconds"),
            "files": len(find_reverted_files(work, step)),
            "undone": step.id in undone,
        }
        for step in reversed(steps)
    ]
    if as_json:
        terminal.print_json(rows)
        return
    for row in rows:
        suffix = "  (taken back)" if row["undone"] else ""
        at = row["at"][:16].replace("T", " ")
        files = format_count(row["files"], "file")
        text = f"{row['step']:>5}  {at}  {row['label']}, {files}{suffix}"
        # what does not fit goes on below the label
        terminal.print_line(text, indent=_LABEL - text.index(str(row["step"])))
    if not rows:
        work.terminal.say("There is nothing to take back.")


def _show(plan: UndoPlan, work: Workspace) -> None:
    at = datetime.fromtimestamp(plan.step.at, work.settings.zone)
    work.terminal.say(f"Step {plan.step.number}: {plan.step.label} of {at:%Y-%m-%d %H:%M}")
    for revert in plan.changed[:_SHOWN]:
        work.terminal.say(f"  {revert.how} {revert.name}")
    if len(plan.changed) > _SHOWN:
        work.terminal.say(f"  and {len(plan.changed) - _SHOWN} more files")
    for revert in plan.refused:
        work.terminal.warn(f"  left: {revert.name}: {revert.why}")


def _report(work: Workspace, plan: UndoPlan) -> int:
    """Say what was taken back; give the exit code."""
    last = list_past_steps(work.vault.journal)[-1]
    work.terminal.say(
        f"Taken back: {format_count(len(plan.changed), 'file')}. "
        f"`memoria undo {last.number}` brings step {plan.step.number} back."
    )
    if plan.refused:
        work.terminal.say(f"{len(plan.refused)} files were left; look at them.")
    return 1 if plan.refused or plan.problems else 0
