"""Read what a model says of rules in a session, where it rests on a quote.

A model that read a session can tell whether a rule was kept, but it can be talked into anything by
what it reads. So a judgement counts only with a sentence that the user or the assistant really
wrote; what a tool returned is no witness.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.agents.claude_code.user_words import own_words, utterances
from memoria.capture.provenance.spans import before_outside
from memoria.llm.flush_form import judgement_fields

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from memoria.agents.transcript import Transcript
    from memoria.capture.digest import Span

# characters: "done" and "yes" would be found anywhere
_SHORTEST = 12
# a session has occasion for a few rules; more is a model that judges everything it was shown
MOST = 12


@dataclass(frozen=True, slots=True)
class Testimony:
    """Whether a rule was kept in a session, and the cited words that show it."""

    rule: str
    kept: bool
    quote: str


def testimonies(value: object, spans: Mapping[str, Span]) -> tuple[Testimony, ...]:
    """Read the judgements of an answer to a flush; raises BadReply with the place and reason."""
    fields = judgement_fields(value, MOST)
    return tuple(
        Testimony(rule, kept, spans[cite].text) for rule, kept, cite in fields if cite in spans
    )


def verified(
    found: Iterable[Testimony], transcript: Transcript, given: Container[str]
) -> tuple[Testimony, ...]:
    """Keep the judgements of given rules whose quote stands in what was said; a rule once.

    Once a session has read something of outside, the agent's words are no evidence any more.
    """
    said = [_folded(own_words(one)) for one in utterances(transcript)]
    said += [_folded(text) for text in before_outside(transcript)]
    kept: dict[str, Testimony] = {}
    for one in found:
        quote = _folded(one.quote)
        if one.rule in given and len(quote) >= _SHORTEST and any(quote in text for text in said):
            known = kept.get(one.rule)
            # of two that contradict each other the worse one counts
            if known is None or (known.kept and not one.kept):
                kept[one.rule] = one
    return tuple(kept.values())


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
