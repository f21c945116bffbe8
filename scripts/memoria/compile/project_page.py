"""Derive a project's page: its topics, decisions, what keeps going wrong and what is open.

The page is Memoria's as long as nobody edits it: `made` in its frontmatter is the hash of the rest,
and a page that does not fit its hash is a person's and is left alone.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from memoria.compile.points import LONGEST, Point, has_reason, points
from memoria.compile.shelf import SAME, replaces
from memoria.llm.port import Offline
from memoria.text.markdown import inert
from memoria.text.numbers import counted
from memoria.text.word_overlap import containment, stems
from memoria.vault.article import MADE, Article, compose, render, with_body, with_meta
from memoria.vault.home_page import article_row, changed_since, entry_link, error_rows, open_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from memoria.capture.recurring_errors import RecurringError
    from memoria.rules.model import Rule
    from memoria.vault.entry import Entry, Extract, FactKind

    Extracts = Callable[[str], Extract | None]

KIND = "project"
SECTIONS = (
    "Topics",
    "Decisions",
    "What Keeps Going Wrong",
    "Gotchas and Causes",
    "Team",
    "Open",
    "Rules",
    "Commands",
)
# of each: what fits one screen together
_GOTCHAS, _DECISIONS, _OF_ENTRY, _OPEN, _COMMANDS, _TOPICS = 6, 8, 2, 5, 6, 8
_ROWS = 2  # of a table: one command alone is no overview
_DAYS = 10  # under sources: of more the entries' links tell
_SESSIONS = 2  # a command of one session may have been a trial
_RAN = re.compile(r"(passing at the end|failing when last run): ((?:`[^`]+`(?:, )?)+)")
_CODE = re.compile(r"`([^`]+)`")
_LOOKED = 500  # entries: of more, the latest
_LONGEST = 60  # characters: a longer command is a script for the moment
_WORDS = 4  # content words of a line: shorter ones are said by many
_LEAST = 4  # rows that no other page has: one of fewer says nothing that its log does not


def no_extract(name: str) -> None:
    """Know nothing beside an entry."""


@dataclass(frozen=True, slots=True)
class Project:
    """What a page tells of a project: of its `entries` the latest, the last of them first."""

    slug: str
    title: str
    names: tuple[str, ...]
    sessions: int
    entries: Sequence[Entry]
    errors: Sequence[RecurringError]
    rules: Sequence[Rule]
    waiting: int
    topics: Sequence[Article]
    reports: Sequence[str] = ()
    extracts: Extracts = no_extract
    began: date = date.max


def is_worth(project: Project) -> bool:
    """Whether there is more to tell of a project than its commands, rules and sessions."""
    bodies = zip(SECTIONS, _bodies(project), strict=True)
    told = (body for name, body in bodies if name not in {"Commands", "Rules"})
    return sum(len(body.splitlines()) for body in told) >= _LEAST


def page(project: Project, old: Article | None) -> Article | None:
    """Make the page; None where nothing changes, or it is a person's."""
    if old is not None and not is_ours(old):
        return None
    days = sorted({entry.day for entry in project.entries})
    meta = {
        "title": project.title,
        "tags": [KIND],
        "sources": [f"daily/{day}.md" for day in days[-_DAYS:]],
        "projects": list(project.names),
        "created": old.meta["created"] if old else days[0],
        "updated": days[-1],
    }
    first = min(days[0], project.began)
    when = f"Worked on from {first} to {days[-1]}" if first < days[-1] else f"Of {first}"
    lead = f"{when}, in {counted(project.sessions, 'session')}."
    made = compose(f"projects/{project.slug}", KIND, meta, project.title, lead)
    for heading, body in zip(SECTIONS, _bodies(project), strict=True):
        made = with_body(made, heading, body) if body else made
    made = with_meta(made, {MADE: _hash(made)})
    if old is None:
        return made
    return None if render(old) == render(made) else replace(made, sha=old.sha)


def is_ours(article: Article) -> bool:
    """Whether a page is as Memoria derived it."""
    return article.kind == KIND and article.meta.get(MADE) == _hash(article)


def _hash(article: Article) -> str:
    text = "\n".join(
        line for line in render(article).splitlines() if not line.startswith(f"{MADE}:")
    )
    # a letter first, so that no reader of YAML takes it for a number
    return "h" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:11]


def _bodies(project: Project) -> Iterator[str]:
    rules = [rule.text for rule in project.rules]
    told = [
        stems(line)
        for topic in project.topics
        for name, body in ((("", topic.lead), *topic.sections))
        if name.strip() != "Since Then"
        for line in body.splitlines()
    ]
    rows = partial(best_rows, project.entries, project.extracts, told)
    yield _list(_topic_rows(project.topics))
    yield _list(rows("decision", _DECISIONS))
    yield _list(error_rows(project.errors, project.sessions, " of this project", rules))
    yield _list(rows("lesson", _GOTCHAS))
    yield _list(map(inert, project.reports))
    yield _list(islice(open_rows(project.entries), _OPEN))
    yield _list(_rules(project))
    yield _table(project.entries)


def _list(rows: Iterable[str]) -> str:
    return "\n".join(f"- {row}" for row in rows)


def _topic_rows(topics: Sequence[Article]) -> Iterator[str]:
    """Tell of the topics that changed last, and how many others there are."""
    yield from map(_topic_row, topics[:_TOPICS])
    if len(topics) > _TOPICS:
        yield f"{len(topics) - _TOPICS} more in [[knowledge/index|the index]]"


def _topic_row(article: Article) -> str:
    """Tell of a topic by all that its page begins with."""
    row = article_row(article)
    whole = len(article.lead) <= LONGEST and " " in article.lead
    return (
        f"{row.partition(']]')[0]}]]{changed_since(article)}: {inert(article.lead)}"
        if whole
        else row
    )


def best_rows(
    entries: Iterable[Entry],
    extracts: Extracts,
    told: Collection[frozenset[str]],
    kind: FactKind,
    most: int,
) -> Iterator[str]:
    """Give the weightiest lines of a kind that say why, each with day and session, newest first.

    Of two that say the same, or of which the later replaces the other, the later one stands. What
    is `told` on topics, as the stems of their lines, is not told again.
    """
    taken: list[tuple[Point, Entry]] = []
    for entry in islice(entries, _LOOKED):
        lines = [
            line for line in points(entry, extracts(entry.id), entry.project) if line.kind == kind
        ]
        for line in [line for line in lines if _tells(line, entry)][:_OF_ENTRY]:
            own = stems(line.text)
            if not any(
                replaces(later.text, line.text) or containment(own, stems(later.text)) > SAME
                for later, _ in taken
            ):
                taken.append((line, entry))
    best = sorted(taken, key=lambda row: -row[0].worth)
    fresh = [row for row in best if not _is_told(stems(row[0].text), told)][:most]
    for line, entry in (row for row in taken if row in fresh):
        yield f"{entry.day}: {inert(line.text)} {entry_link(entry)}"


def _is_told(own: frozenset[str], told: Iterable[frozenset[str]]) -> bool:
    """Whether a line of a topic says the same."""
    return any(len(line) >= _WORDS and containment(own, line) > SAME for line in told)


def _tells(point: Point, entry: Entry) -> bool:
    """Whether a line says why, and what its session is called by: a long one is of many things.

    What a model wrote down was chosen for that.
    """
    if entry.engine not in {Offline.name, "hand"}:
        return not point.is_marked
    is_near = stems(entry.draft.title) & stems(point.text) or point.kind == "decision"
    return bool(has_reason(point.text) and is_near and not (point.is_marked or point.is_answer))


def _table(entries: Iterable[Entry]) -> str:
    """Give the commands by which work is checked: how many sessions ended with each, and how."""
    ended: dict[str, dict[str, bool]] = defaultdict(dict)
    last: dict[str, str] = {}
    for entry in entries:
        # its context tells which checks passed last and which failed
        for state, names in _RAN.findall(entry.draft.context):
            for name in _CODE.findall(names):
                if len(name) <= _LONGEST and "|" not in name:
                    ended[name].setdefault(entry.session or entry.id, state.startswith("passing"))
                    last.setdefault(name, entry.day.isoformat())
    often = [name for name in ended if len(ended[name]) >= _SESSIONS]
    rows = []
    for name in sorted(often, key=lambda name: (-len(ended[name]), name))[:_COMMANDS]:
        passed, runs = sum(ended[name].values()), len(ended[name])
        rows.append(f"| `{name}` | {runs} | {passed} | {last[name]} |")
    head = ["| Command | Sessions that ended with it | Passed | Last |", "|---|---|---|---|"]
    return "\n".join([*head, *rows]) if len(rows) >= _ROWS else ""


def _rules(project: Project) -> Iterator[str]:
    for rule in project.rules:
        yield f"{inert(rule.text)} ([[{rule.path}|{rule.id}]])" if rule.path else inert(rule.text)
    if project.waiting:
        yield f"{counted(project.waiting, 'rule')} to review: type `memoria review`"
