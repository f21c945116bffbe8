"""Write an article where lines of two topics name one thing that neither is called after.

Each topic's page has its own story; what both of them turn on is told by neither. The connection
names the thing and holds the lines that do, since code cannot say what a connection means.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from memoria.compile.patch import ArticleChange, Line, Link, Section
from memoria.text.markdown import mark
from memoria.vault.slugs import slug

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from memoria.compile.points import Point, Source
    from memoria.compile.shelf import Shelf, Topic
    from memoria.vault.article import Article

_LINES = 2  # of each topic that name the thing: one may do so by the way
_EVIDENCE = 8  # lines of a connection
_AT = " @ "  # before the thing in a connection's key


class _Bond(NamedTuple):
    """Two topics with what both name, and the lines that do, the best first."""

    one: Topic
    other: Topic
    phrase: str
    lines: Sequence[Point]

    @property
    def key(self) -> str:
        return f"bond:{self.one.slug} + {self.other.slug}{_AT}{self.phrase}"


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
    topics = sorted((one for one in shelf.topics if one.key), key=lambda topic: topic.path)
    held = {topic.path: [one for one in points if topic.holds(one)] for topic in topics}
    for one, other in combinations(topics, 2):
        article = written.get(f"bond:{one.slug} + {other.slug}")
        phrase = article.key.split(_AT)[-1] if article else _shared(one, other, held, tells)
        bond = _Bond(one, other, phrase, _naming(phrase, held[one.path] + held[other.path]))
        fresh = [point for point in bond.lines if point.entry in new]
        if fresh and article:
            yield from _extended(bond, fresh, article)
        elif fresh:
            yield _begun(bond)


def _shared(
    one: Topic, other: Topic, held: dict[str, list[Point]], tells: Callable[[str, str], bool]
) -> str:
    """Find the thing that most lines of both topics name, "" for none."""
    mine, theirs = (_phrases(held[topic.path]) for topic in (one, other))
    # two pages of one session were parted because they are about different things
    apart = not {p.session for p in held[one.path]} & {p.session for p in held[other.path]}
    own = one.names | other.names
    told = [
        (min(mine[name], theirs[name]), name)
        for name in mine
        if min(mine[name], theirs[name]) >= _LINES and name not in own and apart
        if all(tells(name, point.project) for point in held[one.path])
    ]
    return max(told, default=(0, ""))[1]


def _phrases(lines: Iterable[Point]) -> Counter[str]:
    return Counter(term for one in lines for term in set(one.terms) if " " in term)


def _naming(phrase: str, lines: Iterable[Point]) -> list[Point]:
    named = {one.mark: one for one in lines if phrase in one.terms}
    return sorted(named.values(), key=lambda point: (-point.worth, point.mark))


def _begun(bond: _Bond) -> ArticleChange:
    lines = bond.lines[:_EVIDENCE]
    evidence = Section("Evidence", lines=tuple(Line(one.text, one.entry) for one in lines))
    lead = f"“{bond.one.title}” and “{bond.other.title}” both turn on the {bond.phrase}."
    return _change(bond, (evidence,), lines, lead)


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
