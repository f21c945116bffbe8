r"""Find the secrets in columns whose heading says so, and in the manifests of Kubernetes.

Markdown, psql, mysql and files of comma-separated values have one form: a line of names, and lines
with as many cells. kubectl prints a manifest's keys by the alphabet, so `data` comes before `kind`
tells what it is. The traps: a column "Password" of documentation, whose cells say `string`; a list
of manifests, a reader's line numbers before each line, and `kind: ConfigMap`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memoria.privacy.secret_names import Hit, announced
from memoria.privacy.secret_sentences import PASSWORDS
from memoria.privacy.secret_values import is_chosen, is_password, is_placeholder, is_random
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


_SECRET = lazy_pattern(r"(?i)\bkind[\"']?:\s{0,9}[\"']?secret\b")
_LINE = lazy_pattern(
    r"(?m)^(?:[ \t]{0,8}\d{1,6}[\t\u2192|])?(?P<indent>[ \t]{0,80})(?P<dash>- )?"
    r"(?:[\"']?(?P<key>[\w.-]{1,253})[\"']?:(?:[ \t]{1,9}|$))?"
    r"[\"']?(?P<rest>[^\n]*?)[\"']?,?[ \t]*$"
)
_INLINE = lazy_pattern(r"\"(?:data|stringData)\"\s?:\s?\{([^{}\n]{1,20000})\}")
_INLINE_VALUE = lazy_pattern(r":\s?\"([^\"]{4,20000})\"")
_LEAST = 4


@dataclass(slots=True)
class _Manifest:
    """What is known of one manifest: its keys so far, its kind, the spans of its data."""

    keys: set[str] = field(default_factory=set)
    kind: str = ""
    values: list[tuple[int, int]] = field(default_factory=list)


class _Reader:
    """Reads manifests line by line; `open` has the unfinished ones by their depth."""

    def __init__(self) -> None:
        self.open: dict[int, _Manifest] = {}
        self.data: tuple[int, _Manifest] | None = None

    def close(self, depth: int) -> Iterator[tuple[int, int]]:
        """Finish the manifests of a depth and deeper; give the values of secrets."""
        for deep in [deep for deep in self.open if deep >= depth]:
            manifest = self.open.pop(deep)
            if manifest.kind.lower() == "secret":
                yield from manifest.values

    def read(self, line: re.Match[str]) -> Iterator[tuple[int, int]]:
        """Take one line."""
        key, rest = line["key"] or "", line["rest"]
        depth = len(line["indent"]) + 2 * bool(line["dash"])
        if self.data and (depth > self.data[0] or not key + rest):
            self.data[1].values.append(line.span("rest"))
            return
        self.data = None
        if rest == "---" and not key:
            yield from self.close(0)
        elif key in {"apiVersion", "kind", "data", "stringData"}:
            again = key in self.open.get(depth, _Manifest()).keys
            yield from self.close(depth if again or line["dash"] else depth + 1)
            manifest = self.open.setdefault(depth, _Manifest())
            manifest.keys.add(key)
            if key == "kind":
                manifest.kind = rest
            elif key != "apiVersion" and rest in {"", "{"}:
                self.data = (depth, manifest)


def _inline(text: str) -> Iterator[tuple[int, int]]:
    """Give the values of manifests that stand on one line."""
    for found in _SECRET.finditer(text):
        begin = text.rfind("\n", 0, found.start()) + 1
        if text.find("{", begin, found.start()) < 0 or _SECRET.search(text, begin, found.start()):
            continue
        stop = text.find("\n", found.end())
        for data in _INLINE.finditer(text, begin, stop if stop >= 0 else len(text)):
            yield from (value.span(1) for value in _INLINE_VALUE.finditer(text, *data.span(1)))


def manifests(text: str) -> Iterator[Hit]:
    """Find the values of Kubernetes secrets."""
    if not _SECRET.search(text):
        return
    reader = _Reader()
    spans = [span for line in _LINE.finditer(text) for span in reader.read(line)]
    for start, end in (*spans, *reader.close(0), *_inline(text)):
        if end - start >= _LEAST and not is_placeholder(text[start:end]):
            yield Hit(start, end, "kubernetes-secret")
