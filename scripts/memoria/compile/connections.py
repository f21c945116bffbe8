"""Write an article where two topics share decisions or causes of two sessions.

A line that names both topics lies in one of them; the connection is what both have of it. Its prose
is the best of such lines, since code cannot say what a connection means.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from memoria.compile.patch import ArticleChange, Line, Link, Section
from memoria.text.markdown import mark
from memoria.vault.slugs import slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.compile.points import Point, Source
    from memoria.compile.shelf import Shelf, Topic
    from memoria.vault.article import Article

_LINES, _SESSIONS = 3, 2  # that speak of both: fewer are chance
_NEW = 2  # of them that each of the two pages lacks: else it is a copy of a page
_UNITED = 0.15  # of the lines of both: else one merely appears beside everything
_EVIDENCE = 8  # lines of a new connection
_TELLING = frozenset({"decision", "lesson", "fix"})


class _Bond(NamedTuple):
    """Two topics with the lines that speak of both, the best first."""

    one: Topic
    other: Topic
    lines: Sequence[Point]

    @property
    def key(self) -> str:
        return f"bond:{self.one.slug} + {self.other.slug}"


def connections(
    shelf: Shelf, known: Sequence[Source], today: Sequence[Source], articles: Iterable[Article]
) -> Iterator[ArticleChange]:
    """Begin the connections that the day shows, and add to those that are there."""
    written = {article.key: article for article in articles if article.kind == "connection"}
    new = {source.entry.id for source in today}
    lines = [one for source in known for one in source.points if one.kind in _TELLING]
    topics = [topic for topic in shelf.topics if topic.key.startswith("term:")]
    spoken = {topic.path: [one for one in lines if _speaks(topic, one)] for topic in topics}
    for one, other in combinations(sorted(topics, key=lambda topic: topic.path), 2):
        bond = _bond(one, other, spoken)
        fresh = [point for point in bond.lines if point.entry in new]
        article = written.get(bond.key)
        if fresh and article:
            yield from _extended(bond, fresh, article)
        elif fresh and _is_bond(bond, len(spoken[one.path]) + len(spoken[other.path])):
            yield _begun(bond)


def _speaks(topic: Topic, point: Point) -> bool:
    # a line that is about one of the two may name the other late
    said = any(f" {name} " in point.said for name in topic.names)
    return said and topic.concerns(point.project)


def _bond(one: Topic, other: Topic, spoken: dict[str, list[Point]]) -> _Bond:
    theirs = {point.mark for point in spoken[other.path]}
    both = {point.mark: point for point in spoken[one.path] if point.mark in theirs}
    ranked = sorted(both.values(), key=lambda point: (-point.worth, point.mark))
    return _Bond(one, other, ranked)


def _is_bond(bond: _Bond, both: int) -> bool:
    if not bond.one.names.isdisjoint(bond.other.names):
        return False  # two pages of one thing
    sessions = {point.session for point in bond.lines}
    enough = len(bond.lines) >= _LINES and len(sessions) >= _SESSIONS
    # what each of the pages does not show by itself
    new = [[one for one in bond.lines if not page.holds(one)] for page in (bond.one, bond.other)]
    enough = enough and min(map(len, new)) >= _NEW
    return enough and 2 * len(bond.lines) >= _UNITED * both


def _begun(bond: _Bond) -> ArticleChange:
    best, *rest = bond.lines[: _EVIDENCE + 1]
    evidence = Section("Evidence", lines=tuple(Line(one.text, one.entry) for one in rest))
    return _change(bond, (evidence,), [best, *rest], best.text)


def _extended(bond: _Bond, fresh: Sequence[Point], article: Article) -> Iterator[ArticleChange]:
    text = f" {mark(' '.join((article.lead, *(body for _, body in article.sections))))} "
    new = [point for point in fresh if f" {point.mark} " not in text]
    room = max(0, _EVIDENCE - article.section("Evidence").count("\n- "))
    if new[:room]:
        lines = tuple(Line(point.text, point.entry) for point in new[:room])
        change = _change(bond, (Section("Evidence", lines=lines),), new[:room], "")
        yield replace(change, slug=article.slug)


def _change(
    bond: _Bond, sections: tuple[Section, ...], lines: Iterable[Point], lead: str
) -> ArticleChange:
    one, other = bond.one, bond.other
    return ArticleChange(
        kind="connection",
        slug=slug(f"{one.slug} and {other.slug}"),
        title=f"Connection: {one.title} and {other.title}",
        lead=lead,
        sections=sections,
        entries=tuple(dict.fromkeys(point.entry for point in lines)),
        connects=(one.path, other.path),
        related=(Link(one.path), Link(other.path)),
        key=bond.key,
    )
