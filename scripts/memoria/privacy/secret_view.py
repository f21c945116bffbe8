"""Give a View of a text in which disguised secrets are plain, with the way back to the text.

A key after a colour code, with a zero-width space in it or in a URL is the same key. The trap: an
escaped newline ends in the letter n, which glues to the next word.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from memoria.text.lazy_patterns import lazy_pattern
from memoria.text.unicode import ANSI, HIDDEN

if TYPE_CHECKING:
    import re

_DISGUISE = lazy_pattern(
    rf"(?P<gone>{ANSI.pattern}|[{HIDDEN}]"
    # a colour code as JSON and shells write it
    r"|(?<!\\)\\{1,64}+(?:u001[bB]|x1[bB]|033|e)\[[0-9;]{0,20}[A-Za-z])"
    # a run of backslashes, but not those of \\server\share
    r"|(?<!\\)(?!\\\\[\w.-]{1,60}\\(?!\\))\\{1,64}+(?:(?P<space>[nrt])|(?P<plain>[\"'/&=])|u(?P<unicode>00[2-7][0-9a-fA-F]))"
    r"|%(?P<percent>[2-7][0-9a-fA-F])"
    r"|&(?:#0{0,3}(?P<decimal>\d{2,3})|#[xX]0{0,3}(?P<hex>[2-7][0-9a-fA-F])|(?P<name>quot|apos|lt|gt|amp));"
)
_ANY = lazy_pattern(rf"[\\%\x1b{HIDDEN}]")
_ANY_ENTITY = lazy_pattern("&(?:#|quot;|apos;|[lg]t;|amp;)")
_NAMED = {"quot": '"', "apos": "'", "lt": "<", "gt": ">", "amp": "&"}
# Letters as wide as a Chinese character, one for one.
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_ANY_WIDE = lazy_pattern("[\uff01-\uff5e]")
_begin = itemgetter(0)


class View(NamedTuple):
    """The plain form of a text, and its parts in order; none mean that it is the text itself.

    A part is where it begins in the view and in the original, and how long the original of its one
    character is, 0 where characters stand for themselves.
    """

    text: str
    parts: tuple[tuple[int, int, int], ...] = ()

    def _at(self, offset: int) -> tuple[int, int]:
        """Give the original span of one character."""
        if not self.parts:
            return offset, offset + 1
        start, original, width = self.parts[bisect_right(self.parts, offset, key=_begin) - 1]
        original += offset - start
        return original, original + (width or 1)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Give the original span of a non-empty span of the view."""
        return self._at(start)[0], self._at(end - 1)[1]


def _meaning(match: re.Match[str]) -> str:
    if match["gone"]:
        return ""
    if match["space"]:
        return "\t" if match["space"] == "t" else "\n"
    if match["decimal"]:
        return chr(int(match["decimal"]))
    code = match["unicode"] or match["percent"] or match["hex"]
    return match["plain"] or (chr(int(code, 16)) if code else _NAMED[match["name"]])


def view(text: str) -> View:
    """Undo what disguises a secret: invisible, wide and escaped characters (JSON, URL, HTML)."""
    if not text.isascii() and _ANY_WIDE.search(text):
        text = text.translate(_WIDE)
    if not _ANY.search(text) and not ("&" in text and _ANY_ENTITY.search(text)):
        return View(text)
    pieces: list[str] = []
    parts: list[tuple[int, int, int]] = []
    length = at = 0
    for match in _DISGUISE.finditer(text):
        meaning = _meaning(match)
        if match.start() > at:
            parts.append((length, at, 0))
            length += match.start() - at
        if meaning:
            parts.append((length, match.start(), len(match[0])))
            length += 1
        pieces += (text[at : match.start()], meaning)
        at = match.end()
    return View("".join((*pieces, text[at:])), (*parts, (length, at, 0)))
