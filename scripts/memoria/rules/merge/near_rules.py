"""Known rules -> which of them a new text is one rule with, without looking at all of them.

For adding a day's insights to a notebook: each concept knows the texts that speak of it, so a new
text meets only those that share enough of its weight. The judgement is that of `judgement`, pair by
pair, as in a batch. The trap: a group takes a text only if no veto keeps it from any member.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memoria.rules.merge.embedding_scale import Scale, nearness
from memoria.rules.merge.judge_pair import judge
from memoria.rules.merge.sense import plain, sense, suspected, weights
from memoria.rules.merge.similarity import ALIKE, DUST, MEANT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from memoria.rules.merge.embedding_scale import Meaning, Vectors
    from memoria.rules.merge.judge_pair import By, Judgement
    from memoria.rules.merge.vetoes import Veto


@dataclass(frozen=True, slots=True)
class Match:
    """The known text that a text is one rule with: its place, its group, how alike, by what."""

    index: int
    group: int
    similarity: float
    by: By


@dataclass(frozen=True, slots=True)
class Apart:
    """A known text that a text is like, and the veto that keeps them apart."""

    index: int
    similarity: float
    veto: Veto


class Look(NamedTuple):
    """What a text is to the known ones: the one it is one rule with, and those kept apart."""

    match: Match | None
    apart: tuple[Apart, ...]


class Index:
    """Texts in groups; a text belongs to one group, places and groups count from 0."""

    def __init__(self, texts: Sequence[str] = (), *, vectors: Vectors | None = None) -> None:
        """Know texts, each as a group of its own; `vectors` are those of a model, if it counts."""
        self._scale = Scale(vectors.phrasings) if vectors else None
        self._texts: list[str] = []
        self._meanings: list[Meaning | None] = []
        self._group_of: list[int] = []
        self._groups: list[list[int]] = []
        self._first: dict[str, int] = {}
        self._speaking: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        self._totals: list[tuple[float, float]] = []
        rows = self._scale.meanings(texts, vectors.texts) if self._scale and vectors else None
        for place, text in enumerate(texts):
            self.add(text, meaning=rows[place] if rows else None)

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Give the places of the texts of each group."""
        return tuple(map(tuple, self._groups))

    def add(self, text: str, group: int | None = None, meaning: Meaning | None = None) -> int:
        """Add a text to a group, a new one if none is given; the answer is its group."""
        place = len(self._texts)
        if group is None:
            group = len(self._groups)
            self._groups.append([])
        self._groups[group].append(place)
        self._group_of.append(group)
        self._texts.append(text)
        self._meanings.append(meaning)
        self._first.setdefault(plain(text), place)
        return group

    def match(self, text: str, vector: NDArray[np.float32] | None = None) -> Match | None:
        """Find the known text that this one is one rule with, None for none."""
        return self.look(text, vector).match

    def meaning(self, text: str, vector: NDArray[np.float32] | None) -> Meaning | None:
        """Read a text by its vector, for `add`; None without a model."""
        if self._scale is None or vector is None:
            return None
        return self._scale.meanings([text], vector.reshape(1, -1))[0]

    def look(self, text: str, vector: NDArray[np.float32] | None = None) -> Look:
        """Find what a text is to the known ones; the index stays as it is."""
        meaning = self.meaning(text, vector)
        return self.judged(text, self._candidates(text, meaning), meaning)

    def judged(self, text: str, places: Iterable[int], meaning: Meaning | None = None) -> Look:
        """Choose among known texts, the most alike first, of equals the earliest."""
        copy = self._first.get(plain(text))
        if copy is not None:
            return Look(Match(copy, self._group_of[copy], 1.0, "text"), ())
        found = [(place, self._judge(text, place, meaning)) for place in places]
        apart = tuple(
            Apart(place, each.similarity, each.veto)
            for place, each in found
            if each.veto and each.similarity >= ALIKE - DUST
        )
        alike = [(-each.similarity, place, each.by) for place, each in found if each.same]
        for similarity, place, by in sorted(alike):
            group = self._group_of[place]
            if self._accepts(group, text, meaning):
                return Look(Match(place, group, -similarity, by), apart)
        return Look(None, apart)

    def _accepts(self, group: int, text: str, meaning: Meaning | None) -> bool:
        """Whether no veto stands between a text and any member of a group."""
        members = (at for at in self._groups[group] if self._is_first(at))
        return not any(self._judge(text, at, meaning).veto for at in members)

    def _judge(self, text: str, place: int, meaning: Meaning | None) -> Judgement:
        near = nearness(self._scale, self._meanings[place], meaning)
        return judge(self._texts[place], text, near)

    def _is_first(self, place: int) -> bool:
        """Whether a text is no copy of an earlier one."""
        return self._first[plain(self._texts[place])] == place

    # -- finding candidates ----------------------------------------------------------------------

    def _candidates(self, text: str, meaning: Meaning | None) -> list[int]:
        """Give the places of known texts that this one may be one rule with."""
        self._read()
        found = sense(text)
        places = set(self._sharing(found.words.weights, 0, MEANT if meaning else ALIKE))
        if found.practised:
            places |= set(self._sharing(found.practised.weights, 1, ALIKE))
        for practice in meaning.practices if meaning else ():
            places |= {place for place, _ in self._speaking.get(f"near {practice}", ())}
        return sorted(places)

    def _sharing(self, row: Mapping[str, float], kind: int, least: float) -> Iterator[int]:
        shared: defaultdict[int, float] = defaultdict(float)
        for concept, share in row.items():
            for place, other in self._speaking.get(f"{kind} {concept}", ()):
                shared[place] += max(share, other)
        total = sum(row.values())
        for place, weight in shared.items():
            if 2 * weight >= least * (total + self._totals[place][kind]) - DUST:
                yield place

    def _read(self) -> None:
        """Read the texts that were added since the last time; of copies only the first."""
        for place in range(len(self._totals), len(self._texts)):
            text, meaning = self._texts[place], self._meanings[place]
            view = sense(text).practised if suspected(text) else None
            rows = (weights(text), view.weights if view else {})
            self._totals.append((sum(rows[0].values()), sum(rows[1].values())))
            if not self._is_first(place):
                continue
            for kind, row in enumerate(rows):
                for concept, share in row.items():
                    self._speaking[f"{kind} {concept}"].append((place, share))
            for practice in meaning.practices if meaning else ():
                self._speaking[f"near {practice}"].append((place, 1.0))
