"""Forecast how many sessions it takes to see an effect, from the spread between sessions.

A session tells the square of the effect over the variance of a session's score. A power of .8 takes
11.5 of it in the e-process. The effect seen so far is used once it stands out
of its error; before that the answer is for an effect that would be worth having.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Literal

import numpy as np

from memoria.evidence.cluster_intervals import LEAST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.capture.repeats import Floats, Table

# a fall of repeats by less than a third is not worth an experiment; the seed reports .65
WORTH = 1 / 3
# What the e-process needs to reach 20 in .8 of the studies. Measured over seven effects, with and
# without fewer mistakes and with an uneven coin: 10.3 to 11.9 (bench/evidence.py --power).
_WATCHED = 11.5
# a spread from fewer sessions in an arm is too uncertain to multiply with
_SESSIONS = 5


@dataclass(frozen=True, slots=True)
class Spread:
    """What one measure shows: its effect (treated minus control) and the variance of its score.

    A study of n sessions sees the effect with a standard error of sqrt(variance / n).
    """

    effect: float
    variance: float

    @property
    def told(self) -> float:
        """What each session tells: the effect's square over the variance."""
        return self.effect**2 / self.variance if self.variance else 0.0


@dataclass(frozen=True, slots=True)
class Forecast:
    """How many sessions a power of .8 takes, if the effect is as large as is said.

    `basis` is "seen" for the effect that the study shows so far, "supposed" for a given one;
    `reduction` by which part repeats per session fall (below zero: rise). `watched` is the size of
    a study that is looked at after every session, and `more` what is still missing of that, given
    the evidence so far.
    """

    basis: Literal["seen", "supposed"]
    reduction: float
    watched: int
    more: int


def watched(told: float, log_wealth: float = 0.0) -> int:
    """Give the sessions that a study takes that is looked at after each, for a power of .8.

    Less what the logarithm of the e-value has come to: it grows by half of what is told in each
    session; the rest of 11.5 is for the studies that are unlucky.
    """
    return max(ceil((_WATCHED - 2 * log_wealth) / told), 1)


def share_spread(data: Table) -> Spread | None:
    """Give the spread of RMR, None where an arm has too few sessions or no mistake."""
    rates, scores = [], np.zeros(len(data.p))
    for arm in (data.treated, data.control):
        total = data.mistakes[arm].sum()
        if not total:
            return None
        rates.append(float(data.repeats[arm].sum() / total))
        beyond = data.repeats[arm] - rates[-1] * data.mistakes[arm]
        scores[arm] = beyond / data.mistakes[arm].mean()
    return _spread(rates[0] - rates[1], scores, data)


def count_spread(values: Floats, data: Table) -> Spread | None:
    """Give the spread of a count per session, None where an arm has too few sessions."""
    if min(data.treated.sum(), data.control.sum()) < LEAST:
        return None
    apart = float(values[data.treated].mean() - values[data.control].mean())
    return _spread(apart, values, data)


def _spread(effect: float, scores: Floats, data: Table) -> Spread | None:
    one, other = scores[data.treated], scores[data.control]
    if min(len(one), len(other)) < _SESSIONS:
        return None
    p = float(data.p.mean())
    p = p if 0 < p < 1 else len(one) / len(scores)
    variance = float(one.var(ddof=1)) / p + float(other.var(ddof=1)) / (1 - p)
    return Spread(effect, variance) if variance else None


def forecast(data: Table, log_wealth: float, supposed: float = WORTH) -> Forecast | None:
    """Say how many sessions are missing; None where too little is known of the spread.

    `supposed` is the part by which repeats are taken to fall where the effect seen does not yet
    stand out of its error.
    """
    spreads = [share_spread(data), count_spread(data.repeats, data)]
    usual = float(data.repeats[data.control].mean()) if data.control.any() else 0.0
    if not any(spreads) or not usual:
        return None
    told = max(spread.told for spread in spreads if spread)
    basis: Literal["seen", "supposed"] = "seen"
    fall = 1 - float(data.repeats[data.treated].mean()) / usual
    if told * len(data.p) < 1:
        basis, fall = "supposed", supposed
        told = max(_supposed_told(spreads, fall, usual, data), default=0.0)
    if not told:
        return None
    return Forecast(basis, fall, watched(told), watched(told, log_wealth))


def _supposed_told(
    spreads: Sequence[Spread | None], fall: float, usual: float, data: Table
) -> Iterator[float]:
    """Give what each measure tells of such a fall of repeats, which takes mistakes with it."""
    share, count = spreads
    if share:
        rate = usual / float(data.mistakes[data.control].mean())
        yield Spread(rate * (1 - fall) / (1 - fall * rate) - rate, share.variance).told
    if count:
        yield Spread(-fall * usual, count.variance).told
