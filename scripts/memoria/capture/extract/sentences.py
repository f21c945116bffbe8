"""A text of the assistant -> Sentences that can stand alone, each with its cues and score.

The assistant has already written the prose about decisions and causes; what is left is to pick
it. So chatter, the first person and line numbers are taken off each sentence, and what it is good
for is told by its cues. The trap: a sentence that starts with "this" means nothing alone, so it
carries the one before it along.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.capture.extract.cues import is_chat, weigh
from memoria.text.prose import capital, split, units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.agents.transcript import Transcript
    from memoria.text.prose import Form, Unit

SHORTEST = 45  # characters: what is shorter is a label or says nothing alone
LONGEST = 300  # characters: what is longer is not read in a list


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that can stand alone.

    `unit` is the index of its unit in the passage. `cues` are the names of the cues it has
    ("concession" marks what follows "you are right"); `score` sums their weights, without what
    depends on where in the session it was said.
    """

    text: str
    form: Form
    heading: str
    unit: int
    cues: frozenset[str]
    score: float


@dataclass(frozen=True, slots=True)
class Passage:
    """One text of the assistant: its units, and the sentences of them that can stand alone."""

    units: tuple[Unit, ...]
    sentences: tuple[Sentence, ...]


Told = tuple[tuple[Passage, ...], ...]
"""The texts of a transcript, turn by turn, read once for all who pick from them."""


def told(transcript: Transcript) -> Told:
    """Read all that the assistant said in a transcript."""
    return tuple(tuple(passage(say.text) for say in turn.says) for turn in transcript.turns)


def passage(markdown: str) -> Passage:
    """Read one text: chatter left out, each sentence with its cues and score."""
    found = units(markdown)
    return Passage(found, tuple(_sentences(found)))


def _sentences(found: tuple[Unit, ...]) -> Iterator[Sentence]:
    before = ""
    for number, unit in enumerate(found):
        last = ""
        if unit.form == "heading":
            if last := _headline(unit.text):
                yield _sentence(last, unit, number)
        elif unit.form != "row":
            for sentence in _of_unit(unit, number, before):
                yield sentence
                last = sentence.text
        # A paragraph may take up the one before it; an item stands for itself.
        before = last if unit.form in ("paragraph", "heading") and last[-1:] != ":" else ""


# A heading that is itself the answer ("The verdict: not an issue"), or names a fault.
_VERDICT = re.compile(
    r"(?:the |my )?(?:revised |final )?"
    r"(?:verdict|conclusion|answer|recommendation|result|bottom line)"
    r"\s?(?:[:—\u2013]|\s-)\s?(?P<what>\S.{8,})",
    re.IGNORECASE,
)
_FAULT = re.compile(r"(?:root cause|problem|bug|issue|gap):\s\S.{12,}", re.IGNORECASE)


def _headline(heading: str) -> str:
    """Give what a heading says by itself, "" for one that only orders the text."""
    if said := _VERDICT.match(heading):
        return said["what"]
    return heading if _FAULT.match(heading) else ""


# What starts so needs the sentence before it.
_CARRIED = re.compile(
    r"(?:this|these|that|those|it|its|they|which|but|so|such|otherwise|instead|as a result|then"
    r"|here|there"
    r"|the (?:same|other|second|former|latter)|(?:when|if|once|after) (?:this|that|it|they))\b",
    re.IGNORECASE,
)
_CONCEDED = re.compile(
    r"(?:ah,? |yes,? |so |exactly,? )?you(?:'re| are) (?:\w+ )?(?:right|correct)"
    r"|(?:exactly|correct|right|indeed|that's right)(?=[.!,:])",
    re.IGNORECASE,
)
_CARRY = 270  # characters that the two may have together


def _of_unit(unit: Unit, number: int, before: str) -> Iterator[Sentence]:
    if unit.form == "item":
        before = ""
    conceded = False
    for raw in split(unit.text):
        text = tidy(raw)
        conceded = bool(_CONCEDED.match(raw)) or (conceded and not before)
        if not text or is_chat(text):
            before = ""
            continue
        whole = text
        if _CARRIED.match(text) and before and len(before) + len(text) < _CARRY:
            whole = f"{before}{'' if before[-1] in '.!?' else '.'} {text}"
        sentence = _sentence(whole, unit, number, conceded=conceded)
        before = "" if "status" in sentence.cues else whole if len(whole) < _CARRY else text
        yield sentence


_PARAGRAPH = 0.4  # what stands in a paragraph explains; an item enumerates
_ANNOUNCED = 1.0  # a heading that is itself the answer
_CONCRETE = 0.8  # names an identifier, path or command


def _sentence(text: str, unit: Unit, number: int, *, conceded: bool = False) -> Sentence:
    cues, score = weigh(text)
    cues |= {"concession"} if conceded else frozenset()
    score += 0.0 if unit.form == "item" else _PARAGRAPH
    score += _CONCRETE if is_named(text) else 0.0
    score += _ANNOUNCED if unit.form == "heading" and text != unit.text else 0.0
    return Sentence(text, unit.form, unit.heading, number, cues, score)


_NAMED = re.compile(
    r"""`|\b[a-z]+[A-Z]\w|\b[A-Z][a-z]+[A-Z]\w|\w_\w|\w\(\)|--[a-z]|/\w+/\w
    |\b[\w-]{1,60}\.(?:go|py|ts|tsx|js|rs|rb|java|kt|md|json|ya?ml|toml|sh|c|h|cpp|cs|sql|html
      |css)\b""",
    re.VERBOSE,
)


def is_named(text: str) -> bool:
    """Whether a text names something of code: an identifier, a file, a flag, a command."""
    return bool(_NAMED.search(text))


# -- Tidying --------------------------------------------------------------------------------------

# Openings that add nothing; what follows them may be the very finding.
_LEAD_IN = re.compile(
    r"""(?:
      (?: done|perfect|great|good|excellent|fixed|sure|ok(?:ay)?|right|correct|clean|clear
        |exactly|indeed
        |absolutely|interesting|confirmed|ah|aha|hmm|got\ it|found\ it|understood|wait|there\ it\ is
        |all\ (?:clean|done|set|good|passing|green)|(?:good|great|excellent|fair|nice)
          \ (?:question|point|catch|idea|call|news|thinking|observation|insight)s?
        |i\ see|now\ i\ (?:see|understand|have)[^.!:—]{0,60}
        |i\ (?:can\ )?see\ (?:the|what)[^.!:—]{0,40}
        |(?:so\ )?you(?:'re|\ are)
          \ (?:absolutely\ |completely\ |totally\ )?(?:right|correct)[^.!:—,-]{0,50}
        |that's\ (?:a\ )?(?:good|great|right|correct|it)[^.!:—,-]{0,40}
        |found\ (?:the|a)\ (?:issue|problem|bug|root\ cause|culprit|cause)
        |(?:the\ )?(?:issue|problem|picture)\ is\ (?:now\ )?clear(?:\ now)?
        |in\ (?:summary|other\ words)|to\ summari[sz]e|summary|tl;?dr|short\ answer
        |answer|note|important
        |all\ \w{1,20}\ tests\ pass|(?:all\ )?tests\ pass|build\ succeeded )
      (?:\s?[.!:,;]{1,3}|\s[—\u2013-]{1,2}|$)\s{0,2}
    | (?:looking\ at|based\ on|from)\ (?:the\ (?:code|diff|output|above|logs?)|my\ (?:analysis
      |review))
      [^,]{0,40},\s{1,2}
    | (?:so|now|also|but|however|therefore|thus|basically|actually|additionally|essentially
      |specifically
        |and|then|finally|overall|importantly|unfortunately),\s{1,2}
    | (?:so|now|and|then|but)\s(?=(?:the|when|if|an?|`|both|we)\b) | also\s(?=[a-z`])
    | (?:i\ can\ (?:now\ )?see|i\ (?:see|found|confirmed|verified|noticed?)|this\ (?:confirms|shows)
        |it\ (?:turns\ out|looks\ like)|note)\ that\s
    )+""",
    re.VERBOSE | re.IGNORECASE,
)
# "I've added X" says "Added X".
_FIRST_PERSON = re.compile(
    r"""(?:i(?:'ve|\ have)?|we(?:'ve|\ have)?)\ (?:(?:also|now|just|already|successfully
        |then)\ ){0,3}
    (?P<did>(?:add|updat|fix|remov|creat|implement|refactor|renam|chang|replac|extract|mov
      |convert|delet
      |simplifi|introduc|consolidat|address|resolv|merg|split|us|configur|switch|adjust|document
        |clean
      |improv|wrapp|reduc|integrat|push|committ|restor|correct|enhanc|expand|migrat|moderni[sz]
        |revert
      |rebas)ed|set|made|wrote|kept|rewrote)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_NUMBERING = re.compile(
    r"(?:(?:issue|bug|step|fix|finding|problem) )?#?\d{1,2}[.):]\s(?=\S)", re.IGNORECASE
)
# Line numbers are wrong after the next edit.
_AT_LINE = re.compile(
    r"""\s?\((?:see\s)?(?:at\s)?lines?\s(?:[\d,\s\u2013-]|and|to){1,30}\)
    |(?<=\()lines?\s\d{1,6}(?:\s?[-\u2013,]\s?\d{1,6})?\s(?=in\b)
    |(?:\s(?:at|on|in|around|from))?\slines?\s\d{1,6}(?:\s?(?:[-\u2013,]|and
      |to)\s?\d{1,6}){0,6}(?=[\s.,;:)])
     (?P<of>\sof(?=\s))?""",
    re.IGNORECASE | re.VERBOSE,
)
_SEVERITY = re.compile(
    r"\s\((?:low|medium|high|minor|major|critical|nit|optional|recommended)(?: (?:priority"
    r"|severity))?\)"
    r"(?=\W*$)",
    re.IGNORECASE,
)


# "Here is a summary of the seven new tests:" announces what is listed.
_SUMMARY_OF = re.compile(
    r"here(?:'s|\ is|\ are)\ (?:an?\ |the\ )?(?:quick\ |brief\ |full\ |complete\ )?(?:summary"
    r"|list|overview|breakdown)\ of"
    r"\ (?:the\ |all\ (?:the\ )?)?(?P<rest>(?!changes|what|everything|fix|work)\S.{8,}:)$",
    re.IGNORECASE,
)


def tidy(sentence: str) -> str:
    """Take chatter off the front, the first person and line numbers out; "" if nothing is left."""
    text = sentence
    for opening in (_NUMBERING, _LEAD_IN):
        if match := opening.match(text):
            text = text[match.end() :]
    if summary := _SUMMARY_OF.match(text):
        text = summary["rest"]
    if done := _FIRST_PERSON.match(text):
        text = text[done.start("did") :]
    if "line" in text:
        text = _AT_LINE.sub(lambda match: " in" if match["of"] else "", text)
    if ")" in text[-4:]:
        text = _SEVERITY.sub("", text)
    return capital(text.strip(" -\u2013—;,"))


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
    """Give the content words of a text without their endings, to compare texts by.

    The endings are cut by rule of thumb; for comparing two lines of one session that does as well
    as a stemmer and is thirty times faster.
    """
    words = (word for word in _WORD.findall(text.lower()) if word not in _EMPTY)
    return frozenset(_SUFFIX.sub("", word) if len(word) > _SHORT_WORD else word for word in words)


def containment(one: frozenset[str], other: frozenset[str]) -> float:
    """Give the share of the smaller set of stems that the other holds too, 0.0 if one is empty."""
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0
