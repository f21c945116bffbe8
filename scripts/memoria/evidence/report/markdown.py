"""Write the report as a note of Markdown, so that no text of a vault acts.

Each text passes the rewriting that all notes pass; commands of ours are code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.evidence.report.sections import sections
from memoria.evidence.report.study_tables import Cell
from memoria.evidence.report.words import full_day
from memoria.text.fences import code, fenced
from memoria.text.markdown import inert
from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from memoria.evidence.report.report_data import ReportData
    from memoria.evidence.report.study_tables import Table


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
