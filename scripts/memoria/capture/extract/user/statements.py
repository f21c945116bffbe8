"""Transcript -> Statements: sentences in which the user said how work is to be done from now on.

Only the user's own words count, and a sentence is judged by what it says (`demand`) and by how it
was said: a rule is often told while stopping a tool call. Rules are rare, about one in seven
sessions; a detector that finds many is wrong. The trap: pasted reviews are full of "should"
and "never" and are not the user's words, and a tool can print the very line by which the client
announces them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from memoria.agents.claude_code.user_words import utterances
from memoria.agents.own_words import own_words
from memoria.capture.extract.user.demands import demand
from memoria.text.unicode import disguised
from memoria.vault.entry import Statement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.agents.claude_code.user_words import Utterance
    from memoria.agents.transcript import Transcript

FOUND = 2.4  # measured on 140 sessions of three teams: from here on three of four are lasting rules
WEAK = 1.7  # between WEAK and FOUND one of four is: worth showing to a person, not more

_LONGEST, _SHORTEST = 300, 8  # characters: what a rule's note takes
# said while refusing a tool call or in place of an offered answer: it is meant, and often lasting
_HOW = {"refusal": 1.0, "answer": 0.5}
# a message that is nothing but a lasting order was typed to be kept, whatever it is about
_ALONE = 1.3
# one that only says who must do what waits for a person
_OBLIGES = re.compile(
    r"(?:you|everyone|everybody|every|all|each|any|no)\b.{0,60}"
    r"\b(?:must|should|shall|ha(?:s|ve) to)\b",
    re.IGNORECASE,
)
_OBLIGED = 0.7
# (characters, weight): the longer a text, the more of it describes the product, or is pasted
_LENGTHS = ((1_500, -1.5), (600, -0.8))


def statements(transcript: Transcript) -> tuple[Statement, ...]:
    """Find what the user said about how things are to be done, in the order of time, each once.

    All score at least WEAK; those from FOUND on are candidates for rules.
    """
    found: dict[str, Statement] = {}
    for utterance in utterances(transcript):
        for one in _within(utterance):
            found.setdefault(one.text.casefold(), one)
    return tuple(found.values())


def statement(quote: str, *, bonus: float = 0.0, reasoned: bool = False) -> Statement:
    """Read one sentence of the user's as a rule; its score says whether it is one.

    `bonus` is for how it was said; `reasoned` says that the next sentence gives its reason.
    """
    found = demand(quote, reasoned=reasoned)
    score = round(found.score + bonus, 2)
    return Statement(found.text, quote, found.category, found.standing, score)


def _within(utterance: Utterance) -> Iterator[Statement]:
    text = own_words(utterance)
    bonus = _HOW.get(utterance.how, 0.0)
    bonus += next((weight for length, weight in _LENGTHS if len(text) > length), 0.0)
    quotes = sentences(text)
    for quote, following in pairwise([*quotes, ""]):
        if _SHORTEST <= len(quote) <= _LONGEST:
            found = statement(quote, bonus=bonus, reasoned=bool(_EXPLAINS.match(following)))
            if len(quotes) == 1 and "?" not in quote:
                found = replace(found, score=round(found.score + _alone(found), 2))
            if found.score >= WEAK and len(found.text) >= _SHORTEST and not disguised(found.text):
                yield found


def _alone(found: Statement) -> float:
    """Say what it adds that a sentence is all that was typed."""
    if found.standing:
        return _ALONE
    return _OBLIGED if _OBLIGES.match(found.quote) else 0.0


# the next sentence gives the reason of the one before it
_EXPLAINS = re.compile(
    r"(?:it|they|that|this|those|these|we|otherwise|because|since|too)\b(?:'?s| is| are)? ?.{0,20}"
    r"\b(?:too|slow|because|otherwise|ruins?|breaks?|wastes?|flaky|expensive|noisy|reason)\b",
    re.IGNORECASE,
)


# -- Sentences, with their exact words -------------------------------------------------------------

_END = re.compile(
    r"(?<=[.!?])[)\"'\u201d\u2019]*\s+(?=[^a-z\s])|(?<=[。\uff01\uff1f])|\n+|(?<=[a-z]{3}[.!?])\s+|\s+(?=\()"
)
_MARK = re.compile(r"(?:[-*+•]|\d{1,2}[.)])\s+|\s+")


def sentences(text: str) -> list[str]:
    """Part a text into sentences; list marks and surrounding space are outside."""
    return [text[start:end] for start, end in _sentences(text)]


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for border in [*_END.finditer(text), None]:
        end = border.start() if border else len(text)
        start = at
        while start < end and (mark := _MARK.match(text, start, end)):
            start = mark.end()
        stop = start + len(text[start:end].rstrip())
        if stop > start:
            yield start, stop
        at = border.end() if border else end
