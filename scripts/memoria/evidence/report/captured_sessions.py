"""Count captured sessions by day, and what waits in the spool.

The last capture is named with its day, since nobody who looks at old results sees that capturing
has stopped. A session that was resumed is one session on each of its days.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from memoria.evidence.charts.axis import full_day

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.vault.storage.history import Capture


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
