"""Compute e-values: evidence that may be looked at after every session.

A gambler bets on each session's coin after seeing its mistakes. If the treatment does nothing they
tell nothing of the coin: the chance that a stake of 1 ever grows to 20 is at most 1/20, however
mistakes cluster or drift, because only the coin is random. If it works, who expects fewer repeats
in treated sessions grows rich. The stake, which is the e-value, is spread over beliefs about the
share of the mistakes (beta-binomial) and the count per session (negative binomial); a wrong belief
costs its part, never validity. Sources: Ville 1939; Ramdas, Gruenwald, Vovk, Shafer 2023.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memoria.capture.study_units import Floats, UnitTable

# 1/20 = .05: Ville's inequality
THRESHOLD = 20.0
# Beliefs about the size: differences of log odds and of log rates; 34 % to 12 % is 1.3, 50 to 35
# .6. Four do better than twelve: the stake is spread less thin, and what lies between is near to
# one.
_ODDS = (0.3, 0.6, 1.0, 1.6)
_RATES = (0.25, 0.5, 0.9, 1.5)
# ... about the correlation of flags within a session (real projects: .14 to .37)
_CORRELATIONS = (0.1, 0.25, 0.4)
# ... and about the spread of counts (shape of the gamma: small is wide)
_SHAPES = (0.3, 0.7, 2.0)
# Three of four parts of the stake are on fewer repeats, which is what is claimed: power .85 instead
# of .84 at 400 sessions for .50 -> .35, and .77 instead of .80 where it is the other way round.
_ON_FEWER = 0.75
# The share is the seed's measure and the sharper one unless the treatment also saves mistakes.
_ON_SHARE = 0.6
# sessions until an old one counts half
_HALF_LIFE_SESSIONS = 100
# a new project is taken for as many average sessions as these before it speaks for itself
_BORROWED_SESSIONS = 5
# before the first session: half a repeat a session, .4 of the mistakes
_FIRST_REPEATS, _FIRST_SHARE = 0.5, 0.4
# shares nearer to 0 or 1 than this are not believed in: one session must not ruin a belief for good
_EDGE = 0.02


class Bets(NamedTuple):
    """What the gambler believes of each session: a row a session, a column a belief.

    `ratios` are log likelihood ratios of what the session showed, treated against control;
    `weights` the parts of the stake, of sum 1.
    """

    ratios: Floats
    weights: Floats


@dataclass(frozen=True, slots=True)
class Wealth:
    """The stake after each session, as natural logarithms (they may be very large or small).

    `total` bets on both measures. `share` is the part on RMR and `count` that on repeats per
    session, each as if it had begun with a whole stake.
    """

    total: tuple[float, ...] = ()
    share: tuple[float, ...] = ()
    count: tuple[float, ...] = ()

    @property
    def now(self) -> float:
        """The e-value after the last session, 1.0 before the first."""
        return exp(min(self.total[-1], 700.0)) if self.total else 1.0

    @property
    def peak(self) -> float:
        """The highest e-value so far: chance reaches as much in at most one of `peak` studies."""
        return exp(min(max(self.total), 700.0)) if self.total else 1.0

    @property
    def crossed(self) -> int | None:
        """After how many sessions the threshold was reached first, None if never."""
        return find_crossing(self.total)


def find_crossing(path: tuple[float, ...]) -> int | None:
    """Give after how many sessions a path of log wealth reached the threshold, or None."""
    return next((n for n, value in enumerate(path, 1) if value >= log(THRESHOLD)), None)


def build_share_bets(data: UnitTable) -> Bets:
    """Bet on the share of repeats among the mistakes of a session."""
    m, r = data.mistakes[:, None], data.repeats[:, None]
    usual = np.clip(usual_share(data.mistakes, data.repeats, data.strata), _EDGE, 1 - _EDGE)
    odds, steps = np.log(usual / (1 - usual))[:, None], _with_both_signs(_ODDS)
    gammaln, columns = scipy.special.gammaln, []
    arms = [scipy.special.expit(odds + steps / 2), scipy.special.expit(odds - steps / 2)]
    for correlation in _CORRELATIONS:
        size = 1 / correlation - 1
        treated, control = (
            gammaln(r + p * size)
            - gammaln(p * size)
            + gammaln(m - r + (1 - p) * size)
            - gammaln((1 - p) * size)
            for p in arms
        )
        columns.append(treated - control)
    return _build_bets(columns, steps)


def build_count_bets(data: UnitTable) -> Bets:
    """Bet on the number of repeats in a session."""
    r = data.repeats[:, None]
    usual = np.maximum(usual_count(data.repeats, data.strata), _EDGE)[:, None]
    steps, columns = _with_both_signs(_RATES), []
    # half a step up and down, so that the mean of both arms stays the usual one
    means = [2 * usual * scipy.special.expit(sign * steps) for sign in (1, -1)]
    for shape in _SHAPES:
        treated, control = (
            r * np.log(mean / (shape + mean)) - shape * np.log(shape + mean) for mean in means
        )
        columns.append(treated - control)
    return _build_bets(columns, steps)


def _with_both_signs(sizes: tuple[float, ...]) -> Floats:
    return np.array([*(-size for size in sizes), *sizes])


def _build_bets(columns: list[Floats], steps: Floats) -> Bets:
    weights = np.where(steps < 0, _ON_FEWER, 1 - _ON_FEWER) / (len(steps) / 2) / len(columns)
    return Bets(np.hstack(columns), np.tile(weights, len(columns)))


def compute_growth(bets: Bets, data: UnitTable) -> Floats:
    """Give each belief's log wealth after each session, when it is paid at the coin's odds.

    A belief that expects this outcome with likelihood ratio e^l between the arms gives the coin's
    side "treated" the chance q = p e^l / (p e^l + 1 - p), and is paid q/p or (1-q)/(1-p): under a
    coin that knows nothing that is 1 on average, whatever l is.
    """
    p = data.p[:, None]
    mean = np.logaddexp(np.log(p) + bets.ratios, np.log1p(-p))
    paid = np.where(data.treated[:, None], bets.ratios, 0.0) - mean
    return np.cumsum(paid, axis=0)


def _sum_logs(logs: Floats, weights: Floats) -> Floats:
    """Add up stakes given as logs, a row a session."""
    return np.asarray(scipy.special.logsumexp(logs, axis=1, b=weights / weights.sum()), np.float64)


def compute_wealth(data: UnitTable) -> Wealth:
    """Follow the stake through a study, on both measures."""
    if not len(data.p):
        return Wealth()
    bets_of = build_share_bets(data), build_count_bets(data)
    logs = [compute_growth(bet, data) for bet in bets_of]
    share, count = (_sum_logs(log_, bet.weights) for log_, bet in zip(logs, bets_of, strict=True))
    weights = np.concatenate([_ON_SHARE * bets_of[0].weights, (1 - _ON_SHARE) * bets_of[1].weights])
    columns = (_sum_logs(np.hstack(logs), weights), share, count)
    return Wealth(*(tuple(column.tolist()) for column in columns))


# -- What is usual ---------------------------------------------------------------------------------


def compute_baseline(
    numerator: Floats, denominator: Floats, strata: NDArray[np.int64], prior: tuple[float, float]
) -> Floats:
    """Give for each session the ratio of sums over the earlier ones: of its stratum, and of all.

    `prior` is what is added to the sums at the very first: numerator and denominator.
    """
    fade = 0.5 ** (1 / _HALF_LIFE_SESSIONS)
    sums = [0.0, 0.0, 0.0]  # numerator, denominator, sessions
    sums_by_stratum: dict[int, list[float]] = {}
    expected = np.empty(len(numerator))
    columns = zip(numerator.tolist(), denominator.tolist(), strata.tolist(), strict=True)
    for number, (over, under, stratum) in enumerate(columns):
        stratum_sums = sums_by_stratum.setdefault(stratum, [0.0, 0.0])
        usual = (sums[0] + prior[0]) / (sums[1] + prior[1])
        size = _BORROWED_SESSIONS * (sums[1] + prior[1]) / (sums[2] + 1)
        expected[number] = (stratum_sums[0] + usual * size) / (stratum_sums[1] + size)
        sums = [fade * old + new for old, new in zip(sums, (over, under, 1), strict=True)]
        sums_by_stratum[stratum] = [fade * stratum_sums[0] + over, fade * stratum_sums[1] + under]
    return expected


def usual_share(mistakes: Floats, repeats: Floats, strata: NDArray[np.int64]) -> Floats:
    """Give the share of repeats that was usual before each session."""
    prior = (_FIRST_REPEATS, _FIRST_REPEATS / _FIRST_SHARE)
    return compute_baseline(repeats, mistakes, strata, prior)


def usual_count(values: Floats, strata: NDArray[np.int64]) -> Floats:
    """Give the count per session that was usual before each session."""
    return compute_baseline(values, np.ones(len(values)), strata, (_FIRST_REPEATS, 1.0))
