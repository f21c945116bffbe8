"""Topics and what they hold -> the links between them, and articles on pairs that lines unite.

A link needs lines or sessions in common; a connection article needs more, and stays rare: sentences
of several sessions that speak of both terms. Its prose counts and quotes, since code cannot say
what a connection means.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from memoria.compile.patch import ArticleChange, Line, Link, Section
from memoria.compile.write import value
from memoria.text.markdown import mark
from memoria.vault.slugs import slug

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memoria.compile.points import Point, Source
    from memoria.compile.topic_points import Held, Shelf, Topic
    from memoria.vault.article import Article

_FILE_LINKS = 2  # so many links an article gets even if only files unite it with others
_LINKS, _MOST_LINKS = 5, 8  # of one compile; of an article: more than that is no help where to go
_LINES, _SESSIONS = 3, 2  # that speak of both: fewer are chance
_FILES = 10  # of a session, the most edited first; the others were touched in passing
# a file is common, and tells nothing, if more than a quarter of the topics edited it
_COMMON, _FEW_TOPICS = 4, 3
_UNITED = 0.2  # of the lines of both: else one merely appears beside everything
_EVIDENCE = 12  # lines of a new connection


def neighbours(
    held: Mapping[str, Held], sources: Mapping[str, Source]
) -> Callable[[str], tuple[Link, ...]]:
    """Give a function from a topic's path to its links: what it has most in common with.

    Lines in common count most, then sessions, then files that few topics touch.
    """
    files = {path: _files(one, sources) for path, one in held.items()}
    touched = Counter(file for found in files.values() for file in found)
    common = max(_FEW_TOPICS, len(held) // _COMMON)
    rare = {file for file, number in touched.items() if 1 < number <= common}

    def links(path: str) -> tuple[Link, ...]:
        mine = held[path]
        article = mine.topic.article
        old = article.section("Related Concepts") if article else ""
        near: list[_Tie] = []
        for other, one in held.items():
            if other != path and f"[[{other}" not in old:
                near += _ties(mine, one, sorted(files[path] & files[other] & rare))
        near.sort()
        close = [tie for tie in near if not tie.is_file]
        # files are a last resort: they lead somewhere where nothing else does
        spare = max(0, _FILE_LINKS - len(close) - old.count("[["))
        chosen = close[:_LINKS] + [tie for tie in near if tie.is_file][:spare]
        room = max(0, _MOST_LINKS - old.count("[["))
        return tuple(Link(tie.path, tie.why) for tie in chosen[:room])

    return links


class _Tie(NamedTuple):
    """What unites one topic with another; the strongest sorts first."""

    is_file: bool
    weight: float
    path: str
    why: str


def _ties(mine: Held, other: Held, files: Sequence[str]) -> list[_Tie]:
    """Say what two topics have in common, if anything."""
    lines = len(mine.marks & other.marks)
    sessions = len(mine.sessions & other.sessions)
    told = "1 session" if sessions == 1 else f"{sessions} sessions"
    size = math.sqrt(max(1, mine.topic.size) * max(1, other.topic.size))
    path = other.topic.path
    if lines:
        why = f"{lines} line{'s' * (lines > 1)} in common, from {told}"
        return [_Tie(False, -(2 * lines + sessions) / size, path, why)]
    if sessions >= _SESSIONS:
        return [_Tie(False, -sessions / size, path, f"came up in {told} with it")]
    if files:
        names = ", ".join(f"`{file.rsplit('/', 1)[-1]}`" for file in files[:2])
        return [_Tie(True, -len(files), path, f"edited {names} too")]
    return []


def _files(one: Held, sources: Mapping[str, Source]) -> set[str]:
    entries = dict.fromkeys(point.entry for point in one.points)
    extracts = (sources[entry].extract for entry in entries)
    return {file for found in extracts if found for file in found.files[:_FILES]}


def bonds(
    shelf: Shelf,
    sources: Mapping[str, Source],
    today: Iterable[Source],
    articles: Iterable[Article],
) -> Iterator[ArticleChange]:
    """Write or extend the connections of the terms that the day's points speak of together."""
    known = {article.key: article for article in articles if article.kind == "connection"}
    topics = {one.path: one for one in _spoken(shelf, today) if one.key}
    everything = [point for source in sources.values() for point in source.points]
    spoken: dict[str, list[Point]] = {
        path: [point for point in everything if one.concerns(point.project) and _names(point, one)]
        for path, one in sorted(topics.items())
    }
    new = {source.entry.id for source in today}
    for pair in combinations(spoken, 2):
        other = {id(point) for point in spoken[pair[1]]}
        found = [point for point in spoken[pair[0]] if id(point) in other]
        both = len(spoken[pair[0]]) + len(other)
        fresh = [point for point in found if point.entry in new]
        one = _Bond(topics[pair[0]], topics[pair[1]], found, fresh)
        article = known.get(one.key)
        if article and fresh:
            yield from _extended(one, article)
        elif fresh and _is_bond(found, both):
            yield _begun(one)


def _spoken(shelf: Shelf, today: Iterable[Source]) -> Iterator[Topic]:
    for source in today:
        for point in source.points:
            yield from shelf.spoken_of(point)


def _names(point: Point, topic: Topic) -> bool:
    return any(point.speaks_of(name) for name in topic.names)


def _is_bond(found: Sequence[Point], both: int) -> bool:
    lines = len({point.mark for point in found})
    sessions = len({point.session for point in found})
    return lines >= _LINES and sessions >= _SESSIONS and 2 * lines >= _UNITED * both


class _Bond(NamedTuple):
    """Two topics with the points that speak of both, and those of the day among them."""

    one: Topic
    other: Topic
    found: Sequence[Point]
    fresh: Sequence[Point]

    @property
    def key(self) -> str:
        return f"bond:{self.one.slug} + {self.other.slug}"


def _begun(bond: _Bond) -> ArticleChange:
    ranked = sorted(bond.found, key=lambda point: (-value(point), point.mark))
    best = ranked[0]
    # all of the day, so that the day again has nothing to add; of older ones the best
    old = [point for point in ranked if point not in bond.fresh]
    chosen = [*bond.fresh, *old[: max(0, _EVIDENCE - len(bond.fresh))]]
    lines = {point.mark: Line(point.text, point.entry) for point in chosen if point != best}
    sections = (
        Section("The Connection", _PROSE),
        Section("Key Insight", lines=(Line(best.text, best.entry),)),
        Section("Evidence", lines=tuple(lines.values())),
    )
    entries = tuple(dict.fromkeys(point.entry for point in (best, *chosen)))
    return _change(bond, slug(f"{bond.one.slug} and {bond.other.slug}"), sections, entries)


_PROSE = "Both are spoken of in the same sentences; the lines below are such sentences."


def _extended(bond: _Bond, article: Article) -> Iterator[ArticleChange]:
    text = mark(" ".join(body for _, body in article.sections))
    new = {point.mark: point for point in bond.fresh if f" {point.mark} " not in f" {text} "}
    if new:
        lines = tuple(Line(point.text, point.entry) for point in new.values())
        entries = tuple(dict.fromkeys(point.entry for point in new.values()))
        change = _change(bond, article.slug, (Section("Evidence", lines=lines),), entries)
        yield replace(change, lead="")


def _change(
    bond: _Bond, name: str, sections: tuple[Section, ...], entries: tuple[str, ...]
) -> ArticleChange:
    one, other = bond.one, bond.other
    return ArticleChange(
        kind="connection",
        slug=name,
        title=f"Connection: {one.title} and {other.title}",
        lead=_lead(one, other, bond.found),
        sections=sections,
        entries=entries,
        connects=(one.path, other.path),
        related=(Link(one.path), Link(other.path)),
        key=bond.key,
    )


def _lead(one: Topic, other: Topic, found: Sequence[Point]) -> str:
    days = sorted({point.day for point in found})
    sessions = len({point.session for point in found})
    return (
        f"{one.title} and {other.title} came up together in {len(found)} lines of"
        f" {sessions} sessions by {days[-1]}. What unites them is told by the lines themselves."
    )
