"""A day's entries and the articles as they are -> a Patch: topics that grow, topics that begin.

Two kinds of topic gather lines without any clustering: a work item by its branch (else by a title
that was given, not guessed), a concept by a term that comes back. Slug and key never change, lines
are only added, and all state is read off the articles. The trap: whatever is counted over all
sessions changes from day to day, so it may decide what begins, never what is there already.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from memoria.capture.extract.titles.entry_title import is_trunk
from memoria.capture.extract.user.statements import WEAK
from memoria.compile.commands_article import commands
from memoria.compile.grow import Growth
from memoria.compile.patch import Patch, RuleProposal
from memoria.compile.points import GIVEN, Source, points
from memoria.compile.topic_links import bonds, neighbours
from memoria.compile.topic_points import Shelf
from memoria.compile.write import written
from memoria.text.term_names import definition
from memoria.text.terms import key as term_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.compile.patch import ArticleChange
    from memoria.compile.points import Point
    from memoria.compile.topic_points import Topic
    from memoria.llm.requests import Day
    from memoria.vault.entry import Entry, Extract

# no work item of its own has a branch of more than a quarter of the sessions, once there are a few
_TRUNK_SHARE, _FEW_SESSIONS = 0.25, 4


def compile_day(day: Day) -> Patch:
    """Compile the new entries of a day; `day.articles` must be all that there are.

    The same day again, with the articles that came out of it, gives no article change.
    """
    shelf = Shelf(day.articles)
    sources = _sources(day, shelf)
    today = [sources[entry.id] for entry in _in_order(day.entries)]
    Growth(shelf, list(sources.values()), today).settle()
    changes = (*_grown(shelf, sources), *bonds(shelf, sources, today, day.articles))
    return Patch((*changes, *commands(day.articles, sources, today)), tuple(_rules(today)))


def _in_order(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: (entry.day, entry.at, entry.id))


def _sources(day: Day, shelf: Shelf) -> dict[str, Source]:
    """Give all sources by entry in order of time; a new entry stands for its older version."""
    entries = {entry.id: entry for entry in (*day.history, *day.entries)}
    branches, trunks = _branches(entries.values(), day), _trunks(entries.values(), day)
    made = {}
    for entry in _in_order(entries.values()):
        extract = day.extracts.get(entry.id)
        branch = extract.branch if extract else branches.get(entry.session, "")
        work = _work(entry, extract, branch)
        if (entry.project, branch) in trunks and not shelf.find(work, entry.project):
            work = ""
        made[entry.id] = Source(entry, extract, branch, work, points(entry, extract, branch))
    return made


def _branches(entries: Iterable[Entry], day: Day) -> dict[str, str]:
    """Give the branch of each session, for those of its entries that a person has edited."""
    extracts = ((entry.session, day.extracts.get(entry.id)) for entry in entries)
    return {session: found.branch for session, found in extracts if session and found}


def _trunks(entries: Iterable[Entry], day: Day) -> set[tuple[str, str]]:
    sessions: dict[str, set[str]] = defaultdict(set)
    on: dict[tuple[str, str], set[str]] = defaultdict(set)
    for entry in entries:
        sessions[entry.project].add(entry.session or entry.id)
        if extract := day.extracts.get(entry.id):
            on[entry.project, extract.branch].add(entry.session or entry.id)
    return {
        (project, branch)
        for (project, branch), found in on.items()
        if len(found) > max(_FEW_SESSIONS, _TRUNK_SHARE * len(sessions[project]))
    }


def _work(entry: Entry, extract: Extract | None, branch: str) -> str:
    """Give the key of the work item of an entry, "" for none."""
    if not is_trunk(branch):
        return f"branch:{branch}"
    title = term_key(entry.draft.title)
    given = extract is not None and extract.titled_by in GIVEN
    return f"title:{title}" if given and title else ""


def _grown(shelf: Shelf, sources: dict[str, Source]) -> Iterator[ArticleChange]:
    everything = [point for source in sources.values() for point in source.points]
    held = shelf.held(everything)
    links = neighbours(held, sources)
    for topic in shelf.topics:
        if topic.added:
            topic.meaning = _meaning(topic, everything)
            yield written(topic, held[topic.path].points, sources, links(topic.path))


def _meaning(topic: Topic, everything: Iterable[Point]) -> str:
    """Find a sentence that defines a term, in any session of its projects."""
    names = sorted(topic.names)
    told = [
        point.text
        for point in everything
        if topic.concerns(point.project) and any(map(point.speaks_of, names))
    ]
    return definition(names, told)


def _rules(today: Iterable[Source]) -> Iterator[RuleProposal]:
    for source in today:
        for found in source.extract.statements if source.extract else ():
            if found.score >= WEAK:
                yield RuleProposal(found.text, found.category, found.quote, source.entry.id)
