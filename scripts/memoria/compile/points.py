"""Read the lines that articles are made of from an entry, or from the fuller record beside it.

A point is recognised by its `mark`, its words alone: the article that holds it shows them among
links and markup, and is the only record of what lies where. An entry that a person wrote or edited
has no extract; then its own lines are the points, since they are what the person let stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast

from memoria.capture.extract.features import CUES
from memoria.capture.provenance.marks import marked, said_part, split
from memoria.text.markdown import mark
from memoria.text.prose import split as sentences
from memoria.text.terms import words
from memoria.text.word_overlap import stems
from memoria.vault.home_page import NEXT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from memoria.vault.entry import Entry, Extract, FactKind

    # text, kind, score on the extractor's scale, terms, turn
    _Found = tuple[str, FactKind, float, tuple[str, ...], int]

LONGEST = 400  # characters: a longer line is a paragraph that nobody reads in a list
# Of lines from here on half and more are worth keeping (capture/extract/selection.py: a share of
# .25 on the extractor's scale); below, a page would be mostly noise.
_FLOOR, _FIXES = 2.75, 2.5  # a fix is what a page is opened for
_STATE = re.compile(r"(?:currently|the (?:current|existing|old|original)) ", re.IGNORECASE)
_MARKED = 4.0  # a line that has something from outside in it has to be much surer
_SHORTEST = 60  # characters of a line that has no full stop
_BARE = 3.25  # a line without a cause or a reason has to be surer
_REASONED = 0.5  # a cause, or a choice with its reason, is worth more than the rest
# what a line that a person wrote or let stand counts, on the extractor's scale, and its kind
_WRITTEN: Mapping[str, tuple[float, FactKind]] = {
    "decisions": (4.0, "decision"),
    "lessons": (3.8, "lesson"),
    "exchanges": (3.2, "answer"),
}
# what a person noted of a talk is an answer where something was asked
_ASKS = re.compile(r"\basked\b|\?|->", re.IGNORECASE)
_DECIDED = re.compile(r"(?:we |i )?(?:decided|chose|agreed|went with|settled on)\b", re.IGNORECASE)
# a line that tells of what was before, whatever else it says
_PAST = re.compile(
    r"(?:before|previously|originally|formerly|until now|currently|old (?:behaviou?r|code)"
    r"|after the fix|the (?:original|previous|old) (?!bug|fix)(?!.*\bcaus(?:ed|ing)\b).*"
    r"(?:ed|had|ran|was|were))\b",
    re.IGNORECASE,
)
# What the extractor puts before a line that may have ended by the change: the heading says it.
BEFORE_CHANGE = re.compile(r"(?:Found \(edits followed\)|Reason for the change): ")
# ... unless it holds whatever anybody changes
_LAW = re.compile(
    r"\b(?:must|(?<!is )(?<!are )never|always|promises?|guarantees?|(?:that|which) is why)\b",
    re.IGNORECASE,
)
# "changed this" alone is what a reader skips; with its reason it counts
REASON = re.compile(
    r"\b(?:because|since|so that|so|to avoid|otherwise|instead of|rather than|root cause|due to"
    r"|which means|only|must|never|without|prevents?|preventing|ensures?|intentional\w*|needed"
    r"|doesn't|does not|don't|isn't|cannot|can't|won't|fails?|breaks?|unless|even (?:if|when)"
    r"|enables|removes the need"
    r"|caus(?:es?|ed|ing))\b",
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
    r"\b(?:because|since|so that|otherwise|must|instead|unless|to avoid|if|when|without|due to|even"
    r"|intentional\w*|root cause|fix(?:es|ed)|replaced|added|removed|never|which means|now)\b|: ",
    re.IGNORECASE,
)
# Lines that no page keeps (of 261 judged ones five more patterns made no difference). They lean on
# the one before ...
_LEANING = re.compile(
    r"(?:th(?:is|at|ese|ose)|its?|are|is|was|were|has|have|both|they|but|because|also|then|which"
    r"|formalizes|covers|documents|describes|records|explains|s?he|there|here|later|yes|no,"
    r"|new (?:field|helper|function|method|type)|option|phase|minor|someone|rationale|purpose|try|as expected|possible improvement"
    r"|when (?:set|enabled|present|false|true)|committed|commit|tests?|bug"
    r"|the (?:comment|real value|key (?:for|to))|\W*\d)\b",
    re.IGNORECASE,
)
# ... or are a turn of the talk ...
_PASSING = re.compile(
    r"\b(?:i|my|we're|you|you're|your|let's)\b|\bthe pr\b|#\d{2}|\bour (?:pr|change|fix)\b"
    r"|\bwe (?:changed|made|fixed|added|need|can|should|just)\b"
    r"|\bthis (?:bug|plan|session|branch|doc|change|pr)\b"
    # ... or tell how the work stood when they were said ...
    r"|\b(?:all tests|tests? (?:now )?pass|(?:is|are) complete|ha(?:s|ve) been (?:updated|fixed)"
    r"|after the merge|the previous plan|(?:merge|resolve) conflicts?|post-rebase|merge-ready"
    r"|markdown ?lint|auto-fixed|checkout|modified (?:paths?|files?)|files? (?:is|are) modified"
    r"|the (?:diff|branch|repo) (?:is|only|still|needs|contains)|still shows|working tree"
    r"|(?:workers?|agents) (?:is|are|has|have)|(?:is|are) (?:still|validated|clean)|re-?run|remains"
    r"|^the (?:\w+ )?(?:prompt|worker|merge|branch|worktree|tracker|diff)|straightforward"
    r"|(?:is|are) (?:reasonable|the right fit)|if it must|(?:clean|simple|best|right)(?:est)? way is"
    r"|(?-i:IS) \w+ing|claude (?:used|wrote|created))\b"
    # ... or are asides of it: what was written about the code, or so that a tool is content ...
    r"|\b(?:doc ?comments?|docstrings?|nolint|type alias|imports?|imported|comment block"
    r"|comments? (?:to|says|block)|the comment|own declaration|error message|duplicate error"
    r"|probably|there's a bug|could (?:just|be)|(?:is|are) failing|already exists?|just happens"
    r"|exist(?:ing pattern| in the codebase)|just (?:moved|added|merged)|so the problem is|no [\w ]{3,20} needed|disappears?|complexity)\b"
    # ... or report it ...
    r"|^(?:pull request|pr) #?\d+ is|^[a-z]+ updated: ",
    re.IGNORECASE,
)
# ... or speak of a thing as known that they do not name ...
_DEFINITE = re.compile(r"(?:the|both|all|another|existing) ", re.IGNORECASE)
_COUNTED = re.compile(r"(?:all|the|both) (?:\d+|two|three|four)\b", re.IGNORECASE)
_NAME = re.compile(r"`[^`]+`|\w[_./]\w|[a-z][A-Z]|[A-Z]{2}|(?<=[a-z,] )[A-Z][a-z]")
# ... or point at what stands beside them in the session: code, an example, a line before ...
_POINTING = re.compile(
    r"[^.;:,(\u2014\u2013]*(?<!but )(?<!and )\b(?:this|these|those|such)\b"
    r"|(?:for|in|with) [^,]*, (?:it|they)\b"
    r"|[^.;:,(\u2014\u2013]*\b(?:update|use|set|call|need|handle|fix|trigger)e?s? (?:it|them)\b"
    r"|.*\b(?:th(?:is|ese|at|ose) (?:code|lines?|cases?|functions?|paths?|commands?|helpers?|docs?"
    r"|approach|fix(?:es)?|changes?|files?|checks?|blocks?|methods?|runs?|errors?)\b"
    r"|this (?:was|is because)\b|the same way\b|the (?:above|latter|former|example)\b|example\b"
    r"|the (?:stuck|affected|offending|remaining) \w+|(?:first|second) session\b|the (?:agent|user) (?:wrote|created|added|asked)\b"
    r"|(?:step|line|file|cp|option|tests?)[ _]?\d)|[^(]{0,40}\u2192",
    re.IGNORECASE,
)
# ... or of a test, whose rule is told by what it checks.
_OF_TEST = re.compile(
    r"(?i:^(?:added|add|updated|wrote|created|fixed) (?:an? |\d+ |new |unit |focused )*"
    r"(?:\w+ )?tests?\b|\b(?:the|this|no|existing) (?:[\w\"-]+ )*tests?\b"
    r"(?!.*\b(?:because|root cause)\b))"
    r"|(?i:^(?:integration|unit|e2e) tests\b)|.*\btests?\b.*\bpass\b.* -> |^`?tests?/"
    r"|\bTest[A-Z]\w{5}|\btest_\w{5}|[_.](?:test|spec)\.\w+"
)
_CODE = re.compile(r"`[^`]*`")
# an act without its subject says something only with the reason for it, unless it is a fix
_FIX = re.compile(r"(?:[\w/.`-]+\s*[-:\u2013\u2014]\s*)?fix(?:e[sd])?\b", re.IGNORECASE)
_ACT = re.compile(
    r"(?:[\w/.`-]+\s*(?:\([^)]*\))?\s*[-:\u2013\u2014]\s*)?(?:[A-Z][a-z]+(?:s|ed)|Now|Skip)\b"
)
# tells what, not why; a reason that stands elsewhere
INSTEAD = re.compile(
    r"\b(?:instead of|rather than|(?:since|because) (?:that|this|it|they)\b)", re.IGNORECASE
)
# what tells of a thing that goes wrong, in words of now ...
ERROR = re.compile(
    r"\b(?:fail(?:s|ing)?|breaks?|root cause|visible|leak(?:s|ing)?|wrong\w*|incorrect\w*|crash\w*"
    r"|silently|falsely|filtered out|errors?(?! that)|bug|depends on)\b",
    re.IGNORECASE,
)
# ... and what says that something is otherwise since
MENDED = re.compile(
    r"\b(?:now|no longer|removed|replaced|fix(?:ed|es)?|instead of|extract only|moved|must"
    r"|(?:been|were|was) added|ensures?|prevent(?:s|ing)?)\b|^added\b",
    re.IGNORECASE,
)
_TOLD = re.compile(r"\b(?:caused|returned|used to|were)\b")  # as past by its own words
_PURPOSE = re.compile(r"\bso (?:that|[a-z]+ (?:don't|doesn't|can|no))\b|\bto (?:prevent|avoid)\b")
# a question, a word to the agent about the command at hand (a rule keeps it), or how something
# looks to the user
_ASKED = re.compile(
    r"\?\s*$|^User, refusing `|^User: .{,20}\bcan you\b|^User: .{,20}\bwould (?:require|mean)\b"
    r"|^User[^:]*: (?:print|write|show|can|could|please|why|what|how|is|do|go|ok|yes|no|oh|wait|hm+"
    r"|since|flow|note|basically|currently|you're|you are"
    r"|(?:i|we) (?:\w+ )?(?:think|feel|guess|wonder|believe|see|noticed|just want))\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(r"PR #\d+")
_NEAR = 60  # characters: so early a definite thing has to be named
_EARLY = 70  # characters of its words: what a line names later is an example or a circumstance
_FILE = re.compile(r"(?:[\w.@~-]*/)*[\w-]+\.[a-z]{1,5}\b")  # names a place and no thing
# what is as it was: what was told of it since does not hold
_BACK = re.compile(r"(.*)\b(?:is|are|was) (?:now )?(?:back to|reverted|restored)\b", re.IGNORECASE)
_SYMBOL = re.compile(r"\b(?:[A-Z]?[a-z0-9]+[A-Z_]\w*|[A-Z][a-z]+[A-Z]\w*|\w+_\w+)\b")
# what is only put on a list is not done: a commit that does no more than note it
COMMITTED = "Committed: "
_TODO = re.compile(r"\bto-?dos?\b(?: for| to\b|[ :,\u2013\u2014-])*(.{8,})", re.IGNORECASE)
TO_DO = "To do: "
PLANNED = "Planned, not built:"
_NAMED_LATER, OF_TO_DO = 2, 0.6  # content words of what was put off, and their share
_OPEN = 3.5  # worth of what is open
_DOCS = (".md", ".mdx", ".txt", ".rst")
# what was done for a case: "when the key is missing, derive it"
_REMEDY = re.compile(
    r"(?:when|if|for) [^,]*, (?:derive|use|return|skip|keep|set|ignore|treat|retry)s?\b",
    re.IGNORECASE,
)
# a later line of a design that says so, with so many content words of an earlier one, and the
# share of those of the shorter line, tells what the design has now
_REDONE = re.compile(
    r"\b(?:no longer|now|removed|dropped|simplified|replaced|superseded)\b|, not ", re.IGNORECASE
)
_SHARED, _SHARE = 2, 0.2


@dataclass(frozen=True, slots=True)
class Point:
    """A line that an article may hold.

    `said` are its words in order between blanks, `worth` orders lines, on the extractor's scale.
    """

    text: str
    kind: FactKind | Literal["open"]
    worth: float
    entry: str
    session: str
    day: date
    project: str
    terms: tuple[str, ...]
    mark: str
    said: str
    turn: int = 0

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


def points(entry: Entry, extract: Extract | None, project: str) -> tuple[Point, ...]:
    """Give the lines of an entry that are worth a page, the best first."""
    made: dict[str, Point] = {}
    for said, filed, score, terms, turn in _lines(entry, extract):
        # the heading says what announces that a line was so before the change
        bare = BEFORE_CHANGE.sub("", said) if entry.session else said
        text, kind = (_lasting(bare) if entry.session else bare), filed
        if bare != said and not (_LAW.search(bare) or _is_change(bare)):
            kind = "context"
        if extract and _REDONE.search(text) and is_design(extract):
            score += _REASONED  # the last word
        # what a person wrote was worth it to them
        keeps = not entry.session or _is_worth(text, kind, score, entry.draft.title)
        if (name := mark(text)) and name not in made and len(text) <= LONGEST and keeps:
            kind = "context" if kind == "lesson" and _is_past(text, entry) else kind
            worth = score + (_REASONED if REASON.search(text) else 0.0)
            made[name] = _point(entry, project, (text, kind, worth, terms, turn))
    ranked = sorted(made.values(), key=lambda point: (-point.worth, point.mark))
    if not entry.session:
        return tuple(ranked)
    lasting = list(_without_mended(ranked))
    if extract:
        left = list(_left_open(entry, extract))
        put_off = [stems(text.removeprefix(TO_DO)) for text in left if text.startswith(TO_DO)]
        lasting = [
            point
            for point in lasting
            if not any(_names(point.text, later) for later in put_off)
            and not (is_design(extract) and is_redone(point, extract))
        ]
        rows = [(text, cast("FactKind", "open"), _OPEN, (), 0) for text in left]
        lasting += [_point(entry, project, row) for row in rows]
    return tuple(lasting)


def _names(text: str, later: frozenset[str]) -> bool:
    """Whether a line tells of what was put off."""
    shared = len(stems(text) & later)
    return shared >= max(_NAMED_LATER, OF_TO_DO * len(later))


def _point(entry: Entry, project: str, row: _Found) -> Point:
    text, kind, worth, terms, turn = row
    about = (entry.id, entry.session or entry.id, entry.day, project)
    said = f" {' '.join(words(_FILE.sub(' ', text)))} "
    return Point(text, kind, worth, *about, terms, mark(text), said, turn)


def is_design(extract: Extract) -> bool:
    """Whether all that a session left is documents: what they say is not built yet."""
    commits = [fact.text for fact in extract.facts if fact.text.startswith(COMMITTED)]
    return bool(extract.files or commits) and all(
        [name.endswith(_DOCS) for name in extract.files]
        + [text.startswith(f"{COMMITTED}docs") for text in commits]
    )


def _left_open(entry: Entry, extract: Extract) -> Iterator[str]:
    """Say what a session put on a list, and that it planned what nobody has built."""
    for fact in extract.facts:
        text = split(fact.text)[1]
        if text.startswith(COMMITTED) and (found := _TODO.search(text)):
            yield f"{TO_DO}{found[1].rstrip('.')}."
    if is_design(extract):
        request = _REQUEST.search(entry.draft.context)
        where = f" ({request[0]})" if request else ""
        yield f"{PLANNED} the session wrote documents and no code{where}."


def is_redone(point: Point, extract: Extract) -> bool:
    """Whether a later line of a design says that it is otherwise now."""
    own, title = stems(point.text), stems(extract.draft.title)
    for fact in extract.facts:
        other = stems(fact.text)
        shared = len(own & other) if own & other - title else 0
        if (
            fact.turn >= point.turn
            and shared >= max(_SHARED, _SHARE * min(len(own), len(other)))
            and _REDONE.search(fact.text)
            and not (_REDONE.search(point.text) or point.text.startswith("User"))
            and not fact.text.startswith(("User", COMMITTED))
        ):
            return True
    return False


def _is_change(text: str) -> bool:
    """Whether a line says what was done, and not how it was before."""
    changes = (_FIX, _ACT, CUES["orders"], _REMEDY)
    return any(pattern.match(text) for pattern in changes)


def _lasting(text: str) -> str:
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


def _lines(entry: Entry, extract: Extract | None) -> Iterator[_Found]:
    """Give the lines of an entry, which join what belongs together, then the facts beside them."""
    left = [(fact, f" {mark(_bare(fact.text))} ") for fact in extract.facts] if extract else []
    for section in _WRITTEN:
        for text in getattr(entry.draft, section) if extract else ():
            whole = f" {mark(_bare(text))} "
            inside = [fact for fact, words in left if words in whole]
            if inside and len(text) <= LONGEST:
                left = [one for one in left if one[0] not in inside]
                terms = (term for fact in inside for term in fact.terms)
                best = max(fact.score for fact in inside)
                who = next(filter(None, (split(fact.text)[0] for fact in inside)), "")
                turn = max(fact.turn for fact in inside)
                yield marked(text, who), inside[0].kind, best, tuple(dict.fromkeys(terms)), turn
    yield from ((fact.text, fact.kind, fact.score, fact.terms, fact.turn) for fact, _ in left)
    for section, (score, kind) in () if extract else _WRITTEN.items():
        for text in getattr(entry.draft, section):
            if not NEXT.match(text):
                yield text, _written_kind(text, kind), score, (), 0


def _written_kind(text: str, kind: FactKind) -> FactKind:
    """File a person's line by what it says: a decision is one wherever they wrote it."""
    if _DECIDED.match(text):
        return "decision"
    return "lesson" if kind == "answer" and not _ASKS.search(text) else kind


def _bare(text: str) -> str:
    return BEFORE_CHANGE.sub("", split(text)[1])


def _is_past(text: str, entry: Entry) -> bool:
    """Whether a line tells of what was before, or of what was lacking when it was said."""
    lacks = bool(entry.session) and _LACK.match(text) and not _LASTING.search(text)
    return bool(lacks or _PAST.match(text))


def _without_mended(ranked: Sequence[Point]) -> Iterator[Point]:
    """Give the lines, those of an error that another one says is fixed as what was before."""
    fixes = [stems(one.text) for one in ranked if MENDED.search(one.text)]
    for point in ranked:
        own, text = stems(point.text), point.text
        is_over = MENDED.search(text) or _TOLD.search(text) or CUES["orders"].match(text)
        # it announces itself, or says what is done so that it does not go wrong
        is_said = BEFORE_CHANGE.match(text) or _PURPOSE.search(text)
        is_error = ERROR.search(text) and not (is_over or is_said)
        if any(takes_back(other.text, text) for other in ranked):
            continue
        near = any(len(own & fix) >= _NAMED_LATER for fix in fixes)
        is_past = point.kind == "lesson" and is_error and near
        yield replace(point, kind="context") if is_past else point


def takes_back(later: str, old: str) -> bool:
    """Whether a line says that a thing is as it was, which another one says was changed."""
    back = _BACK.match(later)
    names = set(_SYMBOL.findall(back[1])) if back else set()
    return bool(names and names & set(_SYMBOL.findall(old)) and not _BACK.match(old))


def _is_worth(text: str, kind: FactKind, score: float, title: str) -> bool:
    """Whether a line says something by itself, and will next month."""
    floor = _FIXES if _FIX.match(text) else _FLOOR if said_part(text) == text else _MARKED
    if not text or kind in {"change", "definition"} or score < floor or _ASKED.search(text):
        return False
    is_label = not (REASON.search(text) or len(text) >= _SHORTEST or text[-1] in ".!")
    if not _is_known(text, title) or (is_label and not text.startswith("User")):
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
