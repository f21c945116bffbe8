"""Numbers on axes -> Drawings: a trend with its intervals, a course, a forest, bars, columns.

Each chart is drawn twice by whoever asks, wide for a desk and paper and narrow for a phone, because
a picture that is merely shrunk has letters that nobody can read. Nothing is shown by colour alone:
series differ by symbol and dash, parts of a bar by being filled or hollow. The trap: of two points
at one place only one would be seen, so series are set apart by a few pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.evidence.charts.drawings import (
    Drawing,
    Trace,
    Word,
    bar,
    fitted,
    length,
    polyline,
    symbol,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.evidence.charts.axis import Axis
    from memoria.evidence.charts.drawings import Shape

    Size = tuple[int, int]  # width and height in pixels

# pixels: room for the labels of the y axis, for a label at the right end, for the x axis
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 14, 30, 50
_MARK = 4.5  # half a symbol: with 9 pixels shapes can be told apart
_APART = 8.0  # between the symbols of two series at one place
_CAP = 3.5  # half the bar at the end of an interval
_HEAD = 5.0  # an arrow's, at the end of an interval that leaves the picture
_ROW, _TALL = 28, 46  # pixels of a row, with its label beside it and above it
_NARROW = 480  # below it a label stands above its row
_THICK = 14  # of a bar


@dataclass(frozen=True, slots=True)
class Spot:
    """A value at a place with its interval, None where there is none."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """Spots that belong together; `role` and `shape` say how they are to be known."""

    role: str
    shape: Shape
    spots: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class Limit:
    """A value that is marked across a chart, with its label."""

    value: float
    label: str
    role: str = "limit"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a forest: its label, the estimate and its interval."""

    label: str
    estimate: float
    low: float
    high: float
    role: str
    shape: Shape
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Beam:
    """A row of bars: its label, the length of each part, and what stands at its end."""

    label: str
    parts: tuple[float, ...]
    said: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the axes lie: the field between them, in pixels.

    `inset` pixels of it are left free at both ends, so that no symbol stands on an axis.
    """

    left: float
    top: float
    right: float
    bottom: float
    x: Axis
    y: Axis
    inset: float = 0.0

    def across(self, value: float) -> float:
        start, end = self.left + self.inset, self.right - self.inset
        return start + self.x.place(value) * (end - start)

    def up(self, value: float) -> float:
        return self.bottom - self.y.place(value) * (self.bottom - self.top)

    def level(self, value: float) -> str:
        y = self.up(value)
        return polyline([(self.left, y), (self.right, y)])

    def upright(self, value: float) -> str:
        x = self.across(value)
        return polyline([(x, self.top), (x, self.bottom)])


def _frame(x: Axis, y: Axis, size: Size, inset: float = 0.0) -> _Frame:
    width, height = size
    return _Frame(_LEFT, _TOP, width - _RIGHT, height - _BOTTOM, x, y, inset)


def _axes(frame: _Frame) -> tuple[list[Trace], list[Word]]:
    """Draw the lines of the y axis's ticks, and the words of both axes."""
    traces, words = [], [Word(2, 15, frame.y.title, role="axis")]
    for tick in frame.y.ticks:
        role = "base" if tick.value == frame.y.low else "grid"
        traces.append(Trace(frame.level(tick.value), role))
        words.append(Word(frame.left - 8, frame.up(tick.value) + 4, tick.label, "end"))
    return traces, [*words, *_below(frame)]


def _below(frame: _Frame) -> list[Word]:
    """Write the ticks of the x axis, and below them what it counts."""
    ticks = []
    for tick in frame.x.ticks:
        half = length(tick.label) / 2
        # the last label must not stick out of the picture
        x = min(frame.across(tick.value), frame.right + _RIGHT - half - 2)
        ticks.append(Word(max(x, half), frame.bottom + 21, tick.label, "middle"))
    middle = (frame.left + frame.right) / 2
    return [*ticks, Word(middle, frame.bottom + 41, frame.x.title, "middle", "axis")]


def trend(series: Sequence[Series], x: Axis, y: Axis, size: Size) -> Drawing:
    """Draw series over time, each spot with its interval."""
    frame = _frame(x, y, size, inset=20.0)
    traces, words = _axes(frame)
    for number, one in enumerate(series):
        shift = _APART * (number - (len(series) - 1) / 2)
        places = [(frame.across(spot.x) + shift, frame.up(spot.y)) for spot in one.spots]
        if len(places) > 1:
            traces.append(Trace(polyline(places), f"line {one.role}"))
        for spot, place in zip(one.spots, places, strict=True):
            traces += _spot(frame, spot, place, one)
    return Drawing(*size, tuple(traces), tuple(words))


def _spot(frame: _Frame, spot: Spot, place: tuple[float, float], one: Series) -> Iterator[Trace]:
    x, y = place
    if spot.low is not None and spot.high is not None:
        low, high = frame.up(spot.low), frame.up(spot.high)
        parts = [[(x, low), (x, high)], [(x - _CAP, low), (x + _CAP, low)]]
        parts.append(
            [(x - _CAP, high), (x + _CAP, high)]
            if spot.high <= frame.y.high
            else [(x - _CAP, high + _HEAD), (x, high), (x + _CAP, high + _HEAD)]
        )
        yield Trace("".join(map(polyline, parts)), f"whisker {one.role}")
    yield Trace(symbol(one.shape, x, y, _MARK), f"mark {one.role}", spot.tip)


def course(  # noqa: PLR0913 - a picture has as many parts
    path: Sequence[float],
    x: Axis,
    y: Axis,
    *,
    limits: Sequence[Limit],
    size: Size,
    noted: Sequence[tuple[int, str]] = (),
) -> Drawing:
    """Draw a value after each session 1, 2, ...; `noted` are sessions with a label of their own."""
    frame = _frame(x, y, size)
    traces, words = _axes(frame)
    for limit in limits:
        traces.append(Trace(frame.level(limit.value), limit.role))
        words.append(Word(frame.left + 6, frame.up(limit.value) - 6, limit.label, role="note"))
    points = [(frame.across(n), frame.up(value)) for n, value in enumerate(path, 1)]
    traces.append(Trace(polyline(points), "line path"))
    for session, label in noted:
        px, py = points[session - 1]
        traces.append(Trace(symbol("diamond", px, py, _MARK), "mark path", label))
        words.append(_beside(frame, px, py, label))
    return Drawing(*size, tuple(traces), tuple(words))


def _beside(frame: _Frame, x: float, y: float, text: str) -> Word:
    """Put a label beside a place: left, where a rising path leaves room, and below at the top."""
    right = x - length(text) - 12 < frame.left
    drop = 17 if y - 14 < frame.top else -9
    return Word(x + (8 if right else -8), y + drop, text, "start" if right else "end", "note path")


def forest(rows: Sequence[Row], x: Axis, width: int, centre: float = 0.0) -> Drawing:
    """Draw a row an estimate, with its interval, around a line of no effect."""
    lay = _Rows(width, len(rows), 10.0)
    frame = _Frame(lay.left, lay.top - 8, width - _RIGHT - 10.0, lay.bottom, x, x)
    traces = [Trace(frame.upright(tick.value), "grid") for tick in x.ticks]
    traces.append(Trace(frame.upright(centre), "limit"))
    words = _below(frame)
    for number, row in enumerate(rows):
        y = lay.middle(number)
        words.append(lay.label(number, row.label))
        span = [(frame.across(value), y) for value in (row.low, row.high)]
        traces.append(Trace(polyline(span), f"whisker {row.role}"))
        mark = symbol(row.shape, frame.across(row.estimate), y, _MARK)
        traces.append(Trace(mark, f"mark {row.role}", row.tip))
    return Drawing(width, int(lay.bottom) + _BOTTOM, tuple(traces), tuple(words))


def beams(rows: Sequence[Beam], roles: Sequence[str], x: Axis, width: int) -> Drawing:
    """Draw a bar a row, of parts one behind the other; `roles` names the parts."""
    lay = _Rows(width, len(rows), 7.0)
    # room for what stands at the end of the longest bar
    longest = max((length(row.said) for row in rows), default=0.0)
    frame = _Frame(lay.left, lay.top - 4, width - longest - 14, lay.bottom, x, x)
    traces = [Trace(frame.upright(tick.value), "grid") for tick in x.ticks[1:]]
    traces.append(Trace(frame.upright(x.low), "base"))
    words = _below(frame)
    for number, row in enumerate(rows):
        y, end = lay.middle(number), frame.left
        words.append(lay.label(number, row.label))
        for role, part in zip(roles, row.parts, strict=True):
            long = frame.across(part) - frame.left
            if part:
                path = bar(end, y - _THICK / 2, max(long, 1.0), _THICK)
                traces.append(Trace(path, f"mark {role}", row.tip))
            end += long
        words.append(Word(end + 7, y + 4, row.said, role="said"))
    return Drawing(width, int(lay.bottom) + _BOTTOM, tuple(traces), tuple(words))


class _Rows:
    """Where rows with labels lie: the label beside its row, or above it where it is narrow."""

    def __init__(self, width: int, count: int, indent: float) -> None:
        self.beside = width >= _NARROW
        self.left = width * 0.46 if self.beside else indent
        self.top = 12.0
        self._step = _ROW if self.beside else _TALL
        self._room = self.left - 18 if self.beside else width - 2 * indent - 4
        self.bottom = self.top + self._step * count

    def middle(self, number: int) -> float:
        return self.top + self._step * (number + (0.5 if self.beside else 0.68))

    def label(self, number: int, text: str) -> Word:
        y = self.middle(number) + 4 if self.beside else self.top + self._step * number + 15
        x = 0.0 if self.beside else min(self.left, 2.0)
        return Word(x, y, fitted(text, self._room), role="label")


def columns(spots: Sequence[Spot], x: Axis, y: Axis, size: Size, role: str) -> Drawing:
    """Draw a column a day; `spots` have the day's number and its count."""
    days = max(x.high - x.low, 1.0)
    wide = min((size[0] - _LEFT - _RIGHT) / (days + 1) * 0.72, 24.0)
    frame = _frame(x, y, size, inset=wide / 2 + 3)
    traces, words = _axes(frame)
    for spot in spots:
        px, py = frame.across(spot.x), frame.up(spot.y)
        path = bar(px - wide / 2, py, wide, frame.bottom - py)
        traces.append(Trace(path, f"mark {role}", spot.tip))
    return Drawing(*size, tuple(traces), tuple(words))
