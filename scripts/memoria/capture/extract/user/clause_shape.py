"""Name the shape of a clause: its place in the message, its little words, its length.

Words like "the", "if" and "we" stand in any team's messages, so what each is worth was fitted and
holds for writers who were not seen (clause_weights.py); words of a trade are left out on purpose.
"""

from __future__ import annotations

import re
from functools import cache

_LITTLE = frozenset(
    """a all an and any are at because before but by can could did do does don't each every
    everything for from had has have he here how i if in is it let make must my never no not
    nothing of ok on only or our please run she should so that the then there these they this
    those to under use was we were what when whenever who why will with would yes you your
    after always""".split()  # noqa: SIM905 - a list of words is read as text
)
_WORD = re.compile(r"[\w']+")
_FEW, _SEVERAL = 3, 7  # clauses of a message
_STEP, _STEPS = 4, 6  # words, and how many such steps of length are told apart
_FORMS = {
    "contrasts": r",\ (?:not|never|no)\ |\bnot\ \w+$",
    "object_it": r"\b(?:it|them)\b(?:\W*$|\ (?:to|in|from|as|by|and))",
    "past_form": r"\b\w+ed\b",
    "passive": r"\b(?:is|are|was)\ \w+(?:ed|en)\b",
    "digit": r"\d",
    "path": r"XC|[/_]|\w\.\w",
    "plural_subject": r"""^[a-z]+s\ (?:\w+\ ){0,4}?(?:are|go|live|stay|belong|get|need|have|end
        |start)\b""",
}


def shape(text: str, place: int, count: int) -> set[str]:
    """Name the shape of a masked clause that stands at `place` of `count` clauses."""
    words = _WORD.findall(text.casefold())
    found = {f"word_{word}" for word in words if word in _LITTLE}
    for at, word in enumerate(words[:2]):
        found.add(f"word{at}_{word if word in _LITTLE else 'other'}")
    found |= {name for name, form in _FORMS.items() if _pattern(form).search(text.casefold())}
    return found | _position(place, count) | {f"words_{min(_STEPS, len(words) // _STEP)}"}


def _position(place: int, count: int) -> set[str]:
    if count == 1:
        return {"turn_1"}
    size = "turn_few" if count <= _FEW else "turn_several" if count <= _SEVERAL else "turn_many"
    return {size, "first" if place == 0 else "last" if place == count - 1 else "middle"}


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.VERBOSE)
