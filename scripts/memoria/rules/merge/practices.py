"""The concepts of a rule -> the same with a well-known practice as one concept.

"Prevent SQL injection" and "bind values, never concatenate SQL" share no word; each of them
contains a phrasing of one practice, which takes the place of its words. What else a rule says
stays, and counts. The trap: a phrasing asks for its signs, too, all of them as they stand or, for
the opposite of the practice, all of them turned.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from memoria.rules.merge.polarity import clauses, times
from memoria.rules.synonyms.known_practices import PRACTICES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.rules.merge.polarity import Clause

# a concept as it stands in a rule: which end of it, and whether it is wanted
Signed = tuple[int, int]
# what a phrasing must tell by weight, or it would be in every second rule; a term may tell less
_TELLING, _TERM = 0.7, 0.6
_NAME = "practice "
# sums of weights are compared with this tolerance
DUST = 1e-9


class Practice(NamedTuple):
    """A practice in a rule: the concepts that speak of it; `sign` -1 where the rule forbids it."""

    name: str
    sign: int
    concepts: frozenset[str]


class _Phrasing(NamedTuple):
    """One way to put a practice; `early` and `late` where it says an order."""

    name: str
    concepts: Mapping[str, frozenset[Signed]]
    early: frozenset[str]
    late: frozenset[str]


def practised(
    found: Iterable[Clause], early: frozenset[str], late: frozenset[str]
) -> list[Practice]:
    """Give the practices in a rule, those of most concepts first; each concept serves one."""
    table, concepts = _table(), _signed(found)
    matches = [
        Practice(phrasing.name, sign, frozenset(phrasing.concepts))
        for concept in concepts
        for phrasing in table.get(concept, ())
        if (sign := _sign(concepts, phrasing.concepts)) and _in_order(phrasing, early, late)
    ]
    matches.sort(key=lambda each: (-len(each.concepts), each.name, each.sign))
    left, result = set(concepts), []
    for match in matches:
        if match.concepts <= left:
            left -= match.concepts
            result.append(match)
    return result


def any_practice(concepts: set[str]) -> bool:
    """Whether a rule of these concepts may have a practice in it; signs and order are not asked."""
    table = _table()
    return any(
        phrasing.concepts.keys() <= concepts
        for concept in concepts
        for phrasing in table.get(concept, ())
    )


def _sign(concepts: Mapping[str, frozenset[Signed]], asked: Mapping[str, frozenset[Signed]]) -> int:
    """1 where the signs are those of the phrasing, -1 where all are turned, 0 where they differ."""
    if not asked.keys() <= concepts.keys():
        return 0
    for turn in (1, -1):
        if all(
            concepts[each] & {(pole, sign * turn) for pole, sign in signs}
            for each, signs in asked.items()
        ):
            return turn
    return 0


def _in_order(phrasing: _Phrasing, early: frozenset[str], late: frozenset[str]) -> bool:
    """Whether a rule puts the concepts of a phrasing in its order, or neither knows one."""
    first = {end for end in early if end.removeprefix("-") in phrasing.concepts}
    second = {end for end in late if end.removeprefix("-") in phrasing.concepts}
    if not (first and second):
        return not (phrasing.early and phrasing.late)
    return bool(first & phrasing.early and second & phrasing.late)


def _signed(found: Iterable[Clause]) -> dict[str, frozenset[Signed]]:
    signs: dict[str, set[Signed]] = {}
    for clause in found:
        for word in clause.words:
            if word.weight or word.kind == "number":
                signs.setdefault(word.concept, set()).add((word.pole, clause.sign))
    return {concept: frozenset(each) for concept, each in signs.items()}


def is_practice(concept: str) -> bool:
    """Whether a concept is a practice, and not what a word means."""
    return concept.startswith(_NAME)


@cache
def phrasings() -> tuple[tuple[str, str], ...]:
    """Give the name of a practice and the words of a phrasing of it, for all of them."""
    return tuple(
        (f"{_NAME}{number}", text.strip())
        for number, line in enumerate(PRACTICES.replace("\n  ", " ").strip().splitlines())
        for text in line.split("|")
    )


@cache
def _table() -> Mapping[str, tuple[_Phrasing, ...]]:
    """Give the phrasings by that concept of each which the fewest of them have."""
    found = [
        phrasing for name, text in phrasings() if (phrasing := _phrasing(name, text)) is not None
    ]
    common: dict[str, int] = {}
    for phrasing in found:
        for concept in phrasing.concepts:
            common[concept] = common.get(concept, 0) + 1
    table: dict[str, list[_Phrasing]] = {}
    for phrasing in found:
        rarest = min(phrasing.concepts, key=lambda concept: (common[concept], concept))
        table.setdefault(rarest, []).append(phrasing)
    return {concept: tuple(each) for concept, each in table.items()}


def _phrasing(name: str, text: str) -> _Phrasing | None:
    found = clauses(text)
    concepts = _signed(found)
    weight = sum({word.concept: word.weight for each in found for word in each.words}.values())
    is_term = len(concepts) == 1 and " " in next(iter(concepts))
    enough = weight >= (_TERM if is_term else _TELLING) - DUST
    return _Phrasing(name, concepts, *times(found)) if enough else None
