"""Choose the few candidates of a session that its entry shows, and say what kind each is.

The candidates are taken the best first and each only if no taken one says the same. Three limits
make it print little: a floor that rises, a budget by the length of the session, and the title,
which need not be said twice. What a session only planned is not decided, so its line says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from memoria.capture.extract.features import CODE, CUES, is_problem, is_reason
from memoria.text.word_overlap import containment

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memoria.capture.extract.candidates import Candidate
    from memoria.capture.extract.observed import ObservedSession
    from memoria.vault.entry import FactKind, Origin


# the share of a session's edits still to come: what was told before nearly all of them was a guess,
# a proposal or the state that they ended
_MOST_TO_COME = 0.9
_LATE = 0.2  # of a session's edits
_SHORTEST = 60  # characters: of what is shorter .08 were worth keeping
_LITTLE = 0.34  # of the names in a sentence: what it tells of was not edited later
_MUCH = 0.5  # of the names in a sentence: it is about what was edited later
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
EDITED = re.compile(
    r"(?:(?:`[^`]+`:?|\S+\.\w+|[^.:`]{2,60}:) (?:[\u2013\u2014-]+ )?)?(?:now uses?|clarified"
    r"|added|updated|removed|created|replaced|renamed|moved|changed|fixed|implemented|wrote|extracted|refactored"
    r"|deleted|adds|updates|removes|creates|moves)\b",
    re.IGNORECASE,
)
# the hash of a commit: it tells that something was done
_HASH = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b")
# between calls, where the work stands in git and with whom: 7 of 34 were worth keeping
_PROCESS = re.compile(
    r"\b(?:commits?|committed|push(?:ed)?|PR|pull request|merged?|rebased?|branch|worktree"
    r"|checkout|staged|CI|diff|review(?:er)?)\b"
)
# a user's own words speak of persons or tell what to do; a finding that was pasted does not
_DIRECTS = re.compile(
    r"\b(?:i|i'm|i'd|we|you|us|me|my|our|let's|should|please|don't|never|always)\b", re.IGNORECASE
)
# ... and what the agent says of itself
_FIRST = re.compile(r"\b(?:I|I'm|I'll|I've|let me|let's|interesting)\b", re.IGNORECASE)
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


def find_eligible(
    gathered: Sequence[Candidate], described: Sequence[Mapping[str, float]]
) -> tuple[int, ...]:
    """Give the numbers of the candidates that can be taken for true when the session ended.

    All else is for the weights to say: fourteen more conditions were tried without, and none paid
    on the teams that the weights did not know.
    """
    pairs = enumerate(zip(gathered, described, strict=True))
    return tuple(at for at, (pick, each) in pairs if _still_holds(pick, each))


def _still_holds(pick: Candidate, features: Mapping[str, float]) -> bool:
    # a subject is the title, or one among many; a part of a list says nothing without its lead
    if pick.source == "subject" or pick.is_led or features.get("refuted") or _is_thin(pick):
        return False
    if pick.source == "user":  # .04 and .19, most of the rest pasted
        return _has_cue(pick, "cause", "choice", "limits") and bool(_DIRECTS.search(pick.text))
    if pick.source == "body" or is_reason(pick):
        return True
    later = features.get("edits_after", 0.0)
    if later and _GUESSES.search(pick.text):
        return False
    # a cause that an answer gave is told as found before the edits
    return later <= _MOST_TO_COME or (pick.source == "closing" and _has_cue(pick, "cause"))


def _is_thin(pick: Candidate) -> bool:
    """Whether a candidate is a label or tells only what was edited or how the work stands."""
    tells = pick.form == "item" and _has_cue(pick, "cause", "choice", "denies", "limits")
    if _HASH.search(pick.text) or (pick.text[-1] not in ".!" and not tells):
        return True
    if pick.source == "narration" and (_PROCESS.search(pick.text) or _FIRST.search(pick.text)):
        return True
    if _has_cue(pick, "cause"):
        return False
    if len(pick.text) < _SHORTEST or _PASSING.search(pick.text):
        return True
    if EDITED.match(pick.text):
        return not _has_cue(pick, "choice")
    return bool(CUES["status"].search(pick.text) and _CHECKS.search(pick.text))


def _has_cue(pick: Candidate, *cues: str) -> bool:
    return any(CUES[cue].search(pick.text) for cue in cues)


def is_early(pick: Candidate, features: Mapping[str, float]) -> bool:
    """Whether it was told before edits to what it names, which may have ended it."""
    later = features.get("edits_after", 0.0)
    if later and _FAILING.search(pick.text):
        return True
    came_before = later > _LATE and features.get("edited", 0.0) >= _MUCH
    came_before |= later > _MOST_TO_COME
    is_claim = pick.source in ("closing", "narration", "plan") and not _FIXES.match(pick.text)
    return came_before and is_claim


# what stands beside the work: a commit of it, and a line
_SIDE = re.compile(r"(?:docs?|tests?|chore|style|ci|build)\b[^:]{0,40}:|merge\b", re.IGNORECASE)
_ASIDE = re.compile(
    r"(?<![\w/-])(?:tests?|comments?|docstrings?|docs|documents?|nolint|lint\w*)\b|_test\b"
    # ... what is open or may change any day, and who speaks
    r"|^before:|\b(?:still|yet|remain(?:s|ing)?|currently|todo|i|i'll|i'm|you|your|my)\b",
    re.IGNORECASE,
)


_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")


def is_passing(text: str, pick: Candidate) -> bool:
    """Whether a sentence of a passage tells of what stands beside the work, or how it stands."""
    if _ASIDE.search(_QUOTED.sub("", text)):
        return True
    is_talk = _PROCESS.search(f"{text} {text.lower()}") or CUES["narrates"].match(text)
    return bool(pick.source == "closing" and is_talk)


def is_settled(
    pick: Candidate, features: Mapping[str, float], seen: ObservedSession, *, is_eligible: bool
) -> bool:
    """Whether it tells of work that is done, of which nothing that it names was edited later.

    What was planned, proposed or found between calls does not; a commit says it when it is built.
    """
    if is_passing(pick.text, pick):
        return False
    if pick.source == "body":
        made = next(commit for commit in seen.kept if (commit.turn, commit.step) == pick.at)
        return not (pick.is_led or _SIDE.match(made.subject))
    if pick.source != "closing" or pick.turn not in seen.busy or not is_eligible:
        return False
    if features.get("edited", 0.0) >= _LITTLE:
        return False
    return bool(CODE.search(pick.text) or not features.get("edits_after"))


# What a line has to be worth: the first this much, and each one after it a little more, because a
# reader misses a session's only line more than its sixth. Of three held-out teams one floor of .2
# for all kept .69, .70 and .55 of the lines, this one .76, .72 and .59, and it finds as much or
# more (bench/extract/curve.py); a steeper one loses what is found.
FLOOR, RISE = 0.13, 0.035
# A session of 20 candidates gets four lines, one of 100 seven: what there is to tell grows slower
# than what is said. A session's fifth line is kept as often as its first, its ninth half as often.
_LEAST, _GROWTH, _MOST = 2, 0.5, 8
# a line as sure as this is kept or harmless on teams that the weights did not know: room or not
_SURE = 0.6
SAME = 0.5  # of the smaller line's content words: from here on two lines say the same


@dataclass(frozen=True, slots=True)
class EntryLine:
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


def count_allowed_lines(count: int) -> int:
    """Say how many lines an entry has at most, by the number of candidates."""
    return min(_MOST, round(_LEAST + _GROWTH * sqrt(count)))


def choose_candidates(  # noqa: PLR0913 - the limits of an entry, by name
    gathered: Sequence[Candidate],
    worths: Sequence[float],
    among: Collection[int],
    *,
    floor: float = FLOOR,
    rise: float = RISE,
    most: int | None = None,
    texts: Collection[frozenset[str]] = (),
    title: frozenset[str] = frozenset(),
) -> tuple[int, ...]:
    """Choose candidates by their worth, the best first; give their numbers.

    Only candidates `among` these numbers are taken, each worth `floor` and `rise` for each that
    was taken before it. `texts` are the content words of lines that
    stand in the entry already, `title` those of its title: a line may tell more of what that names.
    """
    room = count_allowed_lines(len(gathered)) if most is None else most
    taken: list[int] = []
    words = list(texts)
    for number in sorted(among, key=lambda number: (-worths[number], number)):
        limit = _MOST if most is None and worths[number] >= _SURE else room
        if worths[number] < floor + rise * len(taken) or len(taken) >= limit:
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


def build_line(
    pick: Candidate,
    worth: float,
    *,
    busy: frozenset[int],
    asked: frozenset[int],
    is_early: bool = False,
) -> EntryLine:
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
    return EntryLine(kind, text, origin, worth, pick.turn, pick.step, pick.leans, pick.heading)


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
