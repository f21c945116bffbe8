"""Put a session's transcript into the spool, from where a detached flush takes it.

The client gives plugin hooks 1.5 seconds and ends what is still running then, so nothing here reads
the transcript; what stdin says of it is not trusted: it is a regular file of ours under the
client's folder. At Stop, which comes after each turn of agents that may tell no end, the session
only waits in the spool, until it has been quiet or its end is told: an entry for each turn would
tear a day's log to pieces.
"""

from __future__ import annotations

import json
import os
import stat
import time

from memoria.hooks import protocol

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


# no set-up has more project folders; the search for a transcript ends somewhere
_FOLDERS_LIMIT = 5_000


def handle(place: protocol.HookPlace, event: dict[str, Any]) -> None:
    """Spool the session, in place of what its last turn left, and start the flush at its end."""
    ending = f"-{protocol.session_of(event)[:36]}"
    waiting = protocol.list_names(place.path("spool", "new")) if place.agent else []
    if not spool_session(place, event):
        return
    for name in waiting:
        if os.path.splitext(name)[0].endswith(ending):
            protocol.remove(place.path("spool", "new", name))
    name = protocol.text_at(event, "hook_event_name")
    if name.startswith("PreComp") and place.agent in protocol.TOLD_ONCE:
        protocol.write(place.path("seen", f"{protocol.session_of(event)}-compacted"), b"1")
    if name != "Stop":
        protocol.start_flush(place)


def spool_session(place: protocol.HookPlace, value: dict[str, Any]) -> bool:
    """Put a job for the session into the spool; False when there is nothing to capture."""
    session = protocol.session_of(value)
    if not session or protocol.is_own_work(place, value):
        return False
    transcript = _find_transcript(place, value, session)
    if not transcript:
        place.log(f"no transcript for session {session}")
        return False
    reasons = (protocol.text_at(value, name) for name in ("reason", "trigger", "source"))
    job = {
        "event": protocol.text_at(value, "hook_event_name"),
        "reason": next(filter(None, reasons), ""),
        "session": session,
        "transcript": transcript,
        "cwd": protocol.text_at(value, "cwd"),
        "at": time.time(),
    }
    # nanoseconds order the jobs, the process id keeps two of one moment apart
    name = place.path("spool", "new", f"{time.time_ns():020d}-{os.getpid()}-{session[:36]}")
    os.makedirs(os.path.dirname(name), mode=0o700, exist_ok=True)
    _link_transcript(transcript, name + ".jsonl")
    try:
        protocol.write(name + ".json", json.dumps(job).encode())
    except OSError:
        protocol.remove(name + ".jsonl")
        raise
    return True


def _link_transcript(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        return  # another file system: the flush reads the transcript where it lies


def _find_transcript(place: protocol.HookPlace, value: dict[str, Any], session: str) -> str:
    if place.agent:
        return _find_agent_transcript(place, value, session)
    projects = str((place.snapshot or {}).get("projects") or "")
    event_path = protocol.text_at(value, "transcript_path")
    if event_path and is_own_file(event_path, projects):
        return event_path
    # older clients leave the path empty or stale; the session's file is found by its name
    slug = "".join(
        c if c.isascii() and c.isalnum() else "-" for c in protocol.text_at(value, "cwd")
    )
    for folder in [slug, *protocol.list_names(projects)[:_FOLDERS_LIMIT]]:
        path = os.path.join(projects, folder, session + ".jsonl")
        if folder and is_own_file(path, projects):
            return path
    return ""


def is_own_file(path: str, projects: str, suffix: str = ".jsonl") -> bool:
    """Check a path: a regular file of that kind, owned by us, really below the projects folder."""
    if not path.endswith(suffix) or not os.path.isabs(path) or not projects:
        return False
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return False
    # normcase: for Windows C:/Users and c:/users are one
    real, base = (os.path.normcase(os.path.realpath(name)) for name in (path, projects))
    owner = getattr(os, "getuid", lambda: status.st_uid)()
    inside = real.startswith(base + os.sep)
    return stat.S_ISREG(status.st_mode) and status.st_uid == owner and inside


def _find_agent_transcript(place: protocol.HookPlace, value: dict[str, Any], session: str) -> str:
    """Find where another agent keeps a session; what it tells, or the session's id, says it."""
    folder = protocol.client_folder(place, "sessions")
    if place.agent == "opencode":
        # a build of each channel has its own database: the one that was written last
        paths = [os.path.join(folder, name) for name in protocol.list_names(folder)]
        paths = [path for path in paths if is_own_file(path, folder, ".db")]
        paths = [path for path in paths if os.path.basename(path).startswith("opencode")]
        return os.path.join(max(paths, key=os.path.getmtime), session) if paths else ""
    if place.agent == "copilot":
        # the file may be written only after this hook
        path = os.path.join(folder, session, "events.jsonl")
        is_to_come = os.path.isdir(os.path.dirname(path)) and not os.path.lexists(path)
        return path if is_to_come or is_own_file(path, folder) else ""
    event_path = protocol.text_at(value, "transcript_path")
    paths = [event_path] if event_path else list(_list_day_paths(folder, session))
    return next((path for path in paths if is_own_file(path, folder)), "")


def _list_day_paths(folder: str, session: str) -> Iterator[str]:
    """Look into the folders of the days around a session's beginning, which its id tells."""
    try:
        began = int(session.replace("-", "")[:12], 16) / 1000
        days = [time.gmtime(began + shift) for shift in (0, -86_400, 86_400)]
    except (ValueError, OverflowError, OSError):
        return
    for day in days:
        place = os.path.join(folder, "sessions", time.strftime("%Y/%m/%d", day))
        names = (name for name in protocol.list_names(place) if name.endswith(f"-{session}.jsonl"))
        yield from (os.path.join(place, name) for name in names)
