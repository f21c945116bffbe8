"""Write one page that says whether Memoria helps (`memoria report`).

A page for the browser that needs nothing else, or a note that Obsidian shows. It lies in the
vault's reports/, which is in no git and which no hook reads. Rules are a person's notes and may
hold what must not leave them, so their words pass the gate once more.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from memoria import terminal
from memoria.capture.coverage import coverage
from memoria.capture.recurring_errors import telling
from memoria.cli.decide.start_preview import preview
from memoria.errors import UsageError
from memoria.evidence import service as evidence
from memoria.evidence.backtest.service import replayed
from memoria.evidence.report import render
from memoria.evidence.report.json_values import report_json
from memoria.evidence.report.model_costs import costs
from memoria.evidence.report.repeated_errors import repeated_errors
from memoria.evidence.report.report_data import (
    Captures,
    Opening,
    ReportData,
    captured_sessions,
    narrowed,
)
from memoria.evidence.report.rule_records import rule_records
from memoria.learning import service as choosing
from memoria.privacy import clean
from memoria.rules.decisions import rulebook
from memoria.vault.project import label
from memoria.vault.storage import clock, disk

if TYPE_CHECKING:
    import argparse

    from memoria.vault.storage.history import History
    from memoria.workspace import Workspace

# errors that are named beside the path
_NAMED = 3
_ENDINGS = {"html": ".html", "markdown": ".md"}


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Make the report, write it, and say where it is."""
    work.vault.require()
    kind = arguments.format or ("markdown" if arguments.output.endswith(".md") else "html")
    path = _path(arguments.output, work, kind)
    gathered = _gathered(work, arguments.project)
    if kind == "html":
        text = render.html(gathered, _base(work.vault.root, path.parent))
    else:
        text = render.markdown(gathered, set(work.vault.articles.paths()))
    disk.replace(path, text.encode("utf-8", "replace"))
    if arguments.json:
        terminal.data({"file": str(path), "format": kind, **report_json(gathered)})
    else:
        terminal.document(f"{path}\n")
    for error, _ in gathered.opening.rows[:_NAMED]:
        work.terminal.say(error)
    work.terminal.say(gathered.verdict.sentence)
    if arguments.open and not terminal.browse(path, work.settings.environment):
        work.terminal.warn(f"no browser with a window was found; open {path} yourself")
    return 0


def _path(output: str, work: Workspace, kind: str) -> Path:
    """Say where the report goes; UsageError where it cannot go there."""
    if not output:
        return work.vault.root / "reports" / f"report{_ENDINGS[kind]}"
    path = Path(output).expanduser().absolute()
    if path.is_dir():
        raise UsageError(f"-o {output}: that is a folder; name a file in it")
    notes = (work.vault.daily.resolve(), work.vault.knowledge.resolve())
    if any(path.resolve().is_relative_to(folder) for folder in notes):
        raise UsageError(f"-o {output}: the notes of the vault lie there; choose another folder")
    if not path.parent.is_dir():
        raise UsageError(f"-o {output}: there is no folder {path.parent}")
    return path


def _base(root: Path, folder: Path) -> str:
    """Give the vault's address as seen from a page in a folder."""
    try:
        return quote(Path(os.path.relpath(root, folder)).as_posix())
    except ValueError:  # another drive of Windows
        return root.as_uri()


def _gathered(work: Workspace, project: str) -> ReportData:
    """Read all that the report rests on; `project` keeps those whose name holds it."""
    history = work.vault.history()
    mine = narrowed(history, project)
    if project and history.stays and not mine.stays:
        raise UsageError(f"--project {project!r}: no such project was captured")
    captures = mine.captures.values()
    days = {capture.session: f"daily/{capture.day}.md" for capture in captures if capture.day}
    book, name = rulebook(work), work.vault.root.name
    # rules with their words as said: without secrets, and without Markdown's escapes
    texts = clean.clean([rule.text for rule in book.rules], work.settings.secrets)
    rules = [
        replace(rule, text=text.replace("&lt;", "<"))
        for rule, text in zip(book.rules, texts, strict=True)
    ]
    # each experiment over all its sessions: a part of a study is none
    studies = [
        evidence.studied(work, experiment, history)
        for experiment in evidence.experiments(work, history)
        if not experiment.project or project in experiment.project
    ]
    return ReportData(
        made=clock.now(work.settings.zone),
        vault=f"{name} (a demo, made from sample sessions)" if work.is_demo else name,
        scope=project,
        studies=studies,
        rules=rule_records(
            rules,
            in_force={rule.id for rule in book.rules if book.is_in_force(rule)},
            history=mine,
            occasions=evidence.occasions(work, mine),
            beliefs=choosing.beliefs(work),
            adherence=evidence.adherence(work, mine),
        ),
        errors=repeated_errors(mine.latest.mistakes, days),
        replay=replayed(work, project, mine),
        captures=captured_sessions(captures, _spooled(work)),
        costs=costs(history.calls),
        opening=_opening(work, mine),
        by_id={rule.id: rule for rule in rules},
        guards=mine.of("guard"),
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


def _spooled(work: Workspace) -> Captures:
    jobs = [*work.spool.jobs("new"), *work.spool.jobs("claimed")]
    oldest = min((job.at for job in jobs if job.at > 0), default=None)
    moment = datetime.fromtimestamp(oldest, UTC) if oldest else None
    reasons = Counter(job.error for job in jobs if job.error).most_common(1)
    return Captures(
        waiting=len(jobs),
        given_up=len(work.spool.jobs("dead")),
        reason=reasons[0][0] if reasons else "",
        since=clock.local(moment, work.settings.zone).date() if moment else None,
    )
