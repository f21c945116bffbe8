"""Write an article where lines of two topics name one thing that neither is called after.

Each topic's page has its own story; what both of them turn on is told by neither. The connection
names the thing and holds the lines that do, since code cannot say what a connection means.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from memoria.compile.patch import MAX_TITLE, ArticleChange, Line, Link, Section
from memoria.text.markdown import mark
from memoria.text.prose import clipped
from memoria.vault.file_names import numbered, slug

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from memoria.compile.points import Point, Source
    from memoria.compile.shelf import Shelf, Topic
    from memoria.vault.article import Article

_LINES = 2  # of each topic that name the thing: one may do so by the way
_EVIDENCE = 8  # lines of a connection
_AT = " @ "  # before the thing in a connection's key


def connections(
    shelf: Shelf,
    known: Sequence[Source],
    today: Sequence[Source],
    articles: Iterable[Article],
    tells: Callable[[str, str], bool],
) -> Iterator[ArticleChange]:
    """Begin the connections that the day shows, and add to those that are there.

    `tells` says whether a name tells sessions of a project apart.
    """
    written = {one.key.split(_AT)[0]: one for one in articles if one.kind == "connection"}
    new = {source.entry.id for source in today}
    points = [point for source in known for point in source.points if point.kind != "answer"]
    taken = {one.slug for one in written.values()}
    topics = sorted((one for one in shelf.topics if one.key), key=lambda topic: topic.path)
    held = {topic.path: [one for one in points if topic.holds(one)] for topic in topics}
    for one, other in combinations(topics, 2):
        mine, theirs = held[one.path], held[other.path]
        article = written.get(f"bond:{one.slug} + {other.slug}")
        if article:
            phrase = article.key.split(_AT)[-1]
        else:
            phrase = _shared(mine, theirs, one.names | other.names, tells)
        named = {point.mark: point for point in (*mine, *theirs) if phrase in point.terms}
        lines = sorted(named.values(), key=lambda point: (-point.worth, point.mark))
        room = _EVIDENCE
        fresh = [point for point in lines if point.entry in new]
        if fresh and article:
            bodies = (body for _, body in article.sections)
            text = f" {mark(' '.join((article.lead, *bodies)))} "
            lines = [point for point in fresh if f" {point.mark} " not in text]
            room = max(0, _EVIDENCE - article.section("Evidence").count("\n- "))
        if fresh and lines[:room]:
            both = numbered(slug(f"{one.slug} and {other.slug}"))
            name = article.slug if article else next(each for each in both if each not in taken)
            taken.add(name)
            yield _change(one, other, phrase, lines[:room], name, is_new=not article)


def _shared(
    mine: Sequence[Point],
    theirs: Sequence[Point],
    own: frozenset[str],
    tells: Callable[[str, str], bool],
) -> str:
    """Find the thing that most lines of both topics name, "" for none; `own` are their names."""
    # two pages of one session were parted because they are about different things
    if {point.session for point in mine} & {point.session for point in theirs}:
        return ""
    here, there = (
        Counter(term for one in lines for term in set(one.terms) if " " in term and one.names(term))
        for lines in (mine, theirs)
    )
    both = [(min(here[name], there[name]), name) for name in here if name not in own]
    telling = [
        (lines, name)
        for lines, name in both
        if lines >= _LINES and all(tells(name, point.project) for point in mine)
    ]
    return max(telling, default=(0, ""))[1]


def _change(  # noqa: PLR0913 - a connection, and what is told of it
    one: Topic, other: Topic, phrase: str, lines: Sequence[Point], name: str, *, is_new: bool
) -> ArticleChange:
    """Begin an article, or add to it."""
    lead = f"“{one.title}” and “{other.title}” both turn on the {phrase}."
    evidence = Section("Evidence", lines=tuple(Line(line.text, line.entry) for line in lines))
    return ArticleChange(
        kind="connection",
        slug=name,
        title=clipped(f"Connection: {one.title} and {other.title}", MAX_TITLE),
        lead=lead if is_new else "",
        sections=(evidence,),
        entries=tuple(dict.fromkeys(point.entry for point in lines)),
        connects=(one.path, other.path),
        related=(Link(one.path), Link(other.path)),
        key=f"bond:{one.slug} + {other.slug}{_AT}{phrase}",
    )
