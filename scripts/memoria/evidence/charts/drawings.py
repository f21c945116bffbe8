"""Lines, symbols and words at places -> a Drawing: what a chart is made of, ready to be written.

A drawing holds numbers and roles, no colours: what "treated" looks like is the page's, which has
two schemes of colours and paper to look well in. Each series has a shape of its own, so that nobody
needs colours to tell them apart. The trap: a role becomes a class name of the page; it is chosen
here and never made of a vault's text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Anchor = Literal["start", "middle", "end"]
Shape = Literal["circle", "square", "diamond", "triangle"]
SIZE = 12  # of the words in a chart, in pixels
# how wide letters of a system's sans-serif are, as parts of their size; enough to cut a label by
_USUAL, _THIN, _WIDE, _SQUARE = 0.57, 0.33, 0.92, 1.05
_THINNEST, _WIDEST = frozenset(" .,:;'|!iIjl()[]"), frozenset("mwMW@%…—")
# where the scripts begin whose signs fill a square
_EAST = "\u2e80"


@dataclass(frozen=True, slots=True)
class Trace:
    """A path of SVG; `role` says what it stands for, `tip` what it says when pointed at."""

    d: str
    role: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    """Words at a place; `y` is their base line."""

    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    role: str = "tick"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture of so many pixels; what is first lies lowest."""

    width: int
    height: int
    traces: tuple[Trace, ...]
    words: tuple[Word, ...]


def polyline(points: Iterable[tuple[float, float]]) -> str:
    """Give the path through points."""
    return "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points)


def bar(x: float, y: float, width: float, height: float) -> str:
    """Give the path of a rectangle."""
    return f"M{_n(x)} {_n(y)}h{_n(width)}v{_n(height)}h{_n(-width)}z"


def symbol(shape: Shape, x: float, y: float, size: float) -> str:
    """Give the path of a symbol around a place; `size` is half its width."""
    if shape == "circle":
        arc = f"a{_n(size)} {_n(size)} 0 1 0"
        return f"M{_n(x - size)} {_n(y)}{arc} {_n(2 * size)} 0{arc} {_n(-2 * size)} 0z"
    if shape == "square":
        half = size * 0.9  # it looks larger than a circle of the same width
        return bar(x - half, y - half, 2 * half, 2 * half)
    wide = size * 1.25  # the others look smaller
    if shape == "diamond":
        return polyline([(x, y - wide), (x + wide, y), (x, y + wide), (x - wide, y)]) + "z"
    return polyline([(x, y - wide), (x + wide, y + size), (x - wide, y + size)]) + "z"


def length(text: str) -> float:
    """Estimate how long a text is in pixels; what is drawn has no fonts to ask."""
    return SIZE * sum(map(_width, text))


def _width(letter: str) -> float:
    if letter in _THINNEST:
        return _THIN
    if letter in _WIDEST:
        return _WIDE
    return _SQUARE if letter >= _EAST else _USUAL


def fitted(text: str, pixels: float) -> str:
    """Cut a text to what fits so many pixels."""
    if length(text) <= pixels:
        return text
    room, most = pixels - SIZE * _WIDE, 0
    while most < len(text) and length(text[: most + 1]) <= room:
        most += 1
    cut = text[:most].rstrip()
    # at a word's end, where that costs little
    short = cut.rsplit(" ", 1)[0]
    return (short if len(short) > most * 0.7 else cut) + "…"


def _n(value: float) -> str:
    # a tenth of a pixel is more than a screen shows; adding 0 turns -0.0 into 0.0
    return f"{round(value, 1) + 0:g}"
