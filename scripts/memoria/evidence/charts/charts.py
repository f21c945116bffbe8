"""Draw trends, courses, forests, bars and columns, each twice: for a desk and for a phone.

A picture that is merely shrunk has letters that nobody can read, so the narrow one is drawn anew.
Nothing is shown by colour alone: series differ by symbol and dash, parts of a bar by being filled
or hollow. Two points at one place would look like one, so series are set apart by a few pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.evidence.charts.axis import counting, dates
from memoria.evidence.charts.plot import Plot, length

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.evidence.charts.axis import Axis
    from memoria.evidence.charts.plot import Drawing, Shape

    Pair = tuple[Drawing, Drawing]

# pixels: half the page and all of it, on a desk; a phone
HALF, WHOLE, PHONE = 476, 968, 342
_APART = 8.0  # between the symbols of two series at one place
_CAP = 3.5  # half the bar at the end of an interval
_HEAD = 5.0  # an arrow's, at the end of an interval that leaves the picture


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


def trend(series: Sequence[Series], y: Axis) -> Pair:
    """Draw series over time, each spot with its interval."""
    moments = [spot.x for one in series for spot in one.spots]

    def drawn(width: int, height: int, most: int) -> Drawing:
        x = dates(moments, "when the sessions took place", most=most)
        plot = Plot(width, height, x, y, inset=20.0)
        plot.axes()
        for number, one in enumerate(series):
            _add_series(plot, one, _APART * (number - (len(series) - 1) / 2))
        return plot.drawing()

    return drawn(HALF, 270, 6), drawn(PHONE, 250, 4)


def _add_series(plot: Plot, series: Series, shift: float) -> None:
    places = [(plot.across(spot.x) + shift, plot.up(spot.y)) for spot in series.spots]
    if len(places) > 1:
        plot.line(places, role=f"line {series.role}")
    for spot, (x, y) in zip(series.spots, places, strict=True):
        if spot.low is not None and spot.high is not None:
            low, high = plot.up(spot.low), plot.up(spot.high)
            cap = [(x - _CAP, high), (x + _CAP, high)]
            if spot.high > plot.y.high:
                cap = [(x - _CAP, high + _HEAD), (x, high), (x + _CAP, high + _HEAD)]
            foot = [(x - _CAP, low), (x + _CAP, low)]
            plot.line([(x, low), (x, high)], foot, cap, role=f"whisker {series.role}")
        plot.mark(series.shape, x, y, series.role, spot.tip)


def course(
    path: Sequence[float],
    y: Axis,
    limits: Sequence[tuple[float, str, str]],
    noted: Sequence[tuple[int, str]],
) -> Pair:
    """Draw a value after each session 1, 2, ...

    `limits` are values marked across the chart, each with a label and a role; `noted` are sessions
    with a label of their own.
    """

    def drawn(width: int, height: int, most: int) -> Drawing:
        plot = Plot(width, height, counting(len(path), "sessions, in their order", most=most), y)
        plot.axes()
        for value, label, role in limits:
            plot.level(value, role)
            plot.word(plot.left + 6, plot.up(value) - 6, label, "note")
        points = [(plot.across(n), plot.up(value)) for n, value in enumerate(path, 1)]
        plot.line(points, role="line path")
        for session, label in noted:
            plot.mark("diamond", *points[session - 1], "path", label)
            _write_beside(plot, *points[session - 1], label)
        return plot.drawing()

    return drawn(WHOLE, 300, 10), drawn(PHONE, 270, 5)


def _write_beside(plot: Plot, x: float, y: float, text: str) -> None:
    """Put a label beside a place: left, where a rising path leaves room, and below at the top."""
    right = x - length(text) - 12 < plot.left
    drop = 17 if y - 14 < plot.top else -9
    plot.word(x + (8 if right else -8), y + drop, text, "note path", "start" if right else "end")
