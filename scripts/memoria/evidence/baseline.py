"""Expect of a session what the earlier ones of its project showed, whichever its arm.

A bet on a session and a score of it are sharper when measured from what is usual there and then.
Both arms go in together, so it says nothing of the treatment; only what came before is used, or a
bet would know its outcome.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memoria.capture.repeats import Floats

# sessions until an old one counts half
_HALF_LIFE = 100
# a new project is taken for as many average sessions as these before it speaks for itself
_BORROWED = 5
# before the first session: half a repeat a session, .4 of the mistakes
_REPEATS, _SHARE = 0.5, 0.4


def baseline(
    numerator: Floats, denominator: Floats, strata: NDArray[np.int64], prior: tuple[float, float]
) -> Floats:
    """Give for each session the ratio of sums over the earlier ones: of its stratum, and of all.

    `prior` is what is added to the sums at the very first: numerator and denominator.
    """
    fade = 0.5 ** (1 / _HALF_LIFE)
    everything = [0.0, 0.0, 0.0]  # numerator, denominator, sessions
    own: dict[int, list[float]] = {}
    expected = np.empty(len(numerator))
    columns = zip(numerator.tolist(), denominator.tolist(), strata.tolist(), strict=True)
    for place, (over, under, stratum) in enumerate(columns):
        mine = own.setdefault(stratum, [0.0, 0.0])
        usual = (everything[0] + prior[0]) / (everything[1] + prior[1])
        size = _BORROWED * (everything[1] + prior[1]) / (everything[2] + 1)
        expected[place] = (mine[0] + usual * size) / (mine[1] + size)
        everything = [
            fade * old + new for old, new in zip(everything, (over, under, 1), strict=True)
        ]
        own[stratum] = [fade * mine[0] + over, fade * mine[1] + under]
    return expected


def usual_share(mistakes: Floats, repeats: Floats, strata: NDArray[np.int64]) -> Floats:
    """Give the share of repeats that was usual before each session."""
    return baseline(repeats, mistakes, strata, (_REPEATS, _REPEATS / _SHARE))


def usual_count(values: Floats, strata: NDArray[np.int64], at_first: float = _REPEATS) -> Floats:
    """Give the count per session that was usual before each session."""
    return baseline(values, np.ones(len(values)), strata, (at_first, 1.0))
