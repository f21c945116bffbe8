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
from functools import cached_property, partial
from typing import TYPE_CHECKING

from memoria.compile.points import (
    Extracts,
    choose_best_rows,
    is_shown_whole,
    list_topic_lines,
    no_extract,
)
from memoria.text.markdown import make_inert
from memoria.text.numbers import format_count
from memoria.vault.article import (
    MADE,
    Article,
    compose_article,
    render_article,
    with_body,
    with_meta,
)
from memoria.vault.citations import parse_citations
from memoria.vault.home_page import (
    format_article_link,
    format_article_row,
    format_change_note,
    format_error_rows,
    format_open_rows,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.capture.recurring_errors import RecurringError
    from memoria.rules.model import Rule
    from memoria.vault.entry import Entry

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
_GOTCHAS, _DECISIONS, _OPEN, _COMMANDS, _TOPICS = 6, 8, 5, 6, 8
_FEW = 3  # topics: they take as little room as to say that there are more
_MIN_ROWS = 2  # of a table: one command alone is no overview
_DAYS = 10  # under sources, besides those that are cited
_MIN_SESSIONS = 2  # a command of one session may have been a trial
# "passing at the end: `make test`, `make lint`", as the context of an entry has it
_CHECK_STATES = re.compile(r"(passing at the end|failing when last run): ((?:`[^`]+`(?:, )?)+)")
_CODE = re.compile(r"`([^`]+)`")
_TASK_NAME = re.compile(r"[a-z][\w:-]*")  # "test:ci"
_MAX_COMMAND = 60  # characters: a longer command is a script for the moment
_MIN_OWN_ROWS = 4  # rows that no other page has: one of fewer says nothing that its log does not


@dataclass(frozen=True)
class Project:
    """What a page tells of a project: of its `entries` the latest, the last of them first."""

    slug: str
    title: str
    names: tuple[str, ...]
    sessions: int
    entries: Sequence[Entry]
    errors: Sequence[RecurringError]
    rules: Sequence[Rule]
    waiting: Sequence[Rule]
    topics: Sequence[Article]
    reports: Sequence[str] = ()
    extracts: Extracts = no_extract
    began: date = date.max

    @cached_property
    def bodies(self) -> tuple[str, ...]:
        """Give the text of each section; what to tell is looked for once, in all entries."""
        return tuple(_build_bodies(self))


def is_worth(project: Project) -> bool:
    """Whether there is more to tell of a project than its commands, rules and sessions."""
    bodies = zip(SECTIONS, project.bodies, strict=True)
    texts = (body for name, body in bodies if name not in {"Commands", "Rules"})
    return sum(len(body.splitlines()) for body in texts) >= _MIN_OWN_ROWS


def build_page(project: Project, old: Article | None) -> Article | None:
    """Make the page; None where nothing changes, or it is a person's."""
    if old is not None and not is_ours(old):
        return None
    days = sorted({entry.day for entry in project.entries})
    bodies = list(zip(SECTIONS, project.bodies, strict=True))
    # what it cites, and the latest days, of which it may tell nothing
    notes = {source.note for _, body in bodies for source in parse_citations(body)}
    sources = [f"daily/{day}" for day in days if f"daily/{day}" in notes or day in days[-_DAYS:]]
    meta = {
        "title": project.title,
        "tags": [KIND],
        "sources": [f"{name}.md" for name in sources],
        "projects": list(project.names),
        "created": old.meta["created"] if old else days[0],
        "updated": days[-1],
    }
    first, last = min(days[0], project.began), days[-1]
    period = f"Worked on from {first} to {last}" if first < last else f"Of {first}"
    lead = f"{period}, in {format_count(project.sessions, 'session')}."
    page = compose_article(f"projects/{project.slug}", KIND, meta, project.title, lead)
    for heading, body in bodies:
        page = with_body(page, heading, body) if body else page
    page = with_meta(page, {MADE: _hash_article(page)})
    if old is None:
        return page
    return None if render_article(old) == render_article(page) else replace(page, sha=old.sha)


def is_ours(article: Article) -> bool:
    """Whether a page is as Memoria derived it."""
    return article.kind == KIND and article.meta.get(MADE) == _hash_article(article)


def _hash_article(article: Article) -> str:
    lines = render_article(article).splitlines()
    text = "\n".join(line for line in lines if not line.startswith(f"{MADE}:"))
    # a letter first, so that no reader of YAML takes it for a number
    return "h" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:11]


def weigh_lines(extracts: Extracts, entry: Entry) -> Mapping[str, float]:
    """Give what is known of the worth of an entry's lines."""
    extract = extracts(entry.id)
    return {fact.text: fact.score for fact in (*extract.facts, *extract.left)} if extract else {}


def _build_bodies(project: Project) -> Iterator[str]:
    rules = [rule.text for rule in (*project.rules, *project.waiting)]
    today = max(entry.day for entry in project.entries)
    told = list_topic_lines(project.topics, shown=_choose_topics(project.topics))
    best = partial(choose_best_rows, project.entries, project.extracts, told)
    errors = format_error_rows(project.errors, project.sessions, today, " of this project", rules)
    lists = (
        _format_topic_rows(project.topics),
        best("decision", _DECISIONS),
        errors,
        best("lesson", _GOTCHAS),
        map(make_inert, project.reports),
        format_open_rows(project.entries, _OPEN, partial(weigh_lines, project.extracts)),
        _format_rules(project),
    )
    yield from ("\n".join(f"- {row}" for row in rows) for rows in lists)
    yield _format_command_table(project.entries)


def _format_topic_rows(topics: Sequence[Article]) -> Iterator[str]:
    """Tell of the topics that changed last, and how many others there are."""
    shown = _choose_topics(topics)
    yield from map(_format_topic_row, shown)
    if len(topics) > len(shown):
        yield f"{len(topics) - len(shown)} more in [[knowledge/index|the index]]"


def _choose_topics(topics: Sequence[Article]) -> Sequence[Article]:
    """Give the topics that a page tells of: all, where only a few would be left out."""
    return topics if len(topics) <= _TOPICS + _FEW else topics[:_TOPICS]


def _format_topic_row(article: Article) -> str:
    """Tell of a topic by all that its page begins with."""
    if not is_shown_whole(article):
        return format_article_row(article)
    note = format_change_note(article)
    return f"{format_article_link(article)}{note}: {make_inert(article.lead)}"


def _format_command_table(entries: Iterable[Entry]) -> str:
    """Give the commands by which work is checked: how many sessions ended with each, and how."""
    results: dict[str, dict[str, bool]] = defaultdict(dict)
    last: dict[str, date] = {}
    for entry in entries:
        # its context tells which checks passed last and which failed
        for state, names in _CHECK_STATES.findall(entry.draft.context):
            for name in _CODE.findall(names):
                if len(name) <= _MAX_COMMAND and "|" not in name:
                    sessions = results[name]
                    sessions.setdefault(entry.session or entry.id, state.startswith("passing"))
                    last.setdefault(name, entry.day)
    commands = [name for name in results if len(results[name]) >= _MIN_SESSIONS]
    # the other tasks of a runner that came back are no trial either
    runners = {_find_runner(name) for name in commands} - {""}
    commands += [name for name in results if name not in commands and _find_runner(name) in runners]
    rows = ["| Command | Sessions that ended with it | Passed | Last |", "|---|---|---|---|"]
    for name in sorted(commands, key=lambda name: (-len(results[name]), name))[:_COMMANDS]:
        runs = results[name].values()
        rows.append(f"| `{name}` | {len(runs)} | {sum(runs)} | {last[name]} |")
    return "\n".join(rows) if len(commands) >= _MIN_ROWS else ""


def _find_runner(name: str) -> str:
    """Give what runs a task that has a name, as `mise run` of `mise run lint`, "" for the rest."""
    runner, _, task = name.rpartition(" ")
    return runner if _TASK_NAME.fullmatch(task) else ""


def _format_rules(project: Project) -> Iterator[str]:
    for rule in project.rules:
        link = f" ([[{rule.path}|{rule.id}]])" if rule.path else ""
        yield f"{make_inert(rule.text)}{link}"
    if project.waiting:
        yield f"{format_count(len(project.waiting), 'rule')} to review: type `memoria review`"
