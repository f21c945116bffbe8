"""Bound the effect by limits that hold at every look.

The asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024) over
scores whose mean is the effect, as the coin's chance is known: (A - p) (Y - usual) / (p (1 - p)).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np

from memoria.evidence.e_values import usual_count, usual_share

if TYPE_CHECKING:
    from memoria.capture.repeats import Floats, Table

# Sessions before the first limits: from here on they miss the truth at some look in at most .05 of
# the studies (measured; .06 where mistakes are as clustered as in the worst of four real projects).
BURN_IN = 50
# where the sequence is to be tightest, in sessions: the size of most studies
_TIGHTEST = 150
ALPHA = 0.05
# mistakes per session before any was seen; a real one has 3.4
_MISTAKES = 3.0


@dataclass(frozen=True, slots=True)
class Sequence:
    """The effect per session with its limits after each session from `start` on.

    Empty where there are fewer sessions than it needs.
    """

    start: int
    estimate: tuple[float, ...] = ()
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


def boundary(n: Floats, alpha: float = ALPHA, tightest: int = _TIGHTEST) -> Floats:
    """Give the half width for a spread of 1 after n observations (theorem 2.2, equation 20)."""
    rho2 = (-2 * log(alpha) + log(-2 * log(alpha)) + 1) / tightest
    inner = n * rho2 + 1
    return np.asarray(
        np.sqrt(2 * inner / (n * n * rho2) * np.log(np.sqrt(inner) / alpha)), np.float64
    )


def count_sequence(data: Table) -> Sequence:
    """Follow the difference of repeats per session, treated minus control."""
    return _sequence(data.repeats - usual_count(data.repeats, data.strata), data)


def share_sequence(data: Table) -> Sequence:
    """Follow the difference of RMR, treated minus control.

    Repeats beyond the usual share, per usual number of mistakes. Where the treatment also changes
    the number of mistakes the effect is a little understated: by 2 % if they fall by a quarter.
    """
    beyond = data.repeats - usual_share(data.mistakes, data.repeats, data.strata) * data.mistakes
    return _sequence(beyond / usual_count(data.mistakes, data.strata, _MISTAKES), data)


def _sequence(centred: Floats, data: Table) -> Sequence:
    count = len(centred)
    if count < BURN_IN:
        return Sequence(BURN_IN)
    # on average the effect, by the coin's known chance alone
    each = (data.treated - data.p) * centred / (data.p * (1 - data.p))
    n = np.arange(1, count + 1, dtype=np.float64)
    mean = np.cumsum(each) / n
    spread = np.sqrt(np.maximum(np.cumsum(each**2) / n - mean**2, 0))
    half = spread * boundary(n)
    late = slice(BURN_IN - 1, None)
    parts = (mean[late], (mean - half)[late], (mean + half)[late])
    return Sequence(BURN_IN, *(tuple(part.tolist()) for part in parts))
