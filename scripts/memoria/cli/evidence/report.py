"""Write one note that says what goes wrong again and whether Memoria helps (`memoria report`).

It lies in the vault's reports/, which is in no git and which no hook reads. Rules are a person's
notes and may hold what must not leave them, so their words pass the gate once more.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.capture.coverage import coverage
from memoria.capture.recurring_errors import telling
from memoria.cli.decide.start_preview import preview
from memoria.errors import UsageError
from memoria.evidence import service as evidence
from memoria.evidence.backtest import repeated_errors, replayed
from memoria.evidence.report.json_values import report_json
from memoria.evidence.report.markdown import markdown
from memoria.evidence.report.model_costs import costs
from memoria.evidence.report.report_data import Opening, ReportData, rule_records
from memoria.learning import service as choosing
from memoria.privacy import clean
from memoria.rules.rulebook import rulebook
from memoria.vault.project import label
from memoria.vault.storage import clock, disk

if TYPE_CHECKING:
    import argparse

    from memoria.vault.storage.history import History
    from memoria.workspace import Workspace

# errors that are named beside the path
_NAMED = 3


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Make the report, write it, and say where it is."""
    work.vault.require()
    path = _path(arguments.output, work)
    report = _gathered(work)
    text = markdown(report, set(work.vault.articles.paths()))
    disk.replace(path, text.encode("utf-8", "replace"))
    if arguments.json:
        terminal.data({"file": str(path), **report_json(report)})
    else:
        terminal.document(f"{path}\n")
    for error, _ in report.opening.rows[:_NAMED]:
        work.terminal.say(error)
    work.terminal.say(report.verdict.sentence)
    return 0


def _path(output: str, work: Workspace) -> Path:
    """Say where the report goes; UsageError where it cannot go there."""
    if not output:
        return work.vault.root / "reports" / "report.md"
    path = Path(output).expanduser().absolute()
    if path.is_dir():
        raise UsageError(f"-o {output}: that is a folder; name a file in it")
    notes = (work.vault.daily.resolve(), work.vault.knowledge.resolve())
    if any(path.resolve().is_relative_to(folder) for folder in notes):
        raise UsageError(f"-o {output}: the notes of the vault lie there; choose another folder")
    if not path.parent.is_dir():
        raise UsageError(f"-o {output}: there is no folder {path.parent}")
    return path


def _gathered(work: Workspace) -> ReportData:
    """Read all that the report rests on."""
    history, book = work.vault.history(), rulebook(work)
    captures = history.captures.values()
    days = {capture.session: f"daily/{capture.day}.md" for capture in captures if capture.day}
    # rules with their words as said: without secrets, and without Markdown's escapes
    texts = clean.clean([rule.text for rule in book.rules], work.settings.secrets)
    rules = [
        replace(rule, text=text.replace("&lt;", "<"))
        for rule, text in zip(book.rules, texts, strict=True)
    ]
    earned = {row["id"]: row for row in choosing.earnings(work)}
    known = evidence.experiments(work, history)
    return ReportData(
        made=clock.now(work.settings.zone),
        scope=work.demo_notice if work.is_demo else "all projects",
        studies=[evidence.studied(work, experiment, history) for experiment in known],
        rules=rule_records(
            rules,
            {rule.id for rule in book.rules if book.is_in_force(rule)},
            earned,
        ),
        errors=repeated_errors(history.latest.mistakes, days),
        replay=replayed(work, history=history),
        sessions=len(days),
        days=len(set(days.values())),
        costs=costs(history.calls),
        opening=_opening(work, history),
        by_id={rule.id: rule for rule in rules},
    )


def _opening(work: Workspace, history: History) -> Opening:
    """Gather what keeps going wrong, and what a session of the latest project would be told."""
    latest = max(history.captures.values(), key=lambda capture: capture.at, default=None)
    project = latest.project if latest else ""
    told = preview(work, project) if latest else ""
    seen = coverage(work)
    return Opening(
        telling(history.latest.mistakes),
        len(history.latest.stays),
        seen.captured,
        seen.sessions,
        label(project),
        clean.clean(told, work.settings.secrets),
    )
