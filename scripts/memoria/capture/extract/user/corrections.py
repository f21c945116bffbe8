"""Find where the user said that the agent had done wrong, in their own words.

Only what the person typed counts (`own_words`): no paste, no plan, no slash command, nothing that
a tool or the client wrote. A sentence must object (`objection`), and there must be something to
object to: work of the agent before it, edits where it says that something fails. Without such a
sentence the agent's next words still tell, where they admit a fault of its own. "No" after a
question is an answer, and a new wish, however curt, blames nobody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

from memoria.agents.claude_code.user_words import ask, utterances
from memoria.agents.own_words import own_words
from memoria.agents.transcript import Call, Interrupt, Say, Steer
from memoria.capture.extract.user.gists import content, gist
from memoria.capture.extract.user.objections import admits, blames_nobody, objection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memoria.agents.claude_code.user_words import Utterance
    from memoria.agents.transcript import Step, Transcript
    from memoria.capture.extract.user.objections import Objection

Kind = Literal[
    "correction",  # told to be wrong, or refused with a "no" or "don't"
    "correction:failing",  # told that what it made does not work, or that a check fails on it
    "correction:revert",  # told to take back what it did
]
Place = tuple[int, int]  # a turn and a step of it


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction: its kind, the user's sentence, what it is about, and how it ended.

    `words` are the sentence's content words, stemmed, sorted and joined, so that it is the same in
    any order, tense and politeness; where the sentence has fewer than two ("that is wrong"), those
    of the request that it follows are added after "re". It cannot join what says the same in other
    words. `turn` and `step` are where it was said (step 0: as the prompt). `call` is the id of the
    call that was refused with it, "" for none. `work` are the agent's calls from there until the
    user said something that is no correction, `ended` when that work was done; None where the user
    said nothing more, or had stopped it.
    """

    kind: Kind
    line: str
    words: str
    turn: int
    step: int
    at: datetime
    call: str = ""
    work: tuple[Call, ...] = ()
    ended: datetime | None = None


def corrections(transcript: Transcript) -> tuple[Correction, ...]:
    """Find the corrections of a transcript in the order of time, at most one an utterance."""
    session = _Session(transcript, tuple(sayings(transcript)), _first_edit(transcript))
    seen = [_correction(session, index) for index in range(len(session.said))]
    return tuple(_followed(one, session, seen, index) for index, one in enumerate(seen) if one)


# -- What was said, and when ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Saying:
    """An utterance with its place among the steps of its turn.

    `own` are the user's own words in it, "" for none and for a slash command. `step` is the index
    of the step of its turn that comes after it, 0 for a prompt.
    """

    utterance: Utterance
    step: int
    own: str

    @property
    def place(self) -> Place:
        """The turn and the step from which on it can have had an effect."""
        return self.utterance.turn, self.step


@dataclass(frozen=True, slots=True)
class _Session:
    """A transcript, what was said in it, and the place of its first edit."""

    transcript: Transcript
    said: tuple[Saying, ...]
    edited: Place | None


def sayings(transcript: Transcript) -> Iterator[Saying]:
    """Yield what the user said in the order of time."""
    turn, step = -1, 0
    for one in utterances(transcript):
        step = step if one.turn == turn else 0
        turn = one.turn
        if one.how != "prompt":
            step = _after(transcript.turns[turn].steps, one, step)
        yield Saying(one, step, "" if one.ask.is_command else own_words(one).strip())


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
    # a refusal stands in the result of the call that it refused, which never happened
    step -= 1 if said.utterance.how == "refusal" else 0
    yield from reversed(transcript.turns[turn].steps[:step])
    for number in range(turn - 1, -1, -1):
        yield from reversed(transcript.turns[number].steps)


def _first_edit(transcript: Transcript) -> Place | None:
    places = (
        (number, index)
        for number, turn in enumerate(transcript.turns)
        for index, step in enumerate(turn.steps)
        if _is_edit(step)
    )
    return next(places, None)


def _followed(
    one: Correction, session: _Session, seen: Sequence[Correction | None], index: int
) -> Correction:
    """Add what the agent did until the user went on to something else."""
    turns = session.transcript.turns
    onward = (at for at in range(index + 1, len(seen)) if seen[at] is None)
    after = next((session.said[at] for at in onward), None)
    end = after.place if after else (len(turns), 0)
    steps = [
        step
        for number in range(one.turn, min(end[0] + 1, len(turns)))
        for at, step in enumerate(turns[number].steps)
        if (one.turn, one.step) <= (number, at) < end
    ]
    calls = tuple(step for step in steps if isinstance(step, Call))
    ended = None
    if after and not any(isinstance(step, Interrupt) for step in steps):
        said = after.utterance
        ended = turns[said.turn - 1].until if said.how == "prompt" and said.turn else said.at
    return replace(one, work=calls, ended=ended)


# -- Whether it is one ----------------------------------------------------------------------------

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
# An objection stands at the beginning; further down the text describes what is wanted instead.
_SENTENCES, _CHARACTERS = 5, 600
_TELLING = 3  # content words
_LINE = 500  # characters of the sentence that are kept
# "I'm getting this:" above a log that was pasted
_MEETS = re.compile(
    r"(?i)^\W*(?:\w+\W+){0,3}(?:i|i'm|i am|we|we're|we are|it|still|now) (?:\w+ )?"
    r"(?:get|got|getting|see|seeing|saw|gives?|giving|throws?|shows?)\b"
)
_STOPS = re.compile(r"(?i)\W*(?:no|nope|nah|stop|wait|hey)\b")
_TAIL = 300  # characters at the end of an answer in which a question to the user stands


def _correction(session: _Session, index: int) -> Correction | None:
    said, transcript = session.said[index], session.transcript
    started = transcript.start > 0 or next(earlier(transcript, said), None) is not None
    judged = _judged(session, said) if said.own and started else None
    if judged is None:
        return None
    kind, line = judged
    prompts = [one.own for one in session.said[:index] if one.utterance.how == "prompt"]
    request = _first(prompts[-1]) if prompts else ""
    utterance = said.utterance
    return Correction(
        kind=kind,
        line=" ".join(line.split())[:_LINE],
        # of what fails its name is enough: "the build is broken"
        words=gist(
            line,
            request or _latest(transcript, said),
            fewest=1 if kind == "correction:failing" else 2,
        ),
        turn=utterance.turn,
        step=said.step,
        at=utterance.at,
        call=utterance.call.id if utterance.call else "",
    )


def _judged(session: _Session, said: Saying) -> tuple[Kind, str] | None:
    """The kind of correction and the sentence that is one, None where it is none."""
    for sentence in _sentences(said.own):
        if kind := _kind(objection(sentence), session, said):
            return kind, sentence
    line = _first(said.own)
    handed = said.utterance.ask.trace or said.own != said.utterance.ask.text.strip()
    if handed and _MEETS.search(said.own) and _edited(session, said):
        return "correction:failing", line
    if blames_nobody(said.own):
        return None
    steps = session.transcript.turns[said.utterance.turn].steps[said.step :]
    if admits(next((step.text for step in steps if isinstance(step, Say)), "")):
        return "correction", line
    return None


def _sentences(text: str) -> Iterator[str]:
    parts = (part.strip(" -*>\t") for part in _SENTENCE.split(text[:_CHARACTERS]))
    return islice((part for part in parts if part), _SENTENCES)


def _first(text: str) -> str:
    """The first sentence that says what it is about ("really? can't we ...")."""
    parts = tuple(_sentences(text))
    telling = (one for one in parts if len(content(one)) >= _TELLING)
    return next(telling, parts[0] if parts else text)


def _kind(objected: Objection | None, session: _Session, said: Saying) -> Kind | None:
    """What an objection is where it was said: there must be something to object to."""
    how = said.utterance.how
    if objected == "wrong":
        return "correction"
    if objected == "failing" and how != "answer" and _edited(session, said):
        return "correction:failing"
    if objected in {None, "failing"} or _was_asked(session.transcript, said):
        return None
    if objected == "revert":
        return "correction:revert" if _edited(session, said) else None
    # "don't" in a prompt instructs; in the face of a call, or after "no" or "stop", it corrects
    stops = how in ("refusal", "steer") or bool(_STOPS.match(said.own))
    return "correction" if stops else None


def _edited(session: _Session, said: Saying) -> bool:
    return session.edited is not None and session.edited < said.place


def _latest(transcript: Transcript, said: Saying) -> str:
    """The file that the agent had edited last, "" for none."""
    calls = (step for step in earlier(transcript, said) if isinstance(step, Call))
    edit = next(filter(_is_edit, calls), None)
    return (re.split(r"[/\\]", edit.path)[-1] or edit.name) if edit else ""


def _is_edit(step: Step) -> bool:
    return isinstance(step, Call) and step.kind == "edit" and not step.is_error


def _was_asked(transcript: Transcript, said: Saying) -> bool:
    """Whether the agent had asked the user something: what was said is the answer."""
    call, how = said.utterance.call, said.utterance.how
    if how != "prompt":
        return call is not None and call.kind == "question"
    spoken = (step for step in earlier(transcript, said) if isinstance(step, Say | Interrupt))
    last = next(spoken, None)
    return isinstance(last, Say) and "?" in last.text[-_TAIL:]
