"""Find words in the turns of a transcript: who said them, when, and what was asked there.

A line alone does not say what it was an answer to; the person's own question does, and the
sentences around it say how it was meant. What a tool printed is searched last, since it repeats
what others wrote. The trap: a turn can hold megabytes of output, so each text is cut before it is
searched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memoria.agents.claude_code.user_words import ask
from memoria.agents.transcript import Call, Say, Steer
from memoria.capture.extract.sentences import stems
from memoria.text.prose import clipped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memoria.agents.transcript import Turn

Who = Literal["user", "assistant", "tool"]
_LONGEST = 20_000  # characters of a text that are searched: a long answer has 10,000
_ASKED, _SHOWN = 300, 500  # characters that are shown of the question and of the passage
_LIKE = 0.5  # of the words: with fewer in common, the passage is another one
_JOINED = 2  # lines that a sentence may run over


@dataclass(frozen=True, slots=True)
class Scene:
    """What was said where a line comes from.

    `turn` is its index among those given. `asked` is what the person wanted in that turn, in their
    own words; `who` said `passage`, and `at` is when (aware, UTC).
    """

    turn: int
    at: datetime
    asked: str
    who: Who | Literal[""]
    passage: str


def scene(words: str, turns: Sequence[Turn], expected: int) -> Scene | None:
    """Find the words among turns, in the expected one first; None where there is no turn.

    Where they are not found, the expected turn is given without a passage.
    """
    wanted = stems(words)
    order = sorted(range(len(turns)), key=lambda index: index != expected)
    best: tuple[float, int, datetime, Who | Literal[""], str] | None = None
    for index in order:
        share, at, who, passage = _best(wanted, turns[index])
        if share >= _LIKE and (best is None or share > best[0]):
            best = share, index, at, who, passage
            if share == 1.0 or index == expected:
                break
    if best:
        _, index, at, who, passage = best
        return Scene(index, at, _asked(turns[index]), who, clipped(passage, _SHOWN))
    if not 0 <= expected < len(turns):
        return None
    turn = turns[expected]
    return Scene(expected, turn.at, _asked(turn), "", "")


def _asked(turn: Turn) -> str:
    said = ask(turn.prompt)
    return clipped(" ".join(said.text.split()), _ASKED)


def _best(wanted: frozenset[str], turn: Turn) -> tuple[float, datetime, Who | Literal[""], str]:
    """Find the lines of a turn that hold most of the words; the first of equals."""
    best: tuple[float, datetime, Who | Literal[""], str] = (0.0, turn.at, "", "")
    for who, at, text in _texts(turn):
        for passage in _passages(text):
            share = len(wanted & stems(passage)) / len(wanted) if wanted else 0.0
            if share > best[0]:
                best = share, at, who, " ".join(passage.split())
    return best


def _passages(text: str) -> Iterator[str]:
    lines = [line for line in text[:_LONGEST].split("\n") if line.strip()]
    yield from lines
    for size in range(2, _JOINED + 1):
        for at in range(len(lines) - size + 1):
            yield "\n".join(lines[at : at + size])


def _texts(turn: Turn) -> Iterator[tuple[Who, datetime, str]]:
    """Yield what was said in a turn: the person first, then the assistant, tools last."""
    yield "user", turn.at, ask(turn.prompt).text
    yield from _user(turn)
    for step in turn.steps:
        if isinstance(step, Say):
            yield "assistant", step.at, step.text
        elif isinstance(step, Call):
            yield from (("assistant", step.at, value) for _, value in step.arguments)
    yield from (("tool", call.at, call.result) for call in turn.calls)


def _user(turn: Turn) -> Iterator[tuple[Who, datetime, str]]:
    """Yield what the person said while the agent worked."""
    for step in turn.steps:
        if isinstance(step, Steer):
            yield "user", step.at, step.text
        elif isinstance(step, Call):
            if step.reason:
                yield "user", step.at, ask(step.reason).text
            yield from (("user", step.at, f"{one.question} {one.text}") for one in step.answers)
