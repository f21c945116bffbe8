"""Group rules that are one, in the order of time.

A rule joins the group of the earlier rule that it is most alike, unless a veto keeps it from any
member; the first of a group is its earliest text. Since each rule only looks back, adding later
ones never moves an earlier one, and one by one comes to the same as all at once. A like B like C is
no reason to join A and C if a veto stands between them.
"""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memoria.rules.merge.near_rules import OPPOSITE, Index

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from memoria.rules.merge.judge_pair import Veto

# rules about unlike things, by which each model is measured: near by one is far by another
BACKGROUND = tuple((pkgutil.get_data(__package__, "background.txt") or b"").decode().splitlines())


class Vectors(NamedTuple):
    """What a model makes of texts and of the background: a row each."""

    texts: NDArray[np.float32]
    background: NDArray[np.float32]

    @property
    def usual(self) -> float:
        """Give the cosine that rules without anything in common usually have."""
        import numpy as np  # noqa: PLC0415 - only what a model weighs needs it

        above = np.triu_indices(len(self.background), 1)
        return float(np.median((self.background @ self.background.T)[above]))


@dataclass(frozen=True, slots=True)
class Near:
    """Places of two texts, the earlier first, that are alike (0 to 1) and that a veto parts."""

    index: int
    other: int
    similarity: float
    veto: Veto


@dataclass(frozen=True, slots=True)
class Merging:
    """Groups of places in the input, each in order, and what a veto kept apart."""

    groups: tuple[tuple[int, ...], ...]
    vetoed: tuple[Near, ...]

    @property
    def opposites(self) -> tuple[Near, ...]:
        """Give the contradictions: one wants what the other forbids, or in another order."""
        return tuple(near for near in self.vetoed if near.veto in OPPOSITE)


def merging(texts: Sequence[str], *, vectors: Vectors | None = None) -> Merging:
    """Merge near-duplicates; the order of the input is the order of time.

    With `vectors` of a model the meaning counts beside the words.
    """
    index = Index(usual=vectors.usual if vectors else 0.0)
    vetoed: list[Near] = []
    for place, text in enumerate(texts):
        vector = vectors.texts[place] if vectors else None
        matches = index.look(text, vector)
        match = index.choose(text, matches)
        index.add(text, index.group(match.place) if match else None, vector)
        vetoed += (
            Near(each.place, place, each.similarity, each.veto) for each in matches if each.veto
        )
    return Merging(index.groups, tuple(vetoed))
