"""Describe a figure of the report in words and numbers, for those who cannot see the picture.

The sentence and the table come from the same values as the drawing, so that they cannot differ.
Numbers are written with as many digits as they deserve, and what is not known is a dash.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING

from memoria.evidence.charts.axis import DASH, MINUS, day, full_day

if TYPE_CHECKING:
    from datetime import date

    from memoria.evidence.charts.plot import Drawing, Shape
    from memoria.evidence.cluster_intervals import Interval

NONE = DASH
_PLACES = 4  # a repeat in 10,000 sessions; what is smaller is none


@dataclass(frozen=True, slots=True)
class Key:
    """What a symbol of a picture stands for; `shape` None is a part of a bar."""

    role: str
    label: str
    shape: Shape | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture of the report; `name` is its id in the page and no text of a vault.

    `says` tells in words what is to be seen, `header` and `rows` are the table behind it, of which
    the first column names the row.
    """

    name: str
    title: str
    says: str
    wide: Drawing
    narrow: Drawing
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    keys: tuple[Key, ...] = ()
    note: str = ""


def rough(value: float | None) -> str:
    """Write a number with the two digits that count, whole from 10 on."""
    if value is None:
        return NONE
    size = floor(log10(abs(value))) if value else 0
    text = f"{value:,.{min(max(1 - size, 0), _PLACES)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in {"", "-0", "-"} else text


def percent(value: float | None) -> str:
    """Write a share."""
    return NONE if value is None else f"{value:.0%}"


def points(value: float | None) -> str:
    """Write a difference of shares."""
    return NONE if value is None else f"{whole(value)} points"


def whole(value: float) -> str:
    """Write a difference of shares as a number of points alone."""
    return f"{100 * value:+.0f}".replace("-", MINUS)


def signed(value: float | None) -> str:
    """Write a difference of counts."""
    if value is None:
        return NONE
    return f"+{rough(value)}" if value > 0 else rough(value).replace("-", MINUS)


def limits(interval: Interval | None, *, share: bool = False) -> str:
    """Write the limits of an interval."""
    if interval is None:
        return NONE
    write = percent if share else rough
    return f"{write(interval.low)} to {write(interval.high)}"


def chance(p: float, sign: str = "=") -> str:
    """Write a p-value with its sign, as papers do."""
    if p < 0.001:  # noqa: PLR2004 - the last that papers tell apart
        return "p < .001"
    return f"p {sign} {p:.3f}".replace(" 0.", " .")


def between(since: date, until: date) -> str:
    """Write a span of days."""
    if since == until:
        return full_day(since)
    if since.year != until.year:
        return f"{full_day(since)} to {full_day(until)}"
    first = str(since.day) if since.month == until.month else day(since)
    return f"{first} to {full_day(until)}"
