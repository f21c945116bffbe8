"""Count captured sessions by day, and what waits in the spool.

The last capture is named with its day, since nobody who looks at old results sees that capturing
has stopped. A session that was resumed is one session on each of its days.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING

from memoria.evidence.charts.axis import full_day, numbers
from memoria.evidence.charts.charts import Spot, columns
from memoria.evidence.charts.figures import Figure, between
from memoria.text.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memoria.vault.storage.history import Capture

# days of the picture: two months can be told apart day by day on a phone
_DAYS = 60
_FIRST = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Spooled:
    """What lies in the spool: jobs that wait and jobs given up, with the commonest reason."""

    waiting: int = 0
    given_up: int = 0
    reason: str = ""
    since: date | None = None

    @property
    def oldest(self) -> str:
        """The day of the oldest that waits."""
        return full_day(self.since) if self.since else ""


@dataclass(frozen=True, slots=True)
class Captures:
    """What was captured: sessions, how many on each day, by which engines, and what waits."""

    sessions: int = 0
    by_day: Mapping[date, int] = field(default_factory=dict)
    engines: tuple[tuple[str, int], ...] = ()
    spool: Spooled = Spooled()

    @property
    def days(self) -> int:
        """On how many days sessions were captured."""
        return len(self.by_day)

    @property
    def last(self) -> date | None:
        """The day of the last capture."""
        return max(self.by_day, default=None)

    @property
    def latest(self) -> str:
        """The day of the last capture in words."""
        return full_day(self.last) if self.last else ""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The picture of the last days up to the last capture."""
        return tuple(_figures(self.by_day))


def captured_sessions(captures: Iterable[Capture], spool: Spooled) -> Captures:
    """Count captured sessions by day; an entry without a day is left out."""
    days: dict[date, set[str]] = {}
    engines: Counter[str] = Counter()
    for capture in captures:
        day = _day(capture.day)
        if day is not None:
            days.setdefault(day, set()).add(capture.session)
            engines[capture.engine] += 1
    return Captures(
        len(set().union(*days.values())),
        {day: len(sessions) for day, sessions in sorted(days.items())},
        tuple(sorted(engines.items(), key=lambda pair: (-pair[1], pair[0]))),
        spool,
    )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _figures(counts: Mapping[date, int]) -> Iterator[Figure]:
    """Draw the last days up to the last capture; one day alone is said in words."""
    last = max(counts, default=_FIRST)
    shown = {day: count for day, count in counts.items() if last - day < timedelta(days=_DAYS)}
    if len(shown) < 2:  # noqa: PLR2004 - a picture of one column says nothing
        return
    spots = [
        Spot(
            float((day - _FIRST).days),
            float(count),
            tip=f"{full_day(day)}: {counted(count, 'session')}",
        )
        for day, count in shown.items()
    ]
    y = numbers([spot.y for spot in spots], "captured sessions per day", whole=True)
    total, span = counted(sum(shown.values()), "session"), between(min(shown), last)
    yield Figure(
        "captures",
        "Captured sessions per day",
        f"{total} on {counted(len(shown), 'day')}, {span}.",
        *columns(spots, y, "again"),
        ("day", "sessions"),
        tuple((full_day(day), f"{count:,}") for day, count in sorted(shown.items(), reverse=True)),
        note=f"Days with a capture from {span}; the others had none.",
    )
