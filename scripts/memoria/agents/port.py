"""The port through which sessions come in: where each agent keeps them, and how they are read.

Capture, import and the sweep know nothing of any client's format: they ask an Agent. Another one is
a row in AGENTS, and its reader gives the same Transcript (agents/transcript.py). The traps: a
watermark is of bytes (of messages in a database), so a format that is rewritten in place instead of
appended to has to say so by `tail_hash`, or its old turns are taken for new ones; an archived
session of Codex moves to another folder, and is known by its turns alone; and Copilot writes a
session's last events, of a short one all, after the hook of its end.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memoria.agents import session_file_store as files
from memoria.agents.claude_code import settings_store as client
from memoria.agents.claude_code import transcript_store as transcripts
from memoria.agents.codex.rollout import Rollout
from memoria.agents.copilot.events import Events
from memoria.agents.gemini.chats import Chats
from memoria.agents.json_line import PATH, load, text_of
from memoria.agents.opencode import database_store as database
from memoria.agents.session_file_store import SessionFiles
from memoria.errors import TranscriptError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Unpack

    from memoria.agents.pieces import Limits
    from memoria.agents.session_file_store import Found
    from memoria.agents.transcript import Transcript

_VERSION = re.compile(r"\d{1,9}")
_ROLLOUTS = "rollout-*.jsonl"
_CODEX_ID = 36  # characters of the session's id at the end of a file's name
_HEAD = 64 << 10  # bytes: a first line of Gemini CLI has under 500
_SHUTDOWN = b'{"type":"session.shutdown"'
# bytes: the line has what was used of each model, and the files that were changed
_LAST_LINE = 256 * 1024
# 5 s: the client is gone a tenth of a second after the hook's end
_TRIES, _PAUSE_SECONDS = 100, 0.05


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
    tells by the bytes before an offset that a file was only added to, "" where there are fewer.
    `await_end` waits for what the client writes of a session after the hook of its end.
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
    tail_hash: Callable[[Path, int], str] = files.tail_hash
    await_end: Callable[[Path], None] = _wait_for_nothing

    def extends(self, path: Path, offset: int, tail: str) -> bool:
        """Say whether the file is still the one that had that tail at that offset, or longer."""
        return tail != "" and self.tail_hash(path, offset) == tail


def _home(variable: str, usual: str, below: str = "") -> Callable[[Mapping[str, str], Path], Path]:
    """Give what finds a client's folder: the one that a variable names, else the usual one."""

    def folder(environ: Mapping[str, str], home: Path) -> Path:
        named = environ.get(variable)
        return (Path(named).absolute() if named else home / usual) / below

    return folder


def _await_shutdown(path: Path) -> None:
    """Wait until a session of Copilot is written down to its end, for a few seconds at most."""
    for _ in range(_TRIES):
        last = _bytes(path, -_LAST_LINE).rstrip(b"\n").rpartition(b"\n")[2]
        if last.startswith(_SHUTDOWN):
            return
        time.sleep(_PAUSE_SECONDS)


def _bytes(path: Path, count: int) -> bytes:
    """Give the first bytes of a file, or the last ones; b"" for one that cannot be read."""
    try:
        with files.opened(path) as (file, state):
            file.seek(max(0, state.st_size + count) if count < 0 else 0)
            return file.read(abs(count))
    except TranscriptError:
        return b""


def _gemini_session(path: Path) -> str:
    """Give the session of a file by its first line, else by its name."""
    loaded = load(_bytes(path, _HEAD).partition(b"\n")[0])
    named = "" if isinstance(loaded, str) else text_of(loaded[0].get("sessionId"))
    return files.session_name(named or path.stem)


def _gemini_chats(path: Path) -> Chats:
    """Make the format for a file; in which folder it ran stands in a file beside the sessions."""
    root = _bytes(path.parent.parent / ".project_root", PATH)
    return Chats(root.decode("utf-8", "replace").strip())


# below the client's folder; a folder of days or of sessions may be named as well
_CODEX = SessionFiles(
    (
        f"sessions/*/*/*/{_ROLLOUTS}",
        f"archived_sessions/{_ROLLOUTS}",
        f"*/*/*/{_ROLLOUTS}",
        _ROLLOUTS,
    ),
    _ROLLOUTS,
    lambda _: Rollout(),
    lambda path: path.stem[-_CODEX_ID:],
)
_COPILOT = SessionFiles(
    ("*/events.jsonl", "session-state/*/events.jsonl"),
    "events.jsonl",
    lambda _: Events(),
    lambda path: path.parent.name,
)
# subagents' files lie a folder deeper and are not theirs who asked
_GEMINI = SessionFiles(
    tuple(f"{above}chats/session-*.jsonl" for above in ("tmp/*/", "*/", "")),
    "chats/session-*.jsonl",
    _gemini_chats,
    _gemini_session,
)

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
    _home("CODEX_HOME", ".codex"),
    _home("CODEX_HOME", ".codex"),
    _CODEX.found,
    _CODEX.owns,
    _CODEX.read,
    versions=("0.140.0", "0.169.0"),
)
COPILOT = Agent(
    "copilot",
    "Copilot CLI",
    _home("COPILOT_HOME", ".copilot", "session-state"),
    _home("COPILOT_HOME", ".copilot"),
    _COPILOT.found,
    _COPILOT.owns,
    _COPILOT.read,
    versions=("1.0.64", "1.0.102"),
    await_end=_await_shutdown,
)
GEMINI = Agent(
    "gemini",
    "Gemini CLI",
    _home("GEMINI_CLI_HOME", "", ".gemini"),
    _home("GEMINI_CLI_HOME", "", ".gemini"),
    _GEMINI.found,
    _GEMINI.owns,
    _GEMINI.read,  # its files tell no version
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
    tail_hash=database.tail_hash,
)
# those whose files are known by their names stand first
AGENTS: tuple[Agent, ...] = (CODEX, COPILOT, GEMINI, OPENCODE, CLAUDE_CODE)


def agent_of(path: Path) -> Agent:
    """Say whose transcript a file is."""
    return next(agent for agent in AGENTS if agent.owns(path))


def agent_named(name: str) -> Agent:
    """Give the agent of that name; what no other is called is Claude Code."""
    return next((agent for agent in AGENTS if agent.name == name), CLAUDE_CODE)


def agent_of_folder(folder: Path) -> Agent:
    """Say whose sessions a folder holds, by how they lie in it."""
    return next((agent for agent in AGENTS if any(agent.found(folder))), CLAUDE_CODE)


def is_unseen(agent: Agent, version: str) -> bool:
    """Whether a session was written by a version that is older or newer than those seen."""
    if not agent.versions or not version:
        return False
    # a version's numbers; none for what is none, which is older than all
    oldest, newest, this = (
        [int(number) for number in _VERSION.findall(text)[:3]]
        for text in (*agent.versions, version)
    )
    return not oldest <= this <= newest


def compressed(place: Path) -> int:
    """Count the sessions that Codex has compressed, which are not read."""
    return sum(1 for glob in _CODEX.places[:2] for _ in place.glob(f"{glob}.zst"))


def read(path: Path, limits: Limits | None = None) -> Iterator[Transcript]:
    """Read a transcript from its beginning, whoever's it is."""
    return agent_of(path).read(path, limits=limits)
