"""Write HOME.md, where a person starts to read; only the part between its marks is Memoria's."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from memoria.text.markdown import inert
from memoria.text.numbers import counted
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
_EXAMPLE = 110  # characters of an edit: a longer one nobody reads in a list
_OFTEN = 4  # sessions from which on an error is told of that nothing fixes
_ERRORS, SESSIONS, _OPEN, _RULES, _ARTICLES = 4, 5, 5, 4, 5
_SENTENCE = 300  # characters of an article's first sentence
_FRESH = 7  # days before the newest session: older than that, what is open has to name its thing
# what is listed elsewhere on the page, or begins with a line of a page that is
_DERIVED = frozenset({"rule", "qa", "project", "connection"})
_LINKED = re.compile(r"[\[\]|`\\\s]+")  # what no alias of a link may hold
# code, a file, a number of an issue: by that an old open point is recognised
NAMED = re.compile(r"\w[_./]\w|#\d")
NEXT = re.compile(r"next steps?\b", re.IGNORECASE)  # what is open, wherever a person wrote it
_ACTIONS = 2  # of one entry: the rest is in its log


def body(  # noqa: PLR0913, PLR0917 - the parts of the page
    entries: Sequence[Entry],
    articles: Iterable[Article],
    waiting: Sequence[Case],
    lists: Mapping[str, Iterable[str]] = MappingProxyType({}),
    pages: Sequence[tuple[str, str]] = (),
    cores: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Give Memoria's part of the page; `lists` begin it, `entries` are the latest, newest first."""
    last = [
        f"{session_row(entry)}: {inert(cores[entry.id])}"
        if entry.id in cores
        else session_row(entry)
        for entry in entries[:SESSIONS]
    ]
    projects = ", ".join(f"[[{path}|{inert(title)}]]" for path, title in pages)
    parts = [
        "" if entries else _EMPTY,
        *(_part(heading, rows) for heading, rows in lists.items()),
        _part("Left open", islice(open_rows(entries), _OPEN)),
        _part("Latest sessions", last),
        _part("Rules to review (`memoria review`)", _rules(waiting)),
        _part("Latest articles", (_row(article, last) for article in newest(articles)[:_ARTICLES])),
        f"Projects: {projects}" if projects else "",
        "Everything: [[knowledge/index|the index]]. What was done: [[knowledge/log|the log]].",
    ]
    return "\n\n".join(part for part in parts if part)


def error_rows(
    errors: Sequence[RecurringError], of: int, where: str = "", rules: Sequence[str] = ()
) -> list[str]:
    """Tell of the most frequent errors with a fix, a rule or a tool's code; `of` all sessions."""
    short = (
        replace(error_, example="") if len(error_.example) > _EXAMPLE else error_
        for error_ in errors
    )
    able = [
        error_
        for error_ in short
        if error_.is_fixed or error_.command() or (error_.sessions >= _OFTEN and ":" in error_.kind)
    ]
    able.sort(key=lambda error_: -error_.sessions)
    offers = [error.command(rules) for error in able]
    return [
        inert(error.told(of, where)) + (f"; to make it a rule: `{offer}`" if offer else "")
        for error, offer in zip(able[:_ERRORS], offers, strict=False)
    ]


def page(text: str | None, new: str) -> str | None:
    """Put Memoria's part into the page's text; None for a page without the marks, or edited."""
    part = find(text or "")
    if text is not None and (part is None or part.edited or part.body == new):
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


def open_rows(entries: Sequence[Entry]) -> Iterator[str]:
    """Give what sessions left open, each with its session; what is old and names nothing is not."""
    rows: dict[str, str] = {}
    for entry in entries:
        is_old = (entries[0].day - entry.day).days > _FRESH
        lines = (*entry.draft.exchanges, *entry.draft.lessons)
        actions = (*entry.draft.actions, *filter(NEXT.match, lines))
        for action in actions[:_ACTIONS]:
            if not (is_old and entry.session) or NAMED.search(action):
                rows.setdefault(action, f"{inert(action)} {entry_link(entry)}")
    return iter(rows.values())


def entry_link(entry: Entry) -> str:
    """Link to an entry under its title: what a line is about stands there."""
    title = _LINKED.sub(" ", inert(entry.draft.title)).strip()
    return f"([[{cite(entry.day, entry.id).target}|{title or entry.day}]])"


def _rules(waiting: Sequence[Case]) -> Iterator[str]:
    """Give the rules that are likely ones, and how many others wait."""
    likely = [case for case in waiting if case.why != "undecided" or case.standing or case.again]
    yield from map(_rule, likely[:_RULES])
    others = len(waiting) - len(likely[:_RULES])
    if others:
        more = counted(others, "more", "more") if likely else counted(others, "rule")
        yield f"{more} that you said once, perhaps for that moment only"


def _rule(case: Case) -> str:
    note = f" ([[{case.rule.path}|note]])" if case.rule.path else ""
    names = [name[5:] for name in case.rule.sources if name.startswith("team/")]
    note += f" (a rule of {', '.join(names)})" if names else ""
    return f"{inert(case.rule.text)}{note}"


def _row(article: Article, lines: Iterable[str]) -> str:
    """Tell of an article in a row, without the sentence that one of a session's rows says."""
    row = article_row(article)
    link, _, sentence = row.partition("]]: ")
    sentence = sentence.rstrip(".")
    return f"{link}]]" if sentence and any(sentence in line for line in lines) else row


def newest(articles: Iterable[Article]) -> list[Article]:
    """Give the topics by the day they last grew, the latest first."""
    dated = (
        article
        for article in articles
        if article.kind not in _DERIVED and article.meta.get("updated")
    )
    by_path = sorted(dated, key=lambda page_: page_.path)
    return sorted(by_path, key=lambda page_: str(page_.meta["updated"]), reverse=True)


def article_row(article: Article) -> str:
    """Tell of an article in a row: its title, and its first sentence unless that is cut."""
    sentence = summary(article, _SENTENCE)
    link = f"[[{article.path}|{inert(article.title).replace('|', ' ')}]]"
    return link if sentence.endswith("\u2026") else f"{link}: {sentence}"
