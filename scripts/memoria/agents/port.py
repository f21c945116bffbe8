"""The port through which sessions come in: where each agent keeps them, and how they are read.

Capture, import and the sweep know nothing of any client's format: they ask an Agent. Another one is
a row in AGENTS, and its reader gives the same Transcript (agents/transcript.py). The traps: a
watermark is of bytes (of messages in a database), so a format that is rewritten in place instead of
appended to has to say so by `tail_hash`, or its old turns are taken for new ones; an archived
session of Codex moves to another folder, and is known by its turns alone; and Copilot writes a
session's last events, of a short one all, after the hook of its end.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from memoria.agents import session_file_store
from memoria.agents.claude_code import settings_store
from memoria.agents.json_line import PATH, parse_line, text_of
from memoria.agents.opencode import database_store as database
from memoria.errors import TranscriptError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memoria.agents.session_file_store import SessionFile
    from memoria.agents.session_reader_store import Portion
    from memoria.agents.transcript import Limits, Transcript
    from memoria.agents.turns import LineFormat

_ROLLOUTS = "rollout-*.jsonl"
_CODEX_ID_CHARS = 36  # of the session's id at the end of a file's name
_FIRST_LINE_BYTES = 64 << 10  # of Gemini CLI, which has under 500
_SHUTDOWN = b'{"type":"session.shutdown"'
# of Copilot: it has what was used of each model, and the files that were changed
_LAST_LINE_BYTES = 256 * 1024
# 5 s: the client is gone a tenth of a second after the hook's end
_MAX_TRIES, _PAUSE_SECONDS = 100, 0.05


@dataclass(frozen=True, eq=False, kw_only=True)
class Agent:
    """A coding agent whose sessions, a file each, can be captured; TranscriptError for what fails.

    `name` is what entries, records and options call it, `label` its name for people. `unseen` is
    what of it is known from documentation alone, "" where real files and the real client were seen.

    The client's folder is the one that the variable `home` names, else `usual` in the person's;
    `settings` and `folder` stand below it. `places` are globs of sessions below that folder, or
    below one that is named instead of it; `called` is how a path of theirs ends. The format of a
    file's lines and its session are known by its path.
    """

    name: str
    label: str
    home: str = ""
    usual: str = ""
    below: tuple[str, str] = ("", "")
    places: tuple[str, ...] = ()
    called: str = ""
    form: Callable[[Path], LineFormat] | None = None
    session: Callable[[Path], str] = lambda path: path.stem
    unseen: str = ""

    def _resolve_folder(self, environ: Mapping[str, str], home: Path, subfolder: str) -> Path:
        path = environ.get(self.home)
        return (Path(path).absolute() if path else home / self.usual) / subfolder

    def settings(self, environ: Mapping[str, str], home: Path) -> Path:
        """Say in which folder the client's settings are."""
        return self._resolve_folder(environ, home, self.below[0])

    def folder(self, environ: Mapping[str, str], home: Path) -> Path:
        """Say below which folder the client keeps its sessions."""
        return self._resolve_folder(environ, home, self.below[1])

    def owns(self, path: Path) -> bool:
        """Whether a transcript is this client's by how it is called."""
        return path.match(self.called)

    def sessions(self, folder: Path) -> Iterator[SessionFile]:
        """List the transcripts below a folder, those whose names have their time oldest first."""
        paths = {path for glob in self.places for path in folder.glob(glob)}
        for path in sorted(paths, key=lambda path: (path.name, path)):
            if file := session_file_store.look_at(path, self.session(path)):
                yield file

    def read(self, path: Path, **portion: Unpack[Portion]) -> Iterator[Transcript]:
        """Read a transcript in parts that follow each other."""
        from memoria.agents import session_reader_store  # noqa: PLC0415 - many verbs read none

        source = portion.get("source") or path
        assert self.form is not None  # noqa: S101 - who has none reads in another way
        session = session_file_store.session_name(self.session(source))
        return session_reader_store.read(path, self.form(source), session, **portion)

    is_there = staticmethod(session_file_store.is_there)
    last_moment = staticmethod(session_file_store.last_moment)
    tail_hash = staticmethod(session_file_store.tail_hash)

    def extends(self, path: Path, offset: int, tail: str) -> bool:
        """Say whether the file is still the one that had that tail at that offset, or longer."""
        return tail != "" and self.tail_hash(path, offset) == tail

    def await_end(self, _: Path, /) -> None:
        """Wait for what the client writes of a session after the hook of its end."""


class _ClaudeCode(Agent):
    """Claude Code, whose are all transcripts that no other client names its own."""

    def owns(self, _: Path) -> bool:
        return True

    def sessions(self, folder: Path) -> Iterator[SessionFile]:
        return settings_store.list_transcripts(folder)

    def read(self, path: Path, **portion: Unpack[Portion]) -> Iterator[Transcript]:
        from memoria.agents.claude_code import transcript_store  # noqa: PLC0415 - as above

        return transcript_store.read(path, **portion)


class _Copilot(Agent):
    """Copilot CLI."""

    def await_end(self, path: Path, /) -> None:
        """Wait until a session is written down to its end, for a few seconds at most."""
        for _ in range(_MAX_TRIES):
            last_line = _read_bytes(path, -_LAST_LINE_BYTES).rstrip(b"\n").rpartition(b"\n")[2]
            if last_line.startswith(_SHUTDOWN):
                return
            time.sleep(_PAUSE_SECONDS)


class _OpenCode(Agent):
    """OpenCode, whose sessions lie in a database."""

    folder = staticmethod(database.folder)
    settings = staticmethod(database.settings)
    owns = staticmethod(database.owns)
    sessions = staticmethod(database.sessions)
    read = staticmethod(database.read)
    is_there = staticmethod(database.is_there)
    last_moment = staticmethod(database.last_moment)
    tail_hash = staticmethod(database.tail_hash)


def _read_bytes(path: Path, count: int) -> bytes:
    """Give the first bytes of a file, or the last ones; b"" for one that cannot be read."""
    try:
        with session_file_store.open_file(path) as (file, state):
            file.seek(max(0, state.st_size + count) if count < 0 else 0)
            return file.read(abs(count))
    except TranscriptError:
        return b""


def _read_gemini_session(path: Path) -> str:
    """Give the session of a file by its first line, else by its name."""
    loaded = parse_line(_read_bytes(path, _FIRST_LINE_BYTES).partition(b"\n")[0])
    name = "" if isinstance(loaded, str) else text_of(loaded[0].get("sessionId"))
    return session_file_store.session_name(name or path.stem)


def _build_codex_format(_: Path) -> LineFormat:
    from memoria.agents.codex.rollout import CodexFormat  # noqa: PLC0415 - as above

    return CodexFormat()


def _build_copilot_format(_: Path) -> LineFormat:
    from memoria.agents.copilot.events import CopilotFormat  # noqa: PLC0415 - as above

    return CopilotFormat()


def _build_gemini_format(path: Path) -> LineFormat:
    """Make the format for a file; in which folder it ran stands in a file beside the sessions."""
    from memoria.agents.gemini.chats import GeminiFormat  # noqa: PLC0415 - as above

    root = _read_bytes(path.parent.parent / ".project_root", PATH)
    return GeminiFormat(root.decode("utf-8", "replace").strip())


CLAUDE_CODE = _ClaudeCode(
    name="claude-code",
    label="Claude Code",
    home="CLAUDE_CONFIG_DIR",
    usual=".claude",
    below=("", "projects"),
)
CODEX = Agent(
    name="codex",
    label="Codex",
    home="CODEX_HOME",
    usual=".codex",
    # a folder of days or of sessions may be named as well
    places=tuple(
        f"{folder}{_ROLLOUTS}{packed}"
        for folder in ("sessions/*/*/*/", "archived_sessions/", "*/*/*/", "")
        for packed in ("", session_file_store.PACKED)
    ),
    called=f"{_ROLLOUTS}*",
    session=lambda path: path.name.partition(".")[0][-_CODEX_ID_CHARS:],
    form=_build_codex_format,
)
COPILOT = _Copilot(
    name="copilot",
    label="Copilot CLI",
    home="COPILOT_HOME",
    usual=".copilot",
    below=("", "session-state"),
    places=("*/events.jsonl", "session-state/*/events.jsonl"),
    called="events.jsonl",
    form=_build_copilot_format,
    session=lambda path: path.parent.name,
)
GEMINI = Agent(
    name="gemini",
    label="Gemini CLI",
    home="GEMINI_CLI_HOME",
    below=(".gemini", ".gemini"),
    # subagents' files lie a folder deeper and are not theirs who asked
    places=tuple(f"{above}chats/session-*.jsonl" for above in ("tmp/*/", "*/", "")),
    called="chats/session-*.jsonl",
    form=_build_gemini_format,
    session=_read_gemini_session,
    unseen="sessions of other people were not seen, only our own of 0.61.0",
)
OPENCODE = _OpenCode(
    name="opencode",
    label="OpenCode",
    unseen="its second session format (session_message) is not read",
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
    return next((agent for agent in AGENTS if any(agent.sessions(folder))), CLAUDE_CODE)


def count_compressed(folder: Path) -> int:
    """Count the sessions that Codex has compressed and that nothing here can unpack."""
    if session_file_store.find_unpacker():
        return 0
    globs = [glob for glob in CODEX.places if glob.endswith(session_file_store.PACKED)]
    return sum(not path.with_suffix("").exists() for glob in globs for path in folder.glob(glob))


def read(path: Path, limits: Limits | None = None) -> Iterator[Transcript]:
    """Read a transcript from its beginning, whoever's it is."""
    return agent_of(path).read(path, limits=limits)
