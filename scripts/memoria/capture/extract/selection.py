"""Choose the few candidates of a session that its entry shows, and say what kind each is.

The candidates are taken the best first and each only if no taken one says the same. Three limits
make it print little: a floor that rises, a budget by the length of the session, and the title,
which need not be said twice. What a session only planned is not decided, so its line says so.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from memoria.capture.extract.candidates import Candidate
from memoria.capture.extract.features import CODE, CUES, is_problem, is_reason
from memoria.capture.extract.observing.observations import ObservedSession
from memoria.text.word_overlap import containment
from memoria.vault.entry import FactKind, Origin

# shares of a session's edits that are still to come: what was told before nearly all of them was a
# guess, a proposal or the state that they ended; and what may have been ended by some
_NEARLY_ALL_EDITS, _SOME_EDITS = 0.9, 0.2
# of the names in a sentence: with half it is about what was edited later, with a third it is not
_ABOUT_EDITED, _BESIDE_EDITED = 0.5, 0.34
_MIN_CHARS = 60  # of what is shorter .08 were worth keeping
# of a sentence that begins with what was edited: from here on it says more, and 7 of 11 were kept
_TELLING_CHARS = 140
# of its words in one later commit or closing text: with so many that says the same or takes it
# back (from .4 to .6 recall is the same, and with .4 a false line less is kept); with so few nobody
# came back to what was told between calls, true or not
_TOLD_AGAIN, _TAKEN_UP = 0.4, 0.17
_SUMMARY = 4  # sentences: so long a text between calls sums the work up before it is committed
LEFT_TO_DO = re.compile(  # "Still missing: x", "x is out of scope": by its own words left to do
    r"(?i)\b(?:remaining|left open|(?:is|are) left|still (?:open|fails?|missing|needs?)|not yet"
    r"|todo|follow-?up|out of scope|for later|next steps?)\b"
)
# "The fix closes x", "Prevents x": what mends a fault tells what is so now
_FIXES = re.compile(r"(?i)(?:this |the (?:fix|change)|fix\w*|prevent\w*|avoid\w*|ensur\w*)")
_GUESSES = re.compile(
    r"(?i)\b(?:probably|likely|maybe|perhaps|seems?|appears?|might|suggests?|may|should|could|would"
    r"|think|guess|assum\w+|suspect\w*|looks like|you'd|i'd)\b"
)
EDITED = re.compile(  # "Updated x", "`load`: added x", "src/app.py - now uses x"
    r"(?i)(?:(?:`[^`]+`:?|\S+\.\w+|[^.:`]{2,60}:) (?:[\u2013\u2014-]+ )?)?(?:now uses?|clarified"
    r"|added|updated|removed|created|replaced|renamed|moved|changed|fixed|implemented|wrote"
    r"|extracted|refactored|deleted|adds|updates|removes|creates|moves)\b"
)
# the hash of a commit, "4f2a91c": it tells that something was done; not "defaced" or "1234567"
_HASH = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b")
# between calls, where the work stands in git and with whom: 7 of 34 were worth keeping
_OF_GIT = re.compile(
    r"\b(?:commits?|committed|push(?:ed)?|PR|pull request|merged?|rebased?|branch|worktree"
    r"|checkout|staged|CI|diff|review(?:er)?)\b"
)
# a user's own words speak of persons or tell what to do; a finding that was pasted does not
_DIRECTS = re.compile(
    r"(?i)\b(?:i|i'm|i'd|we|you|us|me|my|our|let's|should|please|don't|never|always)\b"
)
# ... unless they only weigh it: "an idea to evaluate"
_WEIGHS = re.compile(r"(?i)\b(?:evaluat\w+|propos\w+|ideas?|maybe|perhaps|might|could)\b|\?")
# ... and what the agent says of itself
_OF_SELF = re.compile(r"(?i)\b(?:I|I'm|I'll|I've|let me|let's|interesting)\b")
_OF_CHECKS = re.compile(r"(?i)\b(?:tests?|lint\w*|builds?|checks?)\b")
# how the work stood at the moment ("3 tests ..."), what an act left without saying why ("x has been
# moved"), and what a test asks ("`TestLogin` - ...")
PASSING = re.compile(
    r"(?i)\b(?:ha(?:s|ve) been (?:updated|moved|removed|deleted|added|renamed|documented)"
    r"|working tree|clean except|behind (?:by|`?origin)|mergeable|unstaged|untracked|not run\b"
    r"|you may want"
    r"|subagents? (?:is|are|has|have)\b|(?:still|currently) (?:running|checking))"
    r"|^(?:(?:all |the )?\d+ (?:new |more |of the )?(?:tests?|call sites|files)\b"
    r"|(?:the|this) (?:fix|change) (?:is|was) in\b|updated? `?\w*_?tests?\b"
    r"|(?:are|is|was|were|using|confirmed|verified|forwarded|you)\b"
    r"|`?Test\w+`?(?: \([^)]*\))?(?::| [\u2013\u2014-]+) )"
)
# a commit beside the work: "docs: x", "test(api): x", "Merge x"
_SIDE_COMMIT = re.compile(r"(?i)(?:docs?|tests?|chore|style|ci|build)\b[^:]{0,40}:|merge\b")
# a line beside it: "the tests cover x", "app_test"; what is open or may change any day; who speaks
_ASIDE = re.compile(
    r"(?i)(?<![\w/-])(?:tests?|comments?|docstrings?|docs|documents?|nolint|lint\w*)\b|_test\b"
    r"|^before:|\b(?:still|yet|remain(?:s|ing)?|currently|todo|i|i'll|i'm|you|your|my)\b"
)
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")
# What a line has to be worth: the first this much, and each one after it a little more, because a
# reader misses a session's only line more than its sixth. Of three held-out teams one floor of .2
# for all kept .69, .70 and .55 of the lines, this one .76, .72 and .59, and it finds as much or
# more (bench/extract/curve.py); a steeper one loses what is found.
FLOOR, RISE = 0.13, 0.035
# A session of 20 candidates gets four lines, one of 100 seven: what there is to tell grows slower
# than what is said. A session's fifth line is kept as often as its first, its ninth half as often.
_MIN_LINES, _GROWTH, _MAX_LINES = 2, 0.5, 8
# a line as sure as this is kept or harmless on teams that the weights did not know: room or not
_SURE_WORTH = 0.6
SAME = 0.5  # of the smaller line's content words: from here on two lines say the same
# "Replaced x", "Now uses y" was done as somebody wanted it; "Verified x", "Resolved the conflicts"
# decide nothing
_CHANGED = re.compile(
    r"(?i)(?:now|uses?|made|set|kept|wrote|split|chose|added|allowed|changed|converted|disabled"
    r"|dropped|enabled|extended|introduced|limited|moved|removed|renamed|replaced|restored"
    r"|reverted|simplified|switched|unified)\b"
)
_SPEAKER_LABELS = {"user": "User: ", "subject": "Committed: "}  # by who has the words
_CURRENT = re.compile(r"(?i)\bcurrent(?:ly)?\b")


def find_eligible(
    candidates: Sequence[Candidate], features: Sequence[Mapping[str, float]]
) -> tuple[int, ...]:
    """Give the numbers of the candidates that can be taken for true when the session ended.

    All else is for the weights to say: fourteen more conditions were tried without, and none paid
    on the teams that the weights did not know.
    """
    pairs = enumerate(zip(candidates, features, strict=True))
    return tuple(number for number, (candidate, values) in pairs if _still_holds(candidate, values))


def _still_holds(candidate: Candidate, features: Mapping[str, float]) -> bool:
    # a subject is the title, or one among many; a part of a list says nothing without its lead
    source, text = candidate.source, candidate.text
    if source == "subject" or candidate.is_led or features.get("refuted") or _is_thin(candidate):
        return False
    if source == "user":  # .04 and .19, most of the rest pasted
        is_order = bool(_DIRECTS.search(text)) and not _WEIGHS.search(text)
        # a step in a brief says what its heading says of it: an idea, a plan, what is to be made
        is_step = candidate.form == "item" and bool(candidate.heading)
        return is_order and not is_step and _has_cue(text, "cause", "choice", "limits")
    if source == "body":
        return features.get("amended", 0.0) < _TOLD_AGAIN
    if is_problem(candidate) and _CURRENT.search(text) and not _has_cue(text, "cause"):
        return features.get("edited", 0.0) < _ABOUT_EDITED  # how it was before the work
    return is_reason(candidate) or _still_stands(candidate, features)


def _still_stands(candidate: Candidate, features: Mapping[str, float]) -> bool:
    """Whether nothing that came after what the agent said or planned has ended it."""
    text, again = candidate.text, features.get("retold", 0.0)
    is_open = _GUESSES.search(text) or LEFT_TO_DO.search(text)
    if is_open and features.get("calls_after"):
        return False
    is_note = candidate.source == "narration" and candidate.of < _SUMMARY
    is_mark = is_early(candidate, features)
    if (is_mark and again >= _TOLD_AGAIN) or (is_note and not is_mark and again < _TAKEN_UP):
        return False
    # a cause that an answer gave is told as found before the edits
    is_answer = candidate.source == "closing" and _has_cue(text, "cause")
    return is_answer or features.get("edits_after", 0.0) <= _NEARLY_ALL_EDITS


def _is_thin(candidate: Candidate) -> bool:
    """Whether a candidate is a label or tells only what was edited or how the work stands."""
    text = candidate.text
    is_telling_item = candidate.form == "item" and _has_cue(
        text, "cause", "choice", "denies", "limits"
    )
    if _HASH.search(text) or (text[-1] not in ".!" and not is_telling_item):
        return True
    if candidate.source == "narration" and (_OF_GIT.search(text) or _OF_SELF.search(text)):
        return True
    if _has_cue(text, "cause"):
        return False
    if len(text) < _MIN_CHARS or PASSING.search(text):
        return True
    if EDITED.match(text) and len(text) < _TELLING_CHARS:
        return not _has_cue(text, "choice")
    return bool(CUES["status"].search(text) and _OF_CHECKS.search(text))


def _has_cue(text: str, *cues: str) -> bool:
    return any(CUES[cue].search(text) for cue in cues)


def is_early(candidate: Candidate, features: Mapping[str, float]) -> bool:
    """Whether it was told before edits to what it names, which may have ended it."""
    later = features.get("edits_after", 0.0)
    some = 0.0 if candidate.source == "narration" else _SOME_EDITS
    is_edited = later > some and features.get("edited", 0.0) >= _ABOUT_EDITED
    # no edit came near what names something and stands untouched
    is_near = bool(features.get("touched")) or not CODE.search(candidate.whole)
    is_first = later > _NEARLY_ALL_EDITS and is_near
    is_claim = candidate.source in ("closing", "narration", "plan")
    return is_claim and (is_edited or is_first) and not _FIXES.match(candidate.text)


def is_passing(text: str, candidate: Candidate) -> bool:
    """Whether a sentence of a passage tells of what stands beside the work, or how it stands."""
    if _ASIDE.search(_QUOTED.sub("", text)):
        return True
    is_talk = _OF_GIT.search(f"{text} {text.lower()}") or CUES["narrates"].match(text)
    return bool(candidate.source == "closing" and is_talk)


def is_settled(
    candidate: Candidate,
    features: Mapping[str, float],
    session: ObservedSession,
    *,
    is_eligible: bool,
) -> bool:
    """Whether it tells of work that is done, of which nothing that it names was edited later.

    What was planned, proposed or found between calls does not; a commit says it when it is built.
    """
    if is_passing(candidate.text, candidate):
        return False
    if candidate.source == "body":
        made = (one for one in session.kept if (one.turn, one.step) == candidate.at)
        return not (candidate.is_led or _SIDE_COMMIT.match(next(made).subject))
    if candidate.source != "closing" or candidate.turn not in session.busy or not is_eligible:
        return False
    if features.get("edited", 0.0) >= _BESIDE_EDITED:
        return False
    return bool(CODE.search(candidate.text) or not features.get("edits_after"))


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
    return min(_MAX_LINES, round(_MIN_LINES + _GROWTH * sqrt(count)))


def choose_candidates(  # noqa: PLR0913 - the limits of an entry, by name
    candidates: Sequence[Candidate],
    worths: Sequence[float],
    eligible: Collection[int],
    *,
    floor: float = FLOOR,
    rise: float = RISE,
    most: int | None = None,
    shown: Collection[frozenset[str]] = (),
    title: frozenset[str] = frozenset(),
) -> tuple[int, ...]:
    """Choose candidates by their worth, the best first; give their numbers.

    Only the `eligible` numbers are taken, each worth `floor` and `rise` for each that was taken
    before it. `shown` are the content words of lines that stand in the entry already, `title` those
    of its title: a line may tell more of what that names.
    """
    budget = count_allowed_lines(len(candidates)) if most is None else most
    numbers: list[int] = []
    words = list(shown)
    for number in sorted(eligible, key=lambda number: (-worths[number], number)):
        count_limit = _MAX_LINES if most is None and worths[number] >= _SURE_WORTH else budget
        if worths[number] < floor + rise * len(numbers) or len(numbers) >= count_limit:
            break
        stems = candidates[number].stems
        repeats = any(containment(stems, other_stems) > SAME for other_stems in words)
        if stems and not repeats and len(stems & title) <= SAME * len(stems):
            numbers.append(number)
            words.append(stems)
    return tuple(numbers)


def build_line(
    candidate: Candidate,
    worth: float,
    *,
    busy: frozenset[int],
    asked: frozenset[int],
    is_early: bool = False,
) -> EntryLine:
    """Make a line of a candidate; `busy` turns changed something, `asked` ones only answered."""
    kind: FactKind = "lesson" if is_early else kind_of(candidate, asked)
    text = _SPEAKER_LABELS.get(candidate.source, "") + candidate.text
    is_planned = candidate.source == "plan"
    was_so = is_problem(candidate) or (is_planned and _CURRENT.search(candidate.text))
    if kind == "lesson" and was_so and any(turn >= candidate.turn for turn in busy):
        text = f"Reason for the change: {text}"  # what was so may have ended by it
    elif is_planned and (kind == "decision" or busy) and not was_so:
        text = f"Planned: {text}"  # it may have been built otherwise
    elif is_early:
        text = f"Found (edits followed): {text}"
    origin: Origin = "user" if candidate.source == "user" else "assistant"
    leans, heading = candidate.leans, candidate.heading
    return EntryLine(kind, text, origin, worth, *candidate.at, leans, heading)


def kind_of(candidate: Candidate, asked: frozenset[int]) -> FactKind:
    """Say what kind of line a candidate makes."""
    if candidate.source in _SPEAKER_LABELS:
        return "decision"
    # an answer comes first; what follows it tells more
    if candidate.source == "closing" and candidate.turn in asked and candidate.place == 0:
        return "answer"
    return classify_text(candidate.text)


def classify_text(text: str) -> FactKind:
    """Say by its words whether a line tells what was decided or what was found out."""
    tells_why = _has_cue(text, "cause", "denies", "past", "state")
    is_choice = _has_cue(text, "choice") and not tells_why
    is_change = any(cue.match(text) for cue in (_CHANGED, CUES["orders"]))
    return "decision" if is_choice or is_change else "lesson"
