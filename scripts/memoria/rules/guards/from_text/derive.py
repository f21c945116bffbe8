"""A rule's text -> the Check that it asks for, and why; or nothing where it asks for none.

Only rules that name what is done (a command, an option, a path, a kind of file, a piece of code)
can be checked by plain code, and only where the whole sentence is understood: a condition that is
not ("unless asked", "on Windows", "in tests") would turn a good rule into false alarms. So each
form is matched from its first word to its last, and what is no form gives nothing. The trap: the
occasion must be wider than the breach ("a push", not "a push by force"), or a rule that is kept has
no occasions and nothing can be counted.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from memoria.errors import UsageError
from memoria.rules.guards import check as guard
from memoria.rules.guards import judge as adjudication
from memoria.rules.guards.from_text import forbidden_commands as ban
from memoria.rules.guards.from_text import forbidden_files as taboo
from memoria.rules.guards.from_text import mentions as mention
from memoria.rules.guards.from_text import preferences as preference
from memoria.rules.guards.from_text import prerequisites as prerequisite

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memoria.rules.guards.check import Check

# sentences and characters: what is longer tells a story, and its middle may be a condition
_SENTENCES, _LONGEST = 3, 400
_FORMS = (*prerequisite.FORMS, *preference.FORMS, *ban.FORMS, *taboo.FORMS)

_CONDITION = re.compile(
    r"\b(?:unless|except|only (?:if|when)|but not|however|other than|apart from|explicitly asked)\b"
)
_LEAD = re.compile(r"^(?:[-*+\u2022\u2705\u274c\u26a0\ufe0f\U0001f6ab]\s*|\d+[.)]\s+|\[[ x]\]\s+)+")
_EMPHASIS = re.compile(r"\*\*|__(?=\w)|(?<=\w)__")
# "Type safety: never use `any`": a label says what it is about and changes nothing
_LABEL = re.compile(r"^[A-Z][\w/&' -]{1,38}:\s+(?=\S)")
_SPLIT = re.compile(r"(?<=[.!;])\s+(?=[A-Z`\"'])|\n+|;\s+|\s+[\u2014\u2013]\s+|\s+--?\s+")
_POLITE = re.compile(
    r"^(?:(?:please|important|note|remember|rule|from now on|in (?:the )?future|and|also|so|ok|okay"
    r"|hey|(?:always )?remember to|make sure (?:to|that you|you)|ensure (?:to|that you|you)"
    r"|be sure to|(?:you|we) (?:must|should|need to|have to|are to)|must|should|i want you to"
    r"|i'd like you to|in this (?:repo|repository|project|codebase)"
    r"|for this (?:repo|repository|project))[,:]? +)+"
)
# what may follow a form without changing it
_REASON = re.compile(
    r"\s*[,(]?\s*\b(?:because|since|so that|so (?:it|we|you)|it'?s|it (?:is|was)|this (?:is|will)"
    r"|they(?:'re| are)|it [a-z]+s|which"
    r"|to (?:avoid|keep|prevent|ensure|make sure|catch|save))\b.*$"
)


# behind a colon: then it is no reason
_NARROWS = re.compile(r"\b(?:only|unless|except|if|when|but|instead)\b")


class Derived(NamedTuple):
    """A check, and what of the rule it rests on."""

    check: Check
    reason: str


def derived(text: str) -> Derived | None:
    """Derive the check of a rule's text, None where it asks for none that plain code can do."""
    parts = _parts(text) if len(text) <= _LONGEST else []
    if not parts or len(parts) > _SENTENCES:
        return None
    found = [one for part in parts if (one := _derived(part))]
    # another sentence may be the exception of the first
    if not found or any(_CONDITION.search(part.lower()) for part in parts):
        return None
    return found[0]


def proposed(data: str) -> tuple[Check | None, str]:
    """Read the check that an engine proposed, as JSON ("" for none); say why it cannot be one."""
    if not data:
        return None, ""
    try:
        return adjudication.check_that_may_be_on(guard.parsed(json.loads(data))), ""
    except (UsageError, ValueError, RecursionError) as error:
        return None, str(error)


def settled(text: str, data: str = "") -> Check | None:
    """Give the check of a new rule: the one that an engine proposed, else what its words ask for.

    It is only proposed, too: a person switches it on.
    """
    check, _ = proposed(data)
    if check is not None:
        return check
    made = derived(text)
    return made.check if made else None


def _parts(text: str) -> list[str]:
    plain = _EMPHASIS.sub("", _LEAD.sub("", text.strip()))
    for _ in range(2):
        plain = _LABEL.sub("", plain)
    whole = " ".join(plain.split())
    parts = [part.strip() for part in _SPLIT.split(plain) if part.strip()]
    # "Never use X. Use Y instead." is one form of two sentences
    return [whole] if len(parts) > 1 and _derived(whole) else parts


def _derived(part: str) -> Derived | None:
    said = mention.sentence(part)
    frame = _POLITE.sub("", said.frame.replace("\u2019", "'")).rstrip(".!,: ")
    # what stands behind a colon tells why, if what stands before it is whole
    form, _, why = frame.partition(": ")
    shorter = (frame, _REASON.sub("", frame), frame if _NARROWS.search(why) else form)
    for text in dict.fromkeys(one.rstrip(".!,: ") for one in shorter):
        for pattern, make in _FORMS:
            match = pattern.fullmatch(text)
            found = make(said, match) if match else None
            if found and (check := _sound(found[0])):
                return Derived(check, found[1])
    return None


def _sound(data: Mapping[str, Any]) -> Check | None:
    """Read a check; None where it is too long or would refuse nearly everything."""
    try:
        return adjudication.check_that_may_be_on(guard.parsed(data))
    except UsageError:
        return None
