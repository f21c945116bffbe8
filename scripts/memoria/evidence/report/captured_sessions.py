"""Captured sessions, and what waits in the spool -> the Intake: whether the memory is being fed.

A capture that has stopped is not seen by anybody who looks at old results, so the last one is named
with its day. The trap: an entry that was made again, or a session that was resumed, is one session
on each of its days, not two.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from memoria.evidence.charts.axis import dates, full_day, numbers
from memoria.evidence.charts.charts import Spot, columns
from memoria.evidence.charts.figures import PHONE, WHOLE, Figure, between
from memoria.text.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.vault.storage.history import Capture

# days of the picture: two months can be told apart day by day on a phone
_DAYS = 60
_FIRST = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Waiting:
    """What lies in the spool: jobs that wait and jobs given up, with the reason told most often."""

    waiting: int = 0
    given_up: int = 0
    reason: str = ""
    since: date | None = None

    @property
    def oldest(self) -> str:
        """The day of the oldest that waits."""
        return full_day(self.since) if self.since else ""


@dataclass(frozen=True, slots=True)
class Intake:
    """What was captured: sessions, on how many days, by which engines, and what waits."""

    sessions: int = 0
    days: int = 0
    first: date | None = None
    last: date | None = None
    engines: tuple[tuple[str, int], ...] = ()
    waiting: Waiting = Waiting()
    figures: tuple[Figure, ...] = ()

    @property
    def latest(self) -> str:
        """The day of the last capture."""
        return full_day(self.last) if self.last else ""


def intake(captures: Iterable[Capture], waiting: Waiting) -> Intake:
    """Count captured sessions by day; an entry without a day is left out."""
    days: dict[date, set[str]] = {}
    engines: dict[str, int] = {}
    sessions: set[str] = set()
    for one in captures:
        day = _day(one.day)
        if day is not None:
            days.setdefault(day, set()).add(one.session)
            sessions.add(one.session)
            engines[one.engine] = engines.get(one.engine, 0) + 1
    if not days:
        return Intake(waiting=waiting)
    counts = {day: len(found) for day, found in sorted(days.items())}
    return Intake(
        len(sessions),
        len(days),
        min(days),
        max(days),
        tuple(sorted(engines.items(), key=lambda pair: (-pair[1], pair[0]))),
        waiting,
        tuple(_picture(counts)),
    )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _picture(counts: Mapping[date, int]) -> Iterator[Figure]:
    """Draw the last days up to the last capture; one day alone is said in words."""
    last = max(counts)
    shown = {day: count for day, count in counts.items() if last - day < timedelta(days=_DAYS)}
    if len(shown) < 2:  # noqa: PLR2004 - a picture of one column says nothing
        return
    spots = [
        Spot(float((day - _FIRST).days), float(count), tip=_said(day, count))
        for day, count in shown.items()
    ]
    y = numbers([spot.y for spot in spots], "captured sessions per day", whole=True)
    moments = [spot.x for spot in spots]
    desk, phone = (
        columns(spots, dates(moments, "day", most=most), y, size, "again")
        for most, size in ((10, (WHOLE, 230)), (4, (PHONE, 220)))
    )
    first, total = min(shown), counted(sum(shown.values()), "session")
    yield Figure(
        "captures",
        "Captured sessions per day",
        f"{total} on {counted(len(shown), 'day')}, {between(first, last)}.",
        desk,
        phone,
        ("day", "sessions"),
        tuple((full_day(day), f"{count:,}") for day, count in sorted(shown.items(), reverse=True)),
        note=f"Days with a capture from {between(first, last)}; the others had none.",
    )


def _said(day: date, count: int) -> str:
    return f"{full_day(day)}: {counted(count, 'session')}"


def most_said(reasons: Sequence[str]) -> str:
    """Give the reason that is told most often, "" where none is."""
    known = [one for one in reasons if one]
    return max(known, key=known.count) if known else ""
