"""Write HOME.md, where a person starts to read; only the part between its marks is Memoria's."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memoria.text.markdown import make_inert
from memoria.text.numbers import format_count
from memoria.text.word_overlap import containment, stems
from memoria.vault.article import Article, summary
from memoria.vault.citations import cite
from memoria.vault.index import format_row
from memoria.vault.project import label
from memoria.vault.regions import find_region, put_region

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from memoria.capture.recurring_errors import RecurringError
    from memoria.rules.review.waiting import Case
    from memoria.vault.entry import Entry

    # what the lines of an entry are worth
    Weigh = Callable[[Entry], Mapping[str, float]]

_Row = TypeVar("_Row")

NAME = "HOME.md"
TITLE = "# Home\n\n"
_EMPTY = "No session is captured yet: `memoria install` captures each from the next one on."
DEMO = "This is a demo vault, made from sample sessions: nothing in it is yours."
# of each: what fits one screen, so that the page is read and not scrolled
_MAX_ERRORS, MAX_SESSIONS, _MAX_OPEN, _MAX_RULES, _MAX_ARTICLES = 4, 5, 5, 4, 5
_MAX_ACTIONS = 2  # of one entry: the rest is in its log
_MAX_MORE_LINKS = 2  # to sessions that left open what is only counted
_MAX_EXAMPLE = 110  # characters of an edit: a longer one nobody reads in a list
_MAX_SENTENCE = 300  # characters of an article's first sentence
_MIN_UNFIXED_SESSIONS = 4  # from which on an error is told of that nothing fixes
_MANY_SESSIONS = 20  # of more, an error of two did not come back
_RECENT_DAYS = 14  # before the latest session: an error that did not come back since is over
_UNSEEN_DAYS = 14  # before the latest session of its project: what is open is not told any more
_GRADES = (4.2, 3.0)  # of a line's score: from here on it is of the most, and of middling weight
_FRESH_DAYS = 7  # before the newest session: what is open and older has to name its thing
# kinds listed elsewhere on the page, or that begin with a line of a page that is
_NO_TOPICS = frozenset({"rule", "qa", "project", "connection"})
_NOT_IN_ALIAS = re.compile(r"[\[\]|`\\\s]+")  # what no alias of a link may hold
# "src/app.py", "max_age", "#12": by that an old open point is recognised
NAMED_THING = re.compile(r"\w[_./]\w|#\d")
NEXT_STEP = re.compile(r"next steps?\b", re.IGNORECASE)  # what is open, wherever a person wrote it
_SAME_SHARE = 0.6  # of the content words of what came of a session: above, it is what is left open
# "you must not", "never do"; not "we don't have it"
_OBLIGES = re.compile(r"(?i)\b(?:do(?:n'?t| not) (?!have)|never|always|must|should|have to)\b")
_SINCE = re.compile(r"- (\d{4}-\d\d-\d\d), ")  # the first day of Since Then


def no_weights(entry: Entry) -> Mapping[str, float]:  # noqa: ARG001 - as what gives some
    """Know of no line of an entry what it is worth."""
    return {}


def render_body(  # noqa: PLR0913, PLR0917 - the parts of the page
    entries: Sequence[Entry],
    articles: Iterable[Article],
    waiting: Sequence[Case],
    lists: Mapping[str, Iterable[str]] = MappingProxyType({}),
    pages: Sequence[tuple[str, str]] = (),
    cores: Mapping[str, str] = MappingProxyType({}),
    weigh: Weigh = no_weights,
    groups: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Give Memoria's part of the page; `lists` begin it, `entries` are the latest, newest first.

    `cores` say in a sentence what came of an entry, by its id; `weigh` and `groups` serve what is
    open.
    """
    articles = list(articles)
    topics = sort_newest_first(articles)
    has_rows = any(map(format_row, articles))  # a rule that waits has none
    index = "Everything: [[knowledge/index|the index]]. " if has_rows else ""
    open_rows = list(format_open_rows(entries, _MAX_OPEN, weigh, groups, _UNSEEN_DAYS))
    paths, session_rows = set[str](), []
    for entry in entries[:MAX_SESSIONS]:
        entry_pages = _find_entry_pages(entry, topics)
        paths |= {page.path for page in entry_pages}
        core = make_inert(cores.get(entry.id, ""))
        session_rows.append(_format_session(entry, core, open_rows[:_MAX_OPEN], entry_pages))
    projects = ", ".join(f"[[{path}|{make_inert(title)}]]" for path, title in pages)
    other_topics = (page for page in topics[:_MAX_ARTICLES] if page.path not in paths)
    parts = [
        "" if entries else _EMPTY,
        f"Start with a project: {projects}" if projects else "",
        *(_format_section(heading, rows) for heading, rows in lists.items()),
        _format_section("Left open", open_rows),
        _format_section("Latest sessions", session_rows),
        _format_section("Rules to review (`memoria review`)", _format_rules(waiting)),
        _format_section("More articles", map(format_article_row, other_topics)),
        f"{index}What was done: [[knowledge/log|the log]].",
    ]
    return "\n\n".join(filter(None, parts))


def _find_entry_pages(entry: Entry, topics: Iterable[Article]) -> list[Article]:
    """Find the pages that an entry is a source of, but for those whose subject it took up again."""
    link = f"#^{entry.id}]]"
    pages = [page for page in topics if link in page.section("Sources")]
    return [page for page in pages if link not in page.section("Since Then")]


def format_error_rows(
    errors: Iterable[RecurringError],
    session_count: int,
    today: date,
    place: str = "",
    rules: Sequence[str] = (),
) -> list[str]:
    """Tell of the most frequent errors with a fix or a rule that came up lately.

    `today` is the day of the latest session. What one of the texts of `rules` speaks of, in force
    or waiting, is offered as none.
    """
    least = 3 if session_count > _MANY_SESSIONS else 2
    often = (row for row in errors if row.sessions >= least)
    recent = (row for row in often if (today - row.last.date()).days <= _RECENT_DAYS)
    short = (replace(row, example="") if len(row.example) > _MAX_EXAMPLE else row for row in recent)
    rows = []
    for error in sorted(filter(_is_useful, short), key=lambda row: -row.sessions)[:_MAX_ERRORS]:
        text = error.format_line(session_count, f"{place}, the last on {error.last:%Y-%m-%d}")
        offer = error.command(rules)
        rows.append(make_inert(text) + (f"; to make it a rule: `{offer}`" if offer else ""))
    return rows


def _is_useful(error: RecurringError) -> bool:
    """Whether an error has a fix, a rule, or a code and came up often; a linter's names its fix."""
    is_frequent = error.sessions >= _MIN_UNFIXED_SESSIONS
    has_code = ":" in error.kind and not error.kind.startswith("lint:")
    return error.is_fixed or bool(error.command()) or (is_frequent and has_code)


def update_page(text: str | None, body: str) -> str | None:
    """Put Memoria's part into the page's text; None where nothing is to be written.

    That is a page without the marks (an empty file keeps it away), and a part that was edited.
    """
    region = find_region(text or "")
    if text is not None and (region is None or region.edited or region.body == body):
        return None
    return put_region(TITLE if text is None else text, body)


def _format_section(heading: str, lines: Iterable[str]) -> str:
    rows = [f"- {line}" for line in lines]
    return "\n".join([f"## {heading}", "", *rows]) if rows else ""


def _format_session(
    entry: Entry, core: str, open_rows: Iterable[str], pages: Iterable[Article]
) -> str:
    """Tell of a session: what came of it, unless that is left open, and the pages it is told on."""
    core_stems = stems(core)
    is_left = any(containment(core_stems, stems(row)) > _SAME_SHARE for row in open_rows)
    result = "left open, above" if is_left and core else core
    # an article of the session's own title says so twice
    names = ("its article" * (page.title == entry.draft.title) for page in pages)
    links = ", ".join(map(_format_link, pages, names))
    end = "" if result.endswith(("\u2026", "!", "?")) else "."
    text = f"{result.rstrip('.')}{end} See {links}" if result and links else result or links
    return ": ".join(filter(None, (format_session_row(entry), text)))


def format_change_note(article: Article) -> str:
    """Say of a page that a later session took up what it tells."""
    since = _SINCE.search(article.section("Since Then"))
    return f" (changed since, {since[1]})" if since else ""


def _format_link(article: Article, name: str = "") -> str:
    title = name or make_inert(article.title).replace("|", " ")
    return f"[[{article.path}|{title}]]{format_change_note(article)}"


def format_session_row(entry: Entry) -> str:
    """Tell of a session in a row: when it ended, its title and its project."""
    title = make_inert(entry.draft.title) or "Untitled"
    project = f" ({make_inert(label(entry.project))})" if entry.project else ""
    return f"[[{cite(entry.day, entry.id).target}|{entry.day} {entry.at:%H:%M}]] {title}{project}"


def format_open_rows(
    entries: Sequence[Entry],
    limit: int,
    weigh: Weigh = no_weights,
    groups: Mapping[str, str] = MappingProxyType({}),
    longest: int = 0,
) -> Iterator[str]:
    """Give what sessions left open, each with its session, and how many there are beside these.

    The weightiest come first, then the first point of each entry, then the latest; each of the
    `groups` of projects has its share. What is old and names nothing, or is from `longest` days
    before the latest session of its project, is counted alone.
    """
    items = list(_list_open_items(entries, weigh, groups, longest))
    told = (item for item in items if item.is_told)
    ranked = sorted(told, key=lambda item: (item.grade, item.rank))
    shown = share_among(ranked, limit, lambda item: item.group)
    yield from (f"{make_inert(item.text)} ({item.link})" for item in shown)
    others = [item for item in items if item not in shown]
    if others and (shown or longest):
        links = dict.fromkeys(item.link for item in others)
        word = "more" if shown else "older"
        yield f"{len(others):,} {word}, as in {', '.join(islice(links, _MAX_MORE_LINKS))}"


class _OpenItem(NamedTuple):
    """What a session left open, the how-manieth point of its entry it is, and if it is told."""

    text: str
    link: str
    group: str
    grade: int
    rank: int
    is_told: bool


def _list_open_items(
    entries: Iterable[Entry], weigh: Weigh, groups: Mapping[str, str], longest: int
) -> Iterator[_OpenItem]:
    """Give what entries left open, each text once, of the latest that has it."""
    texts: set[str] = set()
    days: dict[str, date] = {}
    for entry in entries:
        group, weights = groups.get(entry.project, ""), weigh(entry)
        age = (days.setdefault(group, entry.day) - entry.day).days
        is_stale = bool(entry.session and longest and age > longest)
        lines = (*entry.draft.exchanges, *entry.draft.lessons)
        # a person may have written one twice
        actions = [*dict.fromkeys((*entry.draft.actions, *filter(NEXT_STEP.match, lines)))]
        for rank, text in enumerate(actions):
            names_thing = age <= _FRESH_DAYS or not entry.session or NAMED_THING.search(text)
            is_told = bool(names_thing) and rank < _MAX_ACTIONS and not is_stale
            if text not in texts:
                grade = _grade(weights.get(text))
                yield _OpenItem(text, format_entry_link(entry), group, grade, rank, is_told)
        texts.update(actions)


def _grade(score: float | None) -> int:
    """Grade what a line is worth: 0 for the heaviest; one of which nothing is known is middling."""
    return 1 if score is None else sum(score < limit for limit in _GRADES)


def share_among(rows: Iterable[_Row], limit: int, find_group: Callable[[_Row], str]) -> list[_Row]:
    """Choose from rows, the best first, so that each group has its share."""
    counts = Counter[str]()

    def take_turn(row: _Row) -> int:
        counts[find_group(row)] += 1
        return counts[find_group(row)]

    return sorted(rows, key=take_turn)[:limit]


def format_entry_link(entry: Entry) -> str:
    """Link to an entry under its title: what a line is about stands there."""
    title = _NOT_IN_ALIAS.sub(" ", make_inert(entry.draft.title)).strip()
    return f"[[{cite(entry.day, entry.id).target}|{title or entry.day}]]"


def _format_rules(waiting: Sequence[Case]) -> Iterator[str]:
    """Give the rules that are likely ones or oblige to something, and how many others wait."""
    likely = [case for case in waiting if case.why != "undecided" or case.standing or case.again]
    obliging = [case for case in waiting if case not in likely and _OBLIGES.search(case.rule.text)]
    listed_cases = [*likely, *obliging][:_MAX_RULES]
    yield from map(_format_rule, listed_cases)
    if count := len(waiting) - len(listed_cases):
        noun = ("more", "more") if listed_cases else ("rule",)
        yield f"{format_count(count, *noun)} that you said once, perhaps for that moment only"


def _format_rule(case: Case) -> str:
    note = f" ([[{case.rule.path}|note]])" if case.rule.path else ""
    names = [name[5:] for name in case.rule.sources if name.startswith("team/")]
    note += f" (a rule of {', '.join(names)})" if names else ""
    return f"{make_inert(case.rule.text)}{note}"


def sort_newest_first(articles: Iterable[Article]) -> list[Article]:
    """Give the topics by the day they last grew, the latest first."""
    topics = [page for page in articles if page.kind not in _NO_TOPICS and page.meta.get("updated")]
    by_path = sorted(topics, key=lambda page: page.path)
    return sorted(by_path, key=lambda page: str(page.meta["updated"]), reverse=True)


def format_article_link(article: Article) -> str:
    """Link to an article under its title."""
    return format_article_row(article).partition("]]")[0] + "]]"


def format_article_row(article: Article) -> str:
    """Tell of an article in a row: its title, and its first sentence unless that is cut."""
    sentence = summary(article, _MAX_SENTENCE)
    link = _format_link(article)
    return link if sentence.endswith("\u2026") else f"{link}: {sentence}"
