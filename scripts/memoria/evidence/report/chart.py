"""Draw charts as SVG: series over time with intervals, and the course of one value.

A chart holds places and roles, no colours: a role becomes a class name of the page, which has two
schemes of colours. It is chosen in code and never made of a vault's text. Nothing is shown by
colour alone: series differ by symbol and dash.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoria.evidence.report.words import day, rough

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Anchor = Literal["start", "middle", "end"]
Shape = Literal["circle", "square", "diamond", "triangle"]
# pixels: a chart, which a phone scrolls, and the room for labels around its field
WIDTH, HEIGHT = 640, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 14, 30, 50
_INSET = 20.0  # free at both ends of the x axis, so that no symbol stands on the y axis
_LETTER = 6.8  # what a letter takes in the mean
_MARK = 4.5  # half a symbol: with 9 pixels shapes can be told apart
_APART = 8.0  # between the symbols of two series at one place
_CAP = 3.5  # half the bar at the end of an interval
_HEAD = 5.0  # an arrow's, at the end of an interval that leaves the picture
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_WRITTEN_OUT = 3  # powers of ten up to the thousands


class Axis(NamedTuple):
    """A range of values, and the ticks that are named: value and label."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    title: str

    def place(self, value: float) -> float:
        """Say how far along the axis a value stands, 0 to 1; what lies outside is at its end."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


class Spot(NamedTuple):
    """A value at a moment (in days) with its interval, None where there is none."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    tip: str = ""


class Series(NamedTuple):
    """Spots that belong together; `role` and `shape` say how they are to be known."""

    role: str
    shape: Shape
    spots: tuple[Spot, ...]


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


# -- Axes ------------------------------------------------------------------------------------------


def numbers(values: Iterable[float], title: str) -> Axis:
    """Make an axis from 0 in round steps that reaches the largest value."""
    high = max([*values, 0.0]) or 1.0
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


def _counting(count: int, title: str) -> Axis:
    step = max(round(count / 6), 1)
    named = range(step, count + 1, step)
    return Axis(1.0, float(count), tuple((float(n), f"{n:,}") for n in named), title)


def _dates(moments: Sequence[float], title: str) -> Axis:
    """Make an axis of time, at least a day long, with at most five days named."""
    low, high = min(moments), max(moments)
    if high - low < 1:
        low, high = (low + high - 1) / 2, (low + high + 1) / 2
    step = ceil((high - low) / 4)
    days = range(ceil(low), floor(high) + 1, step)
    named = ((float(at), day((_EPOCH + timedelta(days=at)).date())) for at in days)
    return Axis(low, high, tuple(named), title)


def days_since(at: datetime) -> float:
    """Give a moment as days, as the axes of time count them."""
    return (at - _EPOCH) / timedelta(days=1)


# -- Drawing ---------------------------------------------------------------------------------------


def symbol(shape: Shape, x: float, y: float, size: float = _MARK) -> str:
    """Give the path of a symbol around a place; `size` is half its width."""
    if shape == "circle":
        arc = f"a{_n(size)} {_n(size)} 0 1 0"
        return f"M{_n(x - size)} {_n(y)}{arc} {_n(2 * size)} 0{arc} {_n(-2 * size)} 0z"
    # a square looks larger than a circle of the same width, the others smaller
    wide, half = size * 1.25, size * 0.9
    corners = {
        "square": [(-half, -half), (half, -half), (half, half), (-half, half)],
        "diamond": [(0, -wide), (wide, 0), (0, wide), (-wide, 0)],
        "triangle": [(0, -wide), (wide, size), (-wide, size)],
    }[shape]
    return _polyline((x + across, y + down) for across, down in corners) + "z"


def _polyline(points: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points)


def _n(value: float) -> str:
    # a tenth of a pixel is more than a screen shows; adding 0 turns -0.0 into 0.0
    return f"{round(value, 1) + 0:g}"


class Chart:
    """A field between two axes, in pixels; what is drawn first lies lowest."""

    width, height = WIDTH, HEIGHT

    def __init__(self, x: Axis, y: Axis, inset: float = 0.0) -> None:
        self.x, self.y, self._inset = x, y, inset
        self.traces: list[Trace] = []
        self.words: list[Word] = []
        self._draw_axes()

    def _draw_axes(self) -> None:
        self.word(2, 15, self.y.title, "axis")
        for value, label in self.y.ticks:
            self.level(value, "base" if value == self.y.low else "grid")
            self.word(_LEFT - 8, self.up(value) + 4, label, "tick", "end")
        base = HEIGHT - _BOTTOM
        for value, label in self.x.ticks:
            # the last label must not stick out of the picture
            x = min(self.across(value), WIDTH - 2 - _LETTER * len(label) / 2)
            self.word(x, base + 21, label, "tick", "middle")
        self.word((_LEFT + WIDTH - _RIGHT) / 2, base + 41, self.x.title, "axis", "middle")

    def across(self, value: float) -> float:
        """Give the place of a value along the x axis."""
        start, end = _LEFT + self._inset, WIDTH - _RIGHT - self._inset
        return start + self.x.place(value) * (end - start)

    def up(self, value: float) -> float:
        """Give the place of a value along the y axis."""
        base = HEIGHT - _BOTTOM
        return base - self.y.place(value) * (base - _TOP)

    def line(self, *paths: Iterable[tuple[float, float]], role: str) -> None:
        """Draw lines through points as one path."""
        self.traces.append(Trace("".join(map(_polyline, paths)), role))

    def level(self, value: float, role: str) -> None:
        """Draw a line across the field at a value of the y axis."""
        y = self.up(value)
        self.line([(_LEFT, y), (WIDTH - _RIGHT, y)], role=role)

    def mark(self, shape: Shape, x: float, y: float, role: str, tip: str) -> None:
        """Draw a symbol at a place."""
        self.traces.append(Trace(symbol(shape, x, y), f"mark {role}", tip))

    def word(self, x: float, y: float, text: str, role: str, anchor: Anchor = "start") -> None:
        """Write words at a place."""
        self.words.append(Word(x, y, text, role, anchor))

    def add(self, series: Series, shift: float) -> None:
        """Draw a series, moved aside so that it does not cover another one."""
        places = [(self.across(spot.x) + shift, self.up(spot.y)) for spot in series.spots]
        if len(places) > 1:
            self.line(places, role=f"line {series.role}")
        for spot, (x, y) in zip(series.spots, places, strict=True):
            if spot.low is not None and spot.high is not None:
                low, high = self.up(spot.low), self.up(spot.high)
                drop = _HEAD if spot.high > self.y.high else 0.0  # an arrow where it goes on
                cap = [(x - _CAP, high + drop), (x, high), (x + _CAP, high + drop)]
                foot = [(x - _CAP, low), (x + _CAP, low)]
                self.line([(x, low), (x, high)], foot, cap, role=f"whisker {series.role}")
            self.mark(series.shape, x, y, series.role, spot.tip)


def trend(series: Sequence[Series], y: Axis) -> Chart:
    """Draw series over time, each spot with its interval."""
    moments = [spot.x for line in series for spot in line.spots]
    chart = Chart(_dates(moments, "when the sessions took place"), y, _INSET)
    for number, line in enumerate(series):
        chart.add(line, _APART * (number - (len(series) - 1) / 2))
    return chart


def course(
    path: Sequence[float],
    y: Axis,
    limits: Sequence[tuple[float, str, str]],
    noted: Sequence[tuple[int, str]],
) -> Chart:
    """Draw a value after each session 1, 2, ...

    `limits` are values marked across the chart, each with a label and a role; `noted` are sessions
    with a label of their own.
    """
    chart = Chart(_counting(len(path), "sessions, in their order"), y)
    for value, label, role in limits:
        chart.level(value, role)
        chart.word(_LEFT + 6, chart.up(value) - 6, label, "note")
    points = [(chart.across(n), chart.up(value)) for n, value in enumerate(path, 1)]
    chart.line(points, role="line path")
    for session, label in noted:
        x, up = points[session - 1]
        chart.mark("diamond", x, up, "path", label)
        # left, where a rising path leaves room, and below at the top
        right = x - _LETTER * len(label) - 12 < _LEFT
        drop = 17 if up - 14 < _TOP else -9
        side: Anchor = "start" if right else "end"
        chart.word(x + (8 if right else -8), up + drop, label, "note path", side)
    return chart
