"""Read the lines that articles are made of from an entry, or from the fuller record beside it.

A point is recognised by its `mark`, its words alone: the article that holds it shows them among
links and markup, and is the only record of what lies where. An entry that a person wrote or edited
has no extract; then its own lines are the points, since they are what the person let stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memoria.capture.extract.features import CUES
from memoria.capture.extract.sentences import containment, stems
from memoria.capture.provenance.marks import said_part
from memoria.compile.replaced import NAMED_AGAIN, UNDOES
from memoria.text.markdown import mark
from memoria.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from memoria.vault.entry import Entry, Extract, FactKind

LONGEST = 400  # characters: a longer line is a paragraph that nobody reads in a list
# Of lines from here on half and more are worth keeping (capture/extract/selection.py: a share of
# .25 on the extractor's scale); below, a page would be mostly noise.
_FLOOR = 2.75
_MARKED = 4.0  # a line that has something from outside in it has to be much surer
_BARE = 3.25  # a line without a cause or a reason has to be surer
# what a line that a person wrote or let stand counts, on the extractor's scale
_WRITTEN = {"decisions": 4.0, "lessons": 3.8, "exchanges": 3.2, "actions": 2.9}
_KINDS: Mapping[str, FactKind] = {
    "decisions": "decision",
    "lessons": "lesson",
    "exchanges": "answer",
    "actions": "lesson",
}
# a line that tells of what was before, whatever else it says
_PAST = re.compile(
    r"(?:before|previously|originally|formerly|until now|currently|old (?:behaviou?r|code)"
    r"|after the fix|the (?:original|previous|old) (?!bug|fix)(?!.*\bcaus(?:ed|ing)\b).*"
    r"(?:ed|had|ran|was|were))\b",
    re.IGNORECASE,
)
# What the extractor puts before a line that may have ended by the change: the heading says it.
_BEFORE = re.compile(r"(?:Found \(edits followed\)|Reason for the change): ")
# ... unless it holds whatever anybody changes
_LAW = re.compile(r"\b(?:must|never|always|promises?|guarantees?)\b", re.IGNORECASE)
# what announces the point of a line and tells nothing itself
_ANNOUNCED = re.compile(
    r"(?:(?:the|key|main|core|same|two|bugs?|have|has|issue|problem) ){0,6}"
    r"(?:root cause|insight|invariant|rule|point|idea|takeaway|pattern)"
    r"(?: (?:is|was)(?: that)?)?\s?(?::|\u2014|-)\s+",
    re.IGNORECASE,
)
# "changed this" alone is what a reader skips; with its reason it counts
REASON = re.compile(
    r"\b(?:because|since|so that|so|to avoid|otherwise|instead of|rather than|root cause|due to"
    r"|which means|only|must|never|without|prevents?|preventing|ensures?|intentional\w*|needed"
    r"|doesn't|does not|don't|isn't|cannot|can't|won't|fails?|breaks?|unless|even (?:if|when)"
    r"|caus(?:es?|ed|ing))\b",
    re.IGNORECASE,
)
# Lines that no page keeps. They lean on the one before ...
_LEANING = re.compile(
    r"(?:th(?:is|at|ese|ose)|its?|both|they|but|because|also|then|which|s?he|there|here|later|yes"
    r"|no,|option|phase|minor|someone|rationale|purpose|try|as expected|possible improvement"
    r"|when (?:set|enabled|present|false|true)|committed|commit|tests?|bug"
    r"|the (?:comment|real value|key (?:for|to))|\W*\d)\b",
    re.IGNORECASE,
)
# ... or are a turn of the talk ...
_TALK = re.compile(
    r"\b(?:i|my|we're|you|you're|your|let's)\b|\bthe pr\b|#\d{2}|\bour (?:pr|change|fix)\b"
    r"|\bwe (?:changed|made|fixed|added|need|can|should|just)\b"
    r"|\bthis (?:bug|plan|session|branch)\b",
    re.IGNORECASE,
)
# ... or tell how the work stood when they were said ...
_MOMENT = re.compile(
    r"\b(?:all tests|tests? (?:now )?pass|(?:is|are) complete|ha(?:s|ve) been (?:updated|fixed)"
    r"|after the merge|the (?:previous )?plan|(?:merge|resolve) conflicts?|post-rebase"
    r"|markdown ?lint|auto-fixed|checkout|modified (?:paths?|files?)|files? (?:is|are) modified"
    r"|the (?:diff|branch|repo) (?:is|only|still|needs|contains)|still shows|working tree"
    r"|(?:workers?|agents) (?:is|are|has|have)|still (?:checking|working|running))\b",
    re.IGNORECASE,
)
# What was lacking when it was said: the session that says it, or the next one, may have mended it.
_LACK = re.compile(
    r"[^,:;]{0,60}\b(?:(?:do|does|is|are|has|have)(?:n't| not| no)\b|lacks?\b|duplicat\w+"
    r"|still (?:has|shows|uses)\b)",
    re.IGNORECASE,
)
# ... unless it says when or why that is so, or what was done about it
_LASTING = re.compile(
    r"\b(?:because|since|so that|otherwise|must|instead|unless|to avoid|if|when|without|now"
    r"|intentional\w*|root cause|fix(?:es|ed)|replaced|added|removed|never|which means|due to"
    r"|even)\b|: ",
    re.IGNORECASE,
)
# how a thing went wrong, or was, before what was done about it
WAS = re.compile(
    r"(?!.{0,50}\b(?:is|are|has|have|be|now)\b)(?:The|An?|Two|Each|Every|No)\b(?: [\w/`.-]+){1,5}?"
    r" (?:\w{2,}ed|was|were|had|ran|made|saw|came)\b"
)
# A decision that tells why something went wrong is a cause, wherever it was filed.
_CAUSE = re.compile(
    r"\b(?:caus(?:es?|ed|ing)|root cause|bug|fails? (?:with|because|when)"
    r"|the (?:issue|problem) is)\b",
    re.IGNORECASE,
)
# ... or point at what stands beside them in the session: code, an example, a line before ...
_POINTING = re.compile(
    r"[^.;:,(\u2014\u2013]*\b(?:this|these|those|such)\b|(?:for|in|with) [^,]*, (?:it|they)\b"
    r"|[^.;:,(\u2014\u2013]*\b(?:update|use|set|call|need|handle|fix|trigger)e?s? (?:it|them)\b"
    r"|.*\b(?:th(?:is|ese|at|ose) (?:code|lines?|cases?|functions?|paths?|commands?|helpers?|docs?"
    r"|approach|fix(?:es)?|changes?|files?|checks?|blocks?|methods?|runs?|errors?)\b"
    r"|this (?:was|is because)\b|the same way\b|the (?:above|latter|former|example)\b|example\b"
    r"|(?:first|second) session\b|the (?:agent|user) (?:wrote|created|added|asked)\b"
    r"|(?:step|line|file|cp|option|tests?)[ _]?\d)|[^(]{0,40}\u2192",
    re.IGNORECASE,
)
# ... or are asides of the work: what was written about the code, or so that a tool is content
_ASIDE = re.compile(
    r"\b(?:doc ?comments?|docstrings?|nolint|type alias|imports?|imported|comment block"
    r"|comments? (?:to|says|block)|the comment|own declaration|error message|duplicate error"
    r"|probably|there's a bug|could (?:just|be)|(?:is|are) failing|already exists?|just happens"
    r"|exist in the codebase|no [\w ]{3,20} needed|back to its original|disappears?|complexity"
    r"|(?-i:IS|ARE))\b",
    re.IGNORECASE,
)
# A choice among answers says something only where either names a thing.
_CHOICE = re.compile(r"[^`/_\d]*\? -> [^`/_\d]*")
# ... or of a test, whose rule is told by what it checks.
_OF_TEST = re.compile(
    r"(?i:^(?:added|add|updated|wrote|created|fixed) (?:an? |\d+ |new |unit |focused )*"
    r"(?:\w+ )?tests?\b|\b(?:the|this|no|existing) (?:[\w\"-]+ )*tests?\b"
    r"(?!.*\b(?:because|root cause)\b))"
    r"|^`?tests?/|\bTest[A-Z]\w{5}|\btest_\w{5}|[_.](?:test|spec)\.\w+"
)
_CODE = re.compile(r"`[^`]*`")
# an act without its subject: it says something only with the reason for it
_ACT = re.compile(
    r"(?:[\w/.`-]+\s*(?:\([^)]*\))?\s*[-:\u2013\u2014]\s*)?(?:[A-Z][a-z]+(?:s|ed)|New|Now)\b"
)
# what tells of a thing that goes wrong, in words of now ...
ERROR = re.compile(
    r"\b(?:fail(?:s|ing)?|breaks?|visible|leak(?:s|ing)?|wrong\w*|incorrect\w*|crash\w*"
    r"|silently|falsely|filtered out|errors?|bug|depends on)\b",
    re.IGNORECASE,
)
# ... and what says that something is otherwise since
MENDED = re.compile(
    r"\b(?:now|no longer|removed|replaced|fix(?:ed|es)?|instead of|extract only|moved|must"
    r"|(?:been|were|was) added|ensures?|prevent(?:s|ing)?)\b|^added\b",
    re.IGNORECASE,
)
_WHY = re.compile(r"\b(?:that|which) is why\b|\bon purpose\b", re.IGNORECASE)
_GONE = re.compile(r"\b(?:removed|no longer)\b", re.IGNORECASE)
# ... unless it is what fixed the thing: an error stands beside it
_FIX = re.compile(r"(?:[\w/.`-]+\s*[-:\u2013\u2014]\s*)?fix(?:e[sd])?\b", re.IGNORECASE)
_INSTEAD = re.compile(r"\b(?:instead of|rather than)\b", re.IGNORECASE)  # tells what, not why
# a question, a word to the agent about the command at hand (a rule keeps it), or how something
# looks to the user
_ASKED = re.compile(
    r"\?\s*$|^User, refusing `"
    r"|^User[^:]*: (?:can|could|please|why|what|how|is|do|go|ok|yes|no|oh|wait|hm+"
    r"|since|flow|note|basically|currently"
    r"|(?:i|we) (?:\w+ )?(?:think|feel|guess|wonder|believe|see|noticed|just want)"
    r"|you're|you are)\b",
    re.IGNORECASE,
)
# what a user's words hold that say how it is to be
_ORDER = re.compile(
    r"\b(?:must|never|always|don'?t|do not|avoid|want|use|keep|instead|only|should|not|no longer"
    r"|going to|adopt|switch|prefer|make)\b",
    re.IGNORECASE,
)
_EARLY = 70  # characters of its words: what a line names later is an example or a circumstance
_FILE = re.compile(r"(?:[\w.@~-]*/)*[\w-]+\.[a-z]{1,5}\b")  # names a place and no thing
_REASONED = 0.5  # a cause, or a choice with its reason, is worth more than the rest


@dataclass(frozen=True, slots=True)
class Point:
    """A line that an article may hold.

    `said` are its words in order between blanks, `worth` orders lines, on the extractor's scale.
    """

    text: str
    kind: FactKind
    worth: float
    entry: str
    session: str
    day: date
    project: str
    terms: tuple[str, ...]
    mark: str
    said: str

    @property
    def is_marked(self) -> bool:
        """Whether it says of itself that it is from outside: a page, a file, a paste."""
        return said_part(self.text) != self.text

    def names(self, name: str) -> bool:
        """Whether the line is about a thing, given as its words: it names it early, or twice."""
        at = self.place_of(name)
        return at <= _EARLY or (at < len(self.said) and self.said.count(f" {name} ") > 1)

    def place_of(self, name: str) -> int:
        """Give where it first speaks of a thing, its length where it does not."""
        at = self.said.find(f" {name} ")
        return at if at >= 0 else max(len(self.said), _EARLY + 1)


@dataclass(frozen=True, slots=True)
class Source:
    """An entry as articles refer to it, with the lines it gives, the best first.

    `project` stands for all clones of its repository, `work` is the key of the work item that it
    belongs to, "" where it belongs to none.
    """

    entry: Entry
    extract: Extract | None
    project: str
    branch: str
    work: str
    points: tuple[Point, ...]

    @property
    def session(self) -> str:
        """The session, or the entry itself where a person wrote it."""
        return self.entry.session or self.entry.id


def points(entry: Entry, extract: Extract | None, project: str) -> tuple[Point, ...]:
    """Give the lines of an entry that are worth a page, the best first."""
    made: dict[str, Point] = {}
    for said, filed, score, known in _facts(extract) if extract else _lines(entry):
        text, kind = _worded(said, filed) if entry.session else (said, filed)
        name = mark(text)
        # what a person wrote was worth it to them
        keeps = not entry.session or _is_worth(text, kind, score)
        if name and name not in made and len(text) <= LONGEST and keeps:
            made[name] = Point(
                text,
                _kind_of(text, kind, is_written=not entry.session),
                score + (_REASONED if REASON.search(text) else 0.0),
                entry.id,
                entry.session or entry.id,
                entry.day,
                project,
                known,
                name,
                f" {' '.join(words(_FILE.sub(' ', text)))} ",
            )
    ranked = sorted(made.values(), key=lambda point: (-point.worth, point.mark))
    return tuple(_without_mended(ranked) if entry.session else ranked)


def _worded(text: str, kind: FactKind) -> tuple[str, FactKind]:
    """Take off what only announces a line; its heading says what was so before the change."""
    bare = _BEFORE.sub("", text, count=1)
    kind = kind if bare == text or _LAW.search(bare) else "context"
    announced = _ANNOUNCED.match(bare)
    bare = bare[announced.end() :] if announced else bare
    return (text if bare == text else bare[:1].upper() + bare[1:]), kind


def _without_mended(found: Sequence[Point]) -> Iterator[Point]:
    """Give the lines, those of an error that another one says is fixed as what was before."""
    fixes = [(stems(one.text), _GONE.search(one.text)) for one in found if MENDED.search(one.text)]
    for point in found:
        own, text = stems(point.text), point.text
        is_error = ERROR.search(text) and not (
            MENDED.search(text) or _WHY.search(text) or CUES["orders"].match(text)
        )
        near = any(len(own & fix) >= (1 if gone else 2) for fix, gone in fixes)
        taken_back = any(
            UNDOES.search(one.text) and containment(own, stems(one.text)) >= NAMED_AGAIN
            for one in found
        )
        if point.kind == "lesson" and ((is_error and near) or taken_back):
            yield replace(point, kind="context")
        else:
            yield point


def _kind_of(text: str, kind: FactKind, *, is_written: bool) -> FactKind:
    """Say what kind of line it is: a decision may be a cause, a finding may be mended by now."""
    if (
        kind == "decision"
        and not text.startswith("User")
        and (_CAUSE.search(text) or WAS.match(text))
    ):
        kind = "decision" if is_written else "lesson"
    if kind != "lesson":
        return kind
    lacks = not is_written and _LACK.match(text) and not _LASTING.search(text)
    return "context" if lacks or _PAST.match(text) else "lesson"


def _is_worth(text: str, kind: FactKind, score: float) -> bool:
    """Whether a line says something by itself, and will next month."""
    floor = _FLOOR if said_part(text) == text else _MARKED
    if kind in {"change", "definition"} or score < floor or _ASKED.search(text):
        return False
    bare = _CODE.sub("`x`", text)  # what stands in code says nothing of the line
    passing = any(
        (
            _LEANING.match(bare),
            _TALK.search(bare),
            _MOMENT.search(bare),
            _POINTING.match(bare),
            _ASIDE.search(bare),
            kind == "decision" and _CHOICE.fullmatch(text),
        )
    )
    said = text.partition(": ")[2] if text.startswith("User") else ""
    if said and (_POINTING.match(said) or not _ORDER.search(said)):
        return False
    if not said and (passing or _OF_TEST.search(text)):
        return False
    is_act = bool(_ACT.match(text))
    if REASON.search(_INSTEAD.sub("", text) if is_act else text):
        return True
    return score >= _BARE and (not is_act or bool(_FIX.match(text)))


_Found = tuple[str, "FactKind", float, tuple[str, ...]]


def _facts(extract: Extract) -> Iterator[_Found]:
    for fact in extract.facts:
        yield fact.text, fact.kind, fact.score, fact.terms


def _lines(entry: Entry) -> Iterator[_Found]:
    for section, score in _WRITTEN.items():
        for text in getattr(entry.draft, section):
            yield text, _kind(section, text), score, ()


_DECIDED = re.compile(r"(?:we |i )?(?:decided|chose|agreed|went with|settled on)\b", re.IGNORECASE)


def _kind(section: str, text: str) -> FactKind:
    """Say what kind of line a person wrote; what was decided is a decision wherever it stands."""
    return "decision" if _DECIDED.match(text) else _KINDS[section]
