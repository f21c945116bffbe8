"""Write HOME.md, where a person starts to read; only the part between its marks is Memoria's."""

from __future__ import annotations

from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from memoria.text.markdown import inert
from memoria.vault.article import summary
from memoria.vault.citations import cite
from memoria.vault.project import label
from memoria.vault.regions import find, region

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.capture.recurring_errors import RecurringError
    from memoria.rules.review.waiting import Case
    from memoria.vault.article import Article
    from memoria.vault.entry import Entry

NAME = "HOME.md"
TITLE = "# Home\n\n"
_EMPTY = "No session is captured yet: `memoria install` captures each from the next one on."
DEMO = "This is a demo vault, made from sample sessions: nothing in it is yours."
# of each: what fits one screen, so that the page is read and not scrolled
_OFTEN = 4  # sessions from which on an error is told of that nothing fixes
_ERRORS, _SESSIONS, _OPEN, _RULES, _ARTICLES = 4, 5, 5, 4, 5
# what is listed elsewhere on the page, or begins with a line of a page that is
_DERIVED = frozenset({"rule", "qa", "project", "connection"})
_ACTIONS = 2  # of one entry: the rest is in its log


def body(
    entries: Sequence[Entry],
    articles: Iterable[Article],
    waiting: Sequence[Case],
    lists: Mapping[str, Iterable[str]] = MappingProxyType({}),
    pages: Sequence[tuple[str, str]] = (),
) -> str:
    """Give Memoria's part of the page; `lists` begin it, `entries` are the latest, newest first."""
    projects = ", ".join(f"[[{path}|{inert(title)}]]" for path, title in pages)
    parts = [
        "" if entries else _EMPTY,
        *(_part(heading, rows) for heading, rows in lists.items()),
        _part("Left open", islice(_open(entries), _OPEN)),
        _part("Latest sessions", map(session_row, entries[:_SESSIONS])),
        _part("Rules to review (`memoria review`)", map(_rule, waiting[:_RULES])),
        _part("Latest articles", map(article_row, newest(articles)[:_ARTICLES])),
        f"Projects: {projects}" if projects else "",
        "Everything: [[knowledge/index|the index]]. What was done: [[knowledge/log|the log]].",
    ]
    return "\n\n".join(part for part in parts if part)


def error_rows(
    errors: Sequence[RecurringError], of: int, where: str = "", rules: Sequence[str] = ()
) -> list[str]:
    """Tell of the most frequent errors with a fix, a rule or a tool's code; `of` all sessions.

    The texts of `rules` are in force: what one of them fixes is offered as none.
    """
    able = [
        one
        for one in errors
        if one.is_fixed or one.command() or (one.sessions >= _OFTEN and ":" in one.kind)
    ]
    able.sort(key=lambda one: -one.sessions)
    offers = [error.command(rules) for error in able]
    return [
        inert(error.told(of, where)) + (f"; to make it a rule: `{offer}`" if offer else "")
        for error, offer in zip(able[:_ERRORS], offers, strict=False)
    ]


def page(text: str | None, new: str) -> str | None:
    """Put Memoria's part into the page's text; None where nothing is to be written.

    That is a page without the marks (an empty file keeps it away), and a part that was edited.
    """
    found = find(text or "")
    if text is not None and (found is None or found.edited or found.body == new):
        return None
    return region(TITLE if text is None else text, new)


def _part(heading: str, lines: Iterable[str]) -> str:
    rows = [f"- {line}" for line in lines]
    return "\n".join([f"## {heading}", "", *rows]) if rows else ""


def session_row(entry: Entry) -> str:
    """Tell of a session in a row: when it ended, its title and its project."""
    title = inert(entry.draft.title) or "Untitled"
    where = f" ({inert(label(entry.project))})" if entry.project else ""
    return f"[[{cite(entry.day, entry.id).target}|{entry.day} {entry.at:%H:%M}]] {title}{where}"


def _open(entries: Iterable[Entry]) -> Iterator[str]:
    rows: dict[str, str] = {}
    for entry in entries:
        for action in entry.draft.actions[:_ACTIONS]:
            rows.setdefault(action, f"{inert(action)} ([[daily/{entry.day}|{entry.day}]])")
    return iter(rows.values())


def _rule(case: Case) -> str:
    note = f" ([[{case.rule.path}|note]])" if case.rule.path else ""
    names = [name[5:] for name in case.rule.sources if name.startswith("team/")]
    note += f" (a rule of {', '.join(names)})" if names else ""
    return f"{inert(case.rule.text)}{note}"


def newest(articles: Iterable[Article]) -> list[Article]:
    """Give the topics by the day they last grew, the latest first."""
    dated = (one for one in articles if one.kind not in _DERIVED and one.meta.get("updated"))
    by_path = sorted(dated, key=lambda one: one.path)
    return sorted(by_path, key=lambda one: str(one.meta["updated"]), reverse=True)


def article_row(article: Article) -> str:
    """Tell of an article in a row: its title, and its first sentence unless that is cut."""
    said = summary(article)
    link = f"[[{article.path}|{inert(article.title).replace('|', ' ')}]]"
    return link if said.endswith("\u2026") else f"{link}: {said}"
