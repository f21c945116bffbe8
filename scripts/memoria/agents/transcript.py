"""Lines of a Claude Code transcript -> turns: what was asked, said, called and refused, in order.

A turn is a prompt and all that follows until the next one, because everything later (an answer, an
error and its fix, a correction) is read relative to what was asked. Every piece keeps its origin by
its type: `Turn.prompt` and `Steer` are the user's, `Say` the assistant's, `Call.result` a tool's.
The trap: prompts typed while the agent works are not user lines but queue operations; they steer
the running turn and must not open a new one, or answers are paired with the wrong question.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Say:
    """A text of the assistant (thinking is not kept)."""

    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call with its result.

    `arguments` are the top-level inputs as text (other JSON values dumped), each bounded;
    `result` is the text of the result, its middle left out where it was long; `answered` is False
    when the transcript ends before a result. `is_error` is the client's own flag: it is also set
    for calls that the user rejected or that were cancelled (about a fifth in real sessions).
    """

    id: str
    name: str
    arguments: tuple[tuple[str, str], ...]
    result: str
    is_error: bool
    answered: bool
    at: datetime

    def argument(self, name: str) -> str:
        """Give the input of that name, or "" where the call has none."""
        return next((value for key, value in self.arguments if key == name), "")


@dataclass(frozen=True, slots=True)
class Steer:
    """What the user typed while the agent was working."""

    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Interrupt:
    """The user stopped the agent."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Compaction:
    """The client replaced the conversation so far by a summary that a model wrote."""

    summary: str
    at: datetime


Step = Say | Call | Steer | Interrupt | Compaction


@dataclass(frozen=True, slots=True)
class Turn:
    """A prompt and what followed it.

    `uuid` names the prompt's line (a hash of the line where an old client wrote none); forked
    sessions repeat it, so it is what tells a turn that was captured before. `prompt` is the text as
    the client stored it, "" where the slice begins in the middle of a turn or the assistant spoke
    first. `at` is the prompt's time, `until` that of the last line of the turn, both aware, UTC.
    """

    uuid: str
    at: datetime
    until: datetime
    prompt: str
    branch: str
    steps: tuple[Step, ...]

    @property
    def calls(self) -> tuple[Call, ...]:
        """The tool calls of the turn, in order."""
        return tuple(step for step in self.steps if isinstance(step, Call))

    @property
    def says(self) -> tuple[Say, ...]:
        """The assistant's texts, in order; the last one is the turn's answer."""
        return tuple(step for step in self.steps if isinstance(step, Say))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of the session's own model calls, counted once per message id."""

    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int


@dataclass(frozen=True, slots=True)
class Transcript:
    """A slice of a session's transcript: whole, or what lies after a watermark.

    `start` and `end` are byte offsets of the slice in the file, both at a line's border; a torn
    last line lies after `end` and is left for the next time. `last_uuid` is the uuid of the last
    line that had one. `skipped` says what was left out and how often, by reason. `subagents` are
    the calls of the session's subagents; they show mistakes but are no part of the conversation.
    `is_named` is whether the person wrote the title; otherwise a model did.
    """

    session: str
    cwd: str
    version: str
    title: str
    turns: tuple[Turn, ...]
    start: int
    end: int
    last_uuid: str
    pull_requests: tuple[str, ...] = ()
    subagents: tuple[Call, ...] = ()
    usage: tuple[Usage, ...] = ()
    skipped: tuple[tuple[str, int], ...] = field(default=())
    is_named: bool = False

    @property
    def calls(self) -> tuple[Call, ...]:
        """All tool calls of the conversation, in order."""
        return tuple(call for turn in self.turns for call in turn.calls)
