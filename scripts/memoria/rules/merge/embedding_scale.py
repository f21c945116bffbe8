"""Vectors of rules -> how near their meanings are, on a scale that fits any model.

A model's cosines say nothing by themselves, so they are measured against the phrasings of
practices, whose vectors come along: what two phrasings of different practices reach once in ten
thousand times is 1, what they reach usually is 0. Two rules are near by themselves, or near to one
practice, each to another phrasing of it. The trap: to a model the opposite of a rule is the rule's
nearest neighbour, so a phrasing counts only if no veto keeps it from the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memoria.rules.merge.judge_pair import FAR, Nearness
from memoria.rules.merge.practices import is_practice, phrasings
from memoria.rules.merge.sense import sense
from memoria.rules.merge.similarity import ALIKE, DUST
from memoria.rules.merge.vetoes import veto

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from memoria.rules.merge.candidate_pairs import Pairs

# the shares of pairs of different practices below which a cosine is not surely, and not at all near
_SURELY, _HARDLY = 0.9999, 0.9995
# how much nearer than any other practice the nearest must be, on the scale from 0 to 1
_AHEAD = 0.15
# how much a rule may say beside a practice that its words name, by weight: a word or two
_BESIDE = 0.6
# texts that are compared with the phrasings at a time: 16 MB of cosines
_TEXTS = 2_000
# pairs whose cosines are taken at a time: 100 MB of vectors
_PAIRS = 50_000


@dataclass(frozen=True, slots=True)
class Vectors:
    """What a model makes of texts: a row of length 1 for each, and for each of `phrasings()`.

    `backend` names the model in the reasons.
    """

    backend: str
    texts: NDArray[np.float32]
    phrasings: NDArray[np.float32]


class Meaning(NamedTuple):
    """What a model makes of a rule: its vector, and the practices that it is near.

    `surely`: its words name the practice, or a phrasing of it is very near.
    """

    vector: NDArray[np.float32]
    practices: frozenset[str]
    surely: bool


@dataclass(frozen=True)
class Scale:
    """The cosines of a model, measured by its vectors of the phrasings of practices."""

    phrasings: NDArray[np.float32]

    @cached_property
    def _practice_of(self) -> NDArray[np.int64]:
        """Give the number of the practice of each phrasing."""
        import numpy as np  # noqa: PLC0415 - only what a model weighs needs it

        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(name, len(numbers)) for name, _ in phrasings()])

    @cached_property
    def _marks(self) -> tuple[float, float, float]:
        """Give the usual cosine of what has nothing in common, and two that it hardly reaches."""
        import numpy as np  # noqa: PLC0415 - only what a model weighs needs it

        practice = self._practice_of
        cosines = (self.phrasings @ self.phrasings.T)[practice[:, None] != practice[None, :]]
        usual, hardly, surely = np.quantile(cosines, (0.5, _HARDLY, _SURELY))
        return float(usual), float(hardly), max(float(surely), float(usual) + DUST)

    def meanings(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> list[Meaning]:
        """Read rules by their vectors, one row each."""
        found: list[Meaning] = []
        for start in range(0, len(texts), _TEXTS):
            rows = vectors[start : start + _TEXTS]
            part = texts[start : start + _TEXTS]
            found += map(self._meaning, part, rows, rows @ self.phrasings.T)
        return found

    def _meaning(
        self, text: str, row: NDArray[np.float32], cosines: NDArray[np.float32]
    ) -> Meaning:
        named = _named(text)
        if named:
            return Meaning(row, named, surely=True)
        _, hardly, surely = self._marks
        nearest = int(cosines.argmax())
        if cosines[nearest] < hardly or not self._ahead(cosines, nearest):
            return Meaning(row, frozenset(), surely=False)
        name, phrasing = phrasings()[nearest]
        # what names a flag, a path or a function speaks of that, and not of a practice; tools and
        # languages are the pair's affair
        if sense(text).names or veto(text, phrasing) not in {"", "name"}:
            return Meaning(row, frozenset(), surely=False)
        return Meaning(row, frozenset({name}), surely=bool(cosines[nearest] >= surely))

    def _ahead(self, cosines: NDArray[np.float32], nearest: int) -> bool:
        """Whether no other practice is nearly as near."""
        usual, _, surely = self._marks
        others = cosines[self._practice_of != self._practice_of[nearest]]
        return bool(cosines[nearest] - others.max() >= _AHEAD * (surely - usual))

    def nearness(self, one: Meaning, other: Meaning) -> Nearness:
        """Say how near two meanings are; symmetric."""
        shared = bool(one.practices & other.practices) and (one.surely or other.surely)
        usual, _, surely = self._marks
        near = (float(one.vector @ other.vector) - usual) / (surely - usual)
        return Nearness(min(1.0, max(0.0, near)), float(shared))

    def near_enough(self, pairs: Pairs, meanings: Sequence[Meaning]) -> Iterator[tuple[int, int]]:
        """Choose the pairs that words, or words and meaning together, may find alike."""
        import numpy as np  # noqa: PLC0415 - only what a model weighs needs it

        usual, _, surely = self._marks
        vectors = np.stack([meaning.vector for meaning in meanings])
        for start in range(0, len(pairs.bound), _PAIRS):
            earlier, later, bound = (part[start : start + _PAIRS] for part in pairs)
            cosines = np.einsum("ij,ij->i", vectors[earlier], vectors[later])
            near = np.clip((cosines - usual) / (surely - usual), 0.0, 1.0)
            found = np.flatnonzero((bound >= ALIKE - DUST) | (bound + near >= 2 * ALIKE - DUST))
            yield from zip(earlier[found].tolist(), later[found].tolist(), strict=True)


def nearness(scale: Scale | None, one: Meaning | None, other: Meaning | None) -> Nearness:
    """Say how near two meanings are; without a model they are far."""
    return scale.nearness(one, other) if scale and one and other else FAR


def _named(text: str) -> frozenset[str]:
    """Give the practices that the words of a text name, if it says little else."""
    found = sense(text).practised
    if found is None or found.total > 1 + _BESIDE:
        return frozenset()
    return frozenset(
        name for name in found.weights if is_practice(name) and found.wanted[name] == 1
    )
