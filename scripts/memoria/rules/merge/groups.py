"""Rules in the order of time -> groups of those that are one rule, and the reasons.

A rule joins the group of the earlier rule that it is most alike, unless a veto keeps it from any
member; the first of a group is its earliest text. Since each rule only looks back, adding later
ones never moves an earlier one, and one by one comes to the same as all at once. The trap: chains.
A like B like C is no reason to join A and C if a veto stands between them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from memoria.rules.merge.candidate_pairs import Rows
from memoria.rules.merge.embedding_scale import Scale
from memoria.rules.merge.near_rules import Index
from memoria.rules.merge.sense import plain, sense, suspected, weights
from memoria.rules.merge.similarity import ALIKE, MEANT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memoria.rules.merge.embedding_scale import Meaning, Vectors
    from memoria.rules.merge.judge_pair import By
    from memoria.rules.merge.vetoes import Veto

# vetoes that stand between a rule and its opposite, not between rules about two things
_OPPOSITE = frozenset({"polarity", "order"})


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
        return tuple(near for near in self.vetoed if near.veto in _OPPOSITE)


def merging(texts: Sequence[str], *, vectors: Vectors | None = None) -> Merging:
    """Merge near-duplicates; the order of the input is the order of time.

    With `vectors` of a model the meaning counts beside the words.
    """
    scale = Scale(vectors.phrasings) if vectors else None
    meanings = scale.meanings(texts, vectors.texts) if scale and vectors else []
    candidates = _candidates(texts, meanings, scale)
    index = Index(vectors=vectors)
    merges: list[Merge] = []
    vetoed: list[Near] = []
    for place, text in enumerate(texts):
        meaning = meanings[place] if meanings else None
        match, apart = index.judged(text, candidates.get(place, ()), meaning)
        index.add(text, match.group if match else None, meaning)
        vetoed += (Near(each.index, place, each.similarity, each.veto) for each in apart)
        if match:
            by_model = vectors is not None and match.by == "meaning"
            backend = vectors.backend if by_model and vectors else "token"
            merges.append(Merge(place, match.index, match.similarity, match.by, backend))
    return Merging(index.groups, tuple(merges), tuple(vetoed))


def _candidates(
    texts: Sequence[str], meanings: Sequence[Meaning], scale: Scale | None
) -> Mapping[int, list[int]]:
    """Give for each place the earlier ones that it may be one rule with; of copies the first."""
    first: dict[str, int] = {}
    for place, text in enumerate(texts):
        first.setdefault(plain(text), place)
    places = list(first.values())
    known = [meanings[place] for place in places] if meanings else []
    found: defaultdict[int, set[int]] = defaultdict(set)
    for earlier, later in _joined([texts[place] for place in places], known, scale):
        found[places[later]].add(places[earlier])
    return {place: sorted(earlier) for place, earlier in found.items()}


def _joined(
    texts: Sequence[str], meanings: Sequence[Meaning], scale: Scale | None
) -> Iterator[tuple[int, int]]:
    """Give the pairs that share enough words, or a practice, or are near by their meaning."""
    by_words, by_practice = Rows(), Rows()
    for text in texts:
        by_words.add(weights(text))
        view = sense(text).practised if suspected(text) else None
        by_practice.add(view.weights if view else {})
    yield from by_practice.each(ALIKE)
    if not scale or not meanings:
        yield from by_words.each(ALIKE)
        return
    for pairs in by_words.pairs(MEANT):
        yield from scale.near_enough(pairs, meanings)
    yield from _near_one_practice(meanings)


def _near_one_practice(meanings: Sequence[Meaning]) -> Iterator[tuple[int, int]]:
    near: defaultdict[str, list[int]] = defaultdict(list)
    for row, meaning in enumerate(meanings):
        for practice in meaning.practices:
            near[practice].append(row)
    for rows in near.values():
        yield from combinations(rows, 2)
