"""Group rules that are one, in the order of time, without holding each against all others.

A rule joins the group of the earlier rule that it is most alike, unless a veto keeps it from any
member; the first of a group is its earliest text. Since each rule only looks back, adding later
ones never moves an earlier one. Of two texts that are one rule one says all that the other says,
and their numbers are the same, so a text is looked for among those that have its rarest concept,
and those that were filed under one of its own.
"""

from __future__ import annotations

import pkgutil
from collections import defaultdict
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

from memoria.rules.merge.reading import ALIKE, Reading, Veto, likeness, parse_reading, plain, veto

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]


# vetoes that stand between a rule and its opposite, not between rules about two things
OPPOSITE = frozenset({"polarity", "order"})
# known texts that a text is held against for a veto; rules that are so alike are hardly ever more
_MAX_JUDGED = 12
# wordings that a group takes, or a thousand rules of one shape would take minutes
_MAX_WORDINGS = 16
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


class Merging(NamedTuple):
    """Groups of places in the input, each in order, and pairs that contradict each other.

    Of `opposites`, the earlier first, one wants what the other forbids, or in another order.
    """

    groups: tuple[tuple[int, ...], ...]
    opposites: tuple[tuple[int, int], ...]


def merge_duplicates(texts: Sequence[str], *, vectors: Vectors | None = None) -> Merging:
    """Merge near-duplicates; the order of the input is the order of time.

    With `vectors` of a model the meaning counts beside the words.
    """
    index = Index(usual=vectors.usual if vectors else 0.0)
    opposites: list[tuple[int, int]] = []
    for place, text in enumerate(texts):
        vector = vectors.texts[place] if vectors else None
        matches = index.find_alike(text, vector)
        match = index.choose(text, matches)
        index.add(text, index.group(match.place) if match else None, vector)
        opposites += ((other.place, place) for other in matches if other.veto in OPPOSITE)
    return Merging(index.groups, tuple(opposites))


class Match(NamedTuple):
    """A known text that a text is like: where it is, and what forbids one rule.

    A copy is the same but for case, spacing and marks at the ends of words.
    """

    place: int
    veto: Veto
    is_copy: bool = False


class _Known(NamedTuple):
    """A known text, what it says, the group that it is in, and its vector if a model counts."""

    reading: Reading
    group: int
    vector: Vector | None


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

    def add(self, text: str, group: int | None = None, vector: Vector | None = None) -> int:
        """Add a text to a group, a new one if none is given; the answer is its group."""
        place, reading = len(self._known), parse_reading(text)
        if group is None:
            group = len(self._groups)
            self._groups.append([])
        self._groups[group].append(place)
        self._known.append(_Known(reading, group, vector))
        if self._first.setdefault(plain(text), place) == place and reading.concepts:
            keys = [(concept, reading.numbers) for concept in reading.concepts]
            self._filed[min(keys, key=self._frequency)].append(place)
            for key in keys:
                self._having[key].append(place)
            self._latest[reading.concepts] = place
        return group

    def group(self, place: int) -> int:
        """Give the group of the text at a place."""
        return self._known[place].group

    def _frequency(self, key: tuple[str, tuple[str, ...]]) -> int:
        return len(self._having.get(key, ()))

    def match(self, text: str, vector: Vector | None = None) -> Match | None:
        """Find the known text that this one is one rule with, None for none."""
        return self.choose(text, self.find_alike(text, vector))

    def opposites(self, text: str) -> list[int]:
        """Give the places of known texts that want what a text forbids, or in another order."""
        matches = self._judge_candidates(text, None)
        return [match.place for match in matches if match.veto in OPPOSITE]

    def find_alike(self, text: str, vector: Vector | None = None) -> list[Match]:
        """Give the known texts that one is like, the nearest first; of copies the first alone."""
        copy = self._first.get(plain(text))
        if copy is not None:
            return [Match(copy, "", is_copy=True)]
        return self._judge_candidates(text, vector)

    def choose(self, text: str, matches: Iterable[Match]) -> Match | None:
        """Choose the first one without a veto whose group takes a text."""
        reading = parse_reading(text)
        allowed = (match for match in matches if not match.veto and self._accepts(match, reading))
        return next(allowed, None)

    def _judge_candidates(self, text: str, vector: Vector | None) -> list[Match]:
        """Give the known texts that are alike enough, the nearest first, of equals the oldest."""
        reading = parse_reading(text)
        judged = ((at, self._likeness(reading, vector, at)) for at in self._candidates(reading))
        alike = (pair for pair in judged if pair[1] >= ALIKE)
        nearest = nsmallest(_MAX_JUDGED, alike, key=lambda pair: (-pair[1], pair[0]))
        return [Match(at, veto(self._known[at].reading, reading)) for at, _ in nearest]

    def _candidates(self, reading: Reading) -> Sequence[int]:
        """Give the places of texts that say all of what this one says, or part of it."""
        if not reading.concepts:
            return ()
        keys = [(concept, reading.numbers) for concept in reading.concepts]
        places = {at for key in keys for at in self._filed.get(key, ())}
        places.update(self._having.get(min(keys, key=self._frequency), ()))
        if (latest := self._latest.get(reading.concepts)) is not None:
            places.add(latest)
        return sorted(places)

    def _likeness(self, reading: Reading, vector: Vector | None, at: int) -> float:
        record = self._known[at]
        if vector is None or record.vector is None:
            return likeness(record.reading, reading)
        similarity = nearness(float(record.vector @ vector), self._usual)
        return likeness(record.reading, reading, similarity)

    def _accepts(self, match: Match, reading: Reading) -> bool:
        """Whether a group has room for a text, and no veto stands between it and any member."""
        if match.is_copy:
            return True
        places = self._groups[self.group(match.place)]
        # copies share one reading, which counts once
        members = {id(member): member for member in (self._known[at].reading for at in places)}
        has_room = len(members) < _MAX_WORDINGS
        return has_room and not any(veto(member, reading) for member in members.values())


def nearness(cosine: float, usual: float) -> float:
    """Bring a cosine to the scale on which what has nothing in common is 0 and a copy 1."""
    return min(1.0, max(0.0, (cosine - usual) / max(1.0 - usual, 1e-6)))
