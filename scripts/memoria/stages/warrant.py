"""A draft, facts and their session -> the lines that may be told although they order something.

An order reaches later sessions as a rule; but an entry's line often repeats what the user asked
for, what he chose of the client's offers, or what was committed, and a session that goes on with
the work has to know it. So such lines are noted when the session is captured, where it can be seen
who said them: this machine's extract holds them, and no pull brings it. The trap: a line claims to
be the user's ("User: ..."), and a model wrote it; what claims so has to be his word for word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memoria.stages.behest import acts, asks, can_title, orders
from memoria.stages.markup import inert
from memoria.stages.origin import folded, is_marked
from memoria.stages.utterance import answers
from memoria.stages.work import work

if TYPE_CHECKING:
    from memoria.stages.entry import Draft, Extract
    from memoria.stages.origin import Origins
    from memoria.stages.transcript import Transcript

_ARROW = " -> "
# how an entry tells of the user's words (stages/finding.py)
_QUOTES = re.compile(
    r"User(?:, (?:on the plan|refusing (?:a step|(?:an edit of )?`[^`\n]{1,200}`)))?: "
)
_COMMITTED = "Committed: "
_KIND = re.compile(r"^(?:\w{2,10}(?:\([^()]{1,40}\))?!?:|\[?[A-Z]{2,8}-\d+\]?:?) ")
# of a line's words: the rest may be a name that was written otherwise, or the mark of a cut
_HIS = 0.8
# words of a commit's subject or a question: fewer are chance
_LEAST = 2


class Known(NamedTuple):
    """What of a session is known by its form: subjects of commits, questions that were answered."""

    commits: frozenset[str] = frozenset()
    questions: tuple[str, ...] = ()


NOTHING = Known()


def known(transcript: Transcript) -> Known:
    """Find what a session committed, and what the client asked the user and was answered."""
    asked = [one.question for call in transcript.calls for one in answers(call)]
    return Known(
        frozenset(_plain(commit.subject) for commit in work(transcript).commits),
        tuple(map(_plain, asked)),
    )


def warranted(
    draft: Draft, origins: Origins, found: Known = NOTHING, extract: Extract | None = None
) -> tuple[str, ...]:
    """Give the lines of a draft and of facts, as the log has them, that may be told anyway."""
    facts = [fact.text for fact in extract.facts] if extract else []
    listed = (*draft.exchanges, *draft.decisions, *draft.lessons, *draft.actions, *facts)
    told = [line for line in listed if orders(line) and _may(line, origins, found)]
    if not can_title(draft.title) and _is_titled(draft.title, origins):
        told.insert(0, draft.title)
    return tuple(dict.fromkeys(inert(line) for line in told))


def _may(line: str, origins: Origins, found: Known) -> bool:
    if is_marked(line):
        return False
    if quoted := _QUOTES.match(line):
        return _is_his(line[quoted.end() :], origins)
    if line.startswith(_COMMITTED):
        return _is_committed(line.removeprefix(_COMMITTED), origins, found)
    asked, arrow, answer = line.partition(_ARROW)
    if arrow and _is_asked(asked, found):
        return not orders(origins.unsaid(answer))
    ordering = [part for part in line.split(_ARROW) if orders(part)]
    return bool(ordering) and not any(orders(origins.unsaid(part)) for part in ordering)


def _is_his(text: str, origins: Origins) -> bool:
    """Whether a text is the user's, but for a word here and there that orders nothing."""
    words = folded(text)
    left = origins.unsaid(text)
    # an X stands for each run that he said
    rest = len(folded(left)) - len(re.findall(r"\bX\b", left))
    return bool(words) and rest <= (1 - _HIS) * len(words) and not orders(left)


def _is_committed(subject: str, origins: Origins, found: Known) -> bool:
    plain = _plain(subject)
    if len(plain.split()) < _LEAST or not any(_is_begun(plain, one) for one in found.commits):
        return False
    return can_title(_bare(subject)) or not orders(origins.unsaid(subject))


def _is_asked(question: str, found: Known) -> bool:
    """Whether the client asked this, a question that asks and does nothing more."""
    plain = _plain(question)
    if len(plain.split()) < _LEAST or not asks(question):
        return False
    return any(plain in one or _is_begun(plain, one) for one in found.questions)


def _is_begun(text: str, whole: str) -> bool:
    """Whether a line has the whole of a text, or its beginning where it was cut for the line."""
    return text == whole or (len(text.split()) > 2 * _LEAST and whole.startswith(text))


def _is_titled(title: str, origins: Origins) -> bool:
    """Whether each part of a title names a task or is the user's: "Branch: what he asked"."""
    if is_marked(title) or acts(title):
        return False
    return all(
        can_title(part) or not orders(origins.unsaid(part)) for part in re.split(r": | \(`", title)
    )


def _plain(text: str) -> str:
    return " ".join(folded(text))


def _bare(subject: str) -> str:
    """Take the kind and the ticket off a subject."""
    return _KIND.sub("", subject)
