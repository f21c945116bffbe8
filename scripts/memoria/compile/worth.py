"""Say which lines of a session are worth a page: what lasts, has a reason and stands by itself.

Of a passage the sentences stay that are no talk of the work. The patterns are those that made a
difference to the lines of 98 sessions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.extract.features import CUES
from memoria.capture.provenance.marks import said_part
from memoria.text.prose import split as sentences
from memoria.text.word_overlap import stems

if TYPE_CHECKING:
    from memoria.vault.entry import FactKind

# Of lines from here on half and more are worth keeping (capture/extract/selection.py: a share of
# .25 on the extractor's scale); below, a page would be mostly noise.
_FLOOR, _FIXES = 2.75, 2.5  # a fix is what a page is opened for
_MARKED = 4.0  # a line that has something from outside in it has to be much surer
_SHORTEST = 60  # characters of a line that has no full stop
_BARE = 3.25  # a line without a cause or a reason has to be surer
_STATE = re.compile(r"(?:currently|the (?:current|existing|old|original)) ", re.IGNORECASE)
# "changed this" alone is what a reader skips; with its reason it counts
REASON = re.compile(
    r"\b(?:because|since|so that|so|to avoid|otherwise|instead of|rather than|root cause|due to"
    r"|which means|only|must|never|without|prevents?|preventing|ensures?|intentional\w*|needed"
    r"|doesn't|does not|don't|isn't|cannot|can't|won't|fails?|breaks?|unless|even (?:if|when)"
    r"|enables|removes the need|caus(?:es?|ed|ing))\b",
    re.IGNORECASE,
)
# Lines that no page keeps: those that lean on the one before ...
_LEANING = re.compile(
    r"(?:th(?:is|at|ese|ose)|its?|are|is|was|were|they|but|because|and|then|which|formalizes|covers"
    r"|new (?:field|helper|function|method|type)|there|yes|phase|committed|commit|tests?"
    r"|the (?:comment|\w+ therefore)|\W*\d)\b",
    re.IGNORECASE,
)
# ... or are a turn of the talk, or tell how the work stood when they were said ...
_PASSING = re.compile(
    r"\b(?:i|my|we're|you|your|let's)\b|\bthe pr\b|#\d{2}|\bour (?:pr|change|fix)\b"
    r"|\bwe (?:added|made|need|can|should|just)\b"
    r"|\bthis (?:bug|plan|session|branch|doc|change|pr)\b"
    r"|\b(?:tests? pass|(?:merge|resolve) conflicts?|checkout|modified (?:paths?|files?)"
    r"|files? (?:is|are) modified|the (?:diff|branch) (?:is|contains)|workers? (?:is|are|has)"
    r"|(?:is|are) (?:still|failing)|re-?run|remains|^the (?:\w+ )?(?:prompt|worker|merge|branch)"
    # ... or are asides of it: what was written about the code, or so that a tool is content ...
    r"|doc ?comments?|docstrings?|comment block|comments? (?:to|says)|nolint|imports?|imported"
    r"|probably)\b"
    # ... or report it ...
    r"|^(?:pull request|pr) #?\d+ is|^[a-z]+ updated: ",
    re.IGNORECASE,
)
# ... or speak of a thing as known that they do not name ...
_DEFINITE = re.compile(r"(?:the|both|all) ", re.IGNORECASE)
_COUNTED = re.compile(r"(?:all|the|both) (?:\d+|two|three|four)\b", re.IGNORECASE)
_NAME = re.compile(r"`[^`]+`|\w[_./]\w|[a-z][A-Z]|[A-Z]{2}|(?<=[a-z,] )[A-Z][a-z]")
# ... or point at what stands beside them in the session: code, an example, a line before ...
_POINTING = re.compile(
    r"[^.;:,(\u2014\u2013]*(?<!but )(?<!and )\b(?:this|these|those|such)\b"
    r"|.*\b(?:th(?:is|ese|at) (?:code|lines?|files?|fix|changes?)\b|the same way\b|example\b"
    r"|(?:step|line|option|tests?)[ _]?\d)"
    r"|[^(]{0,40}\u2192",
    re.IGNORECASE,
)
# ... or of a test, whose rule is told by what it checks.
_OF_TEST = re.compile(
    r"(?i:^(?:added|add|updated|wrote) (?:\w+ )*tests?\b|"
    r"\b(?:the|this|existing) (?:[\w\"-]+ )*tests?\b"
    r"(?!.*\bbecause\b))|.*\btests?\b.*\bpass\b.* -> |\bTest[A-Z]\w{5}|[_.](?:test|spec)\.\w+"
)
_CODE = re.compile(r"`[^`]*`")
KEY = re.compile(r"the key (?:rule|decision|design|insight)\b", re.IGNORECASE)
# an act without its subject says something only with the reason for it, unless it is a fix
_FIX = re.compile(r"(?:[\w/.`-]+\s*[-:\u2013\u2014]\s*)?fix(?:e[sd])?\b", re.IGNORECASE)
_ACT = re.compile(
    r"(?:[\w/.`-]+\s*(?:\([^)]*\))?\s*[-:\u2013\u2014]\s*)?(?:[A-Z][a-z]+(?:s|ed)|Now|Skip)\b"
)
# what was done for a case: "when the key is missing, derive it"
_REMEDY = re.compile(
    r"(?:when|if) [^,]*, (?:derive|use|return|skip|keep|set)\b",
    re.IGNORECASE,
)
INSTEAD = re.compile(r"\b(?:instead of|rather than)\b", re.IGNORECASE)  # tells what, not why
# a question, a word to the agent about the command at hand (a rule keeps it), or how something
# looks to the user
_ASKED = re.compile(
    r"\?\s*$|^User, refusing `|^User: .{,20}\b(?:can you|would (?:require|mean))\b"
    r"|^User[^:]*: (?:print|write|show|can|could|please|why|what|how|is|do|go|ok|yes|no|wait|since"
    r"|basically|you're|(?:i|we) (?:\w+ )?(?:think|feel|guess|believe|see|just want))\b",
    re.IGNORECASE,
)
_NEAR = 60  # characters: so early a definite thing has to be named


def lasting(text: str) -> str:
    """Give the sentences of a passage that last: no talk of the work, nor what leans on that."""
    if text.startswith("User"):
        return "" if _POINTING.match(text.partition(": ")[2]) else text
    kept: list[str] = []
    dropped = True  # the first one leans on what is not there
    for one in sentences(text):
        bare = _CODE.sub("`x`", one)  # what stands in code says nothing of the line
        leans = dropped and (_LEANING.match(bare) or _POINTING.match(bare))
        passes = _PASSING.search(bare) or _OF_TEST.search(one)
        dropped = bool(leans or passes or (kept and _STATE.match(one)))
        kept += [] if dropped else [one]
    return " ".join(kept)


def is_worth(text: str, kind: FactKind, score: float, title: str) -> bool:
    """Whether a line says something by itself, and will next month."""
    floor = _FIXES if _FIX.match(text) else _FLOOR if said_part(text) == text else _MARKED
    if not text or kind in {"change", "definition"} or score < floor or _ASKED.search(text):
        return False
    if text.endswith("\u2026"):  # what was cut tells half of it
        return False
    is_label = not (REASON.search(text) or len(text) >= _SHORTEST or text[-1] in ".!")
    is_known = KEY.match(text) or _is_known(text, title)
    if not is_known or (is_label and not text.startswith("User")):
        return False
    is_act = bool(_ACT.match(text) or (kind != "decision" and CUES["orders"].match(text)))
    reasoned = REASON.search(INSTEAD.sub("", text) if is_act else text)
    told = reasoned or _FIX.match(text) or (kind == "context" and not is_act)
    return bool(told) or (score >= _BARE and not is_act)


def _is_known(text: str, title: str) -> bool:
    """Whether what a line begins to speak of is named there, or is what its session is about."""
    name = _NAME.search(text, 1)
    early = bool(name and name.start() < _NEAR) or stems(title) & stems(text[:_NEAR])
    return not _COUNTED.match(text) and (bool(early) or not _DEFINITE.match(text))


def is_change(text: str) -> bool:
    """Whether a line says what was done, and not how it was before."""
    changes = (_FIX, _ACT, CUES["orders"], _REMEDY)
    return any(pattern.match(text) for pattern in changes)
