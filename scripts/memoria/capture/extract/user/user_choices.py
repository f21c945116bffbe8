"""Find what the user chose during a session, by the form in which it was said.

A refusal with its reason, an answer to a question of the agent and a sentence that says "we
decided" are the user's own and outlast the session, so they stand in the entry whatever they weigh.
The trap: "I'll do it myself", "pull first" and "ready to proceed?" choose nothing that lasts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.extract.features import CUES
from memoria.capture.extract.selection import SAME, Line
from memoria.capture.extract.sentences import LONGEST, containment, stems
from memoria.capture.extract.user.user_decisions import user_decisions
from memoria.text.prose import clipped, plain, split
from memoria.text.shell.actions import action

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.agents.transcript import Call
    from memoria.capture.extract.observed import Observed
    from memoria.capture.extract.observing.values import Text

CERTAIN = 1.0  # what a choice of the user's is worth: nothing has to be guessed of it
_HANDS_OFF = re.compile(
    r"(?:i'?ll|i will|let me|leave it|never ?mind|i can|i got|hold on|wait|stop|sorry|oh|i think"
    r"|also it seems)\b",
    re.IGNORECASE,
)
_PROCESS = re.compile(
    r"\b(?:ready to|proceed|continue|next\??$|do next|start (?:work|implement)|push|commit(?:ted)?"
    r"|merge|open (?:a )?pr|run (?:it|the tests)|looks? (?:good|right)|approve)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(r"\b(?:don'?t|do not|never|not now|no need|without|too)\b", re.IGNORECASE)
_ASKS = re.compile(r"(?:is|are|can|could|do|does|what|why|how|which|where)\b", re.IGNORECASE)
_AROUND = 60  # characters that name what was refused


def user_choices(seen: Observed) -> tuple[Line, ...]:
    """Find the user's choices in the order of time, each once."""
    calls = {call.call.id: call.call for call in seen.calls}
    found = [
        Line("decision", text, "user", CERTAIN, said.turn, said.step)
        for said in seen.texts
        if said.speaker == "user" and said.call in calls
        for text in _about(said, calls[said.call])
    ]
    for call in seen.calls:
        found += [
            Line("decision", text, "user", CERTAIN, call.turn, call.step)
            for text in _labels(call.call)
        ]
    found += [
        Line("decision", f"User: {one.text}", "user", CERTAIN, one.turn)
        for one in user_decisions(seen.transcript)
    ]
    return _once(sorted(found, key=lambda one: one.at))


def _once(found: Iterable[Line]) -> tuple[Line, ...]:
    """Keep the first of lines that say the same."""
    kept: list[Line] = []
    for one in found:
        own = stems(one.text)
        if not any(
            one.text == other.text or containment(own, stems(other.text)) > SAME for other in kept
        ):
            kept.append(one)
    return tuple(kept)


def _about(said: Text, call: Call) -> Iterator[str]:
    """Word a refusal with what was refused, and an answer of the user's own words."""
    text = plain(said.text.split("\n")[0])
    if text.endswith("?") or _HANDS_OFF.match(said.text):
        return
    if said.place == "refusal" and _lasts(text, call):
        yield f"User, {_refused(call)}: {clipped(text, LONGEST - _AROUND)}"
    elif said.place == "answer":
        yield f"User: {clipped(text, LONGEST - _AROUND)}"


def _lasts(text: str, call: Call) -> bool:
    """Whether a refusal says more than what to do first: about a plan it does, or with a reason."""
    cues = ("limits", "cause", "choice")
    says = (
        not text.isascii() or any(CUES[cue].search(text) for cue in cues) or _FORBIDS.search(text)
    )
    return (call.kind == "plan" or bool(says)) and not _ASKS.match(text)


def _refused(call: Call) -> str:
    if call.kind == "plan":
        return "on the plan"
    if call.kind == "edit" and (file := call.path.replace("\\", "/").rsplit("/", 1)[-1]):
        return f"refusing an edit of `{file}`"
    done = action(call.command).replace("`", "")
    return f"refusing `{done}`" if done else "refusing a step"


def _labels(call: Call) -> Iterator[str]:
    """Word the answers that the user chose among the agent's own."""
    for answer in call.answers:
        if not answer.free and not _PROCESS.search(answer.question):
            question = clipped(plain(split(answer.question)[-1]), LONGEST // 2)
            yield f"{question} -> {plain(answer.text.split(chr(10))[0])}"
