"""Transcript -> Sayings: what the user said, each with its place among the steps of its turn.

An utterance alone does not tell what it answers: what the agent did just before it, and what it
said just after it, decide whether "no" objects or replies. The trap: a refusal stands in the result
of the call that it refused, so that call is what was about to happen and not what had happened.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.agents.claude_code.user_words import ask, utterances
from memoria.agents.own_words import own_words
from memoria.agents.transcript import Say, Steer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.agents.claude_code.user_words import Utterance
    from memoria.agents.transcript import Step, Transcript


@dataclass(frozen=True, slots=True)
class Saying:
    """An utterance with its place.

    `own` are the user's own words in it, "" for none and for a slash command. `step` is the index
    of the step of its turn that comes after it, 0 for a prompt.
    """

    utterance: Utterance
    step: int
    own: str

    @property
    def place(self) -> tuple[int, int]:
        """The turn and the step from which on it can have had an effect."""
        return self.utterance.turn, self.step


def sayings(transcript: Transcript) -> Iterator[Saying]:
    """Yield what the user said in the order of time."""
    turn, step = -1, 0
    for one in utterances(transcript):
        step = step if one.turn == turn else 0
        turn = one.turn
        if one.how != "prompt":
            step = _after(transcript.turns[turn].steps, one, step)
        own = "" if one.ask.is_command else own_words(one).strip()
        yield Saying(one, step, own)


def _after(steps: Sequence[Step], one: Utterance, start: int) -> int:
    """The index of the step that follows an utterance in the middle of its turn."""
    # one call can hold several answers, so its step is looked at again
    for index in range(start - 1 if one.call and start else start, len(steps)):
        step = steps[index]
        typed = isinstance(step, Steer) and step.at == one.at and ask(step.text) == one.ask
        if typed or (one.call is not None and step is one.call):
            return index + 1
    return len(steps)


def earlier(transcript: Transcript, said: Saying) -> Iterator[Step]:
    """Yield what happened before an utterance, the latest first."""
    turn, step = said.place
    # of a refused call nothing happened
    step -= 1 if said.utterance.how == "refusal" else 0
    yield from reversed(transcript.turns[turn].steps[:step])
    for number in range(turn - 1, -1, -1):
        yield from reversed(transcript.turns[number].steps)


def between(transcript: Transcript, start: tuple[int, int], end: tuple[int, int]) -> Iterator[Step]:
    """Yield the steps from one place to another, the end not among them."""
    for number in range(start[0], min(end[0] + 1, len(transcript.turns))):
        for index, step in enumerate(transcript.turns[number].steps):
            if start <= (number, index) < end:
                yield step


def reply(transcript: Transcript, said: Saying) -> str:
    """Give what the agent first said after an utterance in its turn, "" for nothing."""
    steps = transcript.turns[said.utterance.turn].steps[said.step :]
    return next((step.text for step in steps if isinstance(step, Say)), "")
