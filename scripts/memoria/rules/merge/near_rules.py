"""Find the known rule that a new text is one rule with, without looking at all of them.

Of two texts that are one rule one says all that the other says, and their numbers are the same. So
a text is looked for among the known ones that have its rarest concept, and among those that were
filed under one of its own. The trap: a group takes a text only if no veto keeps it from any member.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

from memoria.rules.merge.embedding_scale import nearness
from memoria.rules.merge.judge_pair import likeness, veto
from memoria.rules.merge.reading import plain, reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from memoria.rules.merge.judge_pair import By, Likeness, Veto
    from memoria.rules.merge.reading import Reading


# vetoes that stand between a rule and its opposite, not between rules about two things
OPPOSITE = frozenset({"polarity", "order"})
# known texts that a text is held against for a veto; rules that are so alike are hardly ever more
_JUDGED = 12
# wordings that a group takes, or a thousand rules of one shape would take minutes
_WORDINGS = 16


class Match(NamedTuple):
    """A known text that a text is like: where, how much, by what, and what forbids one rule."""

    place: int
    similarity: float
    by: By
    veto: Veto


class _Known(NamedTuple):
    """A known text, what it says, the group that it is in, and its vector if a model counts."""

    reading: Reading
    group: int
    vector: NDArray[np.float32] | None


class Index:
    """Texts in groups; a text belongs to one group, places and groups count from 0.

    `usual` is the cosine of texts without anything in common, where a model's vectors are given.
    """

    def __init__(self, texts: Iterable[str] = (), *, usual: float = 0.0) -> None:
        self._usual = usual
        self._known: list[_Known] = []
        self._groups: list[list[int]] = []
        self._first: dict[str, int] = {}
        # by a concept and the numbers: texts that have the concept, and those filed under it alone
        self._having: defaultdict[tuple[str, tuple[str, ...]], list[int]] = defaultdict(list)
        self._filed: defaultdict[tuple[str, tuple[str, ...]], list[int]] = defaultdict(list)
        self._latest: dict[frozenset[str], int] = {}
        for text in texts:
            self.add(text)

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Give the places of the texts of each group."""
        return tuple(map(tuple, self._groups))

    def add(
        self, text: str, group: int | None = None, vector: NDArray[np.float32] | None = None
    ) -> int:
        """Add a text to a group, a new one if none is given; the answer is its group."""
        place, found = len(self._known), reading(text)
        if group is None:
            group = len(self._groups)
            self._groups.append([])
        self._groups[group].append(place)
        self._known.append(_Known(found, group, vector))
        if self._first.setdefault(plain(text), place) == place and found.concepts:
            self._file(place, found)
        return group

    def _file(self, place: int, found: Reading) -> None:
        keys = [(concept, found.numbers) for concept in found.concepts]
        self._filed[min(keys, key=self._frequency)].append(place)
        for key in keys:
            self._having[key].append(place)
        self._latest[found.concepts] = place

    def _frequency(self, key: tuple[str, tuple[str, ...]]) -> int:
        return len(self._having.get(key, ()))

    def group(self, place: int) -> int:
        """Give the group of the text at a place."""
        return self._known[place].group

    def match(self, text: str, vector: NDArray[np.float32] | None = None) -> Match | None:
        """Find the known text that this one is one rule with, None for none."""
        return self.choose(text, self.look(text, vector))

    def opposites(self, text: str) -> list[int]:
        """Give the places of known texts that want what a text forbids, or in another order."""
        return [known.place for known in self._judged(text, None) if known.veto in OPPOSITE]

    def look(self, text: str, vector: NDArray[np.float32] | None = None) -> list[Match]:
        """Give the known texts that one is like, the nearest first; of copies the first alone."""
        copy = self._first.get(plain(text))
        return self._judged(text, vector) if copy is None else [Match(copy, 1.0, "text", "")]

    def choose(self, text: str, matches: Iterable[Match]) -> Match | None:
        """Choose the first one without a veto whose group takes a text."""
        takes = (one for one in matches if not one.veto and self._accepts(one, reading(text)))
        return next(takes, None)

    def _judged(self, text: str, vector: NDArray[np.float32] | None) -> list[Match]:
        found = reading(text)
        return [
            Match(at, one.similarity, one.by, veto(self._known[at].reading, found))
            for at, one in self._nearest(found, vector)
        ]

    def _nearest(
        self, found: Reading, vector: NDArray[np.float32] | None
    ) -> list[tuple[int, Likeness]]:
        """Give the known texts that are alike enough, the nearest first, of equals the oldest."""
        judged = ((at, self._likeness(found, vector, at)) for at in self._candidates(found))
        enough = (pair for pair in judged if pair[1].is_enough)
        return nsmallest(_JUDGED, enough, key=lambda pair: (-pair[1].similarity, pair[0]))

    def _candidates(self, found: Reading) -> Sequence[int]:
        """Give the places of texts that say all of what this one says, or part of it."""
        if not found.concepts:
            return ()
        keys = [(concept, found.numbers) for concept in found.concepts]
        places = {at for key in keys for at in self._filed.get(key, ())}
        places.update(self._having.get(min(keys, key=self._frequency), ()))
        latest = self._latest.get(found.concepts)
        return sorted(places | ({latest} if latest is not None else set()))

    def _likeness(self, found: Reading, vector: NDArray[np.float32] | None, at: int) -> Likeness:
        known = self._known[at]
        if vector is None or known.vector is None:
            return likeness(known.reading, found)
        return likeness(known.reading, found, nearness(float(known.vector @ vector), self._usual))

    def _accepts(self, match: Match, found: Reading) -> bool:
        """Whether a group has room for a text, and no veto stands between it and any member."""
        places = self._groups[self.group(match.place)]
        members = {id(one): one for one in (self._known[at].reading for at in places)}
        if match.by == "text":
            return True
        return len(members) < _WORDINGS and not any(veto(one, found) for one in members.values())
