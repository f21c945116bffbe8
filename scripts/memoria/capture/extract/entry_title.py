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
from memoria.capture.extract.user.asks import central, flat, plan_title, unlead
from memoria.text.prose import capital, clipped, plain, split

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.agents.claude_code.user_words import Ask
    from memoria.capture.extract.observed import Observed

TitledBy = Literal["client", "plan", "pull-request", "commit", "ask", ""]

_LENGTH = 78  # characters: a heading of a log that fits on one line
_FULL = 3  # content words: with fewer a title names little
_FIRST = 4  # asks: what is asked later is a detail of what came before


_NO_NAME = re.compile(
    r"`?[/<\[]|caveat:|(?:untitled|new) ?(?:session|chat|conversation)?$", re.IGNORECASE
)


def title(seen: Observed, best: str = "") -> tuple[str, TitledBy]:
    """Give the title of a session and what it was taken from; ("", "") where nothing names it.

    `best` is the best line of its entry: it names the session where the ask says little.
    """
    named = ((_fitted(text), by) for text, by in _names(seen, best))
    return next((one for one in named if one[0] and not _NO_NAME.match(one[0])), ("", ""))


def _names(seen: Observed, best: str) -> Iterator[tuple[str, TitledBy]]:
    """Yield what may name a session, the surest first."""
    asks = [asked for turn in seen.turns if (asked := ask(turn.turn.prompt)).text]
    yield plain(seen.transcript.title), "client"
    yield from ((plan_title(asked.text), "plan") for asked in asks if asked.is_plan)
    subjects = [plain(bare(one.subject)) for one in seen.kept if not one.is_housekeeping]
    pulls = [plain(bare(pull.title)) for pull in seen.pull_requests]
    if len(subjects) > 1:  # the first of several is often a chore
        yield from ((text, "pull-request") for text in pulls)
    yield from ((text, "commit") for text in subjects)
    yield from ((text, "pull-request") for text in pulls)
    words = branch_words(seen.branch) if seen.busy or asks else ""
    first = _asked(asks)
    if _is_vague(first) and not words:
        yield _clause(best), "ask"
    yield _placed(first, words), "ask"


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
    text = clipped(" ".join(text.split()), _LENGTH)
    shorter = ""
    while text != shorter:
        shorter, text = text, _LAST.sub("", _TAIL.sub("", text))
    return capital(text) + (")" if text.count("(") > text.count(")") else "")


# -- From what was asked, and from the branch -----------------------------------------------------


def _asked(asks: Sequence[Ask]) -> str:
    """Give the first ask in the user's own words that says something, as one clause."""
    own = [asked for asked in asks if asked.own]
    clauses = [
        central(split(unlead(flat(asked.text))), _LENGTH)
        for asked in [one for one in own if not one.trivial][:_FIRST] or own[:1]
    ]
    full = (clause for clause in clauses if len(stems(clause)) >= _FULL)
    return next(full, clauses[0] if clauses else "")


# Words of any session: an ask that has only these does not say which one it was.
_ANY_SESSION = stems(
    """
    address branch broken bug build change check ci code comment commit create debug diff error
    explain fail failure feedback file fix generate help hook issue last line lint local look main
    make merge message output plan pr problem pull push read resolve review see session show suggest
    summary take test tests update work write wrong
    """
)


def _is_vague(asked: str) -> bool:
    return len({stem for stem in stems(asked) - _ANY_SESSION if not stem.isdigit()}) < _FULL - 1


def _placed(asked: str, words: str) -> str:
    """Put the branch's words before an ask that names little, unless it has them."""
    if not words or not _is_vague(asked) or not stems(words) - stems(asked):
        return asked
    rest = clipped(asked, _LENGTH - len(words) - 2) if asked else ""
    return f"{words}: {rest[:1].lower()}{rest[1:]}" if rest else words


_CLAUSE = re.compile(r"[.;:!?](?=\s|$)|\s[\u2013\u2014-]\s|,?\s(?=because|since|which|so that|but)")
_MARKED = re.compile(r"^(?:User|Planned|Committed)\b[^:]{0,40}: ")


def _clause(line: str) -> str:
    """Give the first clause of a line that says something."""
    text = _MARKED.sub("", line)
    ends = [match.start() for match in _CLAUSE.finditer(text)]
    full = (text[:end] for end in ends if len(stems(text[:end])) >= _FULL)
    return next(full, text)


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
