"""Lay the report out as sections of text and tables, and write it as a note of Markdown.

Each text passes the rewriting of all notes, so that nothing of a vault acts; commands of ours
are code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoria.evidence.backtest import CAVEAT
from memoria.evidence.report.tables import (
    NONE,
    Cell,
    Table,
    arms,
    beside,
    full_day,
    parts,
    place,
    span,
    tests,
)
from memoria.text.fences import code, fenced
from memoria.text.markdown import inert
from memoria.text.numbers import counted, dollars
from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from memoria.evidence.backtest import ErrorFamily, RepeatedErrors
    from memoria.evidence.report.model_costs import Costs
    from memoria.evidence.report.report_data import ReportData, RuleRecords
    from memoria.evidence.study import Studied
    from memoria.rules.model import Rule

# minutes: what takes longer is told in hours, which a pause may have made
_LONG = 120


class Section(NamedTuple):
    """A part of the report: paragraphs and tables."""

    title: str
    notes: Sequence[str]
    tables: Sequence[Table] = ()


def sections(report: ReportData) -> list[Section]:
    """Give the sections of a report."""
    study = [_evidence(report, report.study)] if report.study else []
    return [
        *study,
        _rules(report.rules),
        _errors(report.errors, report.backtest),
        _cost(report.costs),
    ]


# -- A study ---------------------------------------------------------------------------------------


def _evidence(report: ReportData, studied: Studied) -> Section:
    experiment, evidence = studied.experiment, studied.evidence
    running = ", running" if experiment.is_running else ""
    size = counted(len(evidence.sessions), "session counts", "sessions count")
    notes = [
        (
            f"Experiment `{experiment.id}`, design {experiment.design}, {place(studied)}, "
            f"{span(studied)}{running}: {size}."
        )
    ]
    if experiment.design == "coin":
        notes[0] += " Chance decides in each session whether Memoria speaks; both are captured."
    tables = [table for table in (*_study_tables(report, studied), _others(report)) if table.rows]
    return Section("Evidence", notes, tables)


def _study_tables(report: ReportData, studied: Studied) -> Iterator[Table]:
    if studied.evidence.has_both_arms:
        yield arms(studied.evidence)
        yield tests(studied.evidence)
    yield parts(studied.units)
    rows = [
        (_rule_cell(report.by_id[name]) if name in report.by_id else name, *figures)
        for name, *figures in beside(studied.units)
    ]
    header = ("rule", "corrections per session with it", "sessions with it", "without")
    caption = "Rules that go along with corrections (no cause: they are chosen where they fit)"
    yield Table(caption, header, rows)


def _others(report: ReportData) -> Table:
    rows = [
        (
            study.experiment.id,
            f"{place(study)}, {span(study)}",
            f"{len(study.evidence.sessions):,}",
            study.conclusion.sentence,
        )
        for study in report.others
    ]
    header = ("experiment", "where and when", "sessions", "what it says")
    return Table("Other experiments", header, rows)


# -- Rules -----------------------------------------------------------------------------------------


def _rules(records: RuleRecords) -> Section:
    active = counted(records.in_force, "rule is", "rules are")
    if records.rows:
        note = f"{active} active on this machine."
        header = ("rule", "told", "withheld", "rewarded", "belief: odds times (95%)")
        caption = "Rules by how often they were tried, in sessions"
        rows = [(_rule_cell(record.rule, record.status), *record.cells) for record in records.rows]
        return Section("Rules", [note], [Table(caption, header, rows)])
    if records.in_force:
        note = (
            f"{active} active, and none has reached a session yet: hooks tell them from the next "
            "session on (`memoria doctor` says whether they do)."
        )
    else:
        note = (
            "No rule is active. `memoria review` decides about those that wait, "
            '`memoria remember "…"` makes one.'
        )
    return Section("Rules", [note])


def _rule_cell(rule: Rule, sub: str = "") -> Cell:
    path = f"knowledge/{rule.path}.md" if rule.path else ""
    return Cell(rule.text, sub, rule.id, path)


# -- Errors, capture, cost -------------------------------------------------------------------------


def _errors(errors: RepeatedErrors, backtest: str) -> Section:
    if not errors.shown:
        return Section("Errors", ["No error was found in the captured sessions."])
    sessions = counted(errors.sessions, "session")
    total = counted(errors.total, "error")
    notes = [
        f"{total} in {sessions}: failed calls and your corrections, near ones joined to families.",
        f"{backtest} {CAVEAT}",
    ]
    more = f"; {counted(errors.more, 'family', 'families')} more" if errors.more else ""
    header = ("error, in its latest words", "met before", "went away", "what fixed it last")
    rows = [_error_row(family) for family in errors.shown]
    table = Table(f"Errors by family, and what fixed them{more}", header, rows)
    return Section("Errors", notes, [table])


def _error_row(family: ErrorFamily) -> tuple[str | Cell, ...]:
    about = ", ".join([family.kind, *family.projects, f"last on {full_day(family.last)}"])
    minutes = counted(round(family.minutes), "minute") if family.minutes < _LONG else "hours"
    took = minutes if family.minutes >= 1 else "less than a minute"
    resolved = f"{family.resolved} of {family.count}"
    return (
        Cell(family.example, about, "the day's log" if family.log else "", family.log, True),
        Cell(f"{family.met_before} of {family.count}", f"in {counted(family.sessions, 'session')}"),
        Cell(resolved, f"after {took}") if family.resolved else "never, in its session",
        Cell(family.fix, is_code=True) if family.fix else NONE,
    )


def _cost(costs: Costs) -> Section:
    free = counted(costs.free, "request was", "requests were")
    offline = f"; {free} answered by plain code for nothing" if costs.free else ""
    if not costs.rows:
        return Section("Cost", [f"Nothing was spent: no model was called{offline}."])
    note = f"Calls of a model, of all projects, in US dollars at list prices{offline}."
    header = ("operation", "calls", "tokens read", "tokens written", "US dollars")
    rows = [
        (row.name, *(f"{n:,}" for n in (row.calls, row.read, row.written)), dollars(row.usd))
        for row in costs.rows
    ]
    return Section("Cost", [note], [Table("Tokens and cost by operation", header, rows)])


def markdown(report: ReportData, known: Container[str] = ()) -> str:
    """Write the note; wikilinks in it lead to the notes named in `known` and nowhere else."""
    return "\n".join(_lines(report, known)) + "\n"


def _lines(report: ReportData, known: Container[str]) -> Iterator[str]:
    opening, verdict = report.opening, report.verdict
    yield from ("# Memoria report", "")
    yield f"{full_day(report.made.date())}, {report.made:%H:%M}, {report.scope}"
    if opening.rows:
        yield from ("", "## What keeps going wrong, and what fixes it", "")
    for told, command in opening.rows:
        yield f"- {_inert(told)}{f' ({code(command)})' if command else ''}"
    if opening.told:
        title = f"## What the next session of {_inert(opening.project)} is told"
        yield from ("", title, "", fenced(opening.told))
    yield from ("", "## Does it help?", "", f"> {_inert(verdict.sentence)}", "")
    yield from (f"- {_inert(note)}" for note in verdict.notes)
    yield from (f"- {code(command)} {brings}" for command, brings in verdict.steps)
    if not report.facts:
        return
    yield ""
    yield from (f"- **{_inert(value)}** {_inert(label)}" for value, label in report.facts)
    for section in sections(report):
        yield from ("", f"## {section.title}")
        for note in section.notes:
            yield from ("", _inert(note))
        for table in section.tables:
            yield from ("", f"**{_inert(table.caption)}**", "")
            yield from _grid(table, known) if table.rows else [_inert(table.otherwise)]


def _grid(table: Table, known: Container[str]) -> Iterator[str]:
    yield f"| {' | '.join(table.header)} |"
    yield f"|{'---|' * len(table.header)}"
    for row in table.rows:
        cells = (cell if isinstance(cell, Cell) else Cell(cell) for cell in row)
        yield f"| {' | '.join(_linked(cell, known) for cell in cells)} |"


def _inert(text: str, known: Container[str] = ()) -> str:
    """Make a text one line of Markdown that can stand in a table."""
    return inert(strip_hidden(text), known).replace("|", "\\|")


def _linked(cell: Cell, known: Container[str]) -> str:
    """Give a cell with a wikilink to its note, where there is one."""
    text = code(cell.text).replace("|", "\\|") if cell.is_code else _inert(cell.text, known)
    path = cell.path.removeprefix("knowledge/").removesuffix(".md")
    is_known = path in known or path.startswith("daily/")
    link = f"[[{path}\\|{cell.link}]]" if is_known else _inert(cell.link)
    sub = f"({_inert(cell.sub)})" if cell.sub else ""
    return " ".join(filter(None, (link, text, sub)))
