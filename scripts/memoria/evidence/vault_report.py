"""Put the report together and write it as a note of Markdown: the verdict, and what it rests on.

What is missing is said in the place of what would be there, with the command that brings it. Each
text passes the rewriting of all notes, so that nothing of a vault acts.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from operator import add
from textwrap import fill
from typing import TYPE_CHECKING, Any

from memoria.evidence.experiment_report import pick_attributes, study_text, to_json_value
from memoria.evidence.rates import Rate, format_headline
from memoria.text.json_text import number_of
from memoria.text.markdown import format_code_block, format_inline_code, make_inert
from memoria.text.numbers import format_count, format_dollars
from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memoria.capture.recurring_errors import RecurringError
    from memoria.evidence.study import ExperimentStudy

# errors that are named, and characters of a token, about
_MAX_ERRORS, _CHARS_OF_TOKEN = 20, 4
_MAX_LINE = 110  # characters of a line of the evidence
_OPERATIONS = {
    "flush": "flush: sessions to entries",
    "compile": "compile: entries to articles",
    "query": "query: answers",
    "lint": "lint: contradictions",
    "learn": "learn: rules from reviews",
}


# -- Cost ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OperationCost:
    """What one operation took: calls of a model, tokens read and written, US dollars.

    With a subscription nothing is billed by the token.
    """

    task: str
    calls: int
    read: int
    written: int
    usd: float

    @property
    def name(self) -> str:
        """What the operation does."""
        return _OPERATIONS.get(self.task, self.task)


@dataclass(frozen=True, slots=True)
class Costs:
    """All operations that a model was paid for, the dearest first; `free` counts calls of none."""

    rows: tuple[OperationCost, ...] = ()
    free: int = 0
    usd: float = 0.0


def sum_costs(calls: Iterable[Mapping[str, Any]]) -> Costs:
    """Sum model calls up by operation; a call without tokens and dollars was no model's."""
    sums: dict[str, list[float]] = {}
    free = 0
    for call in calls:
        numbers = (number_of(call.get(name)) for name in ("input", "output", "cost_usd"))
        amounts = [max(number or 0.0, 0.0) for number in numbers]
        if not any(amounts):
            free += 1
            continue
        row = sums.setdefault(str(call.get("task") or "other"), [0.0] * 4)
        row[:] = map(add, row, (1.0, *amounts))
    rows = [
        OperationCost(task, int(count), int(read), int(written), usd)
        for task, (count, read, written, usd) in sums.items()
    ]
    rows.sort(key=lambda cost: (-cost.usd, -cost.read, cost.task))
    return Costs(tuple(rows), free, sum(cost.usd for cost in rows))


# -- The report ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReportData:
    """What the report shows: of `sessions` captured on so many `days`, `scope` says whose.

    `errors` came back in some of `observed` sessions; `captured` of `ended` sessions since the
    installation are captured. `start` is what a session of `project` would be told now, "" for
    nothing. `texts` has the words of the rules by id, `rules` those of the active ones.
    """

    made: datetime
    scope: str
    studies: Sequence[ExperimentStudy]
    errors: tuple[RecurringError, ...]
    total: Rate
    sessions: int = 0
    days: int = 0
    observed: int = 0
    captured: int = 0
    ended: int = 0
    costs: Costs = Costs()
    project: str = ""
    start: str = ""
    texts: Mapping[str, str] | None = None
    rules: Sequence[str] = ()

    @property
    def study(self) -> ExperimentStudy | None:
        """The study that the verdict speaks of, never chosen by its outcome.

        The one that runs, of several that of most sessions, of equal ones the latest.
        """

        def rank(study: ExperimentStudy) -> tuple[bool, int]:
            return study.experiment.is_running, len(study.evidence.sessions)

        return max(reversed(self.studies), key=rank, default=None)

    @property
    def error_lines(self) -> list[str]:
        """The errors that came back, each in a line."""
        return [error.format_line(self.observed) for error in self.errors[:_MAX_ERRORS]]

    @property
    def tokens(self) -> int:
        """How many tokens a start is told, about."""
        return round(len(self.start) / _CHARS_OF_TOKEN)

    @property
    def verdict(self) -> tuple[str, str, Sequence[str]]:
        """The kind (a conclusion's, "nothing" or "no study"), the sentence, and notes on it."""
        if self.study:
            return self.study.conclusion.kind, self.study.conclusion.sentence, self.study.notes
        if not self.sessions:
            notes = (
                "`memoria import` brings in the sessions that Claude Code still has",
                "`memoria install` captures those to come",
            )
            return "nothing", "Nothing is captured yet, so there is nothing to report.", notes
        sentence = "Whether Memoria helps is not known yet: no A/B test has been run."
        note = "`memoria experiment start` starts one: in some sessions Memoria is silent"
        return "no study", sentence, (note,)


def report_json(report: ReportData) -> dict[str, Any]:
    """Give the report's numbers."""
    commands = (error.command(report.rules) for error in report.errors)
    shown = zip(map(asdict, report.errors[:_MAX_ERRORS]), commands, strict=False)
    verdict = zip(("kind", "sentence", "notes"), map(to_json_value, report.verdict), strict=True)
    total = report.total
    return {
        "verdict": dict(verdict),
        "coverage": pick_attributes(report, "captured sessions=ended"),
        "told": pick_attributes(report, "project tokens"),
        "mistakes": {
            "total": total.mistakes,
            "met_before": total.repeats,
            "families": [to_json_value(row | {"command": command}) for row, command in shown],
        },
        "headline": format_headline(total),
        "captures": pick_attributes(report, "sessions days"),
        "cost": pick_attributes(report.costs, "usd operations=rows"),
    }


def render_markdown(report: ReportData) -> str:
    """Write the note."""
    return "\n".join(_render_lines(report)) + "\n"


def _render_lines(report: ReportData) -> Iterator[str]:
    _, sentence, notes = report.verdict
    yield from ("# Memoria report", "", f"{report.made:%Y-%m-%d, %H:%M}, {report.scope}")
    if report.errors:
        yield from ("", "## What keeps going wrong, and what fixes it", "")
    for error, line in zip(report.errors, report.error_lines, strict=False):
        command = error.command(report.rules)
        yield f"- {_make_line_inert(line)}{f' ({format_inline_code(command)})' if command else ''}"
    if report.total.mistakes:
        yield from ("", format_headline(report.total))
    if report.start:
        title = f"## What the next session of {_make_line_inert(report.project)} is told"
        yield from ("", title, "", format_code_block(report.start))
    yield from ("", "## Does it help?", "", f"> {_make_line_inert(sentence)}", "")
    yield from (f"- {_make_line_inert(note)}" for note in notes)
    yield ""
    for value, label in _list_figures(report):
        yield f"- **{value}** {_make_line_inert(label)}"
    if report.study:
        # the sentence and the notes stand above
        figures = study_text(report.study, report.texts or {}).partition("\n\n")[2]
        lines = figures.partition("\n\nNotes:")[0].splitlines()
        wrapped = "\n".join(fill(line, _MAX_LINE, subsequent_indent="    ") for line in lines)
        yield from ("", "## Evidence", "", format_code_block(wrapped), "")
    for study in reversed(report.studies):
        if study is not report.study:
            line = f"{study.experiment.summary}: {study.conclusion.sentence}"
            yield f"- {_make_line_inert(line)}"


def _list_figures(report: ReportData) -> Iterator[tuple[str, str]]:
    """Give the numbers of the page that are known, each with what it counts."""
    since, days = format_count(report.ended, "session"), format_count(report.days, "day")
    rules = "active rule" if len(report.rules) == 1 else "active rules"
    told = f"tokens told to a session of {report.project}, about"
    facts = (
        (report.ended, f"{report.captured:,}", f"of {since} since the installation captured"),
        (report.start, f"{report.tokens:,}", told),
        (report.sessions, f"{report.sessions:,}", f"sessions with an entry, on {days}"),
        (report.total.mistakes, f"{report.total.mistakes:,}", "errors and corrections in them"),
        (True, f"{len(report.rules):,}", f"{rules} (`memoria rewards` says what each did)"),
        (report.costs.rows, format_dollars(report.costs.usd), "for model calls (`memoria cost`)"),
    )
    return ((value, label) for is_shown, value, label in facts if is_shown)


def _make_line_inert(text: str) -> str:
    """Make a text one line of Markdown that does nothing."""
    return make_inert(strip_hidden(text))
