"""Tidy a sentence so that it can stand in a log, and compare sentences by their content words.

The endings of words are cut by rule of thumb: for comparing two lines of one session that does as
well as a stemmer and is thirty times faster.
"""

from __future__ import annotations

import re

from memoria.text.prose import capital

SHORTEST = 45  # characters: what is shorter is a label or says nothing alone
LONGEST = 300  # characters: what is longer is not read in a list

# openings that add nothing
_LEAD_IN = re.compile(
    r"""(?:
      (?: done|perfect|great|good|excellent|fixed|sure|ok(?:ay)?|right|correct|exactly|confirmed
        |got\ it|found\ it|understood|wait|i\ see|well|yeah|yep|absolutely|so\ you're\ right
        |you(?:'re|\ are)\ (?:absolutely\ |quite\ )?right
        |in\ (?:summary|other\ words)|summary|answer|note|important )
      (?:\s?[.!:,;]{1,3}|\s[\u2014\u2013-]{1,2}|$)\s{0,2}
    | (?:minor|low|medium|high|critical|issue|problem|impact|location)(?:-\d{1,3})?:\s{1,2}
    | (?:looking\ at|based\ on|from)\ (?:the\ (?:code|diff|output|above|logs?)|my\ (?:analysis
      |review))[^,]{0,40},\s{1,2}
    | (?:so|now|also|but|however|therefore|thus|basically|actually|additionally|specifically
        |and|then|finally|overall|importantly|unfortunately),\s{1,2}
    | (?:so|now|and|then|but)\s(?=(?:the|when|if|an?|`|both|we)\b) | also\s(?=[a-z`])
    | (?:i\ can\ (?:now\ )?see|i\ (?:see|found|confirmed|verified|noticed?)|this\ (?:confirms|shows)
        |it\ (?:turns\ out|looks\ like)|note)\ that\s
    )+""",
    re.VERBOSE | re.IGNORECASE,
)
# "I've added X" says "Added X".
_FIRST_PERSON = re.compile(
    r"(?:i|we)(?:'ve| have)? (?:(?:also|now|just|already|successfully|then) ){0,3}"
    r"(?P<did>(?!need|want|tri|us|look|check)[a-z]{2,}ed|set|made|wrote|kept|rewrote)\b",
    re.IGNORECASE,
)
# line numbers are wrong after the next edit
_AT_LINE = re.compile(
    r"\s?\((?:see |at )?lines? \d[\d,\s\u2013-]*(?:(?:and|to) \d+)?\)"
    r"| (?:(?:at|on|in|around|from) )?lines? \d+(?:[-\u2013]\d+)?(?=[\s.,;:)])(?P<of> of\b)?",
    re.IGNORECASE,
)
# Codex types quotes and apostrophes as they are set in print; the cues know those of a keyboard.
_TYPESET = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


def tidy(sentence: str) -> str:
    """Take chatter, the first person and line numbers out; "" if nothing is left."""
    text = sentence.translate(_TYPESET)
    if opening := _LEAD_IN.match(text):
        text = text[opening.end() :]
    if done := _FIRST_PERSON.match(text):
        text = text[done.start("did") :]
    text = (
        _AT_LINE.sub(lambda match: " in" if match["of"] else "", text) if "line" in text else text
    )
    return capital(text.strip(" -\u2013\u2014;,"))


# -- Saying the same ------------------------------------------------------------------------------

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+|\d{2,}|[^\x00-\x7f]+")
_SUFFIX = re.compile(r"(?:ing|ed|es|s|ly|er|ion|ment|ation|e)$")
_SHORT_WORD = 4  # letters: "used", "bus": nothing is cut off these
_EMPTY = frozenset(
    """
    the and for that this with was are not but has have had its can will from into when then
    than also now all any our you your they them their there which what who how why where does
    did done been being were user add added use used using new one two only just more some such
    same so if in on at to of is it as by or an be no do we
    """.split()  # noqa: SIM905 - a word list reads best as words
)


def stems(text: str) -> frozenset[str]:
    """Give the content words of a text without their endings, to compare texts by."""
    words = (word for word in _WORD.findall(text.lower()) if word not in _EMPTY)
    return frozenset(_SUFFIX.sub("", word) if len(word) > _SHORT_WORD else word for word in words)


def containment(one: frozenset[str], other: frozenset[str]) -> float:
    """Give the share of the smaller set of stems that the other holds too, 0.0 if one is empty."""
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0
