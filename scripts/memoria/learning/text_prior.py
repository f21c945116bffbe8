"""Say what a rule's text promises in a neighbourhood where it was never tried.

Two numbers for each family and neighbourhood: the fit, how much of what the family speaks of is
there, and the share, how much more it fits there than elsewhere. The second tells a rule that
belongs to one place from one that is a little like everything, and it is what a family's own
success is scaled by. One wording of a family and one session of a neighbourhood are noisy, so both
are averaged first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse  # type: ignore[import-untyped,unused-ignore] # it ships no types

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# how sharply the best place wins, and the fit that a place must beat to win at all: below it, a
# family belongs nowhere (measured: 5 and 12 are no better than 8)
_SHARP, _NOWHERE = 8.0, 0.4
# products of words are rounded, so that two machines go on with the same numbers
_DIGITS = 9


def joined(rows: sparse.csr_array, owners: Sequence[int], count: int) -> sparse.csr_array:
    """Average the rows of each owner, and keep the rows' usual length, which averaging shortens."""
    shape = (count, rows.shape[0])
    places = (np.asarray(owners, np.int32), np.arange(rows.shape[0], dtype=np.int32))
    owned = sparse.csr_array((np.ones(rows.shape[0]), places), shape)
    total = owned @ rows
    usual = owned @ np.sqrt(np.asarray((rows * rows).sum(axis=1)).ravel())
    sizes = np.maximum(np.asarray(owned.sum(axis=1)).ravel(), 1.0)
    reached = np.sqrt(np.asarray((total * total).sum(axis=1)).ravel())
    scale = np.divide(usual / sizes, reached, out=np.zeros(count), where=reached > 0.0)
    return sparse.csr_array(sparse.diags_array(scale) @ total)


def overlap(families: sparse.csr_array, places: Floats) -> Floats:
    """Give for each family (row) and place (column) how much of the family is there."""
    return np.asarray(np.round(families @ places.T, _DIGITS))


def fit(overlaps: Floats) -> Floats:
    """Give what an overlap promises: half an overlap is worth a quarter, none and less nothing."""
    return np.asarray(np.maximum(overlaps, 0.0) ** 2)


def share(overlaps: Floats, known: Floats, *, new: bool = False) -> Floats:
    """Give how far each place wins a family over all known places, and over belonging nowhere.

    `overlaps` are of the places asked for, `known` of all known ones; `new` places are none of
    them and are rivals to them.
    """
    asked = np.exp(_SHARP * overlaps)
    rivals = np.exp(_SHARP * known).sum(axis=1, keepdims=True) + np.exp(_SHARP * _NOWHERE)
    return np.asarray(asked / (rivals + asked if new else rivals))
