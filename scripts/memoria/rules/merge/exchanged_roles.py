"""Two rules' words -> whether they exchange the parts of two things: "X calls Y" and "Y calls X".

Such rules share all of their words and all of their signs. Three things are looked at: what stands
after the same preposition, what stands on which side of the same verb, and which noun qualifies
which. The trap: a passive turns the sides without turning the meaning.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from memoria.rules.merge.phrases import words
from memoria.rules.synonyms.lookup import lexicon

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memoria.rules.merge.words import Word

# prepositions of one direction
_DIRECTIONS = {
    "to": "to", "into": "to", "onto": "to", "from": "from", "for": "for",
    "on": "on", "with": "with", "against": "with", "per": "per",
}  # fmt: skip
_ALL = frozenset({"all", "every", "each", "any"})
_PARTS = frozenset({"first", "last", "single"})
_AND = frozenset({"and", "or"})
_ARTICLES = frozenset({"the", "a", "an", "of", "those"})
_MODAL = frozenset({"should", "must", "may", "can", "shall", "will", "then", "also", "only"})
_CONJUNCTIONS = frozenset(
    "before after when if while until unless because since once and or but then where so".split()  # noqa: SIM905 - a list of words is read as text
)

Sides = tuple[frozenset[str], frozenset[str]]
_NOWHERE: Sides = (frozenset(), frozenset())


class Roles(NamedTuple):
    """Who does what.

    `towards` holds by preposition what follows it and what does not, `around` by verb what stands
    before and after it, `deeds` by thing what is done to it, `kinds` by noun what qualifies it.
    `every` is meant wholly, `only` alone; `concepts` are all that the rule speaks of.
    """

    towards: Mapping[str, Sides]
    around: Mapping[str, Sides]
    deeds: Mapping[str, frozenset[str]]
    kinds: Mapping[str, frozenset[str]]
    every: frozenset[str]
    only: frozenset[str]
    concepts: frozenset[str]


@lru_cache(maxsize=16_384)  # as many as `sense` keeps
def roles(text: str) -> Roles:
    """Read the parts that the things of a rule play."""
    found = words(text)
    return Roles(
        _towards(found),
        _around(found),
        _deeds(found),
        _kinds(found),
        _after(found, _ALL),
        _after(found, {"only"}),
        _concepts(found),
    )


def crossed(one: Roles, other: Roles) -> bool:
    """Whether two rules give the same parts to exchanged things; symmetric."""
    for mine, theirs in ((one.towards, other.towards), (one.around, other.around)):
        if any(_exchanged(mine[each], theirs[each]) for each in mine.keys() & theirs.keys()):
            return True
    return (
        _reassigned(one.kinds, other.kinds, one, other)
        or _reassigned(one.deeds, other.deeds, one, other)
        or _there_and_back(one, other)
        or _there_and_back(other, one)
    )


def _there_and_back(one: Roles, other: Roles) -> bool:
    """Whether something comes from where in the other rule it goes to: "read from", "write to"."""
    if "from" not in one.towards or "to" not in other.towards:
        return False
    source, target = one.towards["from"][0], other.towards["to"][0]
    known = one.towards.get("to", _NOWHERE)[0] | other.towards.get("from", _NOWHERE)[0]
    return bool((source & target) - known)


def limited(one: Roles, other: Roles) -> bool:
    """Whether one means all of what the other means some only, or the first, or a single one."""
    for mine, theirs in ((one, other), (other, one)):
        if (mine.every & theirs.only) - mine.only - theirs.every:
            return True
        if mine.every and not theirs.every and (theirs.concepts - mine.concepts) & _PARTS:
            return True
    return False


def _exchanged(one: Sides, other: Sides) -> bool:
    first, second = one[0] - one[1], one[1] - one[0]
    return bool(first & (other[1] - other[0]) and second & (other[0] - other[1]))


def _reassigned(
    mine: Mapping[str, frozenset[str]],
    theirs: Mapping[str, frozenset[str]],
    one: Roles,
    other: Roles,
) -> bool:
    """Whether a thing goes with a word in one rule that goes with another thing in the other."""
    return any(
        not mine[thing] & theirs[thing]
        and mine[thing] & other.concepts
        and theirs[thing] & one.concepts
        for thing in mine.keys() & theirs.keys()
    )


def _towards(found: tuple[Word, ...]) -> dict[str, Sides]:
    """Give what follows the prepositions of a direction up to the next word that is no thing."""
    everything = _concepts(found)
    objects: dict[str, set[str]] = {}
    direction = ""
    for word in found:
        if word.kind == "link" and word.concept in _ARTICLES | _ALL | _AND:
            continue
        if word.kind in {"thing", "name"}:
            objects.setdefault(direction, set()).add(word.end)
        else:
            direction = _DIRECTIONS.get(word.concept, "") if word.kind == "link" else ""
    objects.pop("", None)
    return {each: (frozenset(after), everything - after) for each, after in objects.items()}


def _around(found: tuple[Word, ...]) -> dict[str, Sides]:
    """Give what stands before and after each verb of a clause; a passive's agent is before it."""
    sides: dict[str, Sides] = {}
    passive = any(word.concept == "by" for word in found)
    for clause in _runs(found):
        for at, word in enumerate(clause):
            if _is_verb(word, clause[at - 1] if at else None):
                before, after = _concepts(clause[:at]), _concepts(clause[at + 1 :])
                turned = passive and word.surface.endswith(("ed", "en", "t"))
                sides[word.end] = (after, before) if turned else (before, after)
    return sides


def _runs(found: tuple[Word, ...]) -> Iterator[list[Word]]:
    """Part words where a comma or a conjunction ends a clause."""
    run: list[Word] = []
    for word in found:
        if word.kind == "stop" or (word.kind == "link" and word.concept in _CONJUNCTIONS):
            yield run
            run = []
        else:
            run.append(word)
    yield run


def _deeds(found: tuple[Word, ...]) -> dict[str, frozenset[str]]:
    """Give what is done to a thing in its clause: "validate at the edge, trust inside"."""
    deeds: dict[str, frozenset[str]] = {}
    pending: frozenset[str] = frozenset()
    for clause in _runs(found):
        verbs = pending | {word.end for word in clause if word.stem in lexicon().verbs}
        things = _concepts(clause) - verbs
        # of "lint and format code" both verbs have the object of the last
        pending = frozenset() if things else verbs
        deeds |= {thing: deeds.get(thing, frozenset()) | verbs for thing in things}
    return {thing: each for thing, each in deeds.items() if each}


def _is_verb(word: Word, before: Word | None) -> bool:
    """Whether a word that can be a verb is one here: no article or preposition leads it."""
    if word.stem not in lexicon().verbs or word.surface.endswith(("ing", "ion")):
        return False
    return before is None or before.kind != "link" or before.concept in _MODAL


def _kinds(found: tuple[Word, ...]) -> dict[str, frozenset[str]]:
    """Give the words that stand right before a noun, and are no order: "unit and load tests"."""
    kinds: dict[str, frozenset[str]] = {}
    for at, (word, after) in enumerate(pairwise(found)):
        if word.kind == after.kind == "thing":
            listed = _listed(found[: at + 1])
            own = {each.end for each in listed if each.stem not in lexicon().verbs}
            kinds[after.end] = kinds.get(after.end, frozenset()) | own | kinds.get(word.end, own)
    return {noun: each for noun, each in kinds.items() if each}


def _listed(found: tuple[Word, ...]) -> Iterator[Word]:
    """Give the last word and those that an "and" or "or" joins to it."""
    yield found[-1]
    at = len(found) - 2
    while at > 0 and found[at].kind == "link" and found[at].concept in _AND:
        yield found[at - 1]
        at -= 2


def _after(found: tuple[Word, ...], quantifiers: Iterable[str]) -> frozenset[str]:
    return frozenset(_quantified(found, frozenset(quantifiers)))


def _quantified(found: tuple[Word, ...], quantifiers: frozenset[str]) -> Iterator[str]:
    asked = False
    for word in found:
        if word.kind == "link" and word.concept in quantifiers:
            asked = True
        elif word.kind == "thing" and asked:
            yield word.end
            asked = False
        elif not (word.kind == "link" and word.concept in _ARTICLES):
            asked = False


def _concepts(found: Iterable[Word]) -> frozenset[str]:
    return frozenset(word.end for word in found if word.kind in {"thing", "name"})
