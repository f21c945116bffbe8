"""Find what was decided by words: what the user answered, chose and agreed to, with its subject.

Each message of the user is read beside the reply before it and the one after it. What the user said
stands with the question, option or proposal that it answers, unless the reply after it says all of
that again: then the reply stands, which names its subject itself. The messages are gone through
from the last to the first, and what a later line says already is not said again, so that of a value
that was changed the later one stands. The trap: the first reply proposes, and what nobody agreed to
was not decided.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from memoria.capture.conclusions import content_words
from memoria.capture.extract.lines import replies
from memoria.capture.extract.observing.values import CALLS_OF_TALK
from memoria.capture.extract.selection import Line
from memoria.capture.extract.sentences import LONGEST, stems
from memoria.text.prose import clipped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.capture.extract.observed import Observed
    from memoria.capture.extract.observing.values import ObservedTurn, Text

WORTH = 0.9  # of a line of these: the user said it, or heard it and did not object
_ROOM = 2_400  # characters: twelve exchanges that set something have about so many
# A line stands for what it says that no later line does: a number, or so many of its words.
_NEW, _FEWEST = 0.4, 3
_SHARE = 0.25  # of the words of a sentence that says again what the user said
_RECAP = 6  # clauses: a longer reply is a report, and agreeing to it decides none of its parts
_BACK = 4  # replies in which the subject of a short answer is looked for


@dataclass(frozen=True, slots=True)
class _Point:
    """A line that may stand, with the words that it stands for."""

    line: Line
    words: frozenset[str]


class Discussed(NamedTuple):
    """What was decided, in the order of time, and the turns whose replies were only proposals."""

    lines: tuple[Line, ...]
    answered: frozenset[int]


def decided(seen: Observed) -> Discussed:
    """Find the lines of what the user and the agent decided by words."""
    points: list[_Point] = []
    answered: set[int] = set()
    repeated: list[_Point] = []  # by the last reply, as long as the user does not object to it
    for exchange in _exchanges(seen):
        found = list(_points(exchange))
        points += [*([] if _objects(exchange) else repeated), *found]
        answered |= {exchange.turn} if found and exchange.is_talk else set()
        stated = exchange.told and (found or replies.stated(exchange.said))
        repeated = list(_repeated(exchange)) if stated else []  # the first reply only proposes
    lines = [*_newest([*points, *repeated])][::-1]
    return Discussed(tuple(sorted(lines, key=lambda one: one.at)), frozenset(answered))


def left_open(seen: Observed) -> str:
    """Give the choice that was put to the user at the end and not answered, "" for none.

    One that names nothing by itself ("which do you prefer?") stands with its options, or not.
    """
    reply = closing(seen.turns[-1]) if seen.turns else None
    asked = replies.question(reply, least=0)
    if not reply or not _CHOICE.search(asked) or replies.is_offer(asked):
        return ""
    if len(stems(_CHOOSING.sub("", asked))) >= replies.NAMES:
        return f"Not answered: {asked}"
    options = "; ".join(clipped(option, _OPTION) for option in replies.options(reply.text))
    return f"Not answered: {asked} ({options})" if options else ""


# words of a question that say that there is a choice, and not between what; what follows it
_CHOOSING = re.compile(
    r"\b(?:approach|prefer|option|choice|choose|want|way|one|works? best|like|think|go with"
    r"|should (?:i|we)|would you|do you)\w*|(?<=\?).*",
    re.IGNORECASE,
)
_OPTION = 80  # characters of an option, that say which it is
_CHOICE = re.compile(r"\bor\b|^(?:which|what|how (?:many|much|long|often))\b", re.IGNORECASE)


def closing(turn: ObservedTurn) -> Text | None:
    """Give the text that a turn ends with."""
    return next((text for text in reversed(turn.texts) if text.place == "closing"), None)


def _typed(turn: ObservedTurn) -> Text | None:
    """Give what the user typed, if it is all that the message holds."""
    said = [text for text in turn.texts if text.place == "prompt"]
    return said[0] if len(said) == 1 and said[0].speaker == "user" else None


def _is_talk(turn: ObservedTurn, seen: Observed) -> bool:
    """Whether a turn was a conversation, in a session that was one."""
    few = len(turn.calls) <= CALLS_OF_TALK and seen.is_talk
    return few and turn.index not in seen.busy


# -- Points ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A message of the user with the reply before it, of the turn, and the one after it.

    `told` are the last replies before it, `heard` the words of the user's messages but the first.
    """

    turn: int
    told: tuple[Text, ...]
    before: Text | None
    said: Text
    after: Text | None
    heard: frozenset[str]
    is_talk: bool


def _exchanges(seen: Observed) -> Iterator[_Exchange]:
    told: tuple[Text, ...] = ()
    heard: frozenset[str] = frozenset()
    for turn, following in pairwise([None, *seen.turns]):
        if following is None:
            continue
        before, said = closing(turn) if turn else None, _typed(following)
        told = (*told, before)[-_BACK:] if before else told
        if said:
            heard |= _words(said.text)
            is_talk = _is_talk(turn or following, seen)
            yield _Exchange(
                turn.index if turn else -1, told, before, said, closing(following), heard, is_talk
            )


def _objects(exchange: _Exchange) -> bool:
    """Whether the user objects to the reply before, which asked nothing."""
    return replies.refuses(exchange.said) and not replies.question(exchange.before)


# Beside tools most answers are the next order; what begins so settles a question.
_DECIDES = re.compile(
    r"(?:yes|yeah|yep|no|nope|always|never|both|neither|only|use|keep|let'?s (?:use|go with|keep)"
    r"|go with|option|\d|[A-Da-d]\b(?! \w))",
    re.IGNORECASE,
)


def _points(exchange: _Exchange) -> Iterator[_Point]:
    """Give what an exchange decided: by the user's message, then by the reply to it."""
    said, before = exchange.said, exchange.before
    if before and (option := replies.chosen(said, before)):
        yield _point(f"User chose: {option}", said, option)
        return
    asked = replies.question(before)
    if replies.is_offer(asked):
        if replies.refuses(said):
            return
        asked = ""
    if asked and (exchange.is_talk or _DECIDES.match(said.text.strip())):
        yield from _answer(asked, said)
    elif exchange.is_talk:
        yield from _stated(exchange)


def _point(text: str, said: Text, words: str) -> _Point:
    return _Point(Line("decision", text, "user", WORTH, said.turn), _words(words))


def _answer(asked: str, said: Text) -> Iterator[_Point]:
    """Give an answer with its question; who agrees says what the question says."""
    stated = replies.stated(said)
    answer = ", ".join(part for part in (replies.assent(said), stated) if part)
    if answer:
        words = answer if _words(stated) else asked
        yield _point(f"{asked} -> User: {answer}", said, words)


def _stated(exchange: _Exchange) -> Iterator[_Point]:
    """Give what the user agreed to, and what he stated."""
    said, before = exchange.said, exchange.before
    text = replies.stated(said)
    if before and replies.accepts(said, before):
        passages = _short(before)
        for clause in passages:
            if len(passages) == 1 or _numbers(_words(clause)):
                yield _told(clause, before, _words(clause))
    if not text or not (replies.sets(text) or _numbers(_words(text))):
        return
    subject = "" if replies.stands(text) else _subject(exchange, _words(text))
    yield _point(f"{subject}User: {text}", said, text)


def _subject(exchange: _Exchange, words: frozenset[str]) -> str:
    """Give the last thing that the agent said with the words of a short answer, or at all."""
    passages = [part for text in reversed(exchange.told) for part in replies.passages(text)[::-1]]
    subject = next((part for part in passages if words <= _words(part)), "")
    subject = subject or (passages[0] if passages else "")
    return f"{subject} -> " if len(subject) <= LONGEST and subject else ""


def _short(reply: Text) -> list[str]:
    """Give what a short reply tells."""
    passages = replies.passages(reply)
    return passages if len(passages) <= _RECAP else []


def _told(text: str, heard: Text, words: frozenset[str]) -> _Point:
    return _Point(Line("decision", text, "assistant", WORTH, heard.turn, heard.step), words)


def _repeated(exchange: _Exchange) -> Iterator[_Point]:
    """Give what of a reply says again what the user said; a short one is told whole."""
    after, said = exchange.after, _words(exchange.said.text)
    passages = _short(after) if after and exchange.is_talk else []
    for passage in passages:
        words = _words(passage)
        shared = words & exchange.heard
        again = len(shared) >= max(_FEWEST, _SHARE * len(words)) or _numbers(words & said)
        if after and (again or (len(passages) == 1 and _numbers(words))):
            yield _told(passage, after, shared | _numbers(words))


# -- The later one stands -------------------------------------------------------------------------


def _newest(points: Sequence[_Point]) -> Iterator[Line]:
    """Choose from the last to the first what no later line says."""
    told: set[str] = set()
    room = _ROOM
    for point in reversed(points):
        new = point.words - told
        is_new = _numbers(new) or len(new) >= max(1, _NEW * len(point.words))
        if point.words and is_new and len(point.line.text) <= room:
            room -= len(point.line.text)
            told |= _words(point.line.text)
            yield point.line


_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
}


def _words(text: str) -> frozenset[str]:
    """Give the content words of a text, its numbers in digits."""
    return frozenset(_NUMBERS.get(word, word) for word in content_words(text))


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word[0].isdigit())
