"""Derive a project's page: its topics, decisions, what keeps going wrong and what is open.

The page is Memoria's as long as nobody edits it: `made` in its frontmatter is the hash of the rest,
and a page that does not fit its hash is a person's and is left alone.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from memoria.compile.points import (
    BEFORE_CHANGE,
    ERROR,
    LONGEST,
    MENDED,
    is_design,
    is_redone,
    points,
)
from memoria.compile.shelf import SAME, replaces
from memoria.compile.worth import INSTEAD, KEY, REASON
from memoria.text.markdown import inert, mark
from memoria.text.numbers import counted
from memoria.text.word_overlap import containment, stems
from memoria.vault.article import MADE, compose, render, with_body, with_meta
from memoria.vault.home_page import (
    article_row,
    entry_link,
    error_rows,
    open_rows,
    planned,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from memoria.capture.recurring_errors import RecurringError
    from memoria.compile.points import Point
    from memoria.rules.model import Rule
    from memoria.vault.article import Article
    from memoria.vault.entry import Entry, Extract

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
_GOTCHAS = 6
_DECISIONS, _OF_ENTRY, _OPEN, _COMMANDS, _TOPICS = 8, 2, 5, 6, 8
_ROWS = 2  # of a table: one command alone is no overview
_DAYS = 10  # under sources: of more the entries' links tell
_SESSIONS = 2  # a command of one session may have been a trial
_RAN = re.compile(r"(passing at the end|failing when last run): ((?:`[^`]+`(?:, )?)+)")
_CODE = re.compile(r"`([^`]+)`")
# what holds for whoever comes later; what says that one thing was taken and another not
_BINDS = re.compile(
    r"\b(?:must|never|always|key (?:rule|decision|design|insight|invariant)|by design|on purpose"
    r"|decision to)\b",
    re.IGNORECASE,
)
_CHOSE = re.compile(
    r"\b(?:instead of|rather than|decided|chose|adopt|keep|avoid|vs)\b", re.IGNORECASE
)
_TAKES = re.compile(r"\b(?:decided|chose|adopt|keep|avoid)\b", re.IGNORECASE)
# what it is about stands in the session alone
_HANGS = re.compile(
    r"(?:User: )?(?:(?:if|but|and|so|where|which|what|should|how) |both\b"
    r"|(?:made|removed|kept|moved) (?:the )?(?:old|empty|same|new)\b)"
    r"|the (?:original|previous|old)\b|.*\bis fine (?:today|for now)\b"
    r"|.*\bthe (?:warning|message|same)\b.* ->",
    re.IGNORECASE,
)
# what was done in one place: the commit tells it, too
_COMMIT = re.compile(
    r"(?:\S+ [-\u2013\u2014] )?(?:added|made|fixed|removed|updated|renamed|documented"
    r"|the (?:fix|change)|fix)\b",
    re.IGNORECASE,
)
_LOOKED = 500  # entries: of more, the latest
_TELLS = re.compile(f"{REASON.pattern}|->|, not ", re.IGNORECASE)
_WHY = re.compile(f"{REASON.pattern}|{_TAKES.pattern}", re.IGNORECASE)  # of the user's own
_OWN = re.compile(r"[^.]|\.github/")  # a file of the project, and not of a tool's settings
_WORD = 5  # letters of a word that a name in code may hold
_MISFIT = 3  # signs of worth of a line that says nothing of what its session is called
_SENTENCE = 70  # characters: a shorter one is a note of an edit
_SIGNS = 2  # of a lesson's worth
_LONGEST = 60  # characters: a longer command is a script for the moment
_LEAST = 4  # rows that no other page has: one of fewer says nothing that its log does not


def no_extract(name: str) -> None:
    """Know nothing beside an entry."""


@dataclass(frozen=True, slots=True)
class Project:
    """What a page tells of a project: `entries` newest first, `reports` of colleagues."""

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
    alone: bool = False  # the only project: HOME.md tells of its sessions


def is_worth(project: Project) -> bool:
    """Whether there is more to tell of a project than its commands and sessions."""
    bodies = zip(SECTIONS, _bodies(project), strict=True)
    line_count = sum(len(body.splitlines()) for name, body in bodies if name != "Commands")
    return line_count >= _LEAST


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
    when = f"Worked on from {days[0]} to {days[-1]}" if len(days) > 1 else f"Of {days[0]}"
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
    told = (
        body
        for topic in project.topics
        for name, body in ((("", topic.lead), *topic.sections))
        if name.strip() != "Since Then"
    )
    pages = f" {mark(' '.join(told))} "
    decided = list(decision_rows(project.entries, _DECISIONS, project.extracts, pages))
    yield _list(map(_topic_row, project.topics[:_TOPICS]))
    yield _list(decided)
    yield _list(error_rows(project.errors, project.sessions, " of this project", rules))
    yield _list(islice(_gotchas(project, decided), _GOTCHAS))
    yield _list(map(inert, project.reports))
    yield _list(islice(open_rows(project.entries, project.topics), _OPEN))
    yield _list(_rules(project))
    yield _table(project.entries)


def _list(rows: Iterable[str]) -> str:
    return "\n".join(f"- {row}" for row in rows)


def _topic_row(article: Article) -> str:
    """Tell of a topic by all that its page begins with."""
    row = article_row(article)
    whole = len(article.lead) <= LONGEST and " " in article.lead
    return f"{row.partition(']]')[0]}]]{planned(article)}: {inert(article.lead)}" if whole else row


def decision_rows(
    entries: Iterable[Entry], most: int, extracts: Extracts = no_extract, pages: str = ""
) -> Iterator[str]:
    """Give the weightiest decisions in force, newest first, each with its day and its session.

    Of two that say the same, or of which the later replaces the other, the later one stands.
    What the session itself overturned does not, nor what `pages`, marks of topics, tell.
    """
    taken: list[tuple[float, Point, Entry]] = []
    for entry in islice(entries, _LOOKED):
        lines = [line for line in points(entry, None, entry.project) if _is_decided(line, entry)]
        lines = [line for line in lines if _fits(line, entry) or _weight(line) >= _MISFIT]
        for line in lines[:_OF_ENTRY]:
            own = stems(line.text)
            if not any(
                replaces(later.text, line.text) or containment(own, stems(later.text)) > SAME
                for _, later, _ in taken
            ):
                taken.append((_weight(line), line, entry))
    ranked = sorted(range(len(taken)), key=lambda at: (-taken[at][0], at))
    best = (
        at
        for at in ranked
        if f" {taken[at][1].mark} " not in pages and _stands(*taken[at][1:], extracts)
    )
    for _, line, entry in (taken[at] for at in sorted(islice(best, most))):
        yield f"{entry.day}: {inert(line.text)} {entry_link(entry)}"


def _fits(point: Point, entry: Entry) -> bool:
    """Whether a lesson says a word of its entry's title; a long session is of many things."""
    title = stems(entry.draft.title)
    named = any(len(word) >= _WORD and word in point.mark for word in title)
    return point.kind == "decision" or named or bool(title & stems(point.text))


def _stands(point: Point, entry: Entry, extracts: Extracts) -> bool:
    """Whether the session of a line did not overturn it later."""
    record = extracts(entry.id)
    return not (record and is_design(record) and is_redone(point, record))


def _gotchas(project: Project, decided: Sequence[str]) -> Iterator[str]:
    """Give the best cause or constraint of each session that no topic tells of, newest first."""
    text = " ".join((*decided, *(render(topic) for topic in project.topics)))
    page_mark = f" {mark(text)} "
    best: list[tuple[float, Entry, Point]] = []
    for entry in islice(project.entries, _LOOKED):
        if entry.session and entry.id not in text:
            lines = [point for point in points(entry, None, entry.project) if _is_gotcha(point)]
            lines = [line for line in lines if f" {line.mark} " not in page_mark]
            best += [(_weight(line), entry, line) for line in lines[:1]]
    best.sort(key=lambda row: (-row[0], -len(row[2].text)))  # the longer one says more
    # of a session that edited nothing it is talk, of one that set up a tool it is of that tool
    records = ((row, project.extracts(row[1].id)) for row in best)
    able = islice(
        (row for row, record in records if not record or any(map(_OWN.match, record.files))),
        _GOTCHAS,
    )
    for _, entry, point in sorted(able, key=lambda row: row[1].day, reverse=True):
        yield f"{inert(point.text)} {entry_link(entry)}"


def _is_gotcha(point: Point) -> bool:
    text = point.text
    if point.kind != "lesson" or len(text) < _SENTENCE or _weight(point) < _SIGNS:
        return False
    holds = MENDED.search(text) or not ERROR.search(text)
    return bool(holds and REASON.search(text)) and not _COMMIT.match(text)


def _is_decided(point: Point, entry: Entry) -> bool:
    """Whether a line is a decision with its reason, or a lesson that binds whoever comes later."""
    if point.kind in {"lesson", "context"}:
        early = (text for text in entry.draft.lessons if BEFORE_CHANGE.match(text))
        if any(point.text in text for text in early):
            return False  # it was found, and what was decided upon it stands elsewhere
        binds = _BINDS.search(point.text) if point.kind == "lesson" else KEY.match(point.text)
        is_decision = entry.session and binds and not ERROR.search(point.text)
        return bool(is_decision) and _weight(point) > 1
    # without its reason a decision is a change that the log of the repository has, too
    tells = _WHY if point.text.startswith("User") else _TELLS
    if not entry.session:
        return point.kind == "decision"
    is_reasoned = tells.search(INSTEAD.sub("", point.text))
    return point.kind == "decision" and bool(is_reasoned) and _weight(point) > 1


def _weight(point: Point) -> float:
    """Say how much a decision tells months later: a reason, a law, who took it, names of code."""
    signs = (REASON, _BINDS, _CHOSE, _CODE)
    count = sum(bool(sign.search(point.text)) for sign in signs)
    is_users = point.text.startswith("User")
    count += bool(KEY.match(point.text))
    passing = bool(_HANGS.match(point.text)) + bool(_COMMIT.match(point.text))
    return count + 0.5 * is_users - 2 * passing


def _table(entries: Iterable[Entry]) -> str:
    """Give the commands by which work is checked: how many sessions ran each, how it ended."""
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
        how = "at the end of each" if passed == runs else f"in {passed} of {runs}"
        rows.append(f"| `{name}` | {runs} | passed {how} | {last[name]} |")
    head = ["| Command | Sessions | How it ended | Last run |", "|---|---|---|---|"]
    return "\n".join([*head, *rows]) if len(rows) >= _ROWS else ""


def _rules(project: Project) -> Iterator[str]:
    for rule in project.rules:
        yield f"{inert(rule.text)} ([[{rule.path}|{rule.id}]])" if rule.path else inert(rule.text)
    if project.waiting and not project.alone:
        yield f"{counted(project.waiting, 'rule')} to review: type `memoria review`"
