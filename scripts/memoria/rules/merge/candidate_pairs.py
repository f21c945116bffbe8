"""Many Views -> the pairs of them that may be alike, without comparing all with all.

The weight that two rules share is an entry of a sparse matrix times itself, so the pairs come out
of one product, block by block. It is exact: no pair that `similarity` would find alike is left out,
since every word is taken at the most that it weighs anywhere. The trap: a word that every rule has
makes the product as slow as the naive way; words of the grammar weigh nothing and are not in it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from memoria.rules.merge.similarity import DUST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

# rules that are multiplied in plain Python: scipy takes .2 s to load, more than these take
_FEW = 300
# rules multiplied at a time: of 50,000 rules the product has some 2 million entries, 30 MB
_BLOCK = 500


class Pairs(NamedTuple):
    """Pairs of rows, and the most that each may share (0 to 1)."""

    earlier: NDArray[np.int64]
    later: NDArray[np.int64]
    bound: NDArray[np.float64]


class Rows:
    """Views as rows of a sparse matrix; what was added first is row 0."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._full: list[float] = []
        self._columns: list[int] = []
        self._starts = [0]
        self._totals: list[float] = []

    def add(self, weights: Mapping[str, float]) -> None:
        """Add the weights of a view; an empty row is in no pair."""
        for concept, share in weights.items():
            number = self._numbers.setdefault(concept, len(self._numbers))
            if number == len(self._full):
                self._full.append(share)
            elif share > self._full[number]:
                self._full[number] = share
            self._columns.append(number)
        self._starts.append(len(self._columns))
        self._totals.append(sum(weights.values()))

    def each(self, least: float) -> Iterator[tuple[int, int]]:
        """Give the pairs that may share at least that much of what they say, one by one."""
        if len(self._totals) <= _FEW:
            yield from self._each_of_few(least)
            return
        for pairs in self.pairs(least):
            yield from zip(pairs.earlier.tolist(), pairs.later.tolist(), strict=True)

    def _each_of_few(self, least: float) -> Iterator[tuple[int, int]]:
        """Multiply as `pairs` does, without a matrix."""
        having: defaultdict[int, list[int]] = defaultdict(list)
        for later, total in enumerate(self._totals):
            shared: defaultdict[int, float] = defaultdict(float)
            for number in self._columns[self._starts[later] : self._starts[later + 1]]:
                for earlier in having[number]:
                    shared[earlier] += self._full[number]
                having[number].append(later)
            for earlier, weight in shared.items():
                if 2 * weight >= (least - DUST) * (total + self._totals[earlier]):
                    yield earlier, later

    def pairs(self, least: float) -> Iterator[Pairs]:
        """Give the pairs that may share at least that much of what they say, block by block."""
        import numpy as np  # noqa: PLC0415 - as scipy: what has few rules does without both
        from scipy import sparse  # noqa: PLC0415 - as above

        shape = (len(self._totals), max(1, len(self._full)))
        roots = np.sqrt(np.array(self._full))[self._columns] if self._full else np.zeros(0)
        matrix = sparse.csr_matrix((roots, self._columns, self._starts), shape=shape)
        turned, totals = matrix.T.tocsr(), np.array(self._totals)
        for start in range(0, shape[0], _BLOCK):
            block = (matrix[start : start + _BLOCK] @ turned).tocoo()
            later, earlier = block.row.astype(np.int64) + start, block.col.astype(np.int64)
            bound = 2 * block.data / (totals[later] + totals[earlier])
            found = np.flatnonzero((earlier < later) & (bound >= least - DUST))
            yield Pairs(earlier[found], later[found], bound[found])
