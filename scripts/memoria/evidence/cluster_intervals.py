"""Compute intervals of rates that know that mistakes come in clusters.

The spread is taken between sessions, and a count of mistakes is turned into the number of
independent ones that would tell as much; with it Wilson's and Newcombe's intervals hold also where
a rate is 0 or 1 and at five sessions an arm (coverage .94). Each is for one look.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import scipy

if TYPE_CHECKING:
    from memoria.capture.study_units import Floats, UnitTable

LEVEL = 0.95
# fewer sessions with mistakes than these say nothing of the spread between sessions
MIN_SESSIONS = 3
# of the flag "met before" within a session, on 186 real ones; used where nothing else tells
CORRELATION = 0.23


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with the limits that cover the truth in `level` of all such studies."""

    estimate: float
    low: float
    high: float
    level: float = LEVEL


def estimate_share(mistakes: Floats, repeats: Floats) -> Interval | None:
    """Give the share of repeats among the mistakes of sessions (RMR), with Wilson's interval.

    None with fewer than three sessions that had mistakes. Source: Wilson 1927, on the effective
    number of mistakes of Korn and Graubard 1998.
    """
    has_mistakes = mistakes > 0
    count = int(has_mistakes.sum())
    if count < MIN_SESSIONS:
        return None
    m, r = mistakes[has_mistakes], repeats[has_mistakes]
    rate = float(r.sum() / m.sum())
    size = float(m.sum()) / _design_effect(m, r)
    quantile = float(scipy.special.stdtrit(count - 1, (1 + LEVEL) / 2))
    return compute_wilson_interval(rate, size, quantile)


def compute_wilson_interval(rate: float, size: float, quantile: float) -> Interval:
    """Give Wilson's interval of a share that rests on so many independent events."""
    q = quantile
    middle = (rate + q * q / (2 * size)) / (1 + q * q / size)
    half = q * sqrt(rate * (1 - rate) / size + q * q / (4 * size * size)) / (1 + q * q / size)
    return Interval(rate, max(middle - half, 0.0), min(middle + half, 1.0))


def _design_effect(m: Floats, r: Floats) -> float:
    """Say how many mistakes of these sessions tell as much as one independent one; at least 1."""
    total, rate = m.sum(), r.sum() / m.sum()
    if not 0 < rate < 1:
        # every flag is the same, so what correlation they have cannot be seen
        return float(1 + ((m * m).sum() / total - 1) * CORRELATION)
    residuals = r - rate * m
    variance = (residuals**2).sum() / total**2 * len(m) / (len(m) - 1)
    return max(float(variance * total / (rate * (1 - rate))), 1.0)


def subtract_intervals(interval: Interval | None, other: Interval | None) -> Interval | None:
    """Give `interval` minus `other` with its interval, from theirs.

    Source: Newcombe 1998, method 10.
    """
    if interval is None or other is None:
        return None
    difference = interval.estimate - other.estimate
    down = sqrt((interval.estimate - interval.low) ** 2 + (other.high - other.estimate) ** 2)
    up = sqrt((interval.high - interval.estimate) ** 2 + (other.estimate - other.low) ** 2)
    return Interval(difference, difference - down, difference + up)


def estimate_share_difference(data: UnitTable) -> Interval | None:
    """Give RMR of the treated minus RMR of the control sessions, with its interval."""
    arms = (estimate_share(data.mistakes[a], data.repeats[a]) for a in (data.treated, data.control))
    return subtract_intervals(*arms)
