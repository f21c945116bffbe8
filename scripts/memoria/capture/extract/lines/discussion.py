"""Find what was decided by words alone: a reply that restates it, an answer with its question.

A conversation that changes nothing has no commit to go by; what holds at its end stands where the
agent repeats what the user said ("so: seven attempts, never more"), and a short answer ("seven")
means nothing without what was asked. So of the replies the one that repeats most of the user's
words is taken, and of the answers those to a question that offers no mere next step. The trap: the
first message tells the symptom, and the reply that repeats that has decided nothing.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from memoria.agents.claude_code.user_words import ask
from memoria.capture.extract.selection import Line
from memoria.capture.extract.sentences import LONGEST, stems, tidy
from memoria.capture.extract.user.asks import is_question
from memoria.capture.subjects import OPENING, content_words, exchanges, restated
from memoria.text.prose import plain, split

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from memoria.capture.extract.observed import Observed
    from memoria.capture.extract.observing.values import ObservedTurn, Sentence, Text
    from memoria.capture.subjects import Restated

WORTH = 0.9  # of a line of these: the user said it, or heard it and did not object
# A reply restates when it holds so many of the words that the user said after the first message,
# and these are this share of theirs or of its own: recaps have .3 to .6 of their own words from
# the user, a long reply to one short answer .06, but half of that answer.
_SHARE, _FEWEST = 0.25, 6
_ROOM = 1_200  # characters of a reply: what a hook can say of it, and a little more
_ANSWER = 240  # characters: a longer answer stands by itself
_LEAST = 15  # characters of a clause that says something


def decided(seen: Observed) -> tuple[Line, ...]:
    """Give the lines of what a conversation decided, in the order of time."""
    lines = [*_answers(seen)]
    if not seen.calls:
        reply = restated(exchanges(seen))
        answered = {one.turn for one in lines}
        lines += _restated(reply, seen) if reply and _repeats(reply) else _said(seen, answered)
    return tuple(sorted(lines, key=lambda one: one.at))


# -- The reply that restates ----------------------------------------------------------------------


def _repeats(reply: Restated) -> bool:
    """Whether a reply repeats enough of what the user said after the first message."""
    own = content_words(" ".join(reply.sentences))
    heard = _heard(reply)
    return len(own & heard) >= max(_FEWEST, _SHARE * min(len(own), len(heard)))


def _heard(reply: Restated) -> frozenset[str]:
    """Give the words that the user had said by a reply, but those of the first message."""
    return frozenset(word for word, weight in reply.weights.items() if weight > OPENING)


def _restated(reply: Restated, seen: Observed) -> Iterator[Line]:
    """Give the clauses of a reply that say most of what was heard, as they stand in it."""
    (text,) = (one for one in seen.turns[reply.turn].texts if one.place == "closing")
    clauses = [
        clause
        for sentence in text.sentences
        if sentence.form in ("paragraph", "item")
        for clause in _clauses(sentence)
    ]
    heard = _heard(reply)
    counts = [len(content_words(clause) & heard) for clause in clauses]
    room, taken = _ROOM, set[int]()
    for number in sorted(range(len(clauses)), key=lambda at: (-counts[at], at)):
        if counts[number] and len(clauses[number]) <= room:
            room -= len(clauses[number])
            taken.add(number)
    for number in sorted(taken):
        yield Line("decision", clauses[number], "assistant", WORTH, text.turn, text.step)


# A step that the agent is to take now.
_ORDERS = re.compile(
    r"(?:(?:good|great|ok|okay|sounds|right|yes|now|please|and|then)\W+)*(?:make the change|run"
    r"|ship|commit|push|merge|go ahead|do it|thanks?|recap|continue)\b",
    re.IGNORECASE,
)


def _said(seen: Observed, answered: Container[int]) -> Iterator[Line]:
    """Give what the user stated after the first message, where no reply repeats it."""
    room = _ROOM
    said = [text for text in seen.texts if text.speaker == "user" and not text.is_trivial]
    for text in said[1:]:
        for sentence in text.sentences if text.turn not in answered else ():
            stated = plain(sentence.text)
            names = len(stems(stated)) >= _NAMES and not stated.endswith("?")
            if names and not _ORDERS.match(stated) and len(stated) <= min(room, LONGEST):
                room -= len(stated)
                yield Line("decision", f"User: {stated}", "user", WORTH, text.turn, text.step)


_CHATS = re.compile(
    r"(?:let me|i'll|i will|i'm going to|i've|i have|i can)\b|(?:that|this|it|you|yes|good|great)"
    r"\b.{0,45}$",  # a short one praises, or points at what is not told
    re.IGNORECASE,
)


def _clauses(sentence: Sentence) -> Iterator[str]:
    """Give a sentence, parted at its semicolons where it is too long to be read in a list."""
    text = tidy(sentence.text)
    if len(text) < _LEAST or text[-1] in ":?" or _CHATS.match(text):
        return
    if len(text) <= LONGEST:
        yield text
        return
    clause = ""
    for part in text.split("; "):
        if clause and len(clause) + len(part) > LONGEST:
            yield clause
            clause = ""
        clause = f"{clause}; {part}" if clause else part
    yield clause


# -- Answers --------------------------------------------------------------------------------------

# What only asks whether to go on, or is the tail of such a question; what is answered to it decides
# nothing that lasts (of 13 in real sessions none did).
_OFFERS = re.compile(
    r"^(?:or|and)\b|\b(?:(?P<either>should (?:i|we just)|shall (?:i|we))|want me to"
    r"|would you (?:like|prefer)|do you (?:want|know)|may i|can i|help you|(?:ready|okay|ok) to"
    r"|proceed|else)\b",
    re.IGNORECASE,
)
_NAMES = 2  # content words: a question with fewer names nothing


# Beside tools most answers are the next order; what begins so settles a question.
_DECIDES = re.compile(
    r"(?:yes|yeah|yep|no|nope|always|never|both|neither|only|use|keep|let'?s (?:use|go with|keep)"
    r"|go with|option|\d|[A-Da-d]\b(?! \w))",
    re.IGNORECASE,
)


def _answers(seen: Observed) -> Iterator[Line]:
    for before, turn in pairwise(seen.turns):
        answer = _answer(turn)
        if answer and seen.calls and not _DECIDES.match(answer.text.strip()):
            continue
        question = _question(before, answer.text) if answer else ""
        if answer and question:
            text = f"{question} -> User: {plain(' '.join(answer.text.split()))}"
            yield Line("decision", text, "user", WORTH, turn.index, 0)


# What points at something else, or asks without a question mark.
_POINTS = re.compile(
    r"\b(?:question|this|these|those|first|above|same)\b|^(?:why|what|how|where|when|which|who|is"
    r"|are|can|could|does|do|did)\b",
    re.IGNORECASE,
)


def _answer(turn: ObservedTurn) -> Text | None:
    """Give a short reply of the user's that asks nothing and points at nothing else."""
    said = [text for text in turn.texts if text.place == "prompt"]
    if len(said) != 1 or said[0].speaker != "user":
        return None
    text = said[0].text.strip()
    apart = _POINTS.search(text) or _ORDERS.match(text)
    short = len(text) <= _ANSWER and "?" not in text and not apart
    return said[0] if short else None


def left_open(seen: Observed) -> str:
    """Give the choice that was put to the user at the end and not answered, "" for none."""
    asked = _asked(_closing(seen.turns[-1])) if seen.turns else ""
    choice = asked and _CHOICE.search(asked) and not _offers(asked)
    return f"Not answered: {asked}" if choice else ""


_CHOICE = re.compile(r"\bor\b|^(?:which|what|how (?:many|much|long|often))\b", re.IGNORECASE)


_AGREES = re.compile(r"\s*(?:yes|yeah|yep|no|nope|both|neither)\b", re.IGNORECASE)


def _question(turn: ObservedTurn, answer: str) -> str:
    """Give the question that was open after a turn, "" for none.

    It is the agent's, or the user's own: but "yes" answers nobody's own question.
    """
    if _AGREES.match(answer):
        asked = _asked(_closing(turn))
        return "" if _offers(asked) else asked
    own = next((text for text in turn.texts if text.speaker == "user"), None)
    asks = not turn.calls and is_question(ask(turn.turn.prompt))
    asked = _asked(_closing(turn)) or (_asked(own) if asks else "")
    return "" if _offers(asked) else asked


def _closing(turn: ObservedTurn) -> Text | None:
    return next((text for text in reversed(turn.texts) if text.place == "closing"), None)


def _asked(text: Text | None) -> str:
    """Give the question with which a text ends, "" for none that names something."""
    last = split(text.sentences[-1].text) if text and text.sentences else []
    asked = tidy(last[-1]) if last and last[-1].endswith("?") else ""
    return asked if len(asked) <= LONGEST and len(stems(asked)) >= _NAMES else ""


def _offers(asked: str) -> bool:
    """Whether a question only offers a next step, and no choice between two things."""
    found = _OFFERS.search(asked)
    return found is not None and not (found["either"] and " or " in asked)
