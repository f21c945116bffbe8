"""Tell a plain lasting order of the user's to the agent, which comes in force by itself.

The fitted weights know how often a sign goes with a rule in turns that are long and half of which
try to mislead; they doubt plain words. So what a person reads as an order that lasts has a form: a
sign that it lasts (always, never, from now on, in this repository ...) bound to an order (a verb in
the imperative, "you will", "I want you to", "we never"), and nothing in its surroundings that makes
it somebody else's words, a specification, a text to be written, or an order for a while. The trap:
what a product always does is ordered in the same words; so a bare "always" or "never" counts only
where the agent, the person or the work is named.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from memoria.capture.extract.user import order_cues as cues
from memoria.capture.extract.user.clause_features import mask
from memoria.capture.extract.user.rule_text import core, without_aside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.capture.extract.user.clauses import Clause

_SHORT_MESSAGE = 3  # clauses: in a longer one a bare "nunca" tells of a product as often
_SHORT_TURNS = frozenset({"refusal", "answer"})
_AROUND = 20  # clauses: a flood is read in linear time


def is_lasting_order(parts: Sequence[Clause], place: int, how: str = "prompt") -> bool:
    """Whether the clause is a plain lasting order, and its surroundings leave it one."""
    return _has_form(parts, place) and not obstacle(parts, place, how)


def _has_form(parts: Sequence[Clause], place: int) -> bool:
    clause = parts[place]
    text = mask(clause.text)
    if _finds(cues.SAID, text):
        return False
    if any(_finds(form, text) for form in (*cues.FORMS.values(), cues.OTHERS)):
        return True
    if len(parts) <= _SHORT_MESSAGE and _finds(cues.OTHER_CLAIMS, text):
        return True
    if not _finds(rf"^{cues.FILLERS}{cues.TO_AGENT}", text):
        return False
    lasts = _finds(rf"\b{cues.SINCE}\b", mask(clause.lead))
    return lasts or _finds(cues.HOLDS, text) or _finds(cues.HOLDS_ON, mask(clause.after))


def obstacle(parts: Sequence[Clause], place: int, how: str = "prompt") -> str:
    """Say what in its surroundings speaks against a plain order, "" for nothing."""
    raw = mask(parts[place].text)
    text = mask(without_aside(core(parts[place].text)))
    reasons = (
        ("for a while", _is_for_a_while(parts[place])),
        ("others' words", _is_handed_on(parts, place)),
        ("narrated", _finds(cues.EXPLAINS, raw)),
        ("about one thing", _finds(cues.POINTS, text)),
        ("for others", _finds(cues.NOT_OURS, text)),
        ("of no known work", not (_is_signed(parts[place]) or _is_of_work(parts, place, how))),
    )
    return next((name for name, holds in reasons if holds), "")


def _is_for_a_while(clause: Clause) -> bool:
    beside = [one for one in (clause.before, clause.after) if _finds(cues.SAYS_HOW_LONG, one)]
    near = mask(" ".join((clause.lead, clause.text, *beside)))
    return _finds(cues.WHILE, near) and not _finds(cues.BOTH, near)


def _is_signed(clause: Clause) -> bool:
    """Whether the agent or the person is named, or where or how long it holds."""
    said = f"{clause.lead} {clause.text}"
    return _finds(cues.SIGNED, said) or _finds(cues.HOLDS_ON, mask(clause.after))


def _is_of_work(parts: Sequence[Clause], place: int, how: str) -> bool:
    """Whether a bare order is about the work, and no part of a task, a list or a specification."""
    clause = parts[place]
    raw = mask(clause.text)
    if elaborates(clause):
        return False
    if clause.listed and not clause.lead and not parts[0].listed:
        return False
    if _is_specified(parts, place) or _is_behaviour(raw):
        return False
    return clause.alone or how in _SHORT_TURNS or _finds(cues.OF_WORK, raw)


def elaborates(clause: Clause) -> bool:
    """Whether a clause spells out what stands before its colon, which announces no rule."""
    announced = rf"{cues.OF_MINE}|{cues.ANNOUNCES}|\b{cues.SINCE}\b"
    return bool(clause.lead) and not _finds(announced, clause.lead)


def _is_handed_on(parts: Sequence[Clause], place: int) -> bool:
    """Whether an earlier line, or the lead, announces others' words or a plan."""
    earlier = parts[max(0, place - _AROUND) : place]
    opening = parts[0].text
    if _finds(cues.TICKET, opening) or (place and _finds(cues.HANDLED, opening)):
        return True
    if any(_finds(cues.LETTER, part.text) for part in (*earlier, *parts[place : place + _AROUND])):
        return True
    announced = {part.sentence for part in earlier if part.sentence.rstrip(' "').endswith(":")}
    return any(
        _finds(cues.HANDED, one) and (not _finds(cues.OF_MINE, one) or _finds(cues.OF_THESE, one))
        for one in (*announced, parts[place].lead)
    )


def _is_behaviour(text: str) -> bool:
    """Whether what is ordered is what a product does: show, send, drop, draw."""
    claim = r"(?:always|never(?:\ ever)?(?:\ again)?)"
    return _finds(
        rf"^{cues.FILLERS}{claim},?\ (?!(?:{cues.ACTS}|again|ever|please|look)\b)[a-z]", text
    )


def _is_specified(parts: Sequence[Clause], place: int) -> bool:
    """Whether something is built in the same message, so that "always" may be its behaviour."""
    around = [*parts[max(0, place - _AROUND) : place], *parts[place + 1 : place + 4]]
    return _finds(cues.BUILT, mask(" ".join(part.text for part in around)))


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern when it is first used: the command line starts without them."""
    return re.compile(text, re.IGNORECASE | re.VERBOSE)


def _finds(pattern: str, text: str) -> bool:
    return bool(_pattern(pattern).search(text))
