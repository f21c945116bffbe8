"""What a model quotes as the user's words -> Statements whose quotes the user really said.

A rule may only rest on the user, and a page that a model read can lead it to put words into the
user's mouth: so every quote is looked up in the user's own utterances, and what is not there is
dropped. What the user pasted (a review, a log, a plan) does not count as said.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memoria.stages.statement import own_words, statement
from memoria.stages.utterance import utterances

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.stages.entry import Statement
    from memoria.stages.transcript import Transcript

# "yes" or "ok" would be found anywhere; a rule takes more words than this
_SHORTEST = 12


def verified(claimed: Iterable[Statement], transcript: Transcript) -> tuple[Statement, ...]:
    """Keep the statements whose quote stands in what the user said; score them by these words."""
    said = [_folded(own_words(found)) for found in utterances(transcript)]
    kept = []
    for claim in claimed:
        quote = _folded(claim.quote)
        if len(quote) >= _SHORTEST and any(quote in text for text in said):
            judged = statement(claim.quote)
            kept.append(replace(claim, standing=judged.standing, score=judged.score))
    return tuple(kept)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
