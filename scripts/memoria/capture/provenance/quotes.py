"""Look up the words by which the user laid down what a model names by the id of a line.

A rule may only rest on the user, and a page that a model read can lead it to claim that the user
said something: so the claim names a line of the record, and the words are taken from what the user
really typed there. What the user pasted (a review, a log, a plan) does not count as said. The trap:
half a sentence can say the contrary ("do not always push to main"), so whole sentences are taken
and judged.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.agents.claude_code.user_words import utterances
from memoria.agents.own_words import own_words
from memoria.capture.extract.sentences import containment, stems
from memoria.capture.extract.user.statements import statements
from memoria.vault.entry import Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memoria.agents.transcript import Transcript
    from memoria.capture.digest import Span
    from memoria.llm.flush_form import Claim

# characters: "yes" or "ok" would be found anywhere; what a rule's note does not take is no rule
_SHORTEST, _LONGEST = 12, 300
_BORDER = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_MARK = re.compile(r"(?:[-*+\u2022]|\d{1,2}[.)])\s+")
_LABEL = re.compile(r"\((?:refused [^\n]*?|answered)\) ")


# of a claim's content words: with fewer the best sentence of the line says another thing
_SHARED = 0.3


def verified(
    claims: Iterable[Claim], spans: Mapping[str, Span], transcript: Transcript
) -> tuple[Statement, ...]:
    """Keep the claims whose cited line is the user's; score them by the user's words there.

    The quote is the sentence of that line which has most words in common with the claim.
    """
    said = {_plain(found.ask.text): own_words(found) for found in utterances(transcript)}
    read = statements(transcript)
    kept: dict[Statement, None] = {}
    for claim in claims:
        span = spans.get(claim.cite)
        quote = _nearest(claim.text, _sentences(_typed(span, said))) if span else ""
        if quote:
            standing, score = _judged(quote, read)
            stated = Statement(claim.text, quote, claim.category, standing=standing, score=score)
            kept[stated] = None
    return tuple(kept)


def _typed(span: Span, said: Mapping[str, str]) -> str:
    """Give what the user typed in a span of the record; "" for what is another's."""
    if span.mark not in {"U", "P"}:
        return ""
    # what code says of a call stands before the user's words: "(refused Bash ...) no, ask me first"
    text = _plain(_LABEL.sub("", span.text))
    return next((own for whole, own in said.items() if text and text == whole), "")


def _nearest(claim: str, sentences: Sequence[str]) -> str:
    """Give the sentence that a claim is about, "" for none; a single one needs no words of it."""
    long = [one for one in sentences if _SHORTEST <= len(one) <= _LONGEST]
    words = stems(claim)
    best = max(long, key=lambda one: containment(words, stems(one)), default="")
    return best if len(sentences) == 1 or containment(words, stems(best)) >= _SHARED else ""


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


def _plain(text: str) -> str:
    return " ".join(text.split())
