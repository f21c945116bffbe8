"""Find the rules whose occasion came up in a session, and say how each went.

An occasion is there when what a rule speaks of was at hand: most of the weight of its words stands
in the commands, files and mistakes of the session. It went badly when one of the mistakes, or a
correction by the user, speaks of the rule in the same way; else it went well. That is asked of
rules that were shown and of those that were withheld alike, or the comparison would be none. Words
match by chance, so a rule needs two of its words, and half of its weight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoria.text.word_overlap import coverage, shares, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# of a rule's weight: below the half of it, most of what it speaks of was not there
_AT_HAND = 0.5
# words: one alone ("test") is at hand in every session
_WORDS = 2


class Doing(NamedTuple):
    """What a session did: the words of its commands and files, and of each of its mistakes."""

    words: frozenset[str]
    mistakes: tuple[frozenset[str], ...]


def doing(texts: Iterable[str], mistakes: Iterable[str]) -> Doing:
    """Read commands, file names and what the user asked; and the lines of what went wrong."""
    wrong = tuple(frozenset(terms(text)) for text in mistakes)
    words = frozenset(word for text in texts for word in terms(text))
    return Doing(words.union(*wrong), wrong)


def occasions(
    rules: Mapping[str, str], done: Doing, weights: Mapping[str, float]
) -> dict[str, bool]:
    """Say of each rule (id -> text) whose occasion came up whether it went well.

    `weights` say how rare a word is among the rules of the vault (`likeness.rarity`).
    """
    verdicts: dict[str, bool] = {}
    for name, text in rules.items():
        parts = shares(terms(text), weights)
        if _is_at_hand(parts, done.words):
            verdicts[name] = not any(_is_at_hand(parts, mistake) for mistake in done.mistakes)
    return verdicts


def _is_at_hand(parts: Mapping[str, float], words: frozenset[str]) -> bool:
    there = [word for word in parts if word in words]
    few = len(there) < min(_WORDS, len(parts))
    return bool(there) and not few and coverage(parts, dict.fromkeys(there, 1.0)) >= _AT_HAND
