"""An Ask -> how it stands in a line: one clause, without politeness, and what kind of ask it is.

People type as they speak: "hmm, ok, can you maybe ...". What remains when that is off is a title
or the left side of an exchange. The trap: "can you add a test?" has a question mark and is an
order.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.extract.sentences import stems
from memoria.text.prose import capital, clipped, plain, split, units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.agents.claude_code.user_words import Ask

ASKED = 130  # characters: enough for one clause with its object

_POLITE = re.compile(
    r"""(?:(?:hey|hi|ok(?:ay)?|oh|ah|hmm+|umm?|gah|ugh|yeah|yes|well|so|cool|great|nice|alright
        |now|and|also|then|sorry
    |quick\ (?:follow\ up\ )?question(?:\ first)?|(?:one\ )?(?:last\ |more\ )?question|context
      |right\ now|actually|back\ to\ the\ \w+(?:\ before)?
    |thinking\ again|taking\ a\ step\ back|in\ this\ context|with\ that\ knowledge|if\ possible
      |maybe|just)\b[\s,.:;!\u2013-]+)+""",
    re.IGNORECASE | re.VERBOSE,
)
_ASKING = re.compile(
    r"""(?:(?:can|could|would|will)\ (?:you|we)(?:\ please)?(?:\ also)?(?:\ again)?|please|pls
        |let's(?:\ also)?|lets
    |(?:what\ )?i(?:'d|\ would)\ (?:like|want)(?:\ you)?\ to|i\ (?:do\ )?(?:want
      |need)(?:\ you)?\ to(?:\ also)?|we\ (?:need|have|want)\ to
    |help\ me(?:\ to)?|i\ have\ a\ question\ (?:about|on))\s+(?:please\s+)?(?:help\ me\s+)?""",
    re.IGNORECASE | re.VERBOSE,
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
_PATH_ONLY = re.compile(r"\s*@?[\w./\\~-]+\.[A-Za-z]{1,5}(?::[\d-]+)?\s*$")
_AT_LINES = re.compile(r"\s+(?:on|at|in)\s+lines?\s+\d+(?:\s*[-\u2013]\s*\d+)?", re.IGNORECASE)


def shown(asked: Ask, length: int = ASKED) -> str:
    """Give an ask as the left side of a line, at most `length` characters of its own words."""
    if asked.is_plan:
        return f"Plan \u201c{plan_title(asked.text)}\u201d"
    command, text = "", asked.text
    if asked.is_command:
        command, _, text = text.partition(" ")
    text = unlead(flat(text) or ("" if command else plain(asked.trace)))
    if len(text) > length:
        text = clipped(_central(split(text), length), length)
    text = f"{command} {text[:1].lower() + text[1:]}" if command else text
    return text.replace(" -> ", " → ").strip().rstrip(" :;,")


def flat(text: str) -> str:
    """Join what was typed to one line of plain text, without bullets and lines that name a file."""
    lines = [line for line in text.splitlines() if not _PATH_ONLY.match(line)]
    parts = [_AT_LINES.sub("", plain(_BULLET.sub("", line))) for line in lines or text.splitlines()]
    return _LONE_HOST.sub("", " ".join(part for part in parts if part))


# What is left of a long URL at the end, and a command that follows the words.
_LONE_HOST = re.compile(
    r"\s\(?[\w-]{1,40}(?:\.[\w-]{1,40}){0,3}\.(?:com|org|io|dev|net|app)\)?$|\s/[a-z][\w:-]{1,60}$"
)
_FULL = 4  # content words: fewer point at something said elsewhere


def _central(parts: Sequence[str], length: int) -> str:
    """Choose the first sentence that asks, else the first with content.

    A sentence before it comes along if both fit, or if the chosen one points back at it.
    """
    full = [part for part in parts if len(stems(part)) >= _FULL] or list(parts)
    chosen = next((part for part in full if _ASKS.search(part)), full[0])
    place = parts.index(chosen)
    both = f"{parts[place - 1]} {chosen}" if place else chosen
    return unlead(both if len(both) <= length or _POINTS_BACK.match(chosen) else chosen)


_ASKS = re.compile(
    r"\?\W{0,2}$|^(?:what|why|how|which|where|when\b.{0,40}\?|is|are|does|do|can|could|should)\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(r"(?:it|this|that|these|those|they|he|she)\b", re.IGNORECASE)


def unlead(text: str) -> str:
    """Take the politeness off the front of what a user typed, and start with a capital."""
    if match := _POLITE.match(text):
        text = text[match.end() :]
    if match := _ASKING.match(text):
        text = text[match.end() :]
        if text.count("?") == 1:  # an order in the form of a question
            text = text.rstrip().removesuffix("?").rstrip()
    return capital(text.strip())


_PLAN_WORDS = re.compile(
    r"^(?:(?:implementation\s+)?plan\b|(?:fix|feat(?:ure)?|refactor|review|proposal|task)(?=:)"
    r"|\[?[A-Z]{2,8}-\d+\]?)\s*[:\u2013—-]*\s*",
    re.IGNORECASE,
)


def plan_title(plan: str) -> str:
    """Give the heading of a plan without "Plan:", its ticket and its kind."""
    for unit in units(plan):
        text = _PLAN_WORDS.sub("", _PLAN_WORDS.sub("", unit.text))
        if text:
            return clipped(capital(text), ASKED)
    return ""


_INFORM = re.compile(
    r"(?:explain|tell|show|understand|check|re-?check|review|look|see|find out|figure out"
    r"|research|validate|verify|compare|describe|summari[sz]e"
    r"|list|investigate|debug|analy[sz]e|double check|what|why|how|which|where|when|who|is|are"
    r"|was|were|do|does|did|has|have|should|would)\b",
    re.IGNORECASE,
)


_LOOK = re.compile(
    r"(?:read|look(?:ing)? (?:at|into)|check|see|take a look at|have a look at"
    r"|go through)\b(?:[^,;.]|\.(?=\S)){3,120}?"
    r"(?:,|\sand)(?: then| also)*\s(?=(?:(?:can|could) (?:we|you)|we should|add|update|fix"
    r"|create|write"
    r"|make|implement|change|remove|suggest|figure|explain|compare|summari[sz]e)\b)",
    re.IGNORECASE,
)
_PLEA = re.compile(
    r",? (?:can|could) you (?:please )?(?:take a look|have a look|help|check)\W*$", re.IGNORECASE
)


def to_the_point(text: str) -> str:
    """Leave out what is to be read before the work, and the request to have a look."""
    look = _LOOK.match(text)
    rest = unlead(_PLEA.sub("", text[look.end() :] if look else text))
    return re.sub(r"^we should ", "", rest, flags=re.IGNORECASE) if look else rest


def is_order(asked: Ask) -> bool:
    """Whether something was to be done, not answered: "add", "can you fix", a pasted finding."""
    if asked.is_plan or asked.pasted or asked.trivial:
        return True
    text = to_the_point(unlead(flat(asked.text)))
    return not (asked.is_command or _INFORM.match(text) or text.rstrip().endswith("?"))


# What a person says who was understood wrongly, or thinks again.
_CORRECTION = re.compile(
    r"""^(?:no\b(?!\s+(?:problem|worries))|nope|stop\b|wait\b|hang\s?on|hmm+|actually\b|but\b
        |not\ that|don't|do\ not|why\ did\ you|you\ (?:missed|forgot|broke)
    |i\ (?:said|meant|mean)|still\b|undo\b|revert\b|instead\b|thinking\ again|on\ second\ thought
      |can't\ we|isn't|aren't|one\ (?:last|more)|umm?\b|i'm\ questioning|really\?)
    |\bstill\ (?:fail|not|broken|getting|see)|\bnot\ what\ i\b|i'd\ rather|\bdid\ not\ (?:ask
      |say)|\bdidn't\ (?:ask|say)|\bshould\ not\b|\bis\ wrong\b|\bnot\ (?:working|fully\ true
      |true|correct)|over-?engineer|you\ also\ said""",
    re.IGNORECASE | re.VERBOSE,
)
_OPENING = 160  # characters: who contradicts does so at once


def is_correction(asked: Ask) -> bool:
    """Whether the user contradicts, redirects or takes back."""
    return asked.own and bool(_CORRECTION.search(asked.text[:_OPENING]))
