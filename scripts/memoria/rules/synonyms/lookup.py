"""Tables of synonyms -> what a word or a phrase of a rule means: its concept, and which pole of it.

A concept is a group of the tables, or the stem of a word that is in none. Phrases are matched as
sequences of stems, the longest first. The tables are read at first use, since most commands never
merge anything.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from memoria.rules.synonyms.acronyms import ACRONYMS
from memoria.rules.synonyms.actions import ACTIONS
from memoria.rules.synonyms.qualities import QUALITIES
from memoria.rules.synonyms.things import THINGS
from memoria.text.stems import stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Meaning(NamedTuple):
    """A concept, and which end of it: 1, or -1 for a word of the opposite."""

    concept: str
    pole: int


class Phrase(NamedTuple):
    """The stems of a phrase, and what they mean together."""

    stems: tuple[str, ...]
    meaning: Meaning


class Lexicon(NamedTuple):
    """Meanings of stems; phrases by their first two stems, long ones first.

    `verbs` are the stems of actions, `complements` the concepts whose poles a negation exchanges.
    """

    words: Mapping[str, Meaning]
    phrases: Mapping[tuple[str, str], tuple[Phrase, ...]]
    verbs: frozenset[str]
    complements: frozenset[str]


# a table's entry may hold a file name, a flag or an "n+1": what stands between blanks is one word
_PARTS = re.compile(r"(?<=\w)-(?=\w)")
# flags and file names keep their hyphens
_WHOLE = re.compile(r"--\S+|\S+\.\w+")


def stems(phrase: str) -> tuple[str, ...]:
    """Give the stems of a phrase; hyphens part words."""
    low = phrase.lower()
    if _WHOLE.fullmatch(low):
        return (low,)
    return tuple(stem(part) if part.isalpha() else part for part in _PARTS.sub(" ", low).split())


@cache
def lexicon() -> Lexicon:
    """Read the tables; where two of them claim a word, the first one has it."""
    words: dict[str, Meaning] = {}
    phrases: dict[tuple[str, str], dict[tuple[str, ...], Meaning]] = {}
    verbs, complements = set(), set()
    for table in (ACTIONS, THINGS, QUALITIES, ACRONYMS):
        for head, mark, poles in _groups(table):
            if mark == "~":
                complements.add(head)
            for pole, entry in poles:
                parts = stems(entry)
                if len(parts) == 1:
                    verbs |= {parts[0]} if table is ACTIONS else set()
                    words.setdefault(parts[0], Meaning(head, pole))
                else:
                    phrases.setdefault((parts[0], parts[1]), {}).setdefault(
                        parts, Meaning(head, pole)
                    )
    ordered = {
        first: tuple(sorted((Phrase(*item) for item in found.items()), key=_longest))
        for first, found in phrases.items()
    }
    return Lexicon(words, ordered, frozenset(verbs), frozenset(complements))


def _longest(phrase: Phrase) -> tuple[int, tuple[str, ...]]:
    return -len(phrase.stems), phrase.stems


def _groups(table: str) -> Iterator[tuple[str, str, list[tuple[int, str]]]]:
    """Give each group's head, the mark before its opposites, and its entries with their poles."""
    for line in table.replace("\n  ", " ").strip().splitlines():
        head, _, rest = line.partition(":")
        mark = next((sign for sign in "/~" if f" {sign} " in f"{rest} "), "")
        same, _, opposite = f"{rest} ".partition(f" {mark} ") if mark else (rest, "", "")
        entries = [(1, head), *((1, word) for word in same.split(","))]
        entries += [(-1, word) for word in opposite.split(",")]
        yield head, mark, [(pole, word.strip()) for pole, word in entries if word.strip()]
