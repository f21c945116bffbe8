"""Show what the user asked as one clause, without politeness and without harness words.

People type as they speak: "hmm, ok, can you maybe ...". What remains when that is off is a title
or the left side of an exchange. The trap: "can you add a test?" has a question mark and is an
order.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.text.prose import capitalise, clip_text, parse_units, split_sentences, strip_markdown
from memoria.text.word_overlap import stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.agents.claude_code.user_words import Ask

ASKED = 130  # characters: enough for one clause with its object

_POLITE = re.compile(  # "ok, so now please "
    r"(?i)(?:(?:hey|hi|ok(?:ay)?|oh|ah|hmm+|umm?|yeah|yes|well|so|cool|great|nice|now|and|also|then"
    r"|sorry|actually|maybe|just|please|pls)\b[\s,.:;!\u2013-]+)+"
)
_ASKING = re.compile(  # "can you also ", "i want you to ", "let's "
    r"(?i)(?:(?:can|could|would|will) (?:you|we)|let's|lets"
    r"|i(?:'d| would) (?:like|want)(?: you)? to"
    r"|i (?:want|need)(?: you)? to|we(?:'ll)? (?:need|have|want) to|for now|help me(?: to)?)"
    r"\s+(?:(?:please|also|help me)\s+)*"
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
_PATH_ONLY = re.compile(r"\s*@?[\w./\\~-]+\.[A-Za-z]{1,5}(?::[\d-]+)?\s*$")  # "@src/x.py:10-20"
_MIN_TELLING_STEMS = 4  # with fewer content words it points at something said elsewhere
QUESTION = re.compile(  # "why is it red", "is it so", "the tests pass?"
    r"(?i)\?\W{0,2}$|^(?:what|why|how|which|where|is|are|does|do|can|could|should)\b"
)
_PLAN_LABEL = re.compile(  # "Implementation Plan: ", "fix: ", "[ABC-12] "
    r"(?i)^(?:(?:implementation\s+)?plan\b|(?:fix|feat(?:ure)?|refactor|proposal|task)(?=:)"
    r"|\[?[A-Z]{2,8}-\d+\]?)\s*[:\u2013—-]*\s*"
)
_POLITE_ORDER = re.compile(  # "could you ... ?"
    r"(?i)(?:can|could|would|will) (?:you|we)\b|please\b|pls\b|let'?s\b|i(?:'d| would) like\b"
)


def format_ask(ask: Ask, length: int = ASKED) -> str:
    """Give an ask as the left side of a line, at most `length` characters of its own words."""
    if ask.is_plan:
        return f"Plan \u201c{plan_title(ask.text)}\u201d"
    text = strip_politeness(flatten_text(ask.text))
    if len(text) > length:
        text = clip_text(choose_central_sentence(split_sentences(text), length), length)
    return text.replace(" -> ", " → ").strip().rstrip(" :;,")


def flatten_text(text: str) -> str:
    """Join what was typed to one line of plain text, without bullets and lines that name a file."""
    lines = [line for line in text.splitlines() if not _PATH_ONLY.match(line)]
    parts = [strip_markdown(_BULLET.sub("", line)) for line in lines or text.splitlines()]
    return " ".join(part for part in parts if part)


def choose_central_sentence(parts: Sequence[str], length: int) -> str:
    """Choose the first sentence that asks, else the first with content; "" of none."""
    telling = [part for part in parts if len(stems(part)) >= _MIN_TELLING_STEMS] or list(parts)
    sentence = next(
        (part for part in telling if QUESTION.search(part)), telling[0] if telling else ""
    )
    place = parts.index(sentence) if sentence else 0
    with_previous = f"{parts[place - 1]} {sentence}" if place else sentence
    return strip_politeness(with_previous if len(with_previous) <= length else sentence)


def strip_politeness(text: str) -> str:
    """Take the politeness off the front of what a user typed, and start with a capital."""
    for opening in (_POLITE, _ASKING):
        if match := opening.match(text):
            text = text[match.end() :]
            if opening is _ASKING and text.count("?") == 1:  # an order in the form of a question
                text = text.rstrip().removesuffix("?").rstrip()
    return capitalise(text.strip())


def plan_title(plan: str) -> str:
    """Give the heading of a plan without "Plan:", its ticket and its kind."""
    for unit in parse_units(plan):
        text = _PLAN_LABEL.sub("", _PLAN_LABEL.sub("", unit.text))
        if text:
            return clip_text(capitalise(text), ASKED)
    return ""


def is_question(ask: Ask) -> bool:
    """Whether the user wanted an answer and nothing done."""
    text = _POLITE.sub("", ask.text.strip(), count=1)
    return ask.own and not ask.trivial and text.endswith("?") and not _POLITE_ORDER.match(text)
