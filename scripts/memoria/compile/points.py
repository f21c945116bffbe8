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
from memoria.compile.worth import REASON, is_change, is_worth, lasting
from memoria.text.markdown import mark
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
# What was lacking when it was said, with no word of when, why or since: it may have been mended.
_LACK = re.compile(
    r"(?!.*(?:\b(?:because|since|so that|if|when|without|even|must|instead|fix\w*|now)\b|: ))"
    r"[^,:;]{0,60}\b(?:(?:do|does|is|are|has|have)(?:n't| not| no)|lacks?|duplicat\w+"
    r"|still (?:has|shows|uses))\b",
    re.IGNORECASE,
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
_REQUEST = re.compile(r"PR #\d+")
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
    design = extract if extract and is_design(extract) else None
    for said, filed, score, terms, turn in _lines(entry, extract):
        # the heading says what announces that a line was so before the change
        bare = BEFORE_CHANGE.sub("", said) if entry.session else said
        text, kind = (lasting(bare) if entry.session else bare), filed
        if bare != said and not (_LAW.search(bare) or is_change(bare)):
            kind = "context"
        last_word = _REASONED if design and _REDONE.search(text) else 0.0
        # what a person wrote was worth it to them
        keeps = not entry.session or is_worth(text, kind, score + last_word, entry.draft.title)
        if (name := mark(text)) and name not in made and len(text) <= LONGEST and keeps:
            kind = "context" if kind == "lesson" and _is_past(text, entry) else kind
            worth = score + last_word + (_REASONED if REASON.search(text) else 0.0)
            made[name] = _point(entry, project, (text, kind, worth, terms, turn))
    ranked = sorted(made.values(), key=lambda point: (-point.worth, point.mark))
    if not entry.session:
        return tuple(ranked)
    left = list(_left_open(entry, extract)) if extract else []
    to_do = [stems(text.removeprefix(TO_DO)) for text in left if text.startswith(TO_DO)]
    kept = [
        point
        for point in _without_mended(ranked)
        if not any(_names(point.text, later) for later in to_do)
        and not (design and is_redone(point, design))
    ]
    rows = [(text, cast("FactKind", "open"), _OPEN, (), 0) for text in left]
    return (*kept, *(_point(entry, project, row) for row in rows))


def _is_past(text: str, entry: Entry) -> bool:
    return bool(_PAST.match(text) or (entry.session and _LACK.match(text)))


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
