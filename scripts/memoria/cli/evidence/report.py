"""Write one note that says what goes wrong again and whether Memoria helps (`memoria report`).

It lies in the vault's reports/, which is in no git and which no hook reads. Rules are a person's
notes and may hold what must not leave them, so their words pass the gate once more.
"""

import argparse
from pathlib import Path

from memoria import terminal
from memoria.capture.coverage import coverage
from memoria.capture.recurring_errors import telling
from memoria.cli.decide.status import preview
from memoria.errors import UsageError
from memoria.evidence import service as evidence
from memoria.evidence.rates import rate
from memoria.evidence.report import ReportData, costs, markdown, report_json
from memoria.evidence.study import everything
from memoria.privacy import clean
from memoria.rules.rulebook import rulebook
from memoria.vault.project import label
from memoria.vault.storage import clock, disk
from memoria.workspace import Workspace

# errors that are named beside the path
_NAMED = 3


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Make the report, write it, and say where it is."""
    path = _path(arguments.output, work)
    report = _gathered(work)
    disk.replace(work.vault.place(path), markdown(report).encode("utf-8", "replace"))
    if arguments.json:
        terminal.data({"file": str(path), **report_json(report)})
    else:
        terminal.document(f"{path}\n")
    for line in (*report.error_lines[:_NAMED], report.verdict[1]):
        work.terminal.say(line)
    return 0


def _path(output: str, work: Workspace) -> Path:
    """Say where the report goes; UsageError where it cannot go there."""
    if not output:
        return work.vault.reports / "report.md"
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
    latest = max(captures, key=lambda capture: capture.at, default=None)
    days = [capture.day for capture in captures if capture.day]
    # rules with their words as said: without secrets, and without Markdown's escapes
    texts = clean.clean({rule.id: rule.text for rule in book.rules}, work.settings.secrets)
    seen = coverage(work)
    start = preview(work, latest.project) if latest else ""
    experiments = evidence.experiments(work, history)
    return ReportData(
        made=clock.now(work.settings.zone),
        scope=work.demo_notice if work.is_demo else "all projects",
        studies=[evidence.studied(work, experiment, history) for experiment in experiments],
        errors=telling(history.latest.mistakes),
        total=rate(everything(history)),
        sessions=len(days),
        days=len(set(days)),
        observed=len(history.latest.stays),
        captured=seen.captured,
        ended=seen.sessions,
        costs=costs(history.calls),
        project=label(latest.project) if latest else "",
        start=clean.clean(start, work.settings.secrets),
        texts={name: text.replace("&lt;", "<") for name, text in texts.items()},
        rules=[rule.text for rule in book.rules if book.is_in_force(rule)],
    )
