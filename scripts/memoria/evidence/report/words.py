"""Write the numbers and days of a report: as many digits as they deserve, a dash for none."""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date

# written as code, since they look like letters
MINUS, NONE = "\u2212", "\u2013"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_PLACES = 4  # a repeat in 10,000 sessions; what is smaller is none
_LEAST_STAKE = 0.001


def day(at: date) -> str:
    """Write a day without its year."""
    return f"{at.day} {_MONTHS[at.month - 1]}"


def full_day(at: date) -> str:
    """Write a day with its year."""
    return f"{day(at)} {at.year}"


def between(since: date, until: date) -> str:
    """Write a span of days."""
    if since == until:
        return full_day(since)
    if since.year != until.year:
        return f"{full_day(since)} to {full_day(until)}"
    first = str(since.day) if since.month == until.month else day(since)
    return f"{first} to {full_day(until)}"


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


def points(value: float) -> str:
    """Write a difference of shares as a number of points."""
    return f"{100 * value:+.0f}".replace("-", MINUS)


def signed(value: float) -> str:
    """Write a difference of counts."""
    return f"+{rough(value)}" if value > 0 else rough(value).replace("-", MINUS)


def chance(p: float, sign: str = "=") -> str:
    """Write a p-value with its sign, as papers do."""
    if p < 0.001:  # noqa: PLR2004 - the last that papers tell apart
        return "p < .001"
    return f"p {sign} {p:.3f}".replace(" 0.", " .")


def stake(value: float) -> str:
    """Write an e-value; one beyond a million, or a stake that is all but lost, is told as that."""
    if value > 1e6:  # noqa: PLR2004 - as the verdict says
        return "over a million"
    return f"under {_LEAST_STAKE}" if value < _LEAST_STAKE else rough(value)
