"""Choose the few candidates of a session that its entry shows, and say what kind each is.

The candidates are taken the best first and each only if no taken one says the same. Three limits
make it print little: a floor, a budget by the length of the session, and the title, which need not
be said twice. What a session only planned is not decided, so its line says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from memoria.capture.extract.features import CUES, is_problem, is_reason
from memoria.text.word_overlap import containment

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memoria.capture.extract.candidates import Candidate
    from memoria.vault.entry import FactKind, Origin


_SHORTEST = 60  # characters: of what is shorter .08 were worth keeping
_TELLING = 160  # characters of a passage on an edit: a shorter one restates the diff
_LATE = 0.2  # of a session's edits: an answer with fewer to come was false in .06, with more in .13
# of what is told between calls with no more of the edits to come, 14 of 40 were kept, 4 false
_LAST = 0.1
_MUCH = 0.5  # of the names in a sentence: it is about what was edited later
_NOW = re.compile(r"\bnow\b", re.IGNORECASE)  # what was made so, in an answer
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
    r"(?:`[^`]+`:? (?:[\u2013\u2014-]+ )?)?(?:now uses?|clarified|added|updated|removed"
    r"|created|replaced|renamed|moved|changed|fixed|implemented|wrote|extracted|refactored|deleted|adds|updates|removes|creates"
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
    r"\bauto-fixed\b|\byou interrupted\b|\b(?:new|this|previous) (?:task|session)\b"
    r"|^(?:as expected|minor|someone|now (?:fix|update|let)|current state"
    r"|fixes (?:an?|the|two|three|\d+)|(?:line|phase|option|step|bug) #?\d"
    r"|the (?:final )?diff)\b|^because\b[^,]*$",
    re.IGNORECASE,
)
# a user's own words speak of persons or tell what to do; a finding that was pasted does not
_DIRECTS = re.compile(
    r"\b(?:i|i'm|i'd|we|you|us|me|my|our|let's|should|please|don't|never|always)\b", re.IGNORECASE
)
# what was edited in a test
_TEST_FILE = re.compile(r"_test\.|\btests?/|\.test\.|\.spec\.|\btest_\w")
# the hash of a commit: it tells that something was done
_HASH = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b")


def eligible(
    gathered: Sequence[Candidate], described: Sequence[Mapping[str, float]]
) -> tuple[int, ...]:
    """Give the numbers of the candidates that are whole and still hold."""
    pairs = enumerate(zip(gathered, described, strict=True))
    return tuple(at for at, (pick, each) in pairs if is_whole(pick) and still_holds(pick, each))


def shown(gathered: Sequence[Candidate], among: Sequence[int]) -> Sequence[int]:
    """Give those that tell what is, no part of a list: no step of a plan or intention, if any do.

    Without this .65 and .61 of two teams' lines were kept, with it .69 and .68; false were .02 and
    .13, then .01 and .07.
    """
    return [number for number in among if _is_told(gathered[number])]


def _is_told(pick: Candidate) -> bool:
    is_step = pick.source == "plan" and CUES["orders"].match(pick.text)
    return not (pick.is_led or is_step or (pick.source != "user" and _INTENDS.search(pick.text)))


def still_holds(candidate: Candidate, features: Mapping[str, float]) -> bool:
    """Whether what a candidate says can be taken for true when the session ended."""
    later = features.get("edits_after", 0.0)
    if features.get("advises") or features.get("refuted"):
        return False  # of 23 two were kept, five were never done
    if candidate.source in ("user", "body") or is_reason(candidate):
        return True
    if later and _GUESSES.search(candidate.text):
        return False
    if candidate.source == "closing" and (later <= _LATE or _NOW.search(candidate.text)):
        return True
    if candidate.source == "plan" and later and features.get("denies"):
        return False  # what was missing was built by the edits after it
    said_again = bool(features.get("said_in_commit") or features.get("cause"))
    return later <= _LAST or said_again


def is_early(pick: Candidate, features: Mapping[str, float]) -> bool:
    """Whether it was told before edits to what it names, which may have ended it."""
    later = features.get("edits_after", 0.0)
    if later and _FAILING.search(pick.text):
        return True
    came_before = later > _LATE and features.get("edited", 0.0) >= _MUCH
    is_claim = pick.source in ("closing", "narration", "plan") and not _FIXES.match(pick.text)
    return came_before and is_claim


def spare(
    gathered: Sequence[Candidate], described: Sequence[Mapping[str, float]]
) -> tuple[int, ...]:
    """Give the faults that were found, for an entry without a line: edits may have followed."""
    pairs = enumerate(zip(gathered, described, strict=True))
    return tuple(
        at
        for at, (pick, each) in pairs
        if pick.source in ("closing", "narration") and is_whole(pick) and not each.get("advises")
        if not (pick.is_led or _CHECKS.search(pick.text) or CUES["state"].search(pick.text))
        and (_has(pick, "cause", "denies") or re.search(r"\bbug\b", pick.text))
    )


def is_whole(candidate: Candidate) -> bool:
    """Whether a candidate is a statement of its own, no label, guess, advice or chatter."""
    text, has_cause = candidate.text, _has(candidate, "cause")
    if candidate.source == "subject" or len(text) < _SHORTEST or _AT_HAND.search(text):
        return False  # a subject is the title, or one among many: .19
    if candidate.source == "user":  # .04 and .19, most of the rest pasted
        return _has(candidate, "cause", "choice", "limits") and bool(_DIRECTS.search(text))
    # an item without a full stop has to say more than what was edited (.10)
    tells = candidate.form == "item" and _has(candidate, "cause", "choice", "denies", "limits")
    if text[-1] not in ".!" and not tells:
        return False
    if EDITED.match(text) and not has_cause:  # .20, half of it thin
        return _has(candidate, "choice") and len(candidate.whole) >= _TELLING
    says_passing = CUES["status"].search(text) and _CHECKS.search(text)
    if not has_cause and (says_passing or _PASSING.search(text) or _TEST_FILE.search(text)):
        return False  # that tests pass: .27 and .06
    # "I ...": .14 and .23; a guess between calls: .14 and .05, in an answer it is what is open
    chats = CUES["first_person"].search(text) or _HASH.search(text)
    return not chats and (candidate.source == "closing" or not _GUESSES.search(text))


def _has(candidate: Candidate, *cues: str) -> bool:
    return any(CUES[cue].search(candidate.text) for cue in cues)


# Of held-out sentences that are eligible (bench/extract/curve.py) 6 in 10 are worth keeping from
# here on and 8 in 10 true and harmless; lower, noise grows faster than what is found.
FLOOR = 0.15
# A session of 4 eligible candidates gets three lines, one of 25 five: what there is to tell grows
# slower than what is said; held out, from .8 on fewer than 6 lines in 10 are worth keeping.
_LEAST, _GROWTH, _MOST = 2, 1.0, 10
SAME = 0.5  # of the smaller line's content words: from here on two lines say the same


@dataclass(frozen=True, slots=True)
class Line:
    """A line for an entry: its kind, words, who said them, what they are worth, and when.

    One that `leans` means nothing without the question that it answers.
    """

    kind: FactKind
    text: str
    origin: Origin
    worth: float
    turn: int
    step: int = 0
    leans: bool = False
    heading: str = ""

    @property
    def at(self) -> tuple[int, int]:
        """The place in the order of time."""
        return self.turn, self.step


def budget(count: int) -> int:
    """Say how many lines an entry has at most, by the number of candidates."""
    return min(_MOST, round(_LEAST + _GROWTH * sqrt(count)))


def select(  # noqa: PLR0913 - the limits of an entry, by name
    gathered: Sequence[Candidate],
    worths: Sequence[float],
    *,
    among: Collection[int],
    floor: float = FLOOR,
    most: int | None = None,
    texts: Collection[frozenset[str]] = (),
    title: frozenset[str] = frozenset(),
) -> tuple[int, ...]:
    """Choose candidates by their worth, the best first; give their numbers.

    Only candidates `among` these numbers are taken. `texts` are the content words of lines that
    stand in the entry already, `title` those of its title: a line may tell more of what that names.
    """
    room = budget(len(among)) if most is None else most
    taken: list[int] = []
    words = list(texts)
    for number in sorted(among, key=lambda number: (-worths[number], number)):
        if worths[number] < floor or len(taken) >= room:
            break
        own = gathered[number].stems
        repeats = any(containment(own, other) > SAME for other in words)
        if own and not repeats and len(own & title) <= SAME * len(own):
            taken.append(number)
            words.append(own)
    return tuple(taken)


# what was done as somebody wanted it; that something was looked at decides nothing
_CHANGED = re.compile(
    r"(?:now|uses?|(?!verif|check|confirm|test|fail|found|need|look)\w+ed|made|set|kept|wrote"
    r"|split)\b",
    re.IGNORECASE,
)
_SAYS = {"user": "User: ", "subject": "Committed: "}  # before the words, by who has them


_CURRENT = re.compile(r"\bcurrent(?:ly)?\b", re.IGNORECASE)


def line(
    pick: Candidate,
    worth: float,
    *,
    busy: frozenset[int],
    asked: frozenset[int],
    is_early: bool = False,
) -> Line:
    """Make a line of a candidate; `busy` turns changed something, `asked` ones only answered."""
    kind: FactKind = "lesson" if is_early else kind_of(pick, asked)
    text = _SAYS.get(pick.source, "") + pick.text
    was_so = is_problem(pick) or (pick.source == "plan" and _CURRENT.search(pick.text))
    if kind == "lesson" and was_so and any(turn >= pick.turn for turn in busy):
        text = f"Reason for the change: {text}"  # what was so may have ended by it
    elif is_early:
        text = f"Found (edits followed): {text}"
    elif pick.source == "plan" and (kind == "decision" or busy) and not was_so:
        text = f"Planned: {text}"  # it may have been built otherwise
    origin: Origin = "user" if pick.source == "user" else "assistant"
    return Line(kind, text, origin, worth, pick.turn, pick.step, pick.leans, pick.heading)


def kind_of(pick: Candidate, asked: frozenset[int]) -> FactKind:
    """Say what kind of line a candidate makes."""
    if pick.source in _SAYS:
        return "decision"
    # an answer comes first; what follows it tells more
    if pick.source == "closing" and pick.turn in asked and pick.place == 0:
        return "answer"
    tells_why = any(CUES[cue].search(pick.text) for cue in ("cause", "denies", "past", "state"))
    chosen = CUES["choice"].search(pick.text) and not tells_why
    begins = any(cue.match(pick.text) for cue in (_CHANGED, CUES["orders"]))
    return "decision" if chosen or begins else "lesson"
