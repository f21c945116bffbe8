"""Describe a rule as an arm: what the learner knows of it before it was ever shown.

Paraphrases are one family: that which the merging of rules gave, else the first arm whose words are
nearly the same. A merged or retired arm still stands in old plays, so ids go through aliases.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse  # type: ignore[import-untyped,unused-ignore] # it ships no types

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

# measured: paraphrases of one family have a cosine of .94, two families of one topic of .61
_SAME = 0.88
# rows compared with all others at a time: 10,000 arms then need 40 MB
_BLOCK = 500


@dataclass(frozen=True, slots=True)
class Arm:
    """A rule that can be chosen.

    `words` are its weights by word (`likeness.shares`, or any vector whose product with a context's
    words says how well it fits, in [-1, 1]). `family` names the paraphrases it belongs to, "" where
    nobody said. `digest` is the hash of its text now, `units` its line's length in UTF-16 units.
    `aliases` are ids that were merged into it.
    """

    id: str
    words: Mapping[str, float] = field(default_factory=dict)
    family: str = ""
    digest: str = ""
    units: int = 0
    pinned: bool = False
    aliases: tuple[str, ...] = ()


def vectors(rows: Iterable[Mapping[str, float]], columns: Mapping[str, int]) -> sparse.csr_array:
    """Lay weights by word out as rows of a matrix; words without a column are left out."""
    starts, places, values = [0], [], []
    for row in rows:
        cells = sorted((columns[word], value) for word, value in row.items() if word in columns)
        places += [place for place, _ in cells]
        values += [float(value) for _, value in cells]
        starts.append(len(places))
    shape = (len(starts) - 1, len(columns))
    return sparse.csr_array(
        (np.array(values, float), np.array(places, np.int32), np.array(starts, np.int32)), shape
    )


def families(arms: Sequence[Arm]) -> tuple[str, ...]:
    """Give each arm's family: its own, or the id of the first arm that says nearly the same."""
    names = [arm.family for arm in arms]
    unnamed = [place for place, name in enumerate(names) if not name]
    columns = {word: at for at, word in enumerate(sorted({w for arm in arms for w in arm.words}))}
    rows, _ = unit(vectors((arms[place].words for place in unnamed), columns))
    for place, alike in zip(unnamed, _alike(rows), strict=True):
        leaders = (
            arms[unnamed[at]].id for at in alike if names[unnamed[at]] == arms[unnamed[at]].id
        )
        names[place] = next(leaders, arms[place].id)
    return tuple(names)


def unit(rows: sparse.csr_array) -> tuple[sparse.csr_array, NDArray[np.float64]]:
    """Give rows the length 1, and say how long they were; a row of zeros stays one."""
    norms = np.sqrt(np.asarray((rows * rows).sum(axis=1)).ravel())
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0.0)
    return sparse.csr_array(sparse.diags_array(scale) @ rows), norms


def _alike(rows: sparse.csr_array) -> Iterable[NDArray[np.intp]]:
    """Give for each row the earlier rows that are nearly the same."""
    turned = rows.T.tocsr()
    for start in range(0, rows.shape[0], _BLOCK):
        block = (rows[start : start + _BLOCK] @ turned).toarray()
        for offset, row in enumerate(block):
            yield np.flatnonzero(row[: start + offset] >= _SAME)
