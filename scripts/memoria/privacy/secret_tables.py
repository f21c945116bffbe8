r"""Find the secrets in the columns of tables whose heading says so.

Markdown, psql, mysql and files of comma-separated values have one form: a line of names, and lines
with as many cells. The trap: documentation has tables with a column "Password" as well, in which
the cells say `string` or `required`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.privacy.secret_names import Hit, announced
from memoria.privacy.secret_sentences import PASSWORDS
from memoria.privacy.secret_values import is_chosen, is_password, is_random
from memoria.text.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

# A word of a heading, at the end of its cell.
_HEADING = lazy_pattern(
    r"(?:pass(?:word|wort|wd|phrase|)|pwd|secret|token|key|kennwort|contrase\xf1a|senha"
    r"|mot de passe|\u043f\u0430\u0440\u043e\u043b\u044c|\u5bc6\u7801"
    r"|\u30d1\u30b9\u30ef\u30fc\u30c9)"
    r"s?[ \"'`*_]{0,20}(?:[|,;\t\n]|\Z)"
)
_LONGEST_HEADING = 400
_RULE = lazy_pattern(r"[\s|:+=-]+")
_NAMES = lazy_pattern(r"\"?[\w .-]{1,30}\"?")
_AROUND = " \t\"'`*_"


def _cells(line: str, at: int, divider: str) -> list[tuple[int, str]]:
    """Give the cells of a line, each with where it begins."""
    if divider == "|":
        inner = line.strip().removeprefix("|")
        at, line = at + line.find(inner), inner.removesuffix("|")
    cells = []
    for cell in line.split(divider):
        bare = cell.strip(_AROUND)
        cells.append((at + cell.find(bare), bare))
        at += len(cell) + 1
    return cells


def _columns(line: str) -> tuple[str, int, dict[int, str]]:
    """Give the divider of a heading, how many columns, and what those of secrets announce."""
    divider = next((one for one in "|;,\t" if one in line), "")
    if not divider:
        return "", 0, {}
    cells = [cell for _, cell in _cells(line, 0, divider)]
    if len(cells) < 2 or not all(_NAMES.fullmatch(cell) for cell in cells if cell):  # noqa: PLR2004 - one column is a list
        return "", 0, {}
    kinds = {n: _announced(cell) for n, cell in enumerate(cells)}
    return divider, len(cells), {n: kind for n, kind in kinds.items() if kind}


def _announced(heading: str) -> str:
    """Tell what the heading of a column announces."""
    is_password = any(re.fullmatch(words, heading.lower()) for words in PASSWORDS)
    return "password" if is_password else announced(heading)


def _holds(kind: str, value: str) -> bool:
    if kind == "password":
        return is_chosen(value) or is_password(value, quoted=False)
    return is_random(value, 14)


def _rows(text: str, at: int, divider: str, count: int) -> Iterator[list[tuple[int, str]]]:
    """Give the cells of the lines that follow a heading, as long as there are as many."""
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        if not _RULE.fullmatch(text, at, stop):
            cells = _cells(text[at:stop], at, divider)
            if len(cells) != count:
                return
            yield cells
        at = stop + 1


def tables(text: str, lower: str) -> Iterator[Hit]:
    """Find secrets by the heading of their column; `lower` is the text in lower case."""
    done = 0
    for word in _HEADING.finditer(lower):
        if word.start() < done:
            continue
        begin = text.rfind("\n", max(0, word.start() - _LONGEST_HEADING), word.start()) + 1
        end = text.find("\n", word.end() - 1, word.end() + _LONGEST_HEADING)
        done = word.end() if end < 0 else end
        divider, count, columns = _columns(text[begin:end] if end > 0 else "")
        for cells in _rows(text, end + 1, divider, count) if columns else ():
            done = cells[-1][0]
            for column, kind in columns.items():
                start, value = cells[column]
                if _holds(kind, value):
                    called = "password" if kind == "password" else "secret"
                    yield Hit(start, start + len(value), called)
