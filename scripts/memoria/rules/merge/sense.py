"""A rule's text -> its Sense: what it speaks of, what of it is wanted, in which order and roles.

The one thing that similarity and vetoes look at. It depends on the text alone, so that a pair of
rules is judged the same whatever else is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import fsum
from typing import TYPE_CHECKING, TypeVar

from memoria.rules.merge.phrases import words
from memoria.rules.merge.polarity import clauses, times
from memoria.rules.merge.practices import any_practice, practised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memoria.rules.merge.polarity import Clause
    from memoria.rules.merge.practices import Practice

_EDGES = "\"'`*_.,;:!?()[]{}\u2026\u2013\u2014\u201c\u201d\u2018\u2019 "
# a practice tells as much as the rarest words
_PRACTICE = 0.9

T = TypeVar("T")
# ends or signs of a concept as bits: one may stand in a rule twice, wanted here and forbidden there
Bits = int
_BITS = {1: 1, -1: 2}


@dataclass(frozen=True, slots=True)
class View:
    """What a rule speaks of: its words, or the practices in it and the words beside them.

    `weights` tells how much each concept says. `wanted` holds whether a concept is asked for (1)
    or forbidden (2), `given` the same for the cases and times in which the rule holds, `poles`
    which end of a concept is meant; 3 is both.
    """

    weights: Mapping[str, float]
    wanted: Mapping[str, Bits]
    given: Mapping[str, Bits]
    poles: Mapping[str, Bits]

    @property
    def total(self) -> float:
        """Give the sum of the weights."""
        return fsum(self.weights.values())


@dataclass(frozen=True, slots=True)
class Sense:
    """What a rule says.

    `early` comes before `late`, and something is put before `against`. `numbers` and `names` are
    those written in it; `practised` is None without a practice.
    """

    words: View
    practised: View | None
    early: frozenset[str]
    late: frozenset[str]
    against: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]


@lru_cache(maxsize=65_536)  # the texts of a large notebook, 100 bytes each
def plain(text: str) -> str:
    """Take off what never changes a rule: case, spacing, and marks at the ends of words."""
    chunks = (chunk.strip(_EDGES) or chunk for chunk in text.casefold().split())
    return " ".join(chunks).strip(_EDGES)


def suspected(text: str) -> bool:
    """Whether a practice may be in a rule, judged by its concepts alone."""
    return any_practice({word.concept for word in words(text)})


def weights(text: str) -> dict[str, float]:
    """Give what a rule speaks of, and how much each concept says: the weights of its words."""
    found: dict[str, float] = {}
    for word in words(text):
        if word.weight > found.get(word.concept, 0.0):
            found[word.concept] = word.weight
    return found


@lru_cache(maxsize=16_384)  # those of a notebook that are like others
def sense(text: str) -> Sense:
    """Read a rule."""
    found = clauses(text)
    early, late = times(found)
    view = _view(text, found)
    written = words(text)
    return Sense(
        view,
        _practised(view, practised(found, early, late)),
        early,
        late,
        frozenset(word.concept for each in found if each.role == "other" for word in each.words),
        frozenset(word.concept for word in written if word.kind == "number"),
        frozenset(word.stem for word in written if word.kind == "name"),
    )


def _view(text: str, found: tuple[Clause, ...]) -> View:
    wanted: dict[str, Bits] = {}
    given: dict[str, Bits] = {}
    poles: dict[str, Bits] = {}
    for clause in found:
        signs, bit = (wanted if clause.firm else given), _BITS[clause.sign]
        for word in clause.words:
            signs[word.concept] = signs.get(word.concept, 0) | bit
            poles[word.concept] = poles.get(word.concept, 0) | _BITS[word.pole]
    return View(weights(text), wanted, given, poles)


def _practised(view: View, found: list[Practice]) -> View | None:
    if not found:
        return None
    gone = frozenset().union(*(each.concepts for each in found))
    return View(
        _without(view.weights, gone) | {each.name: _PRACTICE for each in found},
        _without(view.wanted, gone) | {each.name: _BITS[each.sign] for each in found},
        _without(view.given, gone),
        _without(view.poles, gone) | {each.name: _BITS[1] for each in found},
    )


def _without(table: Mapping[str, T], gone: frozenset[str]) -> dict[str, T]:
    return {concept: value for concept, value in table.items() if concept not in gone}
