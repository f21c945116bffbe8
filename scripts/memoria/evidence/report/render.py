"""Render a report as HTML and Markdown, so that no text of a vault acts.

HTML is escaped by the engine, and the page's Content-Security-Policy allows its style sheet by hash
and nothing else. In Markdown each text passes the rewriting that all notes pass.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from jinja2 import BaseLoader, Environment, StrictUndefined
from markupsafe import Markup, escape

from memoria.evidence.report.sections import sections
from memoria.evidence.report.study_tables import Cell
from memoria.text.fences import code, fenced
from memoria.text.markdown import inert
from memoria.text.unicode import strip_hidden
from memoria.vault import package_files

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from memoria.evidence.report.report_data import ReportData

# nothing may be loaded, sent or run; the style sheet is allowed by its hash
_POLICY = "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'"
# a tick, an exclamation mark, a circle with a hole: nobody has to tell a verdict by its colour
_SIGNS = {
    "good": "M13 3.4l1.6 1.5-8.4 9L1.4 9.3l1.5-1.6 3.2 3z",
    "bad": "M6.8 1.5h2.4v8.3H6.8zM6.8 12h2.4v2.5H6.8z",
    "open": "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13zM8 4a4 4 0 1 1 0 8a4 4 0 1 1 0-8z",
}


class _Packaged(BaseLoader):
    """Finds templates as the package's other files are found."""

    def get_source(self, _: Environment, template: str) -> tuple[str, str, None]:
        return package_files.text(template), template, None


def html(report: ReportData, base: str) -> str:
    """Set the page; `base` is the address of the vault as seen from the page, without a slash."""
    style = package_files.text("templates/report.css")
    engine = _engine(autoescape=True)
    engine.filters["note"] = lambda path: f"{base}/{quote(path)}"
    # the address by which Obsidian opens a file; it names no folder of this machine
    whole = partial(quote, safe="")
    opened = f"obsidian://open?vault={whole(report.vault)}&file="
    engine.filters["obsidian"] = lambda path: opened + whole(path)
    engine.filters["ticked"] = _ticked
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    text = engine.get_template("templates/report.html.j2").render(
        report=report,
        sections=sections(report),
        style=style,
        policy=_POLICY.format(digest),
        signs=_SIGNS,
    )
    return text.lstrip()


def markdown(report: ReportData, known: Container[str] = ()) -> str:
    """Set the note; wikilinks in it lead to the notes named in `known` and nowhere else."""
    engine = _engine(autoescape=False)
    engine.filters["inert"] = lambda text: _inert(text, known)
    engine.filters["code"] = lambda text: code(text).replace("|", "\\|")
    engine.filters["fenced"] = fenced
    engine.filters["linked"] = lambda cell: _linked(cell, known)
    template = engine.get_template("templates/report.md.j2")
    return template.render(report=report, sections=sections(report))


def _engine(*, autoescape: bool) -> Environment:
    engine = Environment(
        loader=_Packaged(),
        autoescape=autoescape,  # noqa: S701 - Markdown has none; its texts pass the filters above
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_visible,
    )
    engine.filters["cells"] = _cells
    return engine


def _cells(row: Iterable[str | Cell]) -> list[Cell]:
    return [Cell(cell) if isinstance(cell, str) else cell for cell in row]


def _visible(value: object) -> object:
    """Take what nobody can see out of a text, as everywhere in a vault."""
    # what is markup already went through here as text
    return strip_hidden(value) if type(value) is str else value


def _ticked(text: str) -> Markup:
    """Escape a text, and set as code what stands between backticks."""
    escaped = str(escape(strip_hidden(text)))
    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escaped))  # noqa: S704 - escaped


def _inert(text: str, known: Container[str] = ()) -> str:
    """Make a text one line of Markdown that can stand in a table."""
    return inert(strip_hidden(text), known).replace("|", "\\|")


def _linked(cell: Cell, known: Container[str]) -> str:
    """Give a cell with a wikilink to its note, where there is one."""
    text = code(cell.text).replace("|", "\\|") if cell.is_code else _inert(cell.text, known)
    path = cell.path.removeprefix("knowledge/").removesuffix(".md")
    is_known = path in known or path.startswith("daily/")
    link = f"[[{path}\\|{cell.link}]]" if is_known else _inert(cell.link)
    return " ".join(
        part for part in (link, text, f"({_inert(cell.sub)})" if cell.sub else "") if part
    )
