"""Transcript -> Corrections: where the user said that the agent had done wrong, in their own words.

Only what the person typed counts (`own_words`): no paste, no plan, no slash command, nothing that
a tool or the client wrote. A sentence must object (`objection`), and there must be something to
object to: work of the agent before it, edits where it says that something fails. Without such a
sentence two things still tell: the agent's next words admit a fault of its own, or the same request
comes again after an answer. The trap: "no" after a question is an answer, and a new wish, however
curt, blames nobody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

from memoria.agents.transcript import Call, Hunk, Interrupt, Say
from memoria.capture.extract.user.admissions import admits
from memoria.capture.extract.user.gists import content, gist
from memoria.capture.extract.user.objections import blames_nobody, objection
from memoria.capture.extract.user.sayings import between, earlier, reply, sayings
from memoria.text.shell.actions import commands, verb

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from memoria.agents.transcript import Step, Transcript
    from memoria.capture.extract.user.objections import Objection
    from memoria.capture.extract.user.sayings import Saying

Kind = Literal[
    "correction",  # told to be wrong, or refused with a "no" or "don't"
    "correction:failing",  # told that what it made does not work, or that a check fails on it
    "correction:revert",  # told to take back what it did, or made to do so
    "correction:repeat",  # asked for the same again after it had answered
]


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
    found = [_correction(session, index) for index in range(len(session.said))]
    return tuple(_followed(one, session, found, index) for index, one in enumerate(found) if one)


@dataclass(frozen=True, slots=True)
class _Session:
    """A transcript, what was said in it, and the place of its first edit."""

    transcript: Transcript
    said: tuple[Saying, ...]
    edited: tuple[int, int] | None


def _first_edit(transcript: Transcript) -> tuple[int, int] | None:
    places = (
        (number, index)
        for number, turn in enumerate(transcript.turns)
        for index, step in enumerate(turn.steps)
        if _is_edit(step)
    )
    return next(places, None)


def _followed(
    one: Correction, session: _Session, found: Sequence[Correction | None], index: int
) -> Correction:
    """Add what the agent did until the user went on to something else."""
    onward = (at for at in range(index + 1, len(found)) if found[at] is None)
    after = next((session.said[at] for at in onward), None)
    end = after.place if after else (len(session.transcript.turns), 0)
    steps = tuple(between(session.transcript, (one.turn, one.step), end))
    calls = tuple(step for step in steps if isinstance(step, Call))
    stopped = any(isinstance(step, Interrupt) for step in steps)
    done = _ended(session.transcript, after) if after and not stopped else None
    return replace(one, work=calls, ended=done)


def _ended(transcript: Transcript, after: Saying) -> datetime:
    """When the work before an utterance was done."""
    if after.utterance.how == "prompt" and after.utterance.turn:
        return transcript.turns[after.utterance.turn - 1].until
    return after.utterance.at


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
    one, transcript = session.said[index], session.transcript
    started = transcript.start > 0 or next(earlier(transcript, one), None) is not None
    found = _found(session, index) if one.own and started else None
    if found is None:
        return None
    kind, line = found
    return Correction(
        kind=kind,
        line=" ".join(line.split())[:_LINE],
        # of what fails its name is enough: "the build is broken"
        words=gist(
            line,
            _request(session.said, index) or _latest(transcript, one),
            fewest=1 if kind == "correction:failing" else 2,
        ),
        turn=one.utterance.turn,
        step=one.step,
        at=one.utterance.at,
        call=one.utterance.call.id if one.utterance.call else "",
    )


def _found(session: _Session, index: int) -> tuple[Kind, str] | None:
    """The kind of correction and the sentence that is one, None where it is none."""
    one, transcript = session.said[index], session.transcript
    for sentence in _sentences(one.own):
        if kind := _kind(objection(sentence), session, one):
            return kind, sentence
    line = _first(one.own)
    handed = one.utterance.ask.trace or one.own != one.utterance.ask.text.strip()
    if handed and _MEETS.search(one.own) and _edited(session, one):
        return "correction:failing", line
    if blames_nobody(one.own):
        return None
    if _is_undone(transcript, one):
        return "correction:revert", line
    if admits(reply(transcript, one)):
        return "correction", line
    return ("correction:repeat", line) if _is_repeat(session, index) else None


def _sentences(text: str) -> Iterator[str]:
    parts = (part.strip(" -*>\t") for part in _SENTENCE.split(text[:_CHARACTERS]))
    return islice((part for part in parts if part), _SENTENCES)


def _first(text: str) -> str:
    """The first sentence that says what it is about ("really? can't we ...")."""
    found = tuple(_sentences(text))
    telling = (one for one in found if len(content(one)) >= _TELLING)
    return next(telling, found[0] if found else text)


def _kind(found: Objection | None, session: _Session, one: Saying) -> Kind | None:
    """What an objection is where it was said: there must be something to object to."""
    how = one.utterance.how
    if found == "wrong":
        return "correction"
    if found == "failing" and how != "answer" and _edited(session, one):
        return "correction:failing"
    if found is None or found == "failing" or _was_asked(session.transcript, one):
        return None
    if found == "revert":
        return "correction:revert" if _edited(session, one) else None
    # "don't" in a prompt instructs; in the face of a call, or after "no" or "stop", it corrects
    stops = how in ("refusal", "steer") or bool(_STOPS.match(one.own))
    return "correction" if stops else None


def _edited(session: _Session, one: Saying) -> bool:
    return session.edited is not None and session.edited < one.place


def _latest(transcript: Transcript, one: Saying) -> str:
    """The file that the agent had edited last, "" for none."""
    edits = _edits(earlier(transcript, one))
    return next((_name(edit.path) or edit.name for edit in edits), "")


def _edits(steps: Iterable[Step]) -> Iterator[Call]:
    return (step for step in steps if isinstance(step, Call) and _is_edit(step))


def _is_edit(step: Step) -> bool:
    return isinstance(step, Call) and step.kind == "edit" and not step.is_error


def _name(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


def _was_asked(transcript: Transcript, one: Saying) -> bool:
    """Whether the agent had asked the user something: what was said is the answer."""
    call, how = one.utterance.call, one.utterance.how
    if how != "prompt":
        return call is not None and call.kind == "question"
    spoken = (step for step in earlier(transcript, one) if isinstance(step, Say | Interrupt))
    last = next(spoken, None)
    return isinstance(last, Say) and "?" in last.text[-_TAIL:]


def _request(said: Sequence[Saying], index: int) -> str:
    """What a correction follows: the first sentence of the last prompt in the user's own words."""
    owns = (said[at].own for at in range(index - 1, -1, -1) if said[at].utterance.how == "prompt")
    return _first(next((own for own in owns if own), ""))


# -- Undone ---------------------------------------------------------------------------------------

_TO_FILE = {"git checkout", "git restore"}
# An agent also undoes an edit for a moment, to see a test fail: the user must have asked for it.
_ASKS = re.compile(
    r"(?i)\b(?:revert|undo|roll|back|remove|delete|drop|restore|original|without|old|previous|not"
    r"|don't|dont|no|instead|leave|keep)\b|n't\b"
)


def _is_undone(transcript: Transcript, one: Saying) -> bool:
    """Whether the agent, asked to, put back what it had edited in the turn before."""
    number = one.utterance.turn
    if one.utterance.how != "prompt" or not number or not _ASKS.search(one.own):
        return False
    edits = tuple(_edits(transcript.turns[number - 1].steps))
    if not edits or _was_asked(transcript, one):
        return False
    return any(_undoes(call, edits) for call in transcript.turns[number].calls)


def _undoes(call: Call, edits: Sequence[Call]) -> bool:
    if call.kind == "edit":
        back = tuple(Hunk(hunk.new, hunk.old) for hunk in call.hunks)
        whole = bool(back) and all(hunk.old and hunk.new for hunk in back)
        return whole and any(edit.hunks == back for edit in edits)
    files = {_name(edit.path) for edit in edits}
    return any(
        verb(command) in _TO_FILE and any(_name(word) in files for word in command.words[2:])
        for command in commands(call.command)
    )


# -- Asked again ----------------------------------------------------------------------------------

_SAME = 0.8  # of the content words of both: a correction of the wording is no other request
_FEWEST = 4  # content words: shorter requests come again by right ("fix lint")
_NEAR = 2  # prompts back: later the same request serves another state of things


def _is_repeat(session: _Session, index: int) -> bool:
    """Whether a prompt asks again for what an answered prompt just before it asked for."""
    said, one = session.said, session.said[index]
    words = content(one.own)
    if one.utterance.how != "prompt" or len(words) < _FEWEST:
        return False
    places = range(index - 1, -1, -1)
    prompts = (said[at] for at in places if said[at].own and said[at].utterance.how == "prompt")
    return any(
        len(words & content(other.own)) >= _SAME * len(words | content(other.own))
        and _was_answered(session.transcript.turns[other.utterance.turn].steps)
        for other in islice(prompts, _NEAR)
    )


def _was_answered(steps: Sequence[Step]) -> bool:
    """Whether the agent came to an end by itself: its words are the last, nobody stopped it."""
    return bool(steps) and isinstance(steps[-1], Say)
