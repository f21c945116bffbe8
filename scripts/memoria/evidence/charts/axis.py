"""Make axes: where each value stands, and the few ticks a person reads.

Ticks fall on round numbers, on the first of a month, on powers of ten, as a person would draw them.
A range may be empty or a single value (one session, all counts zero); its axis still has a length.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from math import ceil, floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# written as code, since they look like letters
TIMES, MINUS, DASH = "\u00d7", "\u2212", "\u2013"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# steps that people count in; 2.5 gives quarters
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
# days between dates: day, two, week, two weeks; what is longer goes by months
_DAYS = (1, 2, 7, 14)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120)
_NOTHING = 1e-6  # a range below it is none: cents are drawn, and nothing that is smaller
_FEWEST = 3  # ticks by which the eye can tell a scale
_PLAIN = 3  # powers of ten up to the thousands are written out
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Tick:
    """A value that is named on an axis."""

    value: float
    label: str


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of values, linear in what it is given (logarithms for a logarithmic one)."""

    low: float
    high: float
    ticks: tuple[Tick, ...]
    title: str = ""

    def place(self, value: float) -> float:
        """Say how far along the axis a value stands, 0 to 1; what lies outside is at its end."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


def numbers(values: Iterable[float], title: str, *, most: int = 5, whole: bool = False) -> Axis:
    """Make an axis from 0 that reaches the largest value; with `whole` ticks are whole numbers."""
    high = max([*values, 0.0])
    high = high if high > _NOTHING else 1.0
    step = _step(high / most)
    step = max(step if step % 1 == 0 or not whole else float(ceil(step)), 1.0 if whole else 0.0)
    count = ceil(high / step - 1e-9)  # .3 / .1 is a little over 3
    ticks = tuple(Tick(step * n, _number(step * n, step)) for n in range(count + 1))
    return Axis(0.0, step * count, ticks, title)


def shares(values: Iterable[float], title: str) -> Axis:
    """Make an axis of shares from 0 %, up to 100 % unless all are far below it."""
    high = min(max([*values, 0.0]), 1.0)
    top = next(top for top in (0.2, 0.4, 1.0) if high <= top)
    ticks = tuple(Tick(top * n / 4, f"{top * n / 4:.0%}") for n in range(5))
    return Axis(0.0, top, ticks, title)


def powers(logs: Iterable[float], title: str, *, most: int = 6) -> Axis:
    """Make an axis of decimal logarithms, with a tick at whole powers of ten."""
    found = [*logs]
    low, high = floor(min(found, default=0.0)), ceil(max(found, default=1.0))
    high = max(high, low + 1)
    step = max(ceil((high - low) / most), 1)
    # counted from 1 upwards and downwards, so that 1 is named
    ticks = [n for n in range(low, high + 1) if n % step == 0]
    return Axis(float(low), float(high), tuple(Tick(n, _power(n)) for n in ticks), title)


def counting(most_: int, title: str, *, most: int = 6) -> Axis:
    """Make an axis of places 1 to `most_`, such as sessions in their order."""
    step = max(int(_step(most_ / most)), 1)
    named = [1, *(n for n in range(step, most_ + 1, step) if n > step / 2 and n > 1)]
    ticks = tuple(Tick(n, f"{n:,}") for n in named)
    return Axis(1.0, float(max(most_, 2)), ticks, title)


def moment(at: datetime) -> float:
    """Give a moment as days, as the axes of time count them."""
    return (at - _EPOCH) / timedelta(days=1)


def dates(moments: Sequence[float], title: str, *, most: int = 6) -> Axis:
    """Make an axis of time with ticks on days, Mondays or firsts of months; at least a day long."""
    low, high = min(moments, default=0.0), max(moments, default=1.0)
    if high - low < 1:
        low, high = (low + high - 1) / 2, (low + high + 1) / 2
    days = next((step for step in _DAYS if (high - low) / step <= most), 0)
    ticks = _by_days(low, high, days) if days else _by_months(low, high, most)
    return Axis(low, high, tuple(ticks), title)


def _by_days(low: float, high: float, step: int) -> Iterable[Tick]:
    first = _EPOCH.date()
    # 1970-01-05 was a Monday: weeks begin there, and the others are counted from it as well
    start = ceil((low - 4) / step) * step + 4
    for at in range(start, floor(high) + 1, step):
        yield Tick(float(at), day(first + timedelta(days=at)))


def _by_months(low: float, high: float, most: int) -> Iterable[Tick]:
    first = _EPOCH.date()
    begin, end = (first + timedelta(days=floor(value)) for value in (low, high))
    months = (end.year - begin.year) * 12 + end.month - begin.month
    step = next((step for step in _MONTHS if months / step <= most), _MONTHS[-1])
    count = begin.year * 12 + begin.month - 1
    for number in range(-(-count // step) * step, count + months + 1, step):
        at = date(number // 12, number % 12 + 1, 1)
        value = float((at - first).days)
        if low <= value <= high:
            yield Tick(value, f"{MONTHS[at.month - 1]} {at.year}")


def day(at: date) -> str:
    """Write a day without its year."""
    return f"{at.day} {MONTHS[at.month - 1]}"


def full_day(at: date) -> str:
    """Write a day with its year."""
    return f"{day(at)} {at.year}"


def _step(least: float) -> float:
    """Give the least step that people count in and that is not below a number."""
    unit = 10.0 ** floor(log10(least))
    return next(unit * step for step in _STEPS if unit * step >= least - 1e-12)


def _number(value: float, step: float) -> str:
    if not value:
        return "0"
    places = max(-floor(log10(step) + 1e-9), 0)
    # a step of 2.5 or .25 needs one place more than its power
    places += abs(step * 10.0**places - round(step * 10.0**places)) > 1e-9  # noqa: PLR2004 - rounding
    return f"{value:,.{places}f}"


def _power(exponent: int) -> str:
    if 0 <= exponent <= _PLAIN:
        return f"{10**exponent:,}"
    if -_PLAIN <= exponent < 0:
        return f"{10.0**exponent:.{-exponent}f}"
    return "10" + str(exponent).translate(_SUPERSCRIPT)
