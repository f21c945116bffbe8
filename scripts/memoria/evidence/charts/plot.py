"""Place lines, symbols, bars and words between two axes, as paths of SVG.

A drawing holds places and roles, no colours: what "treated" looks like is the page's, which has two
schemes of colours and paper to look well in. A role becomes a class name of the page; it is chosen
in code and never made of a vault's text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.evidence.charts.axis import Axis

Anchor = Literal["start", "middle", "end"]
Shape = Literal["circle", "square", "diamond", "triangle"]
SIZE = 12  # of the words in a chart, in pixels
# how wide letters of a system's sans-serif are, as parts of their size; enough to cut a label by
_USUAL, _THIN, _WIDE, _SQUARE = 0.57, 0.33, 0.92, 1.05
_THINNEST, _WIDEST = frozenset(" .,:;'|!iIjl()[]"), frozenset("mwMW@%…—")
# where the scripts begin whose signs fill a square
_EAST = "\u2e80"
# pixels: room for the labels of the y axis, for a label at the right end, for the x axis
LEFT, RIGHT, TOP, BOTTOM = 46, 14, 30, 50
_MARK = 4.5  # half a symbol: with 9 pixels shapes can be told apart


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


def symbol(shape: Shape, x: float, y: float, size: float) -> str:
    """Give the path of a symbol around a place; `size` is half its width."""
    if shape == "circle":
        arc = f"a{_n(size)} {_n(size)} 0 1 0"
        return f"M{_n(x - size)} {_n(y)}{arc} {_n(2 * size)} 0{arc} {_n(-2 * size)} 0z"
    if shape == "square":
        half = size * 0.9  # it looks larger than a circle of the same width
        return f"M{_n(x - half)} {_n(y - half)}h{_n(2 * half)}v{_n(2 * half)}h{_n(-2 * half)}z"
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


def _n(value: float) -> str:
    # a tenth of a pixel is more than a screen shows; adding 0 turns -0.0 into 0.0
    return f"{round(value, 1) + 0:g}"


@dataclass(slots=True)
class Plot:
    """A field between axes, in pixels; what is drawn first lies lowest.

    `left`, `top`, `right` and `bottom` are margins. `inset` pixels at both ends of the x axis are
    left free, so that no symbol stands on the y axis.
    """

    width: int
    height: int
    x: Axis
    y: Axis
    left: float = LEFT
    top: float = TOP
    right: float = RIGHT
    bottom: float = BOTTOM
    inset: float = 0.0
    traces: list[Trace] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)

    @property
    def base(self) -> float:
        """The height of the x axis."""
        return self.height - self.bottom

    def across(self, value: float) -> float:
        """Give the place of a value along the x axis."""
        start, end = self.left + self.inset, self.width - self.right - self.inset
        return start + self.x.place(value) * (end - start)

    def up(self, value: float) -> float:
        """Give the place of a value along the y axis."""
        return self.base - self.y.place(value) * (self.base - self.top)

    def line(self, *paths: Iterable[tuple[float, float]], role: str) -> None:
        """Draw lines through points as one path."""
        self.traces.append(Trace("".join(map(polyline, paths)), role))

    def level(self, value: float, role: str) -> None:
        """Draw a line across the field at a value of the y axis."""
        y = self.up(value)
        self.line([(self.left, y), (self.width - self.right, y)], role=role)

    def mark(self, shape: Shape, x: float, y: float, role: str, tip: str) -> None:
        """Draw a symbol at a place."""
        self.traces.append(Trace(symbol(shape, x, y, _MARK), f"mark {role}", tip))

    def word(self, x: float, y: float, text: str, role: str, anchor: Anchor = "start") -> None:
        """Write words at a place."""
        self.words.append(Word(x, y, text, anchor, role))

    def axes(self) -> None:
        """Draw the lines of the y axis's ticks, and the words of both axes."""
        self.word(2, 15, self.y.title, "axis")
        for tick in self.y.ticks:
            self.level(tick.value, "base" if tick.value == self.y.low else "grid")
            self.word(self.left - 8, self.up(tick.value) + 4, tick.label, "tick", "end")
        self.x_axis()

    def x_axis(self) -> None:
        """Write the ticks of the x axis, and below them what it counts."""
        right = self.width - self.right
        for tick in self.x.ticks:
            half = length(tick.label) / 2
            # the last label must not stick out of the picture
            x = min(self.across(tick.value), right + RIGHT - half - 2)
            self.word(max(x, half), self.base + 21, tick.label, "tick", "middle")
        self.word((self.left + right) / 2, self.base + 41, self.x.title, "axis", "middle")

    def drawing(self) -> Drawing:
        """Give what was drawn."""
        return Drawing(self.width, self.height, tuple(self.traces), tuple(self.words))
