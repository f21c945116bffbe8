"""What a model quotes as the user's words -> Statements whose quotes the user really said.

A rule may only rest on the user, and a page that a model read can lead it to put words into the
user's mouth: so every quote is looked up in the user's own utterances, and what is not there is
dropped. What the user pasted (a review, a log, a plan) does not count as said. The trap: a true
quote may be cut out of "do not always push to main", so the whole sentence is what is judged.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from memoria.agents.claude_code.user_words import utterances
from memoria.agents.own_words import own_words
from memoria.capture.extract.user.statements import statements

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.agents.transcript import Transcript
    from memoria.vault.entry import Statement

# characters: "yes" or "ok" would be found anywhere; what a rule's note does not take is no rule
_SHORTEST, _LONGEST = 12, 300
_BORDER = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_MARK = re.compile(r"(?:[-*+\u2022]|\d{1,2}[.)])\s+")


def verified(claimed: Iterable[Statement], transcript: Transcript) -> tuple[Statement, ...]:
    """Keep the statements whose quote stands in what the user said; score them by these words.

    The quote becomes the whole sentence it was taken from, or sentences.
    """
    said = [_sentences(own_words(found)) for found in utterances(transcript)]
    read = statements(transcript)
    kept = []
    for claim in claimed:
        quote = next(filter(None, (_whole(claim.quote, sentences) for sentences in said)), "")
        if quote:
            standing, score = _judged(quote, read)
            kept.append(replace(claim, quote=quote, standing=standing, score=score))
    return tuple(kept)


def _judged(quote: str, read: Iterable[Statement]) -> tuple[bool, float]:
    """Say whether a quote lasts, and how sure that is, by what stood around it when it was said."""
    inside = [one for one in read if one.quote.casefold() in quote.casefold()]
    best = max(inside, key=lambda one: one.score, default=None)
    if best is None:
        return False, 0.0
    return best.standing and len(quote) <= _LONGEST, best.score


def _sentences(text: str) -> list[str]:
    parts = (_MARK.sub("", part.strip(), count=1) for part in _BORDER.split(text))
    return [" ".join(part.split()) for part in parts if part.strip()]


def _whole(quote: str, sentences: list[str]) -> str:
    """Give the sentences that a quote stands in, "" where it does not."""
    wanted = " ".join(_sentences(quote)).casefold()
    folded = [sentence.casefold() for sentence in sentences]
    at = " ".join(folded).find(wanted)
    if len(wanted) < _SHORTEST or at < 0:
        return ""
    # where each sentence ends, with the space behind it
    ends = list(accumulate(len(sentence) + 1 for sentence in folded))
    first = sum(end <= at for end in ends)
    last = sum(end < at + len(wanted) for end in ends)
    return " ".join(sentences[first : last + 1])
