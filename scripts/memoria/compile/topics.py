"""Compile a day's entries without a model: topics that grow, topics that begin, what unites them.

Slug and key of a topic never change, lines are only added or moved to what was before, and all
state is read off the articles. Whatever is counted over all sessions changes from day to day, so it
may decide what begins, never what is there already.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from memoria.capture.extract.observing.commits import is_trunk
from memoria.capture.extract.user.statements import WEAK
from memoria.compile.grow import Growth
from memoria.compile.patch import Patch, RuleProposal
from memoria.compile.points import points
from memoria.compile.shelf import Shelf
from memoria.compile.subjects import GIVEN, Source, clones
from memoria.compile.write import changes, connections
from memoria.text.terms import key as term_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.llm.port import Day
    from memoria.vault.entry import Entry, Extract

# no work item of its own has a branch of more than a quarter of the sessions, once there are a few
_TRUNK_SHARE, _FEW_SESSIONS = 0.25, 4


def compile_day(day: Day) -> Patch:
    """Compile the new entries of a day; `day.articles` must be all that there are.

    The same day again, with the articles that came out of it, gives no article change.
    """
    same = clones(
        (entry.project, day.extracts[entry.id].files)
        for entry in (*day.history, *day.entries, *day.ahead)
        if entry.id in day.extracts
    )
    shelf = Shelf(day.articles, same)
    sources = _sources(day, shelf, same)
    later = {entry.id for entry in day.ahead}
    past = [source for name, source in sources.items() if name not in later]
    today, ahead = (
        [sources[entry.id] for entry in _in_order(entries)] for entries in (day.entries, day.ahead)
    )
    growth = Growth(shelf, past, today, ahead)
    growth.settle()
    written = changes(shelf.topics, past)
    bonds = connections(shelf, past, today, day.articles, growth.vocabulary.tells)
    rules = (
        RuleProposal(statement.text, statement.category, statement.quote, source.entry.id)
        for source in today
        for statement in (source.extract.statements if source.extract else ())
        if statement.score >= WEAK
    )
    return Patch((*written, *bonds), tuple(rules))


def _in_order(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: (entry.day, entry.at, entry.id))


def _sources(day: Day, shelf: Shelf, same: Mapping[str, str]) -> dict[str, Source]:
    """Give all sources by entry in order of time; a new entry stands for its older version."""
    by_id = {entry.id: entry for entry in (*day.history, *day.ahead, *day.entries)}
    entries = _in_order(by_id.values())
    # of those that a person has edited, the branch is that of their session
    extracts = ((entry.session, day.extracts.get(entry.id)) for entry in entries)
    branches = {session: extract.branch for session, extract in extracts if session and extract}
    trunks = _trunks(entries, day)
    made = {}
    for entry in entries:
        extract = day.extracts.get(entry.id)
        project = same.get(entry.project, entry.project)
        branch = extract.branch if extract else branches.get(entry.session, "")
        work = _work(entry, extract, branch)
        if (entry.project, branch) in trunks and not shelf.find(work, project):
            work = _work(entry, extract, "")
        lines = points(entry, extract, project)
        made[entry.id] = Source(entry, extract, project, branch, work, lines)
    return made


def _trunks(entries: Iterable[Entry], day: Day) -> set[tuple[str, str]]:
    sessions: dict[str, set[str]] = defaultdict(set)
    on: dict[tuple[str, str], set[str]] = defaultdict(set)
    for entry in entries:
        sessions[entry.project].add(entry.session or entry.id)
        if extract := day.extracts.get(entry.id):
            on[entry.project, extract.branch].add(entry.session or entry.id)
    return {
        (project, branch)
        for (project, branch), names in on.items()
        if len(names) > max(_FEW_SESSIONS, _TRUNK_SHARE * len(sessions[project]))
    }


def _work(entry: Entry, extract: Extract | None, branch: str) -> str:
    """Give the key of the work item of an entry, "" for none."""
    if branch and not is_trunk(branch):
        return f"branch:{branch}"
    title = term_key(entry.draft.title)
    given = extract is None or extract.titled_by in GIVEN
    return f"title:{title}" if given and title else ""
