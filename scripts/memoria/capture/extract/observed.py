"""A transcript -> Observed: the session read once, for all detectors.

Each of them used to go through the transcript again with an opinion of its own on who speaks, what
a command is and whether it succeeded; now there is one. The trap: what was said while a call ran
belongs after it, and what refused a call before the next one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memoria.agents.transcript import Call
from memoria.capture.extract.observing.calls import hidden_failures, observed_call
from memoria.capture.extract.observing.checks import checks
from memoria.capture.extract.observing.commits import branch, commits, pull_requests
from memoria.capture.extract.observing.files import edits
from memoria.capture.extract.observing.texts import texts
from memoria.capture.extract.observing.values import NO_TURN, Observed, ObservedTurn

if TYPE_CHECKING:
    from memoria.agents.transcript import Transcript

__all__ = ["Observed", "observe"]


def observe(transcript: Transcript) -> Observed:
    """Read a part of a session."""
    turns = tuple(_turn(transcript, index) for index in range(len(transcript.turns)))
    judged = hidden_failures(call for turn in turns for call in turn.calls)
    turns = tuple(replace(turn, calls=tuple(map(judged, turn.calls))) for turn in turns)
    calls = [call for turn in turns for call in turn.calls]
    made = commits(calls)
    changed = tuple(edits(calls, transcript.cwd))
    busy = frozenset({edit.turn for edit in changed} | {commit.turn for commit in made})
    return Observed(
        transcript=transcript,
        turns=turns,
        subagents=tuple(observed_call(call, NO_TURN, 0) for call in transcript.subagents),
        commits=made,
        pull_requests=pull_requests(transcript),
        checks=checks(calls),
        edits=changed,
        branch=branch(transcript, busy, made),
    )


def _turn(transcript: Transcript, index: int) -> ObservedTurn:
    turn = transcript.turns[index]
    return ObservedTurn(
        index=index,
        turn=turn,
        texts=tuple(texts(turn, index)),
        calls=tuple(
            observed_call(step, index, place, turn.steps)
            for place, step in enumerate(turn.steps)
            if isinstance(step, Call)
        ),
    )
