"""Write HOME.md, where a person starts to read; only the part between its marks is Memoria's."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from memoria.text.markdown import make_inert
from memoria.text.numbers import format_count
from memoria.text.word_overlap import containment, stems
from memoria.vault.article import Article, summary
from memoria.vault.citations import cite
from memoria.vault.index import format_row
from memoria.vault.project import label
from memoria.vault.regions import find_region, put_region

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from memoria.capture.recurring_errors import RecurringError
    from memoria.rules.review.waiting import Case
    from memoria.vault.entry import Entry

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


def render_body(  # noqa: PLR0913, PLR0917 - the parts of the page
    entries: Sequence[Entry],
    articles: Iterable[Article],
    waiting: Sequence[Case],
    lists: Mapping[str, Iterable[str]] = MappingProxyType({}),
    pages: Sequence[tuple[str, str]] = (),
    cores: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Give Memoria's part of the page; `lists` begin it, `entries` are the latest, newest first.

    `cores` say in a sentence what came of an entry, by its id.
    """
    articles = list(articles)
    topics = sort_newest_first(articles)
    has_rows = any(map(format_row, articles))  # a rule that waits has none
    index = "Everything: [[knowledge/index|the index]]. " if has_rows else ""
    open_rows = list(format_open_rows(entries, _MAX_OPEN))
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
    links = ", ".join(map(_format_link, pages))
    text = f"{result.rstrip('.')}. See {links}" if result and links else result or links
    return ": ".join(filter(None, (format_session_row(entry), text)))


def format_change_note(article: Article) -> str:
    """Say of a page that a later session took up what it tells."""
    since = _SINCE.search(article.section("Since Then"))
    return f" (changed since, {since[1]})" if since else ""


def _format_link(article: Article) -> str:
    title = make_inert(article.title).replace("|", " ")
    return f"[[{article.path}|{title}]]{format_change_note(article)}"


def format_session_row(entry: Entry) -> str:
    """Tell of a session in a row: when it ended, its title and its project."""
    title = make_inert(entry.draft.title) or "Untitled"
    project = f" ({make_inert(label(entry.project))})" if entry.project else ""
    return f"[[{cite(entry.day, entry.id).target}|{entry.day} {entry.at:%H:%M}]] {title}{project}"


def format_open_rows(entries: Sequence[Entry], limit: int) -> Iterator[str]:
    """Give what sessions left open, each with its session, and how many there are beside these.

    An entry's first point is its weightiest, so the first ones of all entries come first. What is
    old and names nothing is counted alone.
    """
    ranks: list[dict[str, str]] = [{} for _ in range(_MAX_ACTIONS)]
    links: dict[str, str] = {}
    for entry in entries:
        is_old = (entries[0].day - entry.day).days > _FRESH_DAYS
        lines = (*entry.draft.exchanges, *entry.draft.lessons)
        actions = (*entry.draft.actions, *filter(NEXT_STEP.match, lines))
        links |= dict.fromkeys(actions, format_entry_link(entry))
        for rank, action in zip(ranks, actions, strict=False):
            if not (is_old and entry.session) or NAMED_THING.search(action):
                rank.setdefault(action, f"{make_inert(action)} ({format_entry_link(entry)})")
    rows = {action: row for rank in ranks for action, row in rank.items()}
    shown = dict(islice(rows.items(), limit))
    yield from shown.values()
    if rows and (count := len(links) - len(shown)):
        others = dict.fromkeys(link for action, link in links.items() if action not in shown)
        yield f"{count:,} more, as in {', '.join(islice(others, _MAX_MORE_LINKS))}"


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


def format_article_row(article: Article) -> str:
    """Tell of an article in a row: its title, and its first sentence unless that is cut."""
    sentence = summary(article, _MAX_SENTENCE)
    link = _format_link(article)
    return link if sentence.endswith("\u2026") else f"{link}: {sentence}"
