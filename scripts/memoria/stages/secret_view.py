r"""Text -> a View of it in which disguised secrets are plain, with the way back to the text.

A key after a colour code, with a zero-width space in it, in a JSON string inside a JSON string or
in a URL is the same key. It is looked for in the plain form and replaced in the original, so the
rest of the text stays as it was. The trap: an escaped newline ends in the letter n, which glues to
the next word and defeats every pattern that asks for a word's beginning.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple

from memoria.stages.hidden import ANSI, HIDDEN

_DISGUISE = re.compile(
    rf"(?P<gone>{ANSI.pattern}|[{HIDDEN}])"
    r"|\\{1,16}+(?:(?P<space>[nrt])|(?P<plain>[\"'/&=])|u(?P<unicode>00[2-7][0-9a-fA-F]))"
    r"|%(?P<percent>[2-7][0-9a-fA-F])"
)
_ANY = re.compile(rf"[\\%\x1b{HIDDEN}]")


class Part(NamedTuple):
    """A part of a view: where it begins in it and in the original.

    `width` is how long the original of its one character is, 0 where characters stand for
    themselves.
    """

    start: int
    original: int
    width: int


@dataclass(frozen=True, slots=True)
class View:
    """The plain form of a text, and its parts in order; none mean that it is the text itself."""

    text: str
    parts: tuple[Part, ...] = ()

    def _at(self, offset: int) -> tuple[int, int]:
        """Give the original span of one character."""
        if not self.parts:
            return offset, offset + 1
        part = self.parts[bisect_right(self.parts, offset, key=lambda part: part.start) - 1]
        original = part.original + offset - part.start
        return original, original + (part.width or 1)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Give the original span of a non-empty span of the view."""
        return self._at(start)[0], self._at(end - 1)[1]


def _meaning(match: re.Match[str]) -> str:
    if match["gone"]:
        return ""
    if match["space"]:
        return "\t" if match["space"] == "t" else "\n"
    code = match["unicode"] or match["percent"]
    return match["plain"] or chr(int(code, 16))


def view(text: str) -> View:
    """Undo what disguises a secret in a text: invisible characters, JSON and URL escapes."""
    if not _ANY.search(text):
        return View(text)
    pieces: list[str] = []
    parts: list[Part] = []
    length = at = 0
    for match in _DISGUISE.finditer(text):
        meaning = _meaning(match)
        if match.start() > at:
            parts.append(Part(length, at, 0))
            length += match.start() - at
        if meaning:
            parts.append(Part(length, match.start(), len(match[0])))
            length += 1
        pieces += (text[at : match.start()], meaning)
        at = match.end()
    return View("".join((*pieces, text[at:])), (*parts, Part(length, at, 0)))
