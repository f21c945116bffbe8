"""Draw charts as SVG: values from left to right with lines, symbols and intervals.

A role becomes a class name of the page, which has the colours; it is chosen in code and never made
of a vault's text. Series differ by symbol and dash, too.
"""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoria.evidence.report.words import rough

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Anchor = Literal["start", "middle", "end"]
Shape = Literal["circle", "square", "diamond"]
Ticks = tuple[tuple[float, str], ...]
# pixels: a chart, which a phone scrolls, and the edges of its field
WIDTH, HEIGHT = 640, 280
_LEFT, _RIGHT, _TOP, _BASE = 46, 626, 30, 230
_LETTER = 6.8  # what a letter takes in the mean
_MARK = 4.5  # half a symbol: with 9 pixels shapes can be told apart
_CAP = 3.5  # half the bar at the end of an interval
_HEAD = 5.0  # an arrow's, at the end of an interval that leaves the picture
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# below this a value is nothing that a reader could tell from 0
_LEAST = 1e-12
_WRITTEN_OUT = 3  # powers of ten up to the thousands


class Axis(NamedTuple):
    """A range of values from `low` to `high`, and those that are named."""

    low: float
    high: float
    ticks: Ticks
    title: str


class Spot(NamedTuple):
    """A value at a place, 0 (left) to 1, with its interval; None where there is none."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    tip: str = ""


class Trace(NamedTuple):
    """A path of SVG; `role` says what it stands for, `tip` what it says when pointed at."""

    d: str
    role: str
    tip: str = ""


class Word(NamedTuple):
    """Words at a place; `y` is their base line."""

    x: float
    y: float
    text: str
    role: str
    anchor: Anchor


def numbers(values: Iterable[float], title: str) -> Axis:
    """Make an axis from 0 in round steps that reaches the largest value."""
    high = max([*values, 0.0])
    high = high if high > _LEAST else 1.0
    unit = 10.0 ** floor(log10(high / 5))
    step = next(unit * size for size in (1.0, 2.0, 2.5, 5.0, 10.0) if unit * size >= high / 5)
    count = ceil(high / step - 1e-9)  # .3 / .1 is a little over 3
    ticks = tuple((step * n, rough(step * n)) for n in range(count + 1))
    return Axis(0.0, step * count, ticks, title)


def shares(values: Iterable[float], title: str) -> Axis:
    """Make an axis of shares from 0 %, up to 100 % unless all are far below it."""
    high = min(max([*values, 0.0]), 1.0)
    top = next(top for top in (0.2, 0.4, 1.0) if high <= top)
    return Axis(0.0, top, tuple((top * n / 4, f"{top * n / 4:.0%}") for n in range(5)), title)


def powers(logs: Sequence[float], title: str) -> Axis:
    """Make an axis of decimal logarithms, with ticks at whole powers of ten, 1 among them."""
    low = floor(min(logs))
    high = max(ceil(max(logs)), low + 1)
    step = ceil((high - low) / 6)
    ticks = tuple((float(n), _power(n)) for n in range(low, high + 1) if n % step == 0)
    return Axis(float(low), float(high), ticks, title)


def _power(exponent: int) -> str:
    if abs(exponent) > _WRITTEN_OUT:
        return "10" + str(exponent).translate(_SUPERSCRIPT)
    return f"{10.0**exponent:,.{max(-exponent, 0)}f}"


def symbol(shape: Shape, x: float, y: float) -> str:
    """Give the path of a symbol around a place."""
    if shape == "circle":
        arc = f"a{_MARK} {_MARK} 0 1 0"
        return f"M{_n(x - _MARK)} {_n(y)}{arc} {2 * _MARK:g} 0{arc} {-2 * _MARK:g} 0z"
    # a square looks larger than a circle of the same width, a diamond smaller
    wide, half = _MARK * 1.25, _MARK * 0.9
    corners = {
        "square": [(-half, -half), (half, -half), (half, half), (-half, half)],
        "diamond": [(0, -wide), (wide, 0), (0, wide), (-wide, 0)],
    }[shape]
    return _polyline((x + across, y + down) for across, down in corners) + "z"


def _polyline(points: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points)


def _n(value: float) -> str:
    # a tenth of a pixel is more than a screen shows; adding 0 turns -0.0 into 0.0
    return f"{round(value, 1) + 0:g}"


class Chart:
    """A field between a y axis and places from left to right; what is drawn first lies lowest."""

    width, height = WIDTH, HEIGHT

    def __init__(self, ticks: Ticks, title: str, y: Axis) -> None:
        """Draw the axes; `ticks` and `title` are those of the x axis."""
        self.y = y
        self.traces: list[Trace] = []
        self.words = [Word(2, 15, y.title, "axis", "start")]
        for value, label in y.ticks:
            self.level(value, "base" if value == y.low else "grid")
            self.words.append(Word(_LEFT - 8, self._up(value) + 4, label, "tick", "end"))
        for place, label in ticks:
            # the last label must not stick out of the picture
            x = min(self._across(place), WIDTH - 2 - _LETTER * len(label) / 2)
            self.words.append(Word(x, _BASE + 21, label, "tick", "middle"))
        self.words.append(Word((_LEFT + _RIGHT) / 2, _BASE + 41, title, "axis", "middle"))

    def _across(self, place: float) -> float:
        return _LEFT + place * (_RIGHT - _LEFT)

    def _up(self, value: float) -> float:
        """Give the height of a value; what lies outside is at the end of the axis."""
        part = (value - self.y.low) / (self.y.high - self.y.low)
        return _BASE - min(max(part, 0.0), 1.0) * (_BASE - _TOP)

    def level(self, value: float, role: str, label: str = "") -> None:
        """Draw a line across the field at a value of the y axis."""
        y = self._up(value)
        self.traces.append(Trace(_polyline([(_LEFT, y), (_RIGHT, y)]), role))
        if label:
            self.words.append(Word(_LEFT + 6, y - 6, label, "note", "start"))

    def line(self, spots: Sequence[Spot], role: str, shift: float = 0.0) -> None:
        """Draw a line through spots, moved aside by some pixels so that it covers no other."""
        points = [(self._across(spot.x) + shift, self._up(spot.y)) for spot in spots]
        if len(points) > 1:
            self.traces.append(Trace(_polyline(points), f"line {role}"))

    def mark(self, shape: Shape, spot: Spot, role: str, shift: float = 0.0) -> None:
        """Draw a symbol with its interval, which ends in an arrow where it leaves the picture."""
        x, y = self._across(spot.x) + shift, self._up(spot.y)
        if spot.low is not None and spot.high is not None:
            low, high = self._up(spot.low), self._up(spot.high)
            drop = _HEAD if spot.high > self.y.high else 0.0
            cap = [(x - _CAP, high + drop), (x, high), (x + _CAP, high + drop)]
            foot = [(x - _CAP, low), (x + _CAP, low)]
            whisker = "".join(map(_polyline, ([(x, low), (x, high)], foot, cap)))
            self.traces.append(Trace(whisker, f"whisker {role}"))
        self.traces.append(Trace(symbol(shape, x, y), f"mark {role}", spot.tip))

    def note(self, spot: Spot, role: str) -> None:
        """Write the tip of a spot beside it: left, where a rising path leaves room."""
        x, y = self._across(spot.x), self._up(spot.y)
        is_right = x - _LETTER * len(spot.tip) - 12 < _LEFT
        drop = 17 if y - 14 < _TOP else -9
        side: Anchor = "start" if is_right else "end"
        place = (x + (8 if is_right else -8), y + drop)
        self.words.append(Word(*place, spot.tip, f"note {role}", side))
