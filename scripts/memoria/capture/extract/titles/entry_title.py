"""Name a session: what was worked on, readable without opening it.

The surest name comes first: the one the client gave, a plan's heading, the commit's subject or,
where there were several, the pull request's title. Only then what the user asked, what was done of
it, and what the entry tells; a branch holds the work of many sessions, so its words come late. The
trap: a slash command and what the harness says name nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from memoria.agents.claude_code.user_words import ask
from memoria.capture.extract.sentences import stems
from memoria.capture.extract.titles.title_clauses import (
    FULL,
    LENGTH,
    began,
    done_clauses,
    head,
    is_clean,
    is_order,
    is_specific,
    order_clauses,
    shortened,
    statement,
)
from memoria.capture.extract.user.asks import flat, plan_title, unlead
from memoria.text.prose import capital, clipped, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.agents.claude_code.user_words import Ask
    from memoria.capture.extract.observed import Observed

TitledBy = Literal["client", "plan", "pull-request", "commit", "ask", ""]

_NO_NAME = re.compile(
    r"`?[/<\[]|caveat:|(?:untitled|new) ?(?:session|chat|conversation)?$", re.IGNORECASE
)


def title(seen: Observed, lines: Sequence[str] = ()) -> tuple[str, TitledBy]:
    """Give the title of a session and what it was taken from; ("", "") where nothing names it.

    `lines` are those of its entry, the best first: they name it where the asks say little.
    """
    named = ((_fitted(text), by) for text, by in _names(seen, lines))
    name, by = next((one for one in named if one[0] and not _NO_NAME.match(one[0])), ("", ""))
    return (_of_work(name, seen) if by == "ask" else name), by


_WHOLE = 100  # characters of a title that names the work and what was done of it


def _of_work(name: str, seen: Observed) -> str:
    """Put the work that a branch names before a part of it.

    Of 36 judged sessions six got a longer title by it, none of them a worse one but for one that is
    as bad (bench/extract/titles.py: F .35 to .37).
    """
    work = branch_words(seen.branch)
    own, part = stems(work), stems(name)
    is_apart = len(own) > 1 and len(own & part) <= _ABOUT * min(len(own), len(part))
    whole = f"{work}: {name}"
    return whole if is_apart and _is_about(work, seen) and len(whole) <= _WHOLE else name


def _names(seen: Observed, lines: Sequence[str]) -> Iterator[tuple[str, TitledBy]]:
    """Yield what may name a session, the surest first."""
    asks = [asked for turn in seen.turns if (asked := ask(turn.turn.prompt)).text]
    if _is_written(seen, asks):
        yield plain(seen.transcript.title), "client"
    yield from ((plan_title(asked.text), "plan") for asked in asks if asked.is_plan)
    yield from _published(seen)
    yield from ((text, "ask") for text in _described(seen, asks, lines))


def _is_written(seen: Observed, asks: Sequence[Ask]) -> bool:
    """Whether the client's title was written for the session, and is no beginning of a prompt."""
    given = plain(seen.transcript.title).rstrip("….").lower()
    prompts = (flat(asked.text).lower() for asked in asks)
    return seen.transcript.is_named or not any(prompt.startswith(given) for prompt in prompts)


def _published(seen: Observed) -> Iterator[tuple[str, TitledBy]]:
    """Yield the subjects of commits and the titles of pull requests, changes of code first."""
    subjects = [one.subject for one in seen.kept if not one.is_housekeeping]
    subjects.sort(key=lambda subject: not _PRODUCT.match(subject))
    pulls = [pull.title for pull in seen.pull_requests]
    pulls.sort(key=lambda named: not _PRODUCT.match(named))
    if len(subjects) > 1:  # the first of several is often a part
        yield from ((plain(bare(text)), "pull-request") for text in pulls)
    yield from ((plain(bare(text)), "commit") for text in subjects)
    yield from ((plain(bare(text)), "pull-request") for text in pulls)
    chores = (plain(bare(one.subject)) for one in seen.kept if not _MERGES.match(one.subject))
    yield from ((text, "commit") for text in chores if is_specific(text) and is_clean(text))


_MERGES = re.compile(r"merge|wip|address|fixup|squash|review", re.IGNORECASE)
_PRODUCT = re.compile(r"(?:feat|fix|perf|refactor)\b|(?!\w+(?:\([^)]*\))?!?:)", re.IGNORECASE)


_KIND = re.compile(
    r"(?:(?:feat|fix|refactor|perf|docs?|tests?|chore|style|build|ci|revert)"
    r"(?:\([\w./ -]{1,40}\))?!?:|\[?[A-Z]{2,8}-\d+\]?:?)\s*",
    re.IGNORECASE,
)


def bare(subject: str) -> str:
    """Take the kind and the ticket off a commit's subject."""
    for _ in range(2):  # "fix: ABC-12: ..."
        if kind := _KIND.match(subject):
            subject = subject[kind.end() :]
    return capital(subject)


_TAIL = re.compile(r"(?:[\s:;,.!?…\u2013—(-]|\s[:;]-?[()D/|])$")
_LAST = re.compile(
    r"\s(?:the|a|an|of|to|in|on|for|with|and|or|by|from|that|this|is|are|be|as|at|if|it|we|i|you"
    r"|can|could|would|should|will|any|some|my|our|not|also|again|please|first)$",
    re.IGNORECASE,
)


def _fitted(text: str) -> str:
    """Fit a text into a heading: one line, no closing punctuation or function word."""
    text = " ".join(text.split())
    text = shortened(text) or clipped(text, LENGTH).removesuffix(" …")
    shorter = ""
    while text != shorter:
        shorter, text = text, _LAST.sub("", _TAIL.sub("", text))
    return capital(text) + (")" if text.count("(") > text.count(")") else "")


# -- From what was asked and done, and from the branch --------------------------------------------


def _described(seen: Observed, asks: Sequence[Ask], lines: Sequence[str]) -> Iterator[str]:
    """Yield what was asked, what was done and what the entry says: clean clauses before others."""
    spoken = [asked for asked in asks if asked.own and not asked.trivial]
    own = [flat(asked.text) for asked in spoken]
    words = branch_words(seen.branch) if seen.busy or asks else ""
    work = words if _is_about(words, seen) else ""
    if seen.is_talk:
        yield from map(began, own[:1])
    yield from _orders(spoken[:1])
    if seen.busy:
        yield work if is_order(work) and len(stems(work)) >= FULL else ""
        done = _by_share([*done_clauses(seen)], stems(" ".join([words, *own[:_SPOKEN]])))
        yield from (one for one, share in done if share >= _SHARED)
        yield from (*_orders(spoken[1:]), *(one for one, _ in done))
    told = [_MARKED.sub("", line) for line in lines]
    yield from (*map(statement, own[:1]), work, *map(statement, told))
    yield from (words, *map(head, own), *map(unlead, own))
    if seen.files:
        names = (f"`{path.rsplit('/', 1)[-1]}`" for path in seen.files[:2])
        yield f"Changes of {' and '.join(names)}"


_SPOKEN = 4  # asks: what is asked later is a detail of what came before
_SHARED = 2  # content words of a clause that were asked for: one alone is chance


def _by_share(clauses: Sequence[str], asked: frozenset[str]) -> list[tuple[str, int]]:
    """Give clauses with how many of their words were asked for, most first."""
    shares = ((one, len(stems(one) & asked)) for one in clauses)
    return sorted(shares, key=lambda row: -row[1])


def _orders(asks: Sequence[Ask]) -> Iterator[str]:
    """Yield the clauses of asks that can stand alone and order a change."""
    yield from (one for one in order_clauses(asks) if is_clean(one) and is_specific(one))


_MARKED = re.compile(
    r"^(?:User|Planned|Found \(edits followed\)|Reason for the change)(?!\w)[^:]{0,40}: "
)
_ABOUT = 0.5  # of a branch's words: where fewer come up, the session did something else on it


def _is_about(words: str, seen: Observed) -> bool:
    """Whether a branch's words come up in what was said."""
    spoken = (text for text in seen.texts if text.speaker == "user" or text.place == "closing")
    said = frozenset(stem for text in spoken for stem in stems(text.text))
    named = stems(words)
    return len(named & said) >= _ABOUT * len(named)


# branches on which everything happens: a work item of one would be a grab bag
_TRUNK = frozenset(
    """main master trunk next develop dev development stable staging stage production prod release
    head default mainline""".split()  # noqa: SIM905 - a word list reads best as words
)
_TICKET = re.compile(
    r"(?:[a-z]{2,8}-\d+|\d{4,8})(?:[-_/]|$)"
    r"|(?:feature|feat|fix|bugfix|hotfix|chore|refactor|docs|test|wip|issue|claude|codex)[/_]",
    re.IGNORECASE,
)


def is_trunk(branch: str) -> bool:
    """Whether a branch is one that all work goes through, so that it names no work of its own."""
    return branch.lower() in _TRUNK or not branch


def branch_words(branch: str) -> str:
    """Give the words of a branch's name without its owner and ticket, "" for a trunk."""
    if is_trunk(branch):
        return ""
    name = branch
    if "/" in name and not _TICKET.match(name):
        name = name.partition("/")[2]
    for _ in range(3):  # a kind, an owner and a ticket at most
        if prefix := _TICKET.match(name):
            name = name[prefix.end() :]
    words = re.sub(r"[-_/]+|(?<=[a-z])(?=[A-Z][a-z])", " ", name.rpartition("/")[2]).strip()
    return capital(words) if re.search(r"[A-Za-z]{3}", words) else ""
