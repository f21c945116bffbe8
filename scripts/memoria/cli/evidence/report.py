"""Write one note that says what goes wrong again and whether Memoria helps (`memoria report`).

It lies in the vault's reports/, which is in no git and which no hook reads. Rules are a person's
notes and may hold what must not leave them, so their words pass the gate once more.
"""

import argparse
from pathlib import Path

from memoria import terminal
from memoria.capture.coverage import measure_coverage
from memoria.capture.recurring_errors import find_errors_worth_telling
from memoria.cli.decide.status import preview_start
from memoria.errors import UsageError
from memoria.evidence import service as evidence
from memoria.evidence.rates import compute_rate
from memoria.evidence.study import build_all_units
from memoria.evidence.vault_report import ReportData, render_markdown, report_json, sum_costs
from memoria.privacy import clean
from memoria.rules.rulebook import rulebook
from memoria.vault.project import label
from memoria.vault.storage import clock, disk
from memoria.workspace import Workspace

# errors that are named beside the path
_NAMED = 3


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Make the report, write it, and say where it is."""
    path = _choose_path(arguments.output, work)
    report = _gather_report_data(work)
    disk.replace(work.vault.place(path), render_markdown(report).encode("utf-8", "replace"))
    if arguments.json:
        terminal.print_json({"file": str(path), **report_json(report)})
    else:
        terminal.print_document(f"{path}\n")
    for line in (*report.error_lines[:_NAMED], report.verdict[1]):
        work.terminal.say(line)
    return 0


def _choose_path(output: str, work: Workspace) -> Path:
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


def _gather_report_data(work: Workspace) -> ReportData:
    """Read all that the report rests on."""
    history, book = work.vault.history(), rulebook(work)
    captures = history.captures.values()
    latest = max(captures, key=lambda capture: capture.at, default=None)
    days = [capture.day for capture in captures if capture.day]
    # rules with their words as said: without secrets, and without Markdown's escapes
    texts = clean.clean_value({rule.id: rule.text for rule in book.rules}, work.settings.secrets)
    coverage = measure_coverage(work)
    start = preview_start(work, latest.project) if latest else ""
    experiments = evidence.read_experiments(work, history)
    return ReportData(
        made=clock.now(work.settings.zone),
        scope=work.demo_notice if work.is_demo else "all projects",
        studies=[evidence.read_study(work, experiment, history) for experiment in experiments],
        errors=find_errors_worth_telling(history.latest.mistakes),
        total=compute_rate(build_all_units(history)),
        sessions=len(days),
        days=len(set(days)),
        observed=len(history.latest.sessions),
        captured=coverage.captured,
        ended=coverage.sessions,
        costs=sum_costs(history.calls),
        project=label(latest.project) if latest else "",
        start=clean.clean_value(start, work.settings.secrets),
        texts={name: text.replace("&lt;", "<") for name, text in texts.items()},
        rules=[rule.text for rule in book.rules if book.is_in_force(rule)],
    )
