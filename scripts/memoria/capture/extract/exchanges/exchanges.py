"""Transcript -> Exchanges: what was asked, turn by turn, each with its answer.

Every session has them, so they are what an entry is mostly made of. A bare "yes" is no question,
but what it agreed to is: the assistant's offer at the end of the turn before. The trap: an offer
of two ways is not answered by "yes".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.agents.claude_code.user_words import ask
from memoria.agents.transcript import Interrupt, Say
from memoria.capture.extract.exchanges.questions import (
    ASKED,
    is_correction,
    is_order,
    shown,
    unlead,
)
from memoria.capture.extract.exchanges.replies import (
    Reply,
    asks_opinion,
    first_verb,
    is_polar,
    reply,
)
from memoria.capture.extract.exchanges.reply_lines import Wanted, is_change
from memoria.capture.extract.sentences import stems
from memoria.text.prose import clipped, plain

if TYPE_CHECKING:
    from collections.abc import Container

    from memoria.agents.claude_code.user_words import Ask
    from memoria.agents.transcript import Transcript, Turn
    from memoria.capture.extract.sentences import Told


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question (or order) and its answer; `score` says how much it is worth a line.

    `correction`: the user contradicted or redirected, and that is worth more than its score.
    `answer` is "" where there was none. `order`: something was to be done, not answered.
    """

    question: str
    answer: str
    turn: int
    score: float
    correction: bool = False
    order: bool = False

    @property
    def text(self) -> str:
        """The exchange as one line."""
        return f"{self.question} -> {self.answer}" if self.answer else self.question


_DONE = 0.5  # something was changed
_TESTED = -0.6  # that a test was added says little


def exchanges(transcript: Transcript, texts: Told, busy: Container[int]) -> tuple[Exchange, ...]:
    """Pair each thing that was asked with its answer, in order; `busy` turns changed something."""
    found: list[Exchange] = []
    before = _Before(set(), [])
    asks = _asks(transcript)
    ends = [*(index for index, _, _ in asks[1:]), len(texts)][: len(asks)]
    for (index, question, asked), end in zip(asks, ends, strict=True):
        done = any(turn in busy for turn in range(index, end))
        closing = [
            texts[turn][-1] for turn in range(index, end) if _is_closed(transcript.turns[turn])
        ]
        spoken = [passage for passages in texts[index:end] for passage in passages]
        earlier = [passage for passage in spoken if passage not in closing]
        # Stopped, and asked anew: what was said is overtaken, unless a plan came of it.
        cut = not closing and end < len(texts) and not ask(transcript.turns[end].prompt).is_plan
        want = _wanted(asked, question, before, done=done)
        answer = Reply("", 0.0) if cut else reply(want, closing, earlier)
        found.append(_exchange(asked, question, answer, index, done=done))
        before.said.update(one.text for passage in spoken for one in passage.sentences)
        before.closed.extend(stems(one.text) for passage in closing for one in passage.sentences)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Before:
    """What earlier turns said: all sentences, and the stems of those that closed a turn."""

    said: set[str]
    closed: list[frozenset[str]]


_POINTING = re.compile(r"^\W*(?:\S+\s+){1,5}(?:this|it|that|them|these)\W*$", re.IGNORECASE)
_SHORT = 60  # characters: "let's implement this"


def _wanted(asked: Ask, question: str, before: _Before, *, done: bool) -> Wanted:
    """Say what a reply has to hold."""
    words = asked.text or question
    bare = unlead(words)
    order = is_order(asked) and done
    return Wanted(
        words=stems(words),
        verb=first_verb(bare),
        opinion=asks_opinion(words),
        order=order,
        pointing=asked.trivial or bool(_POINTING.search(words[:_SHORT])),
        polar=not order and is_polar(bare),
        borrowed=asked.pasted,
        said=before.said,
        closed=before.closed,
    )


def _exchange(asked: Ask, question: str, answer: Reply, index: int, *, done: bool) -> Exchange:
    order = is_order(asked)
    correction = bool(index) and is_correction(asked)
    score = answer.score + (_DONE if order and done else 0.0)
    score += _TESTED if order and "test" in stems(question) else 0.0
    # What an answer says was changed in a turn without an edit, it only proposes.
    proposed = order and not asked.trivial and not done and is_change(answer.text)
    text = f"Proposed: {answer.text}" if proposed else answer.text
    return Exchange(question, text, index, score, correction, order)


def _is_closed(turn: Turn) -> bool:
    """Whether a turn's last text is its answer: the user did not stop the agent after it."""
    return bool(turn.says) and not isinstance(turn.steps[-1], Interrupt)


def _asks(transcript: Transcript) -> list[tuple[int, str, Ask]]:
    """Give the turns that ask something: index, question, ask; "continue" goes on with the last."""
    found: list[tuple[int, str, Ask]] = []
    offered = ""
    for index, turn in enumerate(transcript.turns):
        asked = ask(turn.prompt)
        question = _agreed(asked, offered) if asked.trivial else shown(asked)
        if question or not found:
            found.append((index, question, asked))
        offered = _offered(turn) if turn.says else offered
    return [one for one in found if one[1]]


# -- Agreement: "yes" to an offer means what was offered ------------------------------------------

_YES = re.compile(
    r"(?:yes|yeah|yep|sure|ok(?:ay)?|please|do\s+(?:it|that)|go\s+ahead|sounds\s+good)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"(?:would you like|do you want|want|should i|shall i|may i"
    r"|can i)(?: me)?(?: to)?\s+(?:also\s+|now\s+)?(?P<what>(?!like\b|want\b|to\b"
    r"|me\b)[^?:]{12,200})\?",
    re.IGNORECASE,
)
_EMPTY_OFFER = re.compile(
    r"(?:to |go ahead and |proceed (?:with|and) |make |implement |do |apply "
    r"|continue with )*(?:the |this |that |these |those |it\b|change|fix|plan|changes|update"
    r"|improvement|option)*s?$",
    re.IGNORECASE,
)
_END = 700  # characters at the end of a text, where an offer stands


def _offered(turn: Turn) -> str:
    """Give what the assistant offered to do at the end of a turn, "" for nothing or a choice."""
    found = list(_OFFER.finditer(turn.says[-1].text[-_END:]))
    what = plain(found[-1]["what"]) if found else ""
    return "" if re.search(r"\bor\b", what) or _EMPTY_OFFER.fullmatch(what) else what


def offer(turn: Turn) -> str:
    """Give the offer that a turn ends with, "" where it ends otherwise."""
    if not turn.says or not isinstance(turn.steps[-1], Say):
        return ""
    return _offered(turn) if turn.says[-1].text.rstrip().endswith("?") else ""


def _agreed(asked: Ask, offered: str) -> str:
    """Give what a bare yes agreed to, or the error that was pasted without a word."""
    if offered and _YES.match(asked.text):
        return f"Agreed: \u201c{clipped(offered, ASKED)}\u201d"
    return clipped(plain(asked.trace), ASKED) if asked.trace else ""
