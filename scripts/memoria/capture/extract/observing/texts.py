"""A turn -> its Texts: who said what at which step, each in sentences with wrapped lines joined.

What a client stores as the user's is told apart by speaker here, once: own words, slash commands,
plans, what was pasted or handed on, the harness. The trap: the last text of a turn is its answer
only if no call comes after it that belongs to it; so it is told by its place and not by its words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.agents.claude_code.user_words import Utterance, ask
from memoria.agents.own_words import handed, own_words
from memoria.agents.transcript import Call, Compaction, Say, Steer
from memoria.capture.extract.observing.values import Sentence, Text
from memoria.text.prose import split, units

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memoria.agents.claude_code.user_words import How
    from memoria.agents.transcript import Turn
    from memoria.capture.extract.observing.values import Place, Speaker


def texts(turn: Turn, index: int) -> Iterator[Text]:
    """Yield the texts of a turn in the order of time."""
    yield from said(turn.prompt, "prompt", index, 0, turn.at)
    closing = max((at for at, step in enumerate(turn.steps) if isinstance(step, Say)), default=-1)
    for at, step in enumerate(turn.steps):
        if isinstance(step, Say):
            place: Place = "closing" if at == closing else "narration"
            yield Text("assistant", place, index, at, step.at, step.text, sentences(step.text))
        elif isinstance(step, Steer):
            yield from said(step.text, "steer", index, at + 1, step.at)
        elif isinstance(step, Compaction):
            summary = step.summary
            yield Text("summary", "summary", index, at, step.at, summary, sentences(summary))
        elif isinstance(step, Call):
            yield from _about(step, index, at)


def _about(call: Call, turn: int, step: int) -> Iterator[Text]:
    """Yield what a call shows to the user, and what the user said about it."""
    if call.plan:
        shown = sentences(call.plan)
        yield Text("plan", "plan", turn, step, call.at, call.plan, shown, call.id)
    if call.reason:
        yield from said(call.reason, "refusal", turn, step + 1, call.at, call.id)
    for answer in call.answers:
        if answer.free:
            asked = answer.question
            yield from said(answer.text, "answer", turn, step + 1, call.at, call.id, asked)


def said(  # noqa: PLR0913, PLR0917 - as Text has them
    raw: str, how: How, turn: int, step: int, at: datetime, call: str = "", question: str = ""
) -> Iterator[Text]:
    """Part what is stored as the user's by who speaks in it."""
    for speaker, text, is_trivial in _speakers(raw, how, turn, at):
        shown = sentences(text) if speaker != "harness" else ()
        yield Text(speaker, how, turn, step, at, text, shown, call, question, is_trivial)


def _speakers(raw: str, how: How, turn: int, at: datetime) -> Iterator[tuple[Speaker, str, bool]]:
    found = ask(raw)
    if not found.text and not found.trace:
        if raw.strip():
            yield "harness", raw, False
        return
    if found.is_plan or found.pasted or found.is_command:
        kind: Speaker = "plan" if found.is_plan else "pasted" if found.pasted else "command"
        yield kind, found.text, False
        return
    utterance = Utterance(found, how, turn, at)
    own = own_words(utterance).strip()
    if own or found.trivial:
        yield "user", own or found.text, found.trivial
    for other in (handed(utterance), found.trace):
        if other:
            yield "pasted", other, False


def sentences(markdown: str) -> tuple[Sentence, ...]:
    """Part a text into sentences; code blocks and rules are left out."""
    return tuple(
        Sentence(text, unit.form, unit.heading, unit.lead, number)
        for number, unit in enumerate(units(markdown))
        for text in split(unit.text)
    )
