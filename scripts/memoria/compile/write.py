"""Write what a topic gains as a change of its article: its lead, its sections, its links.

Everything here is selected, nothing is phrased: a line stands as it was said, and the lead is the
best of them that speaks of the subject. The trap is staleness: what a later line replaces stands in
a section of its own, and so does what was so before a change.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.extract.sentences import stems
from memoria.compile.amend import line_id
from memoria.compile.patch import ArticleChange, Line, Link, Retired, Section
from memoria.compile.points import REASON, WAS
from memoria.compile.replaced import replaced
from memoria.compile.shelf import BEFORE
from memoria.text.markdown import inert, mark
from memoria.vault.project import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.compile.points import Point, Source
    from memoria.compile.shelf import Shelf, Topic

_SECTIONS = {
    "decision": "Decisions",
    "lesson": "Gotchas and Causes",
    "fix": "Errors and Fixes",
    "answer": "Questions Answered",
    "context": BEFORE,
}
_MOST_LINKS = 5  # of an article: more than that is no help where to go
_TIES = 2  # lines: of the links that rested on one, a blind reader found none that was right
# a lead is a sentence about its subject: no quotation, no record of an act, nothing half said
_NO_LEAD = re.compile(
    r".*(?: -> |\?$|…)|(?:\S+ ){1,4}[\u2014-] |[^.;:,\u2014]*\bthis\b|.{,40}\bit\b"
    r"|.*\b(?:the same way|would have|can't)\b"
    r"|(?:\w+ed|the (?:fix|original|old|new|bug|issue)|if|after|since|during|without"
    r"|root cause|problem|solution|issue)\b",
    re.IGNORECASE,
)
_CAUSED = re.compile(r"\bcaus(?:ed|ing)\b", re.IGNORECASE)  # what was is told for its effect
_LAST = 9.0  # below any other line: what can be no first sentence
_ASTRAY = 3.0  # a sentence that names nothing of the title does not say what the page is about
_NEAR = 5  # words of the title that a line need not exceed
_SHORT_LEAD, _LONG_LEAD = 50, 320  # characters


class Writer:
    """Writes the topics of a shelf that gained something; `sources` are all they draw on."""

    def __init__(self, shelf: Shelf, sources: Sequence[Source]) -> None:
        """Sort all lines by the topics that hold them."""
        self._topics = shelf.topics
        self._sources = {source.entry.id: source for source in sources}
        everything = [point for source in sources for point in source.points]
        self._held = {
            topic.path: [point for point in everything if topic.holds(point)]
            for topic in shelf.topics
        }

    def changes(self) -> Iterator[ArticleChange]:
        """Write each topic that gained a line."""
        for topic in self._topics:
            if topic.added:
                yield self._change(topic)

    def _change(self, topic: Topic) -> ArticleChange:
        new = sorted(topic.added, key=self._when)
        held = sorted(self._held[topic.path], key=self._when)
        pairs = tuple(replaced([one for one in held if not topic.retired(one)], new))
        gone = {old.mark for old, _ in pairs}
        lines = [point for point in new if point.mark not in gone]
        first = _first(topic, held)
        able = [*lines, *([first] if first and first.mark not in gone else [])]
        lead = _lead(topic, able) if first or not topic.article else None
        if lead and first and lead is not first:
            lines = sorted([*lines, first], key=self._when)
        shown = [point for point in lines if point is not lead]
        return ArticleChange(
            kind="concept",
            slug=topic.slug,
            title=topic.title,
            lead=_closed(lead.text) if lead and lead is not first else "",
            sections=tuple(_sections(shown)),
            entries=tuple(dict.fromkeys(point.entry for point in new)),
            tags=() if topic.article else tuple(map(label, sorted(topic.projects))),
            related=tuple(self._related(topic)),
            key=topic.key,
            retired=tuple(
                Retired(line_id(inert(old.text)), later.entry, later.text) for old, later in pairs
            ),
        )

    def _when(self, point: Point) -> tuple[object, ...]:
        return point.day, self._sources[point.entry].entry.at, point.entry, -point.worth, point.mark

    def _related(self, topic: Topic) -> Iterator[Link]:
        """Link to the topics that lines of it name, and to those whose lines name it."""
        old = topic.article.section("Related Concepts") if topic.article else ""
        ties = []
        for other in self._topics:
            written = other.article or other.added
            if other is not topic and written and f"[[{other.path}]]" not in old:
                named = self._named(topic, other)
                near = not topic.projects or not other.projects or topic.projects & other.projects
                is_tied = near and named >= _TIES and other.names != topic.names
                ties += [(-named, other.path)] if is_tied else []
        for named, path in sorted(ties)[: max(0, _MOST_LINKS - old.count("[["))]:
            yield Link(path, f"{-named} lines name both")

    def _named(self, topic: Topic, other: Topic) -> int:
        mine, theirs = self._held[topic.path], self._held[other.path]
        named = sum(any(map(one.names, other.names)) for one in mine)
        return named + sum(any(map(one.names, topic.names)) for one in theirs)


def _sections(new: Sequence[Point]) -> Iterator[Section]:
    for kind, heading in _SECTIONS.items():
        lines = tuple(Line(point.text, point.entry) for point in new if point.kind == kind)
        if lines:
            yield Section(heading, lines=lines)


def can_open(point: Point) -> bool:
    """Whether a line can be the first sentence of a page: it says something, and says it now."""
    if point.kind == "context" or point.text.startswith("User") or point.is_marked:
        return False
    if _NO_LEAD.match(point.text) or (WAS.match(point.text) and not _CAUSED.search(point.text)):
        return False
    return point.text[:1].isalnum() or point.text[0] == "`"


def _lead(topic: Topic, able: Sequence[Point]) -> Point | None:
    """Choose the best line that speaks of the subject."""
    ranked = sorted(able, key=lambda point: (-_fitness(topic, point), point.mark))
    return ranked[0] if ranked else None


def _fitness(topic: Topic, point: Point) -> float:
    """Say how well a line opens a page."""
    short = _SHORT_LEAD <= len(point.text) <= _LONG_LEAD
    why = (point.kind == "decision") + bool(REASON.search(point.text))
    near = max(any(map(point.names, topic.names)), len(stems(topic.title) & stems(point.text)))
    fit = min(near, _NEAR) + short + 0.5 * why
    return point.worth + fit - _LAST * (not can_open(point)) - _ASTRAY * (not near)


def _first(topic: Topic, held: Iterable[Point]) -> Point | None:
    """Find the line that the lead of an article is; None where a person or a model wrote it."""
    lead = mark(topic.article.lead) if topic.article else ""
    return next((point for point in held if point.mark == lead), None)


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
