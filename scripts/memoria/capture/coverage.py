"""Count the sessions that are captured, with the reasons of the others, and say what is lost.

A session is captured when the watermark of its transcript stands at its end. A transcript tells
nowhere whether its session is over, so one that was written to lately counts as still open. What
was written and is gone is missed by nobody who reads the vault, so the ledger is asked; a rule's
note that a person renamed is no loss.
"""

from __future__ import annotations

import fnmatch
import os
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents.claude_code import git, settings_store
from memoria.agents.port import AGENTS, CLAUDE_CODE, Agent, read
from memoria.errors import TranscriptError, VaultError
from memoria.privacy.project_keys import project_key
from memoria.text.numbers import format_count
from memoria.vault.project import label
from memoria.vault.storage import clock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.agents.session_file_store import SessionFile
    from memoria.settings import Settings
    from memoria.vault.store import Vault
    from memoria.workspace import Workspace


# a session without a write for this long is over; a wrong guess is harmless: the rest comes later
IDLE_SECONDS = 30 * 60


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many sessions are captured, how many are open or wait, and the others with the reason.

    `excluded` are those that the person's excludes leave out: they are to be captured by nobody.
    """

    captured: int
    pending: int
    missing: tuple[str, ...]
    excluded: int = 0

    @property
    def sessions(self) -> int:
        """All sessions since the installation that are to be captured."""
        return self.captured + self.pending + len(self.missing)


def find_agent_folders(settings: Settings) -> Iterator[tuple[Agent, Path]]:
    """Give the agents that are there on this machine, each with its folder of sessions."""
    yield CLAUDE_CODE, settings_store.projects_dir(settings.config_dir)
    for desktop in settings_store.list_desktop_projects(settings.environment, settings.home):
        yield CLAUDE_CODE, desktop
    for agent in AGENTS:
        folder = agent.folder(settings.environment, settings.home)
        if agent is not CLAUDE_CODE and folder.is_dir():
            yield agent, folder


def client_places(settings: Settings, vault: Vault) -> tuple[Path, ...]:
    """Give the folders to which clients write down what the person said, as the hooks know them.

    The environment of a command can name others, and a project can set it: those do not count.
    """
    try:
        snapshot = vault.state.read_json(vault.state.snapshot)
    except VaultError:
        snapshot = {}
    agents = snapshot.get("agents")
    rows = agents.values() if isinstance(agents, dict) else ()
    names = [row.get("sessions") for row in rows if isinstance(row, dict)]
    listed = (name for name in (snapshot.get("projects"), *names) if name and isinstance(name, str))
    folders = [*map(Path, listed)] or [folder for _, folder in find_agent_folders(settings)]
    desktop = settings_store.list_desktop_projects(settings.environment, settings.home)
    # what hooks left in the spool they had taken from there
    return (*folders, *desktop, vault.state.spool)


def lies_in(path: Path, places: Iterable[Path]) -> bool:
    """Whether a file or folder really lies in one of these folders, through whatever links."""
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(os.path.realpath(place)) for place in places)


def is_excluded(cwd: str, settings: Settings, vault: Vault) -> bool:
    """Whether sessions of that folder are not to be captured: it is left out, or Memoria's own."""
    worker = vault.state.worker
    is_own = bool(cwd) and Path(cwd) in {worker, worker.resolve()}
    return is_own or matches_excludes(cwd, settings)


def matches_excludes(cwd: str, settings: Settings) -> bool:
    """Whether the person's excludes name the folder or its project."""
    if not cwd or not settings.exclude:
        return False
    names = (cwd, git.project_key(cwd))  # as the person may have written it
    return any(fnmatch.fnmatch(name, glob) for name in names for glob in settings.exclude)


def format_excluded_count(count: int, settings: Settings) -> str:
    """Say how many sessions are excluded, and by what; "" for none."""
    cause = f"MEMORIA_EXCLUDE in {settings.exclude_place}"
    return f"{format_count(count, 'session')} excluded by {cause}" if count else ""


def measure_coverage(work: Workspace) -> Coverage:
    """Compare the transcripts of all agents with watermarks and spool."""
    marks = work.vault.history().watermarks
    waiting = {job.transcript for name in ("new", "claimed") for job in work.spool.jobs(name)}
    dead = {job.transcript: f"given up: {job.error}" for job in work.spool.jobs("dead")}
    state = work.vault.state
    since = float(state.read_json(state.root / "installed.json").get("since") or 0)
    captured = pending = excluded = 0
    missing = []
    for session in _list_sessions(work):
        path = str(session.path)
        if session.mtime < since:
            continue
        if path in marks and marks[path].end == session.size:
            captured += 1
            continue
        cwd = _read_cwd(session.path)
        if is_excluded(cwd, work.settings, work.vault):
            excluded += matches_excludes(cwd, work.settings)
        elif path in waiting or (path not in dead and not _is_over(session)):
            pending += 1
        else:
            reason = "it went on after its capture" if path in marks else "no hook told of it"
            moment = datetime.fromtimestamp(session.mtime, UTC)
            ended = clock.to_local_time(moment, work.settings.zone)
            name = label(project_key(cwd)) if cwd else session.session
            missing.append(f"{name} {ended:%Y-%m-%d %H:%M} ({dead.get(path) or reason})")
    return Coverage(captured, pending, tuple(missing), excluded)


def _is_over(session: SessionFile) -> bool:
    return time.time() - session.mtime >= IDLE_SECONDS


def count_uncaptured(work: Workspace) -> int:
    """Count the sessions of all agents that the vault has nothing of, however old they are."""
    marks = work.vault.history().watermarks
    return sum(str(session.path) not in marks for session in _list_sessions(work))


def count_foreign_entries(vault: Vault) -> int:
    """Count the entries of the logs of which this machine has captured none, 0 where it has some.

    Another machine did, or another state of this one: the vault is a clone, a copy, or was moved.
    """
    count = 0
    for day in vault.logs() if not vault.history().captures else ():
        with suppress(VaultError):  # compile and doctor name a log that cannot be read
            count += len(vault.log(day).blocks)
    return count


def _list_sessions(work: Workspace) -> Iterator[SessionFile]:
    """List the sessions of all agents, without those that are to be forgotten."""
    forgotten = work.vault.history().has_forgotten
    for agent, folder in find_agent_folders(work.settings):
        yield from (session for session in agent.sessions(folder) if not forgotten(session.session))


def _read_cwd(transcript: Path) -> str:
    try:
        return next((part.cwd for part in read(transcript)), "")
    except TranscriptError:  # what cannot be read is not captured, which is what is asked here
        return ""


_RULES = "rules/"
_SHOWN = 8


def find_losses(work: Workspace) -> Iterator[str]:
    """Say what is gone, empty or damaged, each with what to do."""
    yield from _find_lost_logs(work)
    yield from _find_lost_rules(work)
    yield from _find_spool_damage(work)
    yield from _find_unreadable(work)


def _find_unreadable(work: Workspace) -> Iterator[str]:
    """Look for transcripts that are no more written to and of which no line can be read."""
    marks = work.vault.history().watermarks
    for agent, folder in find_agent_folders(work.settings):
        for file in agent.sessions(folder):
            if _is_over(file) and str(file.path) not in marks and not agent.is_there(file.path):
                yield f"{file.path} holds no line that can be read; delete it, or bring it back"


def _find_lost_logs(work: Workspace) -> Iterator[str]:
    """Look for the logs that entries were written to."""
    counts = Counter(capture.day for capture in work.vault.history().captures.values())
    for day, count in sorted(counts.items()):
        path = work.vault.daily / f"{day}.md"
        entries = f"{count} {'entry was' if count == 1 else 'entries were'} written there"
        restore = "bring it back from git or a backup, or delete what it held with `memoria forget`"
        if not path.exists():
            yield f"daily/{day}.md is gone ({entries}); {restore}"
        elif not path.read_bytes().strip(b"\0 \t\r\n"):
            yield f"daily/{day}.md is empty ({entries}); {restore}"
    for log, fault in find_unreadable_logs(work.vault).items():
        if str(log) in counts:  # of others nothing is lost
            yield fault


def find_unreadable_logs(vault: Vault) -> dict[date, str]:
    """Give what is wrong with the logs that cannot be read, by their days."""
    faults = {}
    for day in vault.logs():
        try:
            vault.log(day)
        except VaultError as error:
            faults[day] = str(error)
    return faults


def _find_lost_rules(work: Workspace) -> Iterator[str]:
    """Look for the notes of rules; one that is there under a name of its own was renamed."""
    articles = work.vault.articles
    written, present = (
        {path for path in paths if path.startswith(_RULES)}
        for paths in (
            [path for path, sha in work.vault.history().written.items() if sha],
            (*articles, *articles.unreadable),
        )
    )
    gone = sorted(written - present)
    if len(gone) > len(present - written):
        names = ", ".join(f"knowledge/{path}.md" for path in gone[:_SHOWN])
        yield (
            f"{len(gone)} notes of rules are gone, so the rules hold no more: {names}; bring them "
            "back from git or a backup (a rule you no longer want is rejected, not deleted)"
        )


def _find_spool_damage(work: Workspace) -> Iterator[str]:
    """Look at the folder that hooks leave their jobs in."""
    new = work.vault.state.spool / "new"
    if not new.is_dir():
        is_taken = new.exists() or new.is_symlink() or work.vault.state.spool.is_file()
        prefix = "move it away, then run" if is_taken else "run"
        yield (
            f"{new}, where hooks leave sessions, is no folder; {prefix} `memoria init`, and then "
            "`memoria flush --sweep` for what may have waited there"
        )
        return
    for path in work.spool.list_damaged()[:_SHOWN]:
        if path.parent.name == "dead":
            yield f"{path} was a damaged job; its session was taken up again, so you may delete it"
        else:
            yield f"{path} is damaged; `memoria flush` takes its session up again"
