"""Count the sessions since the installation that are captured, and say why the others are not.

A session is captured when the watermark of its transcript stands at its end. The trap: a transcript
tells nowhere whether its session is over, so one that was written to lately counts as still open.
"""

from __future__ import annotations

import fnmatch
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents.claude_code import settings_store as client
from memoria.agents.claude_code.git import project_key
from memoria.agents.port import AGENTS, CLAUDE_CODE, Agent, read
from memoria.errors import TranscriptError
from memoria.vault.project import label
from memoria.vault.storage import clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.agents.session_file_store import Found
    from memoria.settings import Settings
    from memoria.vault.store import Vault
    from memoria.workspace import Workspace

# a session without a write for this long is over; a wrong guess is harmless: the rest comes later
IDLE_SECONDS = 30 * 60
_UNTOLD = "no hook told of it"
_GROWN = "it went on after its capture"


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many sessions are captured, how many are open or wait, and the others with the reason."""

    captured: int
    pending: int
    missing: tuple[str, ...]

    @property
    def sessions(self) -> int:
        """All sessions since the installation that are to be captured."""
        return self.captured + self.pending + len(self.missing)


def sources(settings: Settings) -> Iterator[tuple[Agent, Path]]:
    """Give the agents that are there on this machine, each with its folder of sessions."""
    yield CLAUDE_CODE, client.projects_dir(settings.config_dir)
    for desktop in client.desktop_projects(settings.environment, settings.home):
        yield CLAUDE_CODE, desktop
    for agent in AGENTS:
        folder = agent.folder(settings.environment, settings.home)
        if agent is not CLAUDE_CODE and folder.is_dir():
            yield agent, folder


def excluded(cwd: str, settings: Settings, vault: Vault) -> bool:
    """Whether sessions of that folder are not to be captured: it is left out, or Memoria's own."""
    if not cwd:
        return False
    own = vault.state.worker
    names = (cwd, project_key(cwd))
    left_out = any(fnmatch.fnmatch(name, glob) for name in names for glob in settings.exclude)
    return left_out or Path(cwd) in {own, own.resolve()}


def coverage(work: Workspace) -> Coverage:
    """Compare the transcripts of all agents with watermarks and spool."""
    marks = work.vault.history().watermarks
    waiting = {job.transcript for name in ("new", "claimed") for job in work.spool.jobs(name)}
    dead = {job.transcript: f"given up: {job.error}" for job in work.spool.jobs("dead")}
    captured = pending = 0
    missing = []
    for found in _since(work):
        path = str(found.path)
        if path in marks and marks[path].end == found.size:
            captured += 1
            continue
        cwd = _cwd(found.path)
        if excluded(cwd, work.settings, work.vault):
            continue
        if path in waiting or (path not in dead and time.time() - found.mtime < IDLE_SECONDS):
            pending += 1
            continue
        reason = dead.get(path) or (_GROWN if path in marks else _UNTOLD)
        missing.append(f"{_named(found, cwd, work)} ({reason})")
    return Coverage(captured, pending, tuple(missing))


def _since(work: Workspace) -> Iterator[Found]:
    """List the sessions since the installation, without those that are to be forgotten."""
    state = work.vault.state
    since = float(state.read_json(state.root / "installed.json").get("since") or 0)
    forgotten = work.vault.history().has_forgotten
    every = (one for agent, folder in sources(work.settings) for one in agent.found(folder))
    for found in every:
        if found.mtime >= since and not forgotten(found.session):
            yield found


def _cwd(transcript: Path) -> str:
    try:
        return next((part.cwd for part in read(transcript)), "")
    except TranscriptError:  # what cannot be read is not captured, which is what is asked here
        return ""


def _named(found: Found, cwd: str, work: Workspace) -> str:
    last = clock.local(datetime.fromtimestamp(found.mtime, UTC), work.settings.zone)
    name = label(project_key(cwd)) if cwd else found.session
    return f"{name} {last:%Y-%m-%d %H:%M}"
