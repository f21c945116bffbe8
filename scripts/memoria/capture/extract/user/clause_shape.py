"""Name the words of a clause, in their order, and those around it, with its place in the message.

No word is picked by hand: each word and each pair of neighbours is a feature, and what is worth
anything, said by several writers, has a weight (clause_weights.txt). All other names weigh nothing.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_TOKEN = re.compile(r"[^\W\d_](?:[^\W\d_]|')*|\d+|[?!:;]")
_FEW, _SEVERAL = 3, 7  # clauses of a message
_STEP, _STEPS = 4, 6  # words, and how many such steps of length are told apart
_FORMS = {
    "contrasts": r",\ (?:not|never|no)\ |\bnot\ \w+$",
    "object_it": r"\b(?:it|them)\b(?:\W*$|\ (?:to|in|from|as|by|and))",
    "past_form": r"\b\w+ed\b",
    "passive": r"\b(?:is|are|was)\ \w+(?:ed|en)\b",
    "path": r"XC|[/_]|\w\.\w",
    "plural_subject": r"""^[a-z]+s\ (?:\w+\ ){0,4}?(?:are|go|live|stay|belong|get|need|have|end
        |start)\b""",
}


def shape(text: str, place: int, count: int) -> set[str]:
    """Name the words of a masked clause that stands at `place` of `count` clauses, and its form."""
    low = text.casefold()
    words = _TOKEN.findall(low)
    found = {f"w:{word}" for word in words}
    found |= {f"{one}_{other}" for one, other in pairwise(["^", *words, "$"])}
    found |= {name for name, form in _FORMS.items() if _pattern(form).search(low)}
    return found | _position(place, count) | {f"words_{min(_STEPS, len(words) // _STEP)}"}


def around(before: str, after: str, lead: str) -> Iterable[str]:
    """Name the words of the clauses beside one, and of what leads in to it."""
    for mark, text in (("before", before), ("after", after), ("lead", lead)):
        for word in _TOKEN.findall(text.casefold()):
            yield f"{mark}:{word}"


def _position(place: int, count: int) -> set[str]:
    if count == 1:
        return {"turn_1"}
    size = "turn_few" if count <= _FEW else "turn_several" if count <= _SEVERAL else "turn_many"
    return {size, "first" if place == 0 else "last" if place == count - 1 else "middle"}


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.VERBOSE)
