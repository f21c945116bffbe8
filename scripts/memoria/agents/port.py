"""The port through which sessions come in: a coding agent's files -> its transcripts as turns.

Capture, import and the sweep know nothing of any client's format: they ask an Agent. Claude Code is
the one there is; another is a class with these five methods, and its reader gives the same
Transcript (agents/transcript.py). The trap: a watermark is of bytes, so a format that is rewritten
in place instead of appended to has to say so by `extends`, or its old turns are taken for new ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from memoria.agents.claude_code import settings_store as client
from memoria.agents.claude_code import transcript_store as transcripts

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from pathlib import Path

    from memoria.agents.claude_code.settings_store import Found
    from memoria.agents.transcript import Transcript


class Agent(Protocol):
    """A coding agent whose sessions can be captured; what fails raises TranscriptError."""

    name: str

    def found(self, folder: Path) -> Iterator[Found]:
        """List the transcripts below the agent's folder of projects."""
        ...

    def last_moment(self, path: Path) -> str:
        """Say when a transcript's last line was written: ISO 8601, sorts as text."""
        ...

    def read(  # noqa: PLR0913 - as agents/claude_code/transcript_store.py has it
        self,
        path: Path,
        *,
        start: int = 0,
        known: Container[str] = frozenset(),
        leave_open: bool = False,
        empty: bool = False,
        source: Path | None = None,
    ) -> Iterator[Transcript]:
        """Read from byte `start` on, in parts that follow each other."""
        ...

    def extends(self, path: Path, offset: int, tail: str) -> bool:
        """Whether the file is still the one that had that tail at that offset, or longer."""
        ...

    def tail_hash(self, path: Path, offset: int) -> str:
        """Give what tells by the bytes before `offset` that a file was only added to."""
        ...


class ClaudeCode:
    """Claude Code: JSON lines, one file a session, below ~/.claude/projects."""

    name = "claude-code"
    found = staticmethod(client.transcripts)
    last_moment = staticmethod(client.last_moment)
    read = staticmethod(transcripts.read)
    extends = staticmethod(transcripts.extends)
    tail_hash = staticmethod(transcripts.tail_hash)


CLAUDE_CODE: Agent = ClaudeCode()
