"""Gather the contexts of all sessions into a few neighbourhoods, and say what rules promise there.

A few thousand sessions cannot teach an effect for each pair of rule and label. So contexts gather
around leaders by tags and words together: a wrong label is outvoted by the words, missing words by
the label. A family promises two numbers where it was never tried: the fit, how much of what it
speaks of is there, and the share, how much more it fits there than elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse  # type: ignore[import-untyped,unused-ignore] # it ships no types

from memoria.learning.arms import unit, vectors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from memoria.capture.extract.session_context import Context

    Floats = NDArray[np.float64]

# what words tell about where a session is, beside a project's 1 and a task's .3: two sessions of a
# project are near whatever they speak of, and a guessed task is outvoted by the words
_WORDS = 0.7
# nearer than this to a leader is the same neighbourhood (the simulator's contexts lie at .84 within
# a label, .54 within a context under a wrong label, .30 across contexts under one label)
NEAR = 0.45
# more neighbourhoods than this learn nothing each
MOST = 32
# how sharply the nearest wins: at 16, a lead of .2 makes .96
_SHARP = 16.0
# a context belongs to two at most: more would blur what each has learned; and less than a twentieth
# is noise
_TWO, _TRACE = 2, 0.05
# no length is shorter, unless it is 0
_LEAST = 1e-12
# how sharply the best place wins a family, and the fit that a place must beat to win at all: below
# it, a family belongs nowhere (measured: 5 and 12 are no better than 8)
_SHARP_SHARE, _NOWHERE = 8.0, 0.4
# products of words are rounded, so that two machines go on with the same numbers
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Membership:
    """For each context the two neighbourhoods it belongs to, and how much; together 1."""

    places: NDArray[np.intp]
    weights: Floats


@dataclass(frozen=True, slots=True)
class Neighbourhoods:
    """What gathered around each leader.

    `columns` are the words that any arm has; `sums` adds up the contexts as points of words and
    tags, `counts` their number, and `words` is the centre of each in the arms' columns.
    """

    columns: Mapping[str, int]
    tags: Mapping[str, int]
    sums: Floats
    counts: Floats
    words: Floats

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.counts)


def gather(contexts: Sequence[Context], columns: Mapping[str, int]) -> Neighbourhoods:
    """Gather contexts, in the order given, around the first that is like none before it."""
    tags = {tag: at for at, tag in enumerate(sorted({t for c in contexts for t in c.tags}))}
    points, lengths = _points(contexts, columns, tags)
    sums = np.zeros((min(MOST, len(contexts)), points.shape[1]))
    norms, counts, reach = (np.zeros(len(sums)) for _ in range(3))
    size = 0
    for at in range(points.shape[0]):
        part = slice(points.indptr[at], points.indptr[at + 1])
        where, values = points.indices[part], points.data[part]
        near = (sums[:size, where] * values).sum(axis=1) / np.maximum(norms[:size], _LEAST)
        best = int(near.argmax()) if size else 0
        if not size or (near[best] < NEAR and size < len(sums)):
            best, size = size, size + 1
        sums[best, where] += values
        norms[best] = np.sqrt((sums[best] * sums[best]).sum())
        counts[best] += 1.0
        reach[best] += lengths[at]
    centres = _scaled(sums[:size, : len(columns)], reach[:size] / counts[:size])
    return Neighbourhoods(columns, tags, sums[:size], counts[:size], centres)


def members(gathered: Neighbourhoods, contexts: Sequence[Context]) -> tuple[Membership, Floats]:
    """Say where contexts belong, and how near (a cosine) each lies to the nearest centre."""
    count, two = len(contexts), min(_TWO, gathered.size)
    if not two:
        empty = np.zeros((count, _TWO))
        return Membership(empty.astype(np.intp), empty), np.zeros(count)
    points, _ = _points(contexts, gathered.columns, gathered.tags)
    near = np.asarray(points @ _scaled(gathered.sums, np.ones(gathered.size)).T)
    # a crowded neighbourhood is the likelier home of a context that lies between two
    pull = _SHARP * near + 0.5 * np.log(gathered.counts)
    places = np.zeros((count, _TWO), np.intp)
    places[:, :two] = np.argsort(-pull, axis=1, kind="stable")[:, :two]
    weights = np.zeros((count, _TWO))
    ahead = np.take_along_axis(pull, places[:, :two], axis=1)
    weights[:, :two] = np.exp(ahead - ahead[:, :1])
    weights /= weights.sum(axis=1, keepdims=True)
    weights[weights < _TRACE] = 0.0
    return Membership(places, weights / weights.sum(axis=1, keepdims=True)), near.max(axis=1)


def _points(
    contexts: Sequence[Context], columns: Mapping[str, int], tags: Mapping[str, int]
) -> tuple[sparse.csr_array, Floats]:
    """Lay contexts out as points of length 1, words first; also the length of their words."""
    words, lengths = unit(vectors((context.words for context in contexts), columns))
    marks = vectors((context.tags for context in contexts), tags)
    whole = sparse.hstack([words * np.sqrt(_WORDS), marks], format="csr")
    return unit(sparse.csr_array(whole))[0], lengths


def _scaled(rows: Floats, lengths: Floats) -> Floats:
    """Give rows the lengths given; a row of zeros stays one."""
    norms = np.sqrt((rows * rows).sum(axis=1))
    return np.asarray(rows * (lengths / np.maximum(norms, _LEAST))[:, None])


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
    asked = np.exp(_SHARP_SHARE * overlaps)
    rivals = np.exp(_SHARP_SHARE * known).sum(axis=1, keepdims=True) + np.exp(
        _SHARP_SHARE * _NOWHERE
    )
    return np.asarray(asked / (rivals + asked if new else rivals))
