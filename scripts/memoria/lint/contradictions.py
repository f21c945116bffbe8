"""Ask an engine which pairs of claims contradict each other, and read its answer.

The engine sees the pairs alone, whatever the size of the vault, and answers with their numbers; a
number that was not asked for is dropped. The claims come from notes, and so in part from web pages:
they stand within a boundary, and what the engine says of them is made inert.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memoria import errors
from memoria.lint.finding import Finding
from memoria.lint.note import KNOWLEDGE
from memoria.llm.prompts import boundary, filled
from memoria.text.markdown import inert

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.lint.claims import Claim, Pair

# asked in one call: with the texts cut below, some 8,000 tokens
MOST_PAIRS = 40
_TEXT = 300  # characters of a claim; a line of an article has 100
_WHY = 300  # characters of a reason that are shown
LINT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "contradictions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"pair": {"type": "integer"}, "why": {"type": "string"}},
                "required": ["pair", "why"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["contradictions"],
    "additionalProperties": False,
}


def lint_prompt(template: str, pairs: Sequence[Pair]) -> str:
    """Ask which pairs are contradictions; they are numbered from 1."""
    shown = "\n\n".join(
        f"{number}. {_claim(pair.one)}\n   {_claim(pair.other)}"
        for number, pair in enumerate(pairs, 1)
    )
    return filled(template, {"pairs": shown, "boundary": boundary(shown)})


def _claim(claim: Claim) -> str:
    where = f"{claim.path}, {claim.day}" if claim.day else claim.path
    return f"({where}) {' '.join(claim.text.split())[:_TEXT]}"


def read_contradictions(value: object, pairs: Sequence[Pair]) -> Iterator[Finding]:
    """Read the answer; BadReply for one that is not of the form."""
    seen: set[int] = set()
    for number, why in _answers(value):
        if 1 <= number <= len(pairs) and number not in seen:
            seen.add(number)
            yield _finding(pairs[number - 1], why)


def _finding(pair: Pair, why: str) -> Finding:
    """Tell of a contradiction at the claim that was made first: it is the one to look at."""
    other = pair.other
    when = f" on {other.day}" if other.day else ""
    reason = inert(" ".join(why.split())[:_WHY]) or "the two cannot both hold"
    message = f"{other.path}, line {other.line}, says otherwise{when}: {reason}"
    return Finding(
        "contradictions", "warning", f"{KNOWLEDGE}{pair.one.path}.md", pair.one.line, message
    )


def _answers(value: object) -> Iterator[tuple[int, str]]:
    answers = value.get("contradictions") if isinstance(value, Mapping) else None
    if not isinstance(answers, list | tuple):
        raise errors.BadReply("contradictions: is missing or no list")
    for place, item in enumerate(answers):
        number = item.get("pair") if isinstance(item, Mapping) else None
        why = item.get("why") if isinstance(item, Mapping) else None
        if not isinstance(number, int) or isinstance(number, bool) or not isinstance(why, str):
            raise errors.BadReply(f"contradictions[{place}]: needs a number and a reason")
        yield number, why
