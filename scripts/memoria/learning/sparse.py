"""Hold rows of which most numbers are 0, such as the weights of words.

scipy has them too, but its import costs each flush a quarter of a second, as much as all the rest
that a flush imports. Sums are loops in a fixed order, as those of logistic.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Sparse:
    """A matrix of `count` rows: `values` stand at `rows` and `columns`, row after row."""

    count: int
    rows: Ints
    columns: Ints
    values: Floats

    def sum_rows(self, values: Floats) -> Floats:
        """Add up, by row, what there is for each of the matrix's values."""
        return np.asarray(np.bincount(self.rows, values, self.count), float)

    def measure_lengths(self) -> Floats:
        """Give the length of each row."""
        return np.asarray(np.sqrt(self.sum_rows(self.values**2)))

    def scale_rows(self, lengths: Floats) -> "Sparse":
        """Give rows the lengths given; a row of zeros stays one."""
        norms = self.measure_lengths()
        scale = np.divide(lengths, norms, out=np.zeros_like(norms), where=norms > 0.0)
        return replace(self, values=self.values * scale[self.rows])

    def compare(self, dense: Floats) -> Floats:
        """Give the product of each row with each row of a dense matrix."""
        products = np.zeros((self.count, len(dense)))
        for at, row in enumerate(dense):
            products[:, at] = self.sum_rows(self.values * row[self.columns])
        return products

    def split(self) -> Iterator[tuple[Ints, Floats]]:
        """Give the columns and values of one row after the other."""
        for start, end in pairwise(np.searchsorted(self.rows, np.arange(self.count + 1))):
            yield self.columns[start:end], self.values[start:end]

    def to_dense(self, width: int) -> Floats:
        """Write the zeros out."""
        dense = np.zeros((self.count, width))
        dense[self.rows, self.columns] = self.values
        return dense


def build_vectors(rows: Iterable[Mapping[str, float]], columns: Mapping[str, int]) -> Sparse:
    """Lay weights by word out as rows of a matrix; words without a column are left out."""
    sizes, places, values = [], [], []
    for row in rows:
        cells = sorted((columns[word], value) for word, value in row.items() if word in columns)
        places += [place for place, _ in cells]
        values += [float(value) for _, value in cells]
        sizes.append(len(cells))
    at = np.repeat(np.arange(len(sizes)), np.array(sizes, np.intp))
    return Sparse(len(sizes), at, np.array(places, np.intp), np.array(values, float))


def join(left: Sparse, right: Sparse, width: int) -> Sparse:
    """Put the columns of `right` behind the `width` columns of `left`."""
    rows = np.concatenate([left.rows, right.rows])
    order = np.argsort(rows, kind="stable")
    columns = np.concatenate([left.columns, right.columns + width])
    values = np.concatenate([left.values, right.values])
    return Sparse(left.count, rows[order], columns[order], values[order])


def average_by_owner(matrix: Sparse, owners: Sequence[int], count: int) -> Sparse:
    """Average the rows of each owner, and keep the rows' usual length, which averaging shortens."""
    by_row = np.asarray(owners, np.intp)
    width = int(matrix.columns.max(initial=0)) + 1
    cells, places = np.unique(by_row[matrix.rows] * width + matrix.columns, return_inverse=True)
    summed = np.asarray(np.bincount(places, matrix.values, len(cells)), float)
    sizes = np.maximum(np.bincount(by_row, minlength=count), 1.0)
    lengths = np.bincount(by_row, matrix.measure_lengths(), count) / sizes
    return Sparse(count, cells // width, cells % width, summed).scale_rows(lengths)
