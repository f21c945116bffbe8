"""Group rules that are one, in the order of time, and say why.

A rule joins the group of the earlier rule that it is most alike, unless a veto keeps it from any
member; the first of a group is its earliest text. Since each rule only looks back, adding later
ones never moves an earlier one, and one by one comes to the same as all at once. The trap: chains.
A like B like C is no reason to join A and C if a veto stands between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.rules.merge.near_rules import OPPOSITE, Index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.rules.merge.embedding_scale import Vectors
    from memoria.rules.merge.judge_pair import By, Veto


@dataclass(frozen=True, slots=True)
class Merge:
    """A text that joined an earlier one's group, by places in the input.

    `similarity` is 0 to 1; `by` says what of the two is alike, `backend` what found it.
    """

    index: int
    into: int
    similarity: float
    by: By
    backend: str


@dataclass(frozen=True, slots=True)
class Near:
    """Two texts, the earlier first, that are alike and that a veto keeps apart."""

    index: int
    other: int
    similarity: float
    veto: Veto


@dataclass(frozen=True, slots=True)
class Merging:
    """Groups of places in the input, each in order, and what was decided on the way."""

    groups: tuple[tuple[int, ...], ...]
    merges: tuple[Merge, ...]
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
    merges: list[Merge] = []
    vetoed: list[Near] = []
    for place, text in enumerate(texts):
        vector = vectors.texts[place] if vectors else None
        matches = index.look(text, vector)
        match = index.choose(text, matches)
        index.add(text, index.group(match.place) if match else None, vector)
        vetoed += (
            Near(each.place, place, each.similarity, each.veto) for each in matches if each.veto
        )
        if match:
            backend = vectors.backend if vectors and match.by == "meaning" else "token"
            merges.append(Merge(place, match.place, match.similarity, match.by, backend))
    return Merging(index.groups, tuple(merges), tuple(vetoed))
