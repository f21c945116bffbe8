"""Read the tables of synonyms: what a word or a phrase means, and which end of it.

A concept is a group of the tables, or the stem of a word that is in none. Phrases are sequences of
stems, the longest first. The tables are read at first use, since most commands merge nothing.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from memoria.text.lazy_patterns import lazy_pattern
from memoria.text.stems import stem

if TYPE_CHECKING:
    from collections.abc import Mapping

# what stands between blanks is one word, but hyphens part words; not those of flags and files
_HYPHEN = lazy_pattern(r"(?<=\w)-(?=\w)")
_WHOLE = lazy_pattern(r"--\S+|\S+\.\w+")
# head: same, same / opposite, or with a ~ before opposites that a negation turns into the first
_GROUP = lazy_pattern(r"([^:]*):(.*?)(?: ([/~]) ?(.*))?")


class Meaning(NamedTuple):
    """A concept, and which end of it: 1, or -1 for a word of the opposite."""

    concept: str
    pole: int


class Lexicon(NamedTuple):
    """What words and phrases mean, by their stems.

    `longest` is the size of the longest phrase that begins with a stem, and `complements` are the
    concepts whose ends a negation exchanges.
    """

    meanings: Mapping[tuple[str, ...], Meaning]
    longest: Mapping[str, int]
    complements: frozenset[str]


def stems(phrase: str) -> tuple[str, ...]:
    """Give the stems of a phrase."""
    low = phrase.lower()
    if low.isalpha():  # as nearly all are
        return (stem(low),)
    if _WHOLE.fullmatch(low):
        return (low,)
    parts = _HYPHEN.sub(" ", low).split()
    return tuple(stem(part) if part.isalpha() else part for part in parts)


@cache
def lexicon() -> Lexicon:
    """Read the tables; where two lines claim a word, the first one has it."""
    meanings: dict[tuple[str, ...], Meaning] = {}
    longest: dict[str, int] = {}
    complements: set[str] = set()
    for line in _lines("synonyms.txt"):
        head, same, mark, opposite = _GROUP.fullmatch(line).groups("")  # type: ignore[union-attr]  # fits any line
        complements |= {head} if mark == "~" else set()
        for pole, entries in ((1, f"{head},{same}"), (-1, opposite)):
            for entry in _parted(entries):
                parts = stems(entry)
                meanings.setdefault(parts, Meaning(head, pole))
                longest[parts[0]] = max(len(parts), longest.get(parts[0], 0))
    return Lexicon(meanings, longest, frozenset(complements))


@cache
def product_names() -> frozenset[str]:
    """Give the stems of names of languages, tools, services and days."""
    return frozenset(
        " ".join(stems(entry)) for line in _lines("names.txt") for entry in _parted(line)
    )


def _parted(entries: str) -> list[str]:
    return [entry.strip() for entry in entries.split(",") if entry.strip()]


def _lines(name: str) -> list[str]:
    return [line for line in _table(name).splitlines() if line and line[0] not in "#["]


@cache
def _table(name: str) -> str:
    data = pkgutil.get_data("memoria.rules.merge", name) or b""
    return data.decode("utf-8")
