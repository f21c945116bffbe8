"""Topics and what they hold -> the links between them, and articles on pairs that lines unite.

A link needs lines or sessions in common; a connection article needs more, and stays rare: sentences
of several sessions that speak of both terms. Its prose counts and quotes, since code cannot say
what a connection means.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

from memoria.stages.patch import ArticleChange, Line, Link, Section
from memoria.stages.point import mark
from memoria.stages.shelf import slug
from memoria.stages.writing import value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.stages.article import Article
    from memoria.stages.point import Point, Source
    from memoria.stages.shelf import Held, Shelf, Topic

_LINKS, _MOST_LINKS = 5, 8  # of one compile; of an article: more than that is no help where to go
_LINES, _SESSIONS = 3, 2  # that speak of both: fewer are chance
_UNITED = 0.2  # of the lines of both: else one merely appears beside everything
_EVIDENCE = 12  # lines of a new connection


def related(mine: Held, held: Mapping[str, Held]) -> tuple[Link, ...]:
    """Give the topics that have most in common with one, and what they have in common."""
    article = mine.topic.article
    old = article.section("Related Concepts") if article else ""
    near = []
    for path, other in held.items():
        lines = len(mine.marks & other.marks)
        sessions = len(mine.sessions & other.sessions)
        known = path == mine.topic.path or f"[[{path}" in old
        if not known and (lines or sessions >= _SESSIONS):
            size = math.sqrt(max(1, mine.topic.size) * max(1, other.topic.size))
            near.append((-(2 * lines + sessions) / size, path, _why(lines, sessions)))
    near.sort()
    room = max(0, min(_LINKS, _MOST_LINKS - old.count("[[")))
    return tuple(Link(path, why) for _, path, why in near[:room])


def _why(lines: int, sessions: int) -> str:
    told = "1 session" if sessions == 1 else f"{sessions} sessions"
    if not lines:
        return f"came up in {told} with it" if sessions else ""
    return f"{lines} line{'s' * (lines > 1)} in common, from {told}"


def bonds(
    shelf: Shelf,
    sources: Mapping[str, Source],
    today: Iterable[Source],
    articles: Iterable[Article],
) -> Iterator[ArticleChange]:
    """Write or extend the connections of the terms that the day's points speak of together."""
    known = {article.key: article for article in articles if article.kind == "connection"}
    new = {source.entry.id for source in today}
    everything = [point for source in sources.values() for point in source.points]
    spoken: dict[str, int] = defaultdict(int)
    shared: dict[tuple[str, str], list[Point]] = defaultdict(list)
    topics: dict[str, Topic] = {}
    for point in everything:
        named = {one.path: one for one in shelf.spoken_of(point) if one.key}
        topics |= named
        for path in named:
            spoken[path] += 1
        for pair in combinations(sorted(named), 2):
            shared[pair].append(point)
    for pair, found in sorted(shared.items()):
        fresh = any(point.entry in new for point in found)
        if fresh and _is_bond(found, spoken[pair[0]] + spoken[pair[1]]):
            yield from _bond((topics[pair[0]], topics[pair[1]]), found, known)


def _is_bond(found: Sequence[Point], both: int) -> bool:
    lines = len({point.mark for point in found})
    sessions = len({point.session for point in found})
    return lines >= _LINES and sessions >= _SESSIONS and 2 * lines >= _UNITED * both


def _bond(
    pair: tuple[Topic, Topic], found: Sequence[Point], known: Mapping[str, Article]
) -> Iterator[ArticleChange]:
    one, other = pair
    key = f"bond:{one.slug} + {other.slug}"
    article = known.get(key)
    text = mark("\n".join(body for _, body in article.sections)) if article else ""
    fresh = {point.mark: point for point in found if f" {point.mark} " not in f" {text} "}
    if not fresh:
        return
    best = max(fresh.values(), key=lambda point: (value(point), point.mark))
    lines = [Line(point.text, point.entry) for point in fresh.values() if article or point != best]
    sections = [Section("Evidence", lines=tuple(lines[:_EVIDENCE]))]
    lead = ""
    if article is None:
        lead = _lead(one, other, found)
        prose = "Both are spoken of in the same sentences; the lines below are such sentences."
        insight = Section("Key Insight", lines=(Line(best.text, best.entry),))
        sections = [Section("The Connection", prose), insight, *sections]
    yield ArticleChange(
        kind="connection",
        slug=article.slug if article else slug(f"{one.slug} and {other.slug}"),
        title=f"Connection: {one.title} and {other.title}",
        lead=lead,
        sections=tuple(sections),
        entries=tuple(dict.fromkeys(point.entry for point in fresh.values())),
        connects=(one.path, other.path),
        related=(Link(one.path), Link(other.path)),
        key=key,
    )


def _lead(one: Topic, other: Topic, found: Sequence[Point]) -> str:
    days = sorted({point.day for point in found})
    sessions = len({point.session for point in found})
    return (
        f"{one.title} and {other.title} came up together in {len(found)} lines of"
        f" {sessions} sessions by {days[-1]}. What unites them is told by the lines themselves."
    )
