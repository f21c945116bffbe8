"""Name a session: what was worked on, readable without opening it.

The surest name comes first: the one the client gave, a plan's heading, the commit's subject or,
where there were several, the pull request's title. Only then what the user asked, with the branch's
words where that names little. The trap: a slash command and what the harness says name nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from memoria.agents.claude_code.user_words import ask
from memoria.capture.extract.sentences import stems
from memoria.capture.extract.titles.title_clauses import (
    FULL,
    LENGTH,
    done_clauses,
    head,
    is_clean,
    is_order,
    is_specific,
    looks,
    opening,
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


def title(seen: Observed, best: str = "") -> tuple[str, TitledBy]:
    """Give the title of a session and what it was taken from; ("", "") where nothing names it.

    `best` is the best line of its entry: it names the session where the asks say little.
    """
    named = ((_fitted(text), by) for text, by in _names(seen, best))
    return next((one for one in named if one[0] and not _NO_NAME.match(one[0])), ("", ""))


def _names(seen: Observed, best: str) -> Iterator[tuple[str, TitledBy]]:
    """Yield what may name a session, the surest first."""
    asks = [asked for turn in seen.turns if (asked := ask(turn.turn.prompt)).text]
    if _is_written(seen, asks):
        yield plain(seen.transcript.title), "client"
    yield from ((plan_title(asked.text), "plan") for asked in asks if asked.is_plan)
    yield from _published(seen)
    yield from ((text, "ask") for text in _described(seen, asks, best))


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


def _described(seen: Observed, asks: Sequence[Ask], best: str) -> Iterator[str]:
    """Yield what was asked, what was done and the branch's words: clean clauses before others."""
    spoken = [asked for asked in asks if asked.own and not asked.trivial]
    words = branch_words(seen.branch) if seen.busy or asks else ""
    fits = _is_about(words, seen)
    yield from _worked(seen, spoken, words if fits and len(stems(words)) >= FULL else "")
    own = [flat(asked.text) for asked in spoken]
    yield from (statement(own[0]) if own else "", words if fits else "")
    yield opening(own[0]) if own else ""
    yield from (statement(_MARKED.sub("", best)), words)
    if seen.files:
        names = (f"`{path.rsplit('/', 1)[-1]}`" for path in seen.files[:2])
        yield f"Work on {' and '.join(names)}"
    yield from (*map(head, own), *map(unlead, own))


def _worked(seen: Observed, spoken: Sequence[Ask], work: str) -> Iterator[str]:
    """Yield clean clauses of orders and of what was done; `work` are the branch's words."""
    first, later = _clean(spoken[:1]), _clean(spoken[1:])
    yield from filter(is_order, first)
    if seen.busy:  # what a talk comes to later is what was decided, and no name of what it is about
        yield from (work, *filter(is_order, later))
    else:
        yield from filter(looks, first)
    yield from done_clauses(seen)
    yield from filter(looks, first)


def _clean(asks: Sequence[Ask]) -> list[str]:
    return [one for one in order_clauses(asks) if is_clean(one) and is_specific(one)]


_MARKED = re.compile(r"^(?:User|Planned|Before the change)\b[^:]{0,40}: ")
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
