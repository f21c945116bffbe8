"""A rule's text -> its Words in their order, with phrases read as one.

Everything that later decides whether two rules are one reads these. The trap: a phrase is a phrase
in reverse, too ("components should be functional"), but not wherever its words meet.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from memoria.rules.merge.words import Word, chunk, meant, roles
from memoria.rules.synonyms.lookup import Meaning, lexicon

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memoria.rules.synonyms.lookup import Phrase

_BOUNDS = {"under": 1, "below": 1, "within": 1, "over": -1, "above": -1, "beyond": -1}
# what may stand between the words of a phrase in reverse, and how many words that may be
_BRIDGES = frozenset({"be", "should", "must", "of", "the", "a", "an", "all"})
_REACH = 3
# code whose name says what it does
_SAYINGS = (
    ("import *", "wildcard import"),
    ("SELECT *", "select all columns"),
    ("select *", "select all columns"),
    ("N + 1", "n+1"),
    ("`any`", "any type"),
)


@lru_cache(maxsize=4_096)  # a text is looked at a few times in a row
def words(text: str) -> tuple[Word, ...]:
    """Give the words of a text."""
    for code, saying in _SAYINGS:
        if code in text:
            text = text.replace(f"`{code}`", saying).replace(code, saying)
    found: list[Word] = []
    for written in text.split():
        found += chunk(written)
    return tuple(_turned(_denied(_bounded(_phrased(_attributed(found))))))


def spelled(text: str) -> frozenset[str]:
    """Give the stems of the words that name something, those of phrases one by one."""
    named = (word.stem for word in words(text) if word.kind not in {"link", "stop"})
    return frozenset(part for whole in named for part in whole.split())


def _attributed(found: list[Word]) -> list[Word]:
    """Read "required parameters" as a kind of them; "reviews are required" asks for reviews."""
    for at, word in enumerate(found[:-1]):
        before = found[at - 1].concept if at else ""
        if word.surface == "required" and found[at + 1].kind == "thing" and before != "be":
            found[at] = meant(word.stem, Meaning("optional", -1))
    return found


def _phrased(found: list[Word]) -> list[Word]:
    """Find phrases, the longest first."""
    phrases, last = lexicon().phrases, len(found) - 1
    result: list[Word] = []
    at = 0
    while at < last:
        word, step = found[at], 1
        for phrase in phrases.get((word.stem, found[at + 1].stem), ()):
            size = len(phrase.stems)
            if tuple(each.stem for each in found[at : at + size]) == phrase.stems:
                meaning = _phrase(phrase)
                word, step = meaning._replace(verb=word.verb, surface=word.surface), size
                break
        result.append(word)
        at += step
    return result + found[at:]


@cache
def _phrase(phrase: Phrase) -> Word:
    return meant(" ".join(phrase.stems), phrase.meaning)


def _bounded(found: list[Word]) -> list[Word]:
    """Read "under 50" and "over 50" as limits; elsewhere these words tell a place."""
    for at, word in enumerate(found):
        before = found[at - 1] if at else word
        if word.kind == "number" and before.concept in _BOUNDS:
            found[at - 1] = meant(before.stem, Meaning("limit", _BOUNDS[before.concept]))
    return found


def _denied(found: list[Word]) -> list[Word]:
    """Read "stop using" and "free of" as negations."""
    for at, word in enumerate(found[:-1]):
        if word.stem == "stop" and found[at + 1].surface.endswith("ing"):
            found[at] = Word("stop", "not", "stop")
        elif word.surface == "free" and found[at + 1].concept in {"of", "from"}:
            found[at] = Word("free", "not", "free")
    return found


def _turned(found: list[Word]) -> list[Word]:
    """Find phrases of two words in reverse: "components should be functional"."""
    pairs, firsts = _pairs()
    if all(word.stem not in firsts for word in found[1:]):
        return found
    result: list[Word] = []
    for word in found:
        before = _across(result) if word.stem in firsts else None
        phrase = pairs.get((word.stem, result[before].stem)) if before is not None else None
        if before is not None and phrase is not None and not result[before].verb:
            result[before] = _phrase(phrase)
        else:
            result.append(word)
    return result


def _across(found: list[Word]) -> int | None:
    """Give the place of the last thing, if nothing but a bridge of a phrase follows it."""
    for at in range(len(found) - 1, max(-1, len(found) - 1 - _REACH), -1):
        if found[at].kind not in {"link", "act"} or found[at].concept not in _BRIDGES:
            return at if at < len(found) - 1 and found[at].kind == "thing" else None
    return None


@cache
def _pairs() -> tuple[Mapping[tuple[str, ...], Phrase], frozenset[str]]:
    """Give the phrases of two things, and the first word of each."""
    pairs = {
        phrase.stems: phrase
        for phrases in lexicon().phrases.values()
        for phrase in phrases
        if len(phrase.stems) == len(("adjective", "noun"))
        and not roles().keys() & set(phrase.stems)
    }
    return pairs, frozenset(first for first, _ in pairs)
