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
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from memoria.compile.points import LONGEST, SURE, Point, find_points, has_reason
from memoria.compile.shelf import SAME, UNTIL, replaces
from memoria.llm.port import OfflineModel
from memoria.text.markdown import make_inert
from memoria.text.numbers import format_count
from memoria.text.word_overlap import containment, stems
from memoria.vault.article import (
    MADE,
    Article,
    compose_article,
    render_article,
    strip_source_links,
    with_body,
    with_meta,
)
from memoria.vault.citations import parse_citations
from memoria.vault.home_page import (
    format_article_row,
    format_change_note,
    format_entry_link,
    format_error_rows,
    format_open_rows,
    share_among,
)
from memoria.vault.schema import BEFORE, GENERATED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

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
_GOTCHAS, _DECISIONS, _ENTRY_LINES, _OPEN, _COMMANDS, _TOPICS = 6, 8, 2, 5, 6, 8
_FEW = 3  # topics: they take as little room as to say that there are more
_MIN_ROWS = 2  # of a table: one command alone is no overview
_DAYS = 10  # under sources, besides those that are cited
_MIN_MODEL_WORTH = 4.0  # of a model's lines: of middle weight and says why, or of the most
_SINCE_SECTION = "Since Then"
_MIN_SESSIONS = 2  # a command of one session may have been a trial
# "passing at the end: `make test`, `make lint`", as the context of an entry has it
_CHECK_STATES = re.compile(r"(passing at the end|failing when last run): ((?:`[^`]+`(?:, )?)+)")
_CODE = re.compile(r"`([^`]+)`")
_COMMITTED = re.compile(r"\b\d+ commits?\b|\bPR #\d")  # in the context of an entry
_COMMITTED_BONUS = 0.5  # of a decision, which is then more than a plan: as much as a reason
# what a line says that is to come, or the context of its entry
_PLANNED = re.compile(
    r"(?i)\b(?:is|are) to (?:be|get|have|become)\b|\b(?:planned|proposed|by the (?:design|plan)"
    r"|nothing (?:was )?(?:implemented|committed)|no commit\b|not with a commit"
    r"|not (?:yet )?(?:implemented|built|committed|merged))\b"
)
_TASK_NAME = re.compile(r"[a-z][\w:-]*")  # "test:ci"
_MAX_ENTRIES = 500  # entries: of more, the latest
_MAX_COMMAND = 60  # characters: a longer command is a script for the moment
_MIN_WORDS = 4  # content words of a line: shorter ones are said by many
_MIN_OWN_ROWS = 4  # rows that no other page has: one of fewer says nothing that its log does not


def no_extract(name: str) -> None:
    """Know nothing beside an entry."""


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


class TopicLine(NamedTuple):
    """A line of a topic by its stems.

    `holds` says that it is not what was before, `is_shown` that the page has it as the topic's row.
    `projects` are those that it is told of, none for all that the page is about.
    """

    stems: frozenset[str]
    holds: bool
    is_shown: bool
    topic: Article
    projects: frozenset[str] = frozenset()


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


def format_article_link(article: Article) -> str:
    """Link to an article under its title."""
    return format_article_row(article).partition("]]")[0] + "]]"


def _is_shown_whole(article: Article) -> bool:
    return len(article.lead) <= LONGEST and " " in article.lead


def _format_topic_row(article: Article) -> str:
    """Tell of a topic by all that its page begins with."""
    if not _is_shown_whole(article):
        return format_article_row(article)
    note = format_change_note(article)
    return f"{format_article_link(article)}{note}: {make_inert(article.lead)}"


def list_topic_lines(topics: Iterable[Article], shown: Collection[Article] = ()) -> list[TopicLine]:
    """Give what topics tell and say is over, by line; the leads of `shown` stand on the page."""
    return [
        TopicLine(
            stems(UNTIL.sub("", strip_source_links(line))),
            name.strip() != BEFORE,
            not name and topic in shown and _is_shown_whole(topic),
            topic,
        )
        for topic in topics
        for name, body in (("", topic.lead), *topic.sections)
        if name.strip() not in {*GENERATED, _SINCE_SECTION}
        for line in body.splitlines()
    ]


def choose_best_rows(  # noqa: PLR0913, PLR0917 - where lines come from, and which are wanted
    entries: Iterable[Entry],
    extracts: Extracts,
    topic_lines: Collection[TopicLine],
    kind: FactKind,
    limit: int,
    groups: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[str]:
    """Give the weightiest lines of a kind that say why, each with day and session, newest first.

    Of two that say the same, or of which the later replaces the other, the later one stands, and
    what `topic_lines` say is over, or have as a row of the page, is not told. Of a line that a
    topic tells, too, there is more to read there; one whose topic was taken up again says so, and
    stands where room is left. Each of the `groups` of projects has its share of the room, and each
    of their sessions has one line.
    """
    rows = [
        _PageRow(point, entry, near, _find_change_note(near, entry))
        for point, entry in _choose_points(entries, extracts, kind, 1 if groups else _ENTRY_LINES)
        for near in [_find_nearest(point, topic_lines)]
        if near is None or near.holds
    ]
    ranked = sorted(rows, key=_PageRow.rank)
    # what a topic's row tells leaves its place empty: weaker lines do not move up
    weighty = share_among(ranked, limit, lambda row: groups.get(row.point.project, ""))
    for row in rows:
        if row in weighty and not (row.near and row.near.is_shown):
            yield _format_page_row(row)


class _PageRow(NamedTuple):
    """A line that a page may tell: its entry, the topic's line next to it, and what that says."""

    point: Point
    entry: Entry
    near: TopicLine | None
    change_note: str

    def rank(self) -> tuple[bool, float]:
        """Give what orders rows: the best that nobody took up again stands first."""
        is_kept = self.point.kind == "decision" and _is_committed(self.entry)
        return bool(self.change_note), -self.point.worth - _COMMITTED_BONUS * is_kept


def _choose_points(
    entries: Iterable[Entry], extracts: Extracts, kind: FactKind, limit: int
) -> Iterator[tuple[Point, Entry]]:
    """Give the telling lines of a kind that no later one outdates, at most `limit` an entry."""
    chosen: list[Point] = []
    entries = list(islice(entries, _MAX_ENTRIES))
    # where commits are made by hand, none is seen
    sees_commits = kind == "decision" and any(map(_is_committed, entries))
    for entry in entries:
        points = find_points(entry, extracts(entry.id), entry.project)
        least = SURE if sees_commits and not _is_committed(entry) else 0.0
        telling = (point for point in points if point.kind == kind and _is_telling(point, entry))
        for point in islice((point for point in telling if point.worth >= least), limit):
            if not any(_outdates(later, point) for later in chosen):
                chosen.append(point)
                yield point, entry


def _format_page_row(row: _PageRow) -> str:
    """Write a line with its day and session, and where there is more to read."""
    topic = row.near.topic if row.near else None
    # an article of the session's own title says so twice
    is_more = topic is not None and topic.title != row.entry.draft.title
    link = f" (more in {format_article_link(topic)})" if topic and is_more else ""
    opening = f"{row.entry.day}, {format_entry_link(row.entry)}{row.change_note}"
    return f"{opening}: {make_inert(row.point.text)}{link}"


def _is_committed(entry: Entry) -> bool:
    """Whether a session's work is known to be kept; what a person writes down is."""
    return not entry.session or bool(_COMMITTED.search(entry.draft.context))


def _find_change_note(near: TopicLine | None, entry: Entry) -> str:
    """Say of an entry's line that a later session took up the topic that tells it, too."""
    if near is None or f"#^{entry.id}]]" in near.topic.section(_SINCE_SECTION):
        return ""
    return format_change_note(near.topic)


def _outdates(later: Point, old: Point) -> bool:
    """Whether a later line says the same as another, or replaces it."""
    is_same = containment(stems(old.text), stems(later.text)) > SAME
    return is_same or replaces(later.text, old.text)


def is_over(point: Point, lines: Iterable[TopicLine]) -> bool:
    """Whether a topic of its project says that a line holds no more."""
    near = _find_nearest(point, lines)
    return near is not None and not near.holds


def _find_nearest(point: Point, lines: Iterable[TopicLine]) -> TopicLine | None:
    """Give the line of a topic of its project that says the same, None where none does."""
    words = stems(point.text)
    candidates = (
        (share, line.holds, line.is_shown, -at, line)
        for at, line in enumerate(lines)
        if len(line.stems) >= _MIN_WORDS
        and (not line.projects or point.project in line.projects)
        and (share := containment(words, line.stems)) > SAME
    )
    return max(candidates, default=(None,))[-1]


def _is_telling(point: Point, entry: Entry) -> bool:
    """Whether a line says why, and what its session is called by: a long one is of many things.

    What a model wrote down was chosen for that.
    """
    if point.kind == "decision" and _PLANNED.search(f"{point.text} {entry.draft.context}"):
        return False
    if entry.engine not in {OfflineModel.name, "hand"}:
        # a lesson without a cause is filed as a decision, and is none
        is_chosen = point.kind != "decision" or point.text in entry.draft.decisions
        return is_chosen and point.worth >= _MIN_MODEL_WORTH and not point.is_marked
    is_near = stems(entry.draft.title) & stems(point.text) or point.kind == "decision"
    is_worthy = has_reason(point.text) or point.worth >= SURE
    return bool(is_worthy and is_near and not (point.is_marked or point.is_answer))


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
