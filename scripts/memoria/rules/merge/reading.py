"""Read what a rule says: what it speaks of, what of it is wanted, in which order, who does what.

It depends on the text alone, so that a pair of rules is judged the same whatever else is known.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from memoria.rules.merge import grammar
from memoria.rules.merge.clauses import clauses, times
from memoria.rules.merge.lexicon import lexicon, product_names
from memoria.rules.merge.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.rules.merge.clauses import Clause

_CODE = re.compile(r"`([^`\n]+)`")
_EDGES = "\"'`*_.,;:!?()[]{}\u2026\u2013\u2014\u201c\u201d\u2018\u2019 "
# signs or ends of a concept as bits: one may stand in a rule twice, wanted here and forbidden there
_BITS = {1: 1, -1: 2}


@lru_cache(maxsize=65_536)  # the texts of a large notebook, 100 bytes each
def plain(text: str) -> str:
    """Take off what never changes a rule: case, spacing, and marks at the ends of words."""
    chunks = (chunk.strip(_EDGES) or chunk for chunk in text.casefold().split())
    return " ".join(chunks).strip(_EDGES)


@lru_cache(maxsize=16_384)  # the rules of a notebook
def reading(text: str) -> Reading:
    """Read a rule."""
    return Reading(text)


class Reading:
    """What a rule says.

    `things` are its concepts with the end that is meant, `names` products, `code` what stands in
    backticks, `links` the words between. What only a rule that is like another is asked for, the
    signs of its concepts and the places of its things, is worked out when it is asked for.
    """

    def __init__(self, text: str) -> None:
        read = words(text)
        things = [word for word in read if word.kind == "thing"]
        numbers = [word.concept for word in read if word.kind == "number"]
        self._all = read
        self.words = [word for word in read if word.kind != "stop"]
        self.concepts = frozenset(word.concept for word in things)
        self.things = frozenset(word.end for word in things)
        self.names = frozenset(word.concept for word in things if word.stem in product_names())
        self.numbers = tuple(sorted(numbers))
        self.links = frozenset(word.concept for word in read if word.kind == "link")
        self.code = frozenset(_CODE.findall(text))

    @cached_property
    def _clauses(self) -> list[Clause]:
        return clauses(self._all)

    @cached_property
    def signs(self) -> dict[str, int]:
        """Give whether each concept is asked for, forbidden or both, as bits.

        What is asked for and the cases and times in which it holds are two: the latter have a "?".
        """
        return _bits(
            (word.concept if part.is_firm else f"{word.concept}?", part.sign)
            for part in self._clauses
            for word in part.words
        )

    @cached_property
    def ends(self) -> dict[str, int]:
        """Give which end of each concept is wanted: to avoid large ones is to keep them small."""
        turned = lexicon().complements
        return _bits(
            (word.concept, word.pole * (part.sign if word.concept in turned else 1))
            for part in self._clauses
            for word in part.words
        )

    @cached_property
    def times(self) -> tuple[frozenset[str], frozenset[str]]:
        """Give what comes first and what comes later."""
        return times(self._clauses)

    @cached_property
    def places(self) -> dict[str, frozenset[str]]:
        """Give what stands after each preposition, up to the next word that is no thing."""
        places: dict[str, set[str]] = {}
        preposition = ""
        for word in self._all:
            if word.kind == "thing" and preposition:
                places.setdefault(preposition, set()).add(word.end)
            elif word.kind != "thing" and (
                word.kind != "link" or word.concept not in grammar.ARTICLES
            ):
                preposition = grammar.PREPOSITIONS.get(word.concept, "")
        return {place: frozenset(ends) for place, ends in places.items()}


def _bits(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    bits: dict[str, int] = {}
    for concept, sign in pairs:
        bits[concept] = bits.get(concept, 0) | _BITS[sign]
    return bits
