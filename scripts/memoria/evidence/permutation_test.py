"""Test a study of a planned number of sessions by dealing its arms anew.

Whole sessions are dealt within each project, as the coin might have dealt them; the p-value is the
part of the deals that are as far out as the real one. It is for one look.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from math import comb, prod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from memoria.capture.repeats import Floats, Table

# so many deals give a p of .05 to within .004 (two standard errors); fewer are enumerated instead
DRAWS = 9_999
_CHUNK = 1_000  # deals at a time: 3 MB for 400 sessions
_EPSILON = 1e-12  # equal deals differ by rounding


@dataclass(frozen=True, slots=True)
class Permutation:
    """The two measures of the real deal, treated minus control, with their p-values.

    `share` is the difference of RMR, `count` that of repeats per session. p-values are two-sided
    (twice the smaller tail). `exact` says that all `deals` were looked at, not a sample.
    """

    share: float
    share_p: float
    count: float
    count_p: float
    deals: int
    exact: bool


def permute(data: Table, rng: np.random.Generator, draws: int = DRAWS) -> Permutation | None:
    """Test whether the arms differ; None where an arm has no session or no mistake."""
    if not data.mistakes[data.treated].sum() or not data.mistakes[data.control].sum():
        return None
    groups = [np.flatnonzero(data.strata == stratum) for stratum in np.unique(data.strata)]
    sizes = [int(data.treated[group].sum()) for group in groups]
    deals = prod(comb(len(group), size) for group, size in zip(groups, sizes, strict=True))
    real = _measures(data.treated[None, :], data)
    exact = deals <= draws
    dealt = _every(groups, sizes, data) if exact else _some(groups, data, rng, draws)
    tails = np.zeros((2, 2))
    for deal in dealt:
        values = _measures(deal, data)
        tails[0] += (values <= real + _EPSILON).sum(axis=1)
        tails[1] += (values >= real - _EPSILON).sum(axis=1)
    # the real deal is one of those that chance can give: a sampled p is never 0
    tails = tails / deals if exact else (tails + 1) / (draws + 1)
    p = np.minimum(2 * tails.min(axis=0), 1.0)
    share, count = (float(value) for value in real[:, 0])
    return Permutation(share, float(p[0]), count, float(p[1]), deals if exact else draws, exact)


def _measures(deals: NDArray[np.bool_], data: Table) -> Floats:
    """Give both differences for each deal, one row a measure.

    An arm without a mistake has no RMR; such a deal counts as no difference.
    """
    dealt = deals.astype(np.float64)
    m, r, n = (dealt @ column for column in (data.mistakes, data.repeats, np.ones(len(data.p))))
    m0, r0, n0 = data.mistakes.sum() - m, data.repeats.sum() - r, len(data.p) - n
    told = (m > 0) & (m0 > 0)
    share = np.where(told, r / np.where(told, m, 1) - r0 / np.where(told, m0, 1), 0.0)
    return np.stack([share, r / n - r0 / n0])


def _every(
    groups: list[NDArray[np.intp]], sizes: list[int], data: Table
) -> Iterator[NDArray[np.bool_]]:
    """Yield all deals with as many treated sessions in each group."""
    ways = (combinations(group, size) for group, size in zip(groups, sizes, strict=True))
    for way in product(*ways):
        deal = np.zeros((1, len(data.p)), np.bool_)
        deal[0, [place for part in way for place in part]] = True
        yield deal


def _some(
    groups: list[NDArray[np.intp]], data: Table, rng: np.random.Generator, draws: int
) -> Iterator[NDArray[np.bool_]]:
    """Yield random deals, a thousand at a time."""
    for start in range(0, draws, _CHUNK):
        deals = np.tile(data.treated, (min(_CHUNK, draws - start), 1))
        for group in groups:
            deals[:, group] = rng.permuted(deals[:, group], axis=1)
        yield deals
