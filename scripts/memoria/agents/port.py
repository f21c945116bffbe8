"""The port through which sessions come in: a coding agent's files -> its transcripts as turns.

Capture, import and the sweep know nothing of any client's format: they ask an Agent. Another one is
a class with these members in AGENTS, and its reader gives the same Transcript
(agents/transcript.py). The trap: a watermark is of bytes
(of messages in a database), so a format that is rewritten in place
instead of appended to has to say so by `extends`, or its old turns are taken for new ones.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from memoria.agents import session_file_store as files
from memoria.agents.claude_code import settings_store as client
from memoria.agents.claude_code import transcript_store as transcripts
from memoria.agents.codex import rollout_store as rollouts
from memoria.agents.copilot import event_store as events
from memoria.agents.gemini import chat_store as chats
from memoria.agents.opencode import database_store as database

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Unpack

    from memoria.agents.pieces import Limits
    from memoria.agents.session_file_store import Found
    from memoria.agents.transcript import Transcript

_VERSION = re.compile(r"\d{1,9}")


class Agent(Protocol):
    """A coding agent whose sessions can be captured; what fails raises TranscriptError.

    `name` is what entries, records and options call it, `label` its name for people. `unseen` is
    what of it is known from documentation alone, "" where real files and the real client were seen.
    `versions` are the oldest and the newest that were seen, () where that tells nothing.
    """

    name: str
    label: str
    unseen: str
    versions: tuple[str, ...]

    def folder(self, environ: Mapping[str, str], home: Path) -> Path:
        """Say below which folder the client keeps its sessions."""
        ...

    def settings(self, environ: Mapping[str, str], home: Path) -> Path:
        """Say in which folder the client's settings are."""
        ...

    def found(self, folder: Path) -> Iterator[Found]:
        """List the transcripts below that folder."""
        ...

    def owns(self, path: Path) -> bool:
        """Whether a transcript is this client's, by how it is called."""
        ...

    def is_there(self, path: Path) -> bool:
        """Whether something of a session can be read there."""
        ...

    def last_moment(self, path: Path) -> str:
        """Say when a transcript's last line was written: ISO 8601, sorts as text."""
        ...

    def await_end(self, path: Path) -> None:
        """Wait for what the client writes of a session after the hook of its end."""
        ...

    def read(self, path: Path, **portion: Unpack[files.Portion]) -> Iterator[Transcript]:
        """Read in parts that follow each other."""
        ...

    def extends(self, path: Path, offset: int, tail: str) -> bool:
        """Whether the file is still the one that had that tail at that offset, or longer."""
        ...

    def tail_hash(self, path: Path, offset: int) -> str:
        """Give what tells by the bytes before `offset` that a file was only added to."""
        ...


class _WrittenAtOnce:
    """What clients have in common that have written a session down when they tell of its end."""

    @staticmethod
    def await_end(path: Path) -> None:
        """Wait for nothing."""


class _AppendedFiles(_WrittenAtOnce):
    """What files have in common that are only added to."""

    is_there = staticmethod(files.is_there)
    last_moment = staticmethod(files.last_moment)
    extends = staticmethod(files.extends)
    tail_hash = staticmethod(files.tail_hash)


class ClaudeCode(_AppendedFiles):
    """Claude Code: one file a session, below ~/.claude/projects."""

    name, label, unseen = "claude-code", "Claude Code", ""
    versions: tuple[str, ...] = ()  # its lines keep their meaning, and unknown ones are counted
    settings = staticmethod(client.config_dir)
    found = staticmethod(client.transcripts)
    read = staticmethod(transcripts.read)

    @staticmethod
    def owns(_: Path) -> bool:
        """Whether it is Claude Code's: all that no other client names its own."""
        return True

    @staticmethod
    def folder(environ: Mapping[str, str], home: Path) -> Path:
        """Give the folder with one folder of transcripts for each working folder."""
        return client.projects_dir(client.config_dir(environ, home))


class Codex(_AppendedFiles):
    """Codex CLI: one file a session, in ~/.codex/sessions."""

    name, label, unseen = "codex", "Codex", ""
    versions: tuple[str, ...] = ("0.140.0", "0.169.0")
    folder = settings = staticmethod(rollouts.folder)
    owns = staticmethod(rollouts.owns)
    found = staticmethod(rollouts.found)
    read = staticmethod(rollouts.read)


class Copilot(_AppendedFiles):
    """Copilot CLI: one file a session, in ~/.copilot/session-state."""

    name, label, unseen = "copilot", "Copilot CLI", ""
    versions: tuple[str, ...] = ("1.0.64", "1.0.102")
    folder = staticmethod(events.folder)
    settings = staticmethod(events.settings)
    await_end = staticmethod(events.await_end)
    owns = staticmethod(events.owns)
    found = staticmethod(events.found)
    read = staticmethod(events.read)


class Gemini(_AppendedFiles):
    """Gemini CLI: one file a session, in ~/.gemini/tmp."""

    name, label = "gemini", "Gemini CLI"
    versions: tuple[str, ...] = ()  # its files tell none
    unseen = "sessions of other people were not seen, only our own of 0.61.0"
    folder = settings = staticmethod(chats.folder)
    owns = staticmethod(chats.owns)
    found = staticmethod(chats.found)
    read = staticmethod(chats.read)


class OpenCode(_WrittenAtOnce):
    """OpenCode: all sessions in one database, below ~/.local/share/opencode."""

    name, label = "opencode", "OpenCode"
    versions: tuple[str, ...] = ("1.2.20", "1.18.33")
    unseen = "its second session format (session_message) is not read"
    folder = staticmethod(database.folder)
    settings = staticmethod(database.settings)
    owns = staticmethod(database.owns)
    found = staticmethod(database.found)
    is_there = staticmethod(database.is_there)
    last_moment = staticmethod(database.last_moment)
    read = staticmethod(database.read)
    extends = staticmethod(database.extends)
    tail_hash = staticmethod(database.tail_hash)


CLAUDE_CODE: Agent = ClaudeCode()
CODEX: Agent = Codex()
COPILOT: Agent = Copilot()
GEMINI: Agent = Gemini()
OPENCODE: Agent = OpenCode()
# those whose files are known by their names stand first
AGENTS: tuple[Agent, ...] = (CODEX, COPILOT, GEMINI, OPENCODE, CLAUDE_CODE)


def agent_of(path: Path) -> Agent:
    """Say whose transcript a file is."""
    return next(one for one in AGENTS if one.owns(path))


def agent_named(name: str) -> Agent:
    """Give the agent of that name; what no other is called is Claude Code."""
    return next((one for one in AGENTS if one.name == name), CLAUDE_CODE)


def agent_of_folder(folder: Path) -> Agent:
    """Say whose sessions a folder holds, by how they lie in it."""
    return next((one for one in AGENTS if any(one.found(folder))), CLAUDE_CODE)


def is_unseen(agent: Agent, version: str) -> bool:
    """Whether a session was written by a version that is older or newer than those seen."""
    if not agent.versions or not version:
        return False
    oldest, newest = map(_numbers, agent.versions)
    return not oldest <= _numbers(version) <= newest


def _numbers(version: str) -> list[int]:
    """Give a version's numbers; [] for what is none, which is older than all."""
    return [int(number) for number in _VERSION.findall(version)[:3]]


def read(path: Path, limits: Limits | None = None) -> Iterator[Transcript]:
    """Read a transcript from its beginning, whoever's it is."""
    return agent_of(path).read(path, limits=limits)
