"""Render a report by a template of the package, so that no text of a vault acts.

In HTML everything is escaped by the engine itself, and the page's Content-Security-Policy allows
the one style sheet by the hash of its exact characters and nothing else: no script, no picture, no
address elsewhere. In Markdown, which Obsidian opens, each text passes the rewriting that all notes
pass.
"""

from __future__ import annotations

import base64
import hashlib
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from jinja2 import BaseLoader, Environment, StrictUndefined

from memoria.evidence.charts.plot import symbol
from memoria.evidence.rates import rate
from memoria.evidence.report.study_section import SessionTables, study_section
from memoria.text.fences import code, fenced
from memoria.text.markdown import inert
from memoria.text.unicode import strip_hidden
from memoria.vault import package_files

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from memoria.capture.repeats import Unit
    from memoria.evidence.charts.plot import Shape
    from memoria.evidence.report.report_data import ReportData
    from memoria.evidence.study import Studied
    from memoria.evidence.withholding.adherence import Adherence
    from memoria.evidence.withholding.by_rule import Standing

_HTML, _STYLE = "templates/report.html.j2", "templates/report.css"
_MARKDOWN, _TEXT = "templates/report.md.j2", "templates/experiment.txt.j2"
_OVERALL = "templates/experiments.txt.j2"
# characters of a rule's words beside its id
_WORDS = 80
# nothing may be loaded, sent or run; the style sheet is allowed by its hash
_POLICY = "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'"


class _Packaged(BaseLoader):
    """Finds templates as the package's other files are found."""

    def get_source(self, _: Environment, template: str) -> tuple[str, str, None]:
        return package_files.text(template), template, None


def html(report: ReportData, base: str) -> str:
    """Set the page; `base` is the address of the vault as seen from the page, without a slash."""
    style = package_files.text(_STYLE)
    engine = _engine(autoescape=True)
    engine.filters["note"] = partial(_note, base)
    engine.filters["obsidian"] = partial(_obsidian, report.vault)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    text = engine.get_template(_HTML).render(
        report=report, style=style, policy=_POLICY.format(digest), symbol=_symbol
    )
    return text.lstrip()


def markdown(report: ReportData, known: Container[str] = ()) -> str:
    """Set the note; wikilinks in it lead to the notes named in `known` and nowhere else."""
    engine = _engine(autoescape=False)
    engine.filters["inert"] = partial(_inert, known=known)
    engine.filters["code"] = _code
    engine.filters["fenced"] = fenced
    return engine.get_template(_MARKDOWN).render(report=report, known=known)


def table(studied: Studied) -> str:
    """Give the table of both arms for the terminal."""
    return _text(studied, whole=False)


def text(
    studied: Studied,
    texts: Mapping[str, str],
    standings: Sequence[Standing] = (),
    adherence: Sequence[Adherence] = (),
    backtest: str = "",
) -> str:
    """Give the report on a study for the terminal; `texts` has the words of rules by id."""
    return _text(
        studied,
        whole=True,
        texts=texts,
        standings=standings,
        adherence=adherence,
        backtest=backtest,
    )


def overall(
    units: Sequence[Unit], by_hand: int, studies: Sequence[Studied], texts: Mapping[str, str]
) -> str:
    """Give the report on all sessions and experiments for the terminal."""
    return _set(
        _OVERALL,
        rate=rate(units),
        by_hand=by_hand,
        study=SessionTables.of(units),
        studies=studies,
        texts=texts,
    )


def _text(studied: Studied, **values: object) -> str:
    return _set(_TEXT, studied=studied, study=study_section(studied), **values)


def _set(template: str, **values: object) -> str:
    """Set a text for the terminal."""
    engine = _engine(autoescape=False)
    engine.filters["cut"] = _cut
    rendered = engine.get_template(template).render(**values)
    return "\n".join(line.rstrip() for line in rendered.rstrip().split("\n"))


def _cut(words: str) -> str:
    return words if len(words) <= _WORDS else words[:_WORDS] + "..."


def _engine(*, autoescape: bool) -> Environment:
    return Environment(
        loader=_Packaged(),
        autoescape=autoescape,  # noqa: S701 - Markdown has none; its texts pass the filters above
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_visible,
    )


def _visible(value: object) -> object:
    """Take what nobody can see out of a text, as everywhere in a vault."""
    # what is markup already went through here as text
    return strip_hidden(value) if type(value) is str else value


def _symbol(shape: Shape | None) -> str:
    """Give the path of a key's symbol, in a box of 16 by 16 pixels."""
    return "M1 4h14v8h-14z" if shape is None else symbol(shape, 8, 8, 4.5)


def _note(base: str, path: str) -> str:
    """Give the address of a file of the vault."""
    return f"{base}/{quote(path)}"


def _obsidian(vault: str, path: str) -> str:
    """Give the address by which Obsidian opens a file; it names no folder of this machine."""
    return f"obsidian://open?vault={quote(vault, safe='')}&file={quote(path, safe='')}"


def _inert(text: str, known: Container[str] = ()) -> str:
    """Make a text one line of Markdown that can stand in a table."""
    return inert(strip_hidden(str(text)), known).replace("|", "\\|")


def _code(text: str) -> str:
    """Give a text as inline code in a cell of a table."""
    return code(text).replace("|", "\\|")
