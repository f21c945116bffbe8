"""Compute the Repeated Mistake Rate and what stands beside it, by arm, class and time.

RMR is a ratio of sums over sessions, not a mean of the sessions' ratios, as the buildlog 0.5.0 seed
defines it. Its denominator moves with the treatment (a session that repeats nothing has fewer
mistakes), so repeats and mistakes per session are always given with it. A rate over nothing is
None, never 0.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memoria.capture.repeats import of_class
from memoria.evidence.cluster_intervals import Interval, count, share

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from memoria.capture.repeats import Unit

# points of a chart over time, and sessions that a point needs: five an arm give an interval at all
_MOST_SPANS, _SPAN = 8, 10


@dataclass(frozen=True, slots=True)
class Rate:
    """What so many sessions showed."""

    sessions: int
    mistakes: int
    repeats: int

    @property
    def rmr(self) -> float | None:
        """Repeats per mistake, None where there is no mistake."""
        return self.repeats / self.mistakes if self.mistakes else None

    @property
    def repeats_per_session(self) -> float | None:
        """Repeats per session, None where there is no session."""
        return self.repeats / self.sessions if self.sessions else None

    @property
    def mistakes_per_session(self) -> float | None:
        """Mistakes per session, None where there is no session."""
        return self.mistakes / self.sessions if self.sessions else None


@dataclass(frozen=True, slots=True)
class Beside:
    """What sessions with and without a rule showed: they go along, neither makes the other.

    The policy chooses rules for sessions in which they fit, so a rule against a frequent mistake
    stands beside more of it. Only random withholding tells what a rule does.
    """

    rule: str
    with_it: Rate
    without: Rate


@dataclass(frozen=True, slots=True)
class Point:
    """One arm in one span of time; an interval is None where too few sessions tell."""

    since: datetime
    until: datetime
    treated: bool | None
    rate: Rate
    rmr: Interval | None
    repeats: Interval | None


def rate(units: Iterable[Unit]) -> Rate:
    """Sum sessions up."""
    listed = tuple(units)
    return Rate(
        len(listed), sum(unit.mistakes for unit in listed), sum(unit.repeats for unit in listed)
    )


def by_arm(units: Sequence[Unit]) -> Mapping[bool | None, Rate]:
    """Give the rates of the treated, the control and (if there are any) the unknown sessions."""
    arms = (True, False, *([None] if any(unit.treated is None for unit in units) else []))
    return {arm: rate(unit for unit in units if unit.treated is arm) for arm in arms}


def by_project(units: Sequence[Unit]) -> Mapping[str, Rate]:
    """Give the rate of each project, the one of most sessions first."""
    names = Counter(unit.project for unit in units)
    order = sorted(names, key=lambda name: (-names[name], name))
    return {name: rate(unit for unit in units if unit.project == name) for name in order}


def classes(units: Iterable[Unit]) -> tuple[str, ...]:
    """Name the classes of mistakes without their codes, the most frequent first."""
    names = Counter(met.error_class.split(":")[0] for unit in units for met in unit.met)
    return tuple(sorted(names, key=lambda name: (-names[name], name)))


def by_class(units: Sequence[Unit]) -> Mapping[str, Rate]:
    """Give the rate of each class of mistakes, over all sessions."""
    return {name: rate(of_class(units, name)) for name in classes(units)}


def by_rule(units: Sequence[Unit], error_class: str = "") -> tuple[Beside, ...]:
    """Say which rules go along with mistakes (of one class), the most repeats per session first.

    With `error_class="correction"` these are the seed's rules that correlate with corrections.
    """
    counted = of_class(units, error_class) if error_class else tuple(units)
    rules = {rule for unit in counted for rule in unit.rules}
    beside = [
        Beside(
            rule,
            rate(unit for unit in counted if rule in unit.rules),
            rate(unit for unit in counted if rule not in unit.rules),
        )
        for rule in rules
    ]
    return tuple(
        sorted(beside, key=lambda one: (-(one.with_it.mistakes_per_session or 0), one.rule))
    )


def over_time(units: Sequence[Unit]) -> tuple[Point, ...]:
    """Give the rates by arm over time, in at most eight spans of about as many sessions each.

    Spans of sessions and not of the calendar: a point then never rests on two sessions of a
    holiday.
    """
    ordered = sorted(units, key=lambda unit: (unit.at, unit.session))
    spans = min(_MOST_SPANS, max(len(ordered) // _SPAN, 1))
    points = []
    for part in np.array_split(np.arange(len(ordered)), spans):
        chosen = [ordered[place] for place in part]
        for arm in (True, False, None):
            mine = [one for one in chosen if one.treated is arm]
            if mine:
                points.append(_point(chosen[0].at, chosen[-1].at, arm, mine))
    return tuple(points)


def _point(since: datetime, until: datetime, arm: bool | None, mine: Sequence[Unit]) -> Point:  # noqa: FBT001 - an arm is yes, no or unknown
    mistakes = np.array([unit.mistakes for unit in mine], np.float64)
    repeats = np.array([unit.repeats for unit in mine], np.float64)
    return Point(since, until, arm, rate(mine), share(mistakes, repeats), count(repeats))
