"""Read the tables of synonyms: what a word or a phrase means, and which end of it.

A concept is a group of the tables, or the stem of a word that is in none. Phrases are sequences of
stems, the longest first. The tables are read at first use, since most commands merge nothing.
"""

from __future__ import annotations

import pkgutil
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from memoria.rules.merge.grammar import HAVING, LACKING, LINKS, MAKING, NEGATIONS
from memoria.text.stems import stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# what stands between blanks is one word, but hyphens part words; not those of flags and files
_HYPHEN = re.compile(r"(?<=\w)-(?=\w)")
_WHOLE = re.compile(r"--\S+|\S+\.\w+")
_WORD = re.compile(r"[^\W_]{3,}")


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

    `complements` are the concepts whose ends a negation exchanges.
    """

    words: Mapping[str, Meaning]
    phrases: Mapping[tuple[str, str], tuple[Phrase, ...]]
    complements: frozenset[str]


class _Group(NamedTuple):
    """A line of the tables: its section, its first entry, and all entries with their ends."""

    section: str
    head: str
    is_complement: bool
    entries: tuple[tuple[int, str], ...]


def stems(phrase: str) -> tuple[str, ...]:
    """Give the stems of a phrase."""
    low = phrase.lower()
    if _WHOLE.fullmatch(low):
        return (low,)
    parts = _HYPHEN.sub(" ", low).split()
    return tuple(stem(part) if part.isalpha() else part for part in parts)


@cache
def lexicon() -> Lexicon:
    """Read the tables; where two lines claim a word, the first one has it."""
    words: dict[str, Meaning] = {}
    phrases: dict[tuple[str, str], dict[tuple[str, ...], Meaning]] = {}
    for group in _groups():
        for pole, entry in group.entries:
            parts, meaning = stems(entry), Meaning(group.head, pole)
            if len(parts) > 1:
                phrases.setdefault((parts[0], parts[1]), {}).setdefault(parts, meaning)
                continue
            words.setdefault(parts[0], meaning)
    ordered = {first: _longest_first(known) for first, known in phrases.items()}
    complements = frozenset(group.head for group in _groups() if group.is_complement)
    return Lexicon(words, ordered, complements)


def _longest_first(known: Mapping[tuple[str, ...], Meaning]) -> tuple[Phrase, ...]:
    phrases = [Phrase(*item) for item in known.items()]
    return tuple(sorted(phrases, key=lambda phrase: (-len(phrase.stems), phrase.stems)))


@cache
def _groups() -> tuple[_Group, ...]:
    return tuple(_read_groups(_table("synonyms.txt")))


def _read_groups(table: str) -> Iterator[_Group]:
    section = ""
    for line in table.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            yield _group(section, line)


def _group(section: str, line: str) -> _Group:
    head, _, rest = line.partition(":")
    mark = next((sign for sign in "/~" if f" {sign} " in f"{rest} "), "")
    same, _, opposite = f"{rest} ".partition(f" {mark} ") if mark else (rest, "", "")
    entries = [(1, head), *((1, word) for word in same.split(","))]
    entries += [(-1, word) for word in opposite.split(",")]
    kept = tuple((pole, word.strip()) for pole, word in entries if word.strip())
    return _Group(section, head, mark == "~", kept)


@cache
def product_names() -> frozenset[str]:
    """Give the stems of names of languages, tools, services and days."""
    lines = _table("names.txt").splitlines()
    entries = (entry.strip() for line in lines if line[:1] != "#" for entry in line.split(","))
    return frozenset(" ".join(stems(entry)) for entry in entries if entry)


def everyday_words() -> frozenset[str]:
    """Give the words that tell nothing of a text: verbs, qualities, grammar, common concepts."""
    texts = [HAVING, LACKING, LINKS, MAKING, NEGATIONS]
    texts += [
        entry
        for group in _groups()
        if group.section in {"actions", "qualities"}
        for _, entry in group.entries
    ]
    return frozenset(word for text in texts for word in _WORD.findall(text.casefold()))


@cache
def _table(name: str) -> str:
    data = pkgutil.get_data("memoria.rules.merge", name) or b""
    return data.decode("utf-8")
