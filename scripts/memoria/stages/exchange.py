"""Transcript -> Exchanges: what was asked, turn by turn, each with its answer.

Every session has them, so they are what an entry is mostly made of. A bare "yes" is no question, but
what it agreed to is: the assistant's offer at the end of the turn before. The trap: an offer of two
ways is not answered by "yes".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.stages.prose import clipped, plain
from memoria.stages.question import ASKED, is_correction, is_order, shown
from memoria.stages.reply import Wanted, is_polar, reply
from memoria.stages.sentence import stems
from memoria.stages.transcript import Interrupt, Say
from memoria.stages.utterance import ask

if TYPE_CHECKING:
    from collections.abc import Container

    from memoria.stages.sentence import Told
    from memoria.stages.transcript import Transcript, Turn
    from memoria.stages.utterance import Ask


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question (or order) and its answer; `score` says how much it is worth a line.

    `correction`: the user contradicted or redirected. `answer` is "" where there was none. `order`:
    something was to be done, not answered.
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


_POINTING = re.compile(r"^\W*(?:\S+\s+){1,5}(?:this|it|that|them|these)\W*$", re.IGNORECASE)
_SHORT = 60  # characters: "let's implement this"
_CORRECTED = 1.0  # what the user had to put right is worth more than what went well


def exchanges(transcript: Transcript, texts: Told, busy: Container[int]) -> tuple[Exchange, ...]:
    """Pair each thing that was asked with its answer, in order; `busy` turns changed something."""
    found: list[Exchange] = []
    said: set[str] = set()
    closed: list[frozenset[str]] = []
    asks = _asks(transcript)
    for place, (index, question, asked) in enumerate(asks):
        end = asks[place + 1][0] if place + 1 < len(asks) else len(texts)
        spoken = [passages for passages in texts[index:end] if passages]
        order = is_order(asked) and any(turn in busy for turn in range(index, end))
        words = asked.text or question
        polar = not order and is_polar(words)
        pointing = asked.trivial or bool(_POINTING.search(asked.text[:_SHORT]))
        want = Wanted(stems(words), order, pointing, polar, asked.pasted, said, closed)
        closing = [
            texts[turn][-1] for turn in range(index, end) if _is_closed(transcript.turns[turn])
        ]
        earlier = [one for passages in spoken for one in passages if one not in closing]
        answer = reply(want, closing, earlier)
        correction = bool(index) and is_correction(asked)
        score = answer.score + (_CORRECTED if correction else 0.0)
        found.append(Exchange(question, answer.text, index, score, correction, order))
        said.update(one.text for passage in (*earlier, *closing) for one in passage.sentences)
        closed += [stems(one.text) for passage in closing for one in passage.sentences]
    return tuple(found)


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
    r"(?:would you like|do you want|want|should i|shall i|may i|can i)(?: me)?(?: to)?\s+(?:also\s+|now\s+)?(?P<what>(?!like\b|want\b|to\b|me\b)[^?:]{12,200})\?",
    re.IGNORECASE,
)
_EMPTY_OFFER = re.compile(
    r"(?:to |go ahead and |proceed (?:with|and) |make |implement |do |apply |continue with )*(?:the |this |that |these |those |it\b|change|fix|plan|changes|update|improvement|option)*s?$",
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
        return f"Agreed: {clipped(offered, ASKED)}"
    return clipped(plain(asked.trace), ASKED) if asked.trace else ""
