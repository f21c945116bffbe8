"""Two rules -> the name of what forbids to merge them, or "": a difference that no score outweighs.

polarity: one wants what the other forbids. order: one wants it before, the other after. number,
name: they differ in one, as versions, paths, tools and days. role: they exchange two parts, or mean
another kind of the same (client and server, unit test and integration test). The trap: a veto must
not ask how alike the rules are, or a better embedding would argue it away.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from memoria.rules.merge.exchanged_roles import crossed, limited, roles
from memoria.rules.merge.phrases import words
from memoria.rules.merge.sense import sense
from memoria.rules.synonyms.lookup import lexicon
from memoria.rules.synonyms.rivals import implied, names, rivals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memoria.rules.merge.sense import Bits, Sense, View
    from memoria.rules.merge.words import Word

Veto = Literal["", "polarity", "order", "number", "name", "role"]
# who says these of a thing asks for the opposite of who says nothing of the kind
_DAMAGE = frozenset({"fail", "violat", "corrupt", "damag", "swallow", "circumvent", "forbid"})
# what stands beside a negation and goes with it: "you must not", "do not ever", "avoid using"
_AROUND_NOT = frozenset(
    "do must should shall will can may you we please always ever use using used to the a be".split()  # noqa: SIM905 - a list of words is read as text
)
# links that say the opposite of each other
_OPPOSED = frozenset(
    map(
        frozenset,
        (
            ("before", "after"),
            ("until", "after"),
            ("to", "from"),
            ("on", "off"),
            ("in", "out"),
            ("up", "down"),
            ("over", "under"),
            ("more", "less"),
            ("most", "least"),
            ("for", "against"),
            ("inside", "outside"),
            ("with", "against"),
        ),
    )
)


def veto(one: str, other: str, views: tuple[View, View] | None = None) -> Veto:
    """Say what keeps two rules apart; the answer is the same in either order.

    `views` are those by which the rules are alike, their words if none are given.
    """
    mine, theirs = sense(one), sense(other)
    first, second = views or (mine.words, theirs.words)
    roles_of = roles(one), roles(other)
    found: dict[Veto, bool] = {
        "polarity": _opposed(first, second) or limited(*roles_of) or _denied(one, other),
        "order": _reordered(mine, theirs) or _swapped(one, other),
        "number": mine.numbers != theirs.numbers,
        "name": _renamed(mine, theirs, first, second),
        "role": _exchanged(mine, theirs, first, second) or crossed(*roles_of),
    }
    return next((name for name, stands in found.items() if stands), "")


def _opposed(one: View, other: View) -> bool:
    """Whether one wants what the other does not; "avoid big" and "keep small" agree."""
    turned: list[str] = []
    ends: list[str] = []
    for concept in one.weights.keys() & other.weights.keys():
        sign = _differ(one.wanted, other.wanted, concept) or _differ(
            one.given, other.given, concept
        )
        pole = not one.poles[concept] & other.poles[concept]
        if pole and not (sign and concept in lexicon().complements):
            return True
        (ends if pole else turned if sign else []).append(concept)
    damage = one.weights.keys() ^ other.weights.keys()
    return len(ends) > 1 or bool(turned and not ends) or bool(damage & _DAMAGE)


def _differ(one: Mapping[str, Bits], other: Mapping[str, Bits], concept: str) -> bool:
    return concept in one and concept in other and not one[concept] & other[concept]


def _reordered(one: Sense, other: Sense) -> bool:
    first, second = one.early - one.late, one.late - one.early
    return bool(first & (other.late - other.early) and second & (other.early - other.late))


def _renamed(one: Sense, other: Sense, first: View, second: View) -> bool:
    if one.names - other.names and other.names - one.names:
        return True
    return _names_more(other, first, second) or _names_more(one, second, first)


def _names_more(other: Sense, first: View, second: View) -> bool:
    """Whether the first names a tool or a language that the other neither names nor implies."""
    known = other.words.weights.keys()
    extra = (first.weights.keys() - second.weights.keys()) & names()
    return any(not implied().get(name, frozenset()) & known for name in extra)


def _exchanged(one: Sense, other: Sense, first: View, second: View) -> bool:
    if one.against and other.against and not one.against & other.against:
        return True
    kinds = rivals()
    mine, theirs = _apart(first, second)
    lines = {line for concept in mine for line in kinds.get(concept, ())}
    return any(lines & kinds.get(concept, frozenset()) for concept in theirs)


def _apart(one: View, other: View) -> tuple[set[str], set[str]]:
    """Give the concepts that only one of two rules has."""
    return (
        set(one.weights.keys() - other.weights.keys()),
        set(other.weights.keys() - one.weights.keys()),
    )


def _denied(one: str, other: str) -> bool:
    """Whether one is the other with a negation more, word for word."""
    mine, theirs = words(one), words(other)
    if _negations(mine) % 2 == _negations(theirs) % 2:
        return False
    return _rest(mine) == _rest(theirs)


def _swapped(one: str, other: str) -> bool:
    """Whether the same words stand around a link and its opposite: "before it", "after it"."""
    mine, theirs = Counter(_rest(words(one))), Counter(_rest(words(other)))
    pair = (*(mine - theirs).elements(), *(theirs - mine).elements())
    return frozenset(pair) in _OPPOSED


def _negations(found: tuple[Word, ...]) -> int:
    return sum(word.kind == "not" for word in found)


def _rest(found: tuple[Word, ...]) -> list[str]:
    """Give the words but for negations and what goes with them."""
    return sorted(
        word.concept if word.kind == "link" else word.stem
        for word in found
        if word.kind not in {"not", "stop"} and word.concept not in _AROUND_NOT
    )
