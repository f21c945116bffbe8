"""Say which candidates may stand in an entry at all: whole statements that hold at its end.

What a sentence says of the code was true when it was written, and each edit after it may have ended
that; no feature tells well enough which edit did (AUC .65 of a held-out team). Of judged sentences
before later edits one in seven was false at the end, of those after the last edit one in fifty. So
a sentence before later edits stands only as a cause, or where a commit says it again, and a fault
is told as found before the edits. What is left out here no weight can bring back, so beside each
rule stands the share that was worth keeping of what it leaves out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.extract.features import CUES, is_reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memoria.capture.extract.candidates import Candidate

_SHORTEST = 60  # characters: of what is shorter .08 were worth keeping
_LATE = 0.2  # of a session's edits: an answer with fewer to come was false in .06, with more in .13
# of what is told between calls with no more of the edits to come, 14 of 40 were kept, 4 false
_LAST = 0.1
_MUCH = 0.5  # of the names in a sentence: it is about what was edited later
_NOW = re.compile(r"\bnow\b", re.IGNORECASE)  # what was made so, in an answer
_FAULT = re.compile(
    r"\b(?:fail\w*|broken|breaks?|bug|issue|errors?|wrong|crash\w*|silently|only|root cause)\b",
    re.IGNORECASE,
)
_FAILING = re.compile(r"\b(?:is|are) (?:still )?failing\b", re.IGNORECASE)
# a sentence that says what mends a fault tells what is so now
_FIXES = re.compile(
    r"(?:this |the (?:fix|change)|fix\w*|prevent\w*|avoid\w*|ensur\w*)", re.IGNORECASE
)
_GUESSES = re.compile(
    r"\b(?:probably|likely|maybe|perhaps|seems?|appears?|might|suggests?|may|should|could|would"
    r"|think|guess|assum\w+|suspect\w*|looks like|you'd|i'd)\b",
    re.IGNORECASE,
)
_INTENDS = re.compile(r"\b(?:will|going to|want to|needs? to|to be)\b", re.IGNORECASE)
EDITED = re.compile(
    r"(?:`[^`]+`:? (?:[\u2013\u2014-]+ )?)?(?:added|updated|removed|created|replaced|renamed|moved"
    r"|changed|fixed|implemented|wrote|extracted|refactored|deleted|adds|updates|removes|creates"
    r"|moves)\b",
    re.IGNORECASE,
)
_CHECKS = re.compile(r"\b(?:tests?|lint\w*|builds?|checks?)\b", re.IGNORECASE)
# how the work stood at the moment, what an act left without saying why, and what a test asks
_PASSING = re.compile(
    r"\b(?:ha(?:s|ve) been (?:updated|moved|removed|deleted|added|renamed|documented)"
    r"|working tree|unstaged|untracked|not run\b|you may want"
    r"|subagents? (?:is|are|has|have)\b|(?:still|currently) (?:running|checking))"
    r"|^(?:(?:all |the )?\d+ (?:new |more |of the )?(?:tests?|call sites|files)\b"
    r"|(?:the|this) (?:fix|change) (?:is|was) in\b|updated? `?\w*_?tests?\b"
    r"|(?:are|is|was|were|using|confirmed|verified|forwarded|you)\b"
    r"|`?Test\w+`?(?: \([^)]*\))?(?::| [\u2013\u2014-]+) )",
    re.IGNORECASE,
)
# ... and what tells of the work at hand whatever reason it has
_AT_HAND = re.compile(
    r"\bauto-fixed\b|\byou interrupted\b"
    r"|^(?:as expected|minor|phase \d|someone|now (?:fix|update|let)|current state|line \d"
    r"|the (?:final )?diff)\b|^because\b[^,]*$",
    re.IGNORECASE,
)
# the hash of a commit: it tells that something was done
_HASH = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b")


def eligible(
    gathered: Sequence[Candidate], described: Sequence[Mapping[str, float]]
) -> tuple[int, ...]:
    """Give the numbers of the candidates that are whole and still hold."""
    pairs = enumerate(zip(gathered, described, strict=True))
    return tuple(at for at, (one, each) in pairs if is_whole(one) and still_holds(one, each))


def shown(gathered: Sequence[Candidate], among: Sequence[int]) -> Sequence[int]:
    """Give those that tell what is, no part of a list: no step of a plan or intention, if any do.

    Without this .65 and .61 of two teams' lines were kept, with it .69 and .68; false were .02 and
    .13, then .01 and .07.
    """
    told = [number for number in among if _is_told(gathered[number])]
    return told or [number for number in among if not gathered[number].is_led]


def _is_told(one: Candidate) -> bool:
    is_step = one.source == "plan" and CUES["orders"].match(one.text)
    return not (one.is_led or is_step or (one.source != "user" and _INTENDS.search(one.text)))


def still_holds(one: Candidate, features: Mapping[str, float]) -> bool:
    """Whether what a candidate says can be taken for true when the session ended."""
    later = features.get("edits_after", 0.0)
    if features.get("advises"):
        return False  # of 23 two were kept, five were never done
    if one.source in ("user", "body") or is_reason(one):
        return True
    if later and _GUESSES.search(one.text):
        return False
    if one.source == "closing" and (later <= _LATE or _NOW.search(one.text)):
        return True
    if one.source == "plan" and later and features.get("denies"):
        return False  # what was missing was built by the edits after it
    said_again = bool(features.get("said_in_commit") or features.get("cause"))
    return later <= _LAST or said_again


def is_early(one: Candidate, features: Mapping[str, float]) -> bool:
    """Whether a fault was told of before edits to what it names, which may not have ended it."""
    later = features.get("edits_after", 0.0)
    if later and _FAILING.search(one.text):
        return True
    came_before = later > _LATE and features.get("edited", 0.0) >= _MUCH
    is_fault = CUES["denies"].search(one.text) or _FAULT.search(one.text)
    told = one.source in ("closing", "narration", "plan") and not _FIXES.match(one.text)
    return came_before and told and bool(is_fault)


def spare(
    gathered: Sequence[Candidate], described: Sequence[Mapping[str, float]]
) -> tuple[int, ...]:
    """Give the faults that were found, for an entry without a line: edits may have followed."""
    pairs = enumerate(zip(gathered, described, strict=True))
    return tuple(
        at
        for at, (one, each) in pairs
        if one.source in ("closing", "narration") and is_whole(one) and not each.get("advises")
        if not (one.is_led or _CHECKS.search(one.text) or CUES["state"].search(one.text))
        and (_has(one, "cause", "denies") or re.search(r"\bbug\b", one.text))
    )


def is_whole(one: Candidate) -> bool:
    """Whether a candidate is a statement of its own, no label, guess, advice or chatter."""
    if one.source == "subject" or len(one.text) < _SHORTEST or _AT_HAND.search(one.text):
        return False  # a subject is the title, or one among many: .19
    if one.source == "user":  # .04 and .19, most of the rest pasted
        return _has(one, "cause", "choice", "limits")
    # an item without a full stop has to say more than what was edited (.10)
    tells = one.form == "item" and _has(one, "cause", "choice", "denies", "limits")
    if one.text[-1] not in ".!" and not tells:
        return False
    if EDITED.match(one.text) and not _has(one, "cause", "choice"):  # .20, half of it thin
        return False
    says_passing = CUES["status"].search(one.text) and _CHECKS.search(one.text)
    if (says_passing or _PASSING.search(one.text)) and not _has(one, "cause"):
        return False  # that tests pass: .27 and .06
    # "I ...": .14 and .23; a guess between calls: .14 and .05, in an answer it is what is open
    chats = any(cue.search(one.text) for cue in (CUES["first_person"], _HASH))
    return not chats and (one.source == "closing" or not _GUESSES.search(one.text))


def _has(one: Candidate, *cues: str) -> bool:
    return any(CUES[cue].search(one.text) for cue in cues)
