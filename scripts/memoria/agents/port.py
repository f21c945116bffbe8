"""The port through which sessions come in: a coding agent's files -> its transcripts as turns.

Capture, import and the sweep know nothing of any client's format: they ask an Agent. Another one is
a row in AGENTS, and its reader gives the same Transcript (agents/transcript.py). The trap: a
watermark is of bytes (of messages in a database), so a format that is rewritten in place instead of
appended to has to say so by `extends`, or its old turns are taken for new ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from memoria.agents import session_file_store as files
from memoria.agents.claude_code import settings_store as client
from memoria.agents.claude_code import transcript_store as transcripts
from memoria.agents.codex import rollout_store as rollouts
from memoria.agents.copilot import event_store as events
from memoria.agents.gemini import chat_store as chats
from memoria.agents.opencode import database_store as database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import Unpack

    from memoria.agents.pieces import Limits
    from memoria.agents.session_file_store import Found
    from memoria.agents.transcript import Transcript

_VERSION = re.compile(r"\d{1,9}")


class Reader(Protocol):
    """Read a transcript in parts that follow each other."""

    def __call__(self, path: Path, **portion: Unpack[files.Portion]) -> Iterator[Transcript]:
        """Give the parts; what fails raises TranscriptError."""
        ...


def _wait_for_nothing(_: Path) -> None:
    """Stand for what most clients need: they write a session down before they tell of its end."""


@dataclass(frozen=True, eq=False)
class Agent:
    """A coding agent whose sessions can be captured; what fails raises TranscriptError.

    `name` is what entries, records and options call it, `label` its name for people. `unseen` is
    what of it is known from documentation alone, "" where real files and the real client were seen.
    `versions` are the oldest and the newest that were seen, () where that tells nothing.

    `folder` says below which folder the client keeps its sessions, `settings` in which its settings
    are, `found` lists the transcripts below a folder. `owns` says whether a transcript is this
    client's by how it is called, `is_there` whether something of a session can be read there,
    `last_moment` when its last line was written (ISO 8601, sorts as text). `tail_hash` gives what
    tells by the bytes before an offset that a file was only added to; `extends` says whether it is
    still the one that had that tail there, or longer. `await_end` waits for what the client writes
    of a session after the hook of its end.
    """

    name: str
    label: str
    folder: Callable[[Mapping[str, str], Path], Path]
    settings: Callable[[Mapping[str, str], Path], Path]
    found: Callable[[Path], Iterator[Found]]
    owns: Callable[[Path], bool]
    read: Reader
    versions: tuple[str, ...] = ()
    unseen: str = ""
    is_there: Callable[[Path], bool] = files.is_there
    last_moment: Callable[[Path], str] = files.last_moment
    extends: Callable[[Path, int, str], bool] = files.extends
    tail_hash: Callable[[Path, int], str] = files.tail_hash
    await_end: Callable[[Path], None] = _wait_for_nothing


CLAUDE_CODE = Agent(
    "claude-code",
    "Claude Code",
    lambda environ, home: client.projects_dir(client.config_dir(environ, home)),
    client.config_dir,
    client.transcripts,
    lambda _: True,  # all that no other client names its own
    transcripts.read,  # its lines keep their meaning, and unknown ones are counted: no versions
)
CODEX = Agent(
    "codex",
    "Codex",
    rollouts.folder,
    rollouts.folder,
    rollouts.found,
    rollouts.owns,
    rollouts.read,
    versions=("0.140.0", "0.169.0"),
)
COPILOT = Agent(
    "copilot",
    "Copilot CLI",
    events.folder,
    events.settings,
    events.found,
    events.owns,
    events.read,
    versions=("1.0.64", "1.0.102"),
    await_end=events.await_end,
)
GEMINI = Agent(
    "gemini",
    "Gemini CLI",
    chats.folder,
    chats.folder,
    chats.found,
    chats.owns,
    chats.read,  # its files tell no version
    unseen="sessions of other people were not seen, only our own of 0.61.0",
)
OPENCODE = Agent(
    "opencode",
    "OpenCode",
    database.folder,
    database.settings,
    database.found,
    database.owns,
    database.read,
    versions=("1.2.20", "1.18.33"),
    unseen="its second session format (session_message) is not read",
    is_there=database.is_there,
    last_moment=database.last_moment,
    extends=database.extends,
    tail_hash=database.tail_hash,
)
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
