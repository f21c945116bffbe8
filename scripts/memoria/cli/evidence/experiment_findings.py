"""Show what an experiment has found: its sessions, rates, report, and rows to export.

The reading half of `memoria experiment`; nothing is written but the file of an export. A
spreadsheet takes a cell that begins with "=" for a formula, and a project's name is other people's.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.cli.export import write
from memoria.errors import UsageError
from memoria.evidence.backtest.service import replayed
from memoria.evidence.manual_sessions import KIND, manual_log
from memoria.evidence.report import json_values, session_rows, text
from memoria.evidence.service import (
    adherence,
    chosen,
    experiments,
    occasions,
    overall,
    project,
    studied,
)
from memoria.evidence.withholding.by_rule import by_rule
from memoria.rules.decisions import rulebook
from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    import argparse
    from collections.abc import Container, Mapping

    from memoria.evidence.study import Studied
    from memoria.vault.storage.history import History
    from memoria.workspace import Workspace

# what makes a cell a formula
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def status(arguments: argparse.Namespace, work: Workspace) -> None:
    """Show all experiments, each with its sessions by arm."""
    history, state = work.vault.history(), work.vault.state
    studies = [studied(work, experiment, history) for experiment in experiments(work, history)]
    if arguments.project:
        key = project(work, arguments.project)
        studies = [study for study in studies if study.experiment.reaches(key)]
    # those that the hooks know of
    told = state.read_json(state.snapshot).get("experiments")
    rows = told if isinstance(told, list) else []
    known = {str(row.get("id")) for row in rows if isinstance(row, dict)}
    if arguments.json:
        values = [
            json_values.experiment_json(study.experiment)
            | {
                "sessions": json_values.session_counts(study),
                "open_session": json_values.open_session(study),
                "prepared": study.experiment.id in known,
            }
            for study in studies
        ]
        terminal.data({"experiments": values})
        return
    for study in studies:
        _tell(work, study, known)
    if not any(study.experiment.is_running for study in studies):
        work.terminal.say("No experiment runs: `memoria experiment start` starts one here.")


def _tell(work: Workspace, study: Studied, known: Container[str]) -> None:
    words = {"waiting": "not captured yet", "no_coin": "without a draw", "chosen": "chosen"}
    parts = [
        f"{count} {words.get(name, name)}"
        for name, count in json_values.session_counts(study).items()
        if count or name in {"treated", "control"}
    ]
    terminal.line(strip_hidden(study.experiment.summary))
    terminal.line(f"    sessions: {', '.join(parts)}")
    if study.open:
        session, arm = study.open.session, study.open.arm
        terminal.line(f"    open: {session} ({arm}), errors so far: {study.open_mistakes}")
    if study.experiment.is_running and study.experiment.id not in known:
        work.terminal.warn("    the hooks do not know of it yet: run `memoria flush`")


def metrics(arguments: argparse.Namespace, work: Workspace) -> None:
    """Show the rates of an experiment."""
    study = _studied(arguments, work, work.vault.history())
    if arguments.json:
        terminal.data(json_values.metrics_json(study))
    else:
        terminal.line(text.table(study))


def report(arguments: argparse.Namespace, work: Workspace) -> None:
    """Say what an experiment shows, with all figures, rules and notes."""
    history = work.vault.history()
    texts = {rule.id: rule.text for rule in rulebook(work).rules}
    if arguments.all:
        _report_all(arguments, work, history, texts)
        return
    study = _studied(arguments, work, history)
    judged = by_rule(occasions(work, history))
    replay = replayed(work, study.experiment.project, history)
    kept = list(adherence(work, history).values())
    if arguments.json:
        outside = {name: texts.get(name, "") for name in study.evidence.experiment.outside}
        more = {
            "rules": json_values.plain(judged),
            "adherence": [json_values.adherence_json(rule) for rule in kept],
            "backtest": replay.headline,
        }
        terminal.data(json_values.study_json(study, outside) | more)
        return
    headline = replay.headline if replay.mistakes else ""
    terminal.line(text.text(study, texts, judged, kept, headline))


def _report_all(
    arguments: argparse.Namespace, work: Workspace, history: History, texts: Mapping[str, str]
) -> None:
    """Say what all sessions show, those tracked by hand too, and what each experiment does."""
    if arguments.experiment or arguments.project:
        raise UsageError("--all is of all experiments and projects: name none beside it")
    units = overall(work, history)
    tracked = {session.session for session in manual_log(history.of(KIND)).sessions}
    by_hand = sum(unit.session in tracked for unit in units)
    studies = [studied(work, experiment, history) for experiment in experiments(work, history)]
    if arguments.json:
        terminal.data(json_values.overall_json(units, by_hand, studies))
    else:
        terminal.line(text.overall(units, by_hand, studies, texts))


def export(arguments: argparse.Namespace, work: Workspace) -> None:
    """Print one row a session, or write them to a file."""
    study = _studied(arguments, work, work.vault.history())
    rows = session_rows.rows(study)
    out = io.StringIO()
    if arguments.json:
        out.write(terminal.encoded(rows) + "\n")
    else:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(session_rows.COLUMNS)
        writer.writerows([_cell(row[name]) for name in session_rows.COLUMNS] for row in rows)
    if not arguments.output:
        terminal.document(out.getvalue())
        return
    write(arguments.output, out.getvalue())
    name = study.experiment.id
    work.terminal.say(f"{len(rows)} sessions of {name} written to {arguments.output}")


def _cell(value: object) -> object:
    if isinstance(value, str):
        shown = strip_hidden(value)
        return f"'{shown}" if shown.startswith(_FORMULA) else shown
    return "" if value is None else value


def _studied(arguments: argparse.Namespace, work: Workspace, history: History) -> Studied:
    key = project(work, arguments.project)
    experiment = chosen(work, arguments.experiment, key, history)
    if not arguments.experiment and not experiment.reaches(key):
        work.terminal.say(f"no experiment was made in {key or 'this folder'}; the last one:")
    return studied(work, experiment, history)
