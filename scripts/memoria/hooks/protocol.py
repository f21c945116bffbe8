"""A hook's stdin and environment -> a checked event, a job in the spool, a detached flush.

Everything here runs while a person waits, so it parses nothing, waits for nothing and takes no
lock: one small file is renamed into the spool, the transcript is hard-linked beside it, a worker is
started and the hook is gone. What comes in on stdin is not trusted: a transcript is only taken if
it is a regular file of ours under the client's projects folder. The traps: a child that keeps one
of the three streams hangs the client, and at a time-out the client ends all descendants but a
double-forked one.

Imports os, sys and json only: each further module would cost as much as all of this.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# what the client sends is below 10 KB; more is not from the client
_STDIN_LIMIT = 1024 * 1024
_NAME_LIMIT = 64
# the client starts hooks of several installations within moments of each other
_TWICE_SECONDS = 10.0
# a capture that waits longer than this has met more than a short outage
_STALE_SECONDS = 6 * 3600
# no set-up has more project folders; the search for a transcript ends somewhere
_FOLDERS_LIMIT = 5_000


def run(handle: Callable[[Place, dict[str, Any]], None], vault: str) -> None:
    """Call a hook's handler; whatever happens the exit code is 0, and errors go to the log file."""
    if os.environ.get("MEMORIA_DISABLE") or os.environ.get("CLAUDE_INVOKED_BY"):
        return
    os.umask(0o077)
    place = Place(vault)
    try:
        if place.snapshot is not None:
            handle(place, event())
    except Exception as error:  # noqa: BLE001 - a hook must never break a session: it logs and goes
        place.log(f"{type(error).__name__}: {error}")


def vault_of(arguments: list[str]) -> str:
    """Read `--vault DIR` from the command line, "" without it."""
    if "--vault" in arguments[:-1]:
        return arguments[arguments.index("--vault") + 1]
    return ""


class Place:
    """The state folder of a vault as hooks see it; `snapshot` is None where there is no vault."""

    def __init__(self, vault: str) -> None:
        self.vault = os.path.abspath(vault) if vault else ""
        own = os.path.join(self.vault, ".memoria") if self.vault else ""
        self.state = os.environ.get("MEMORIA_STATE_DIR") or own
        self.snapshot = _json(os.path.join(self.state, "hooks.json")) if self.state else None

    def path(self, *names: str) -> str:
        """Build a path in the state folder."""
        return os.path.join(self.state, *names)

    def log(self, text: str) -> None:
        """Add a line to the hooks' log; a log that cannot be written is no reason to fail."""
        try:
            with open(self.path("logs", "hooks.log"), "a", encoding="utf-8") as file:
                file.write(f"{int(time.time())} {text[:500]!r}\n")
        except OSError:
            return


def event() -> dict[str, Any]:
    """Read the client's event from stdin; {} for anything that is not one."""
    data = sys.stdin.buffer.read(_STDIN_LIMIT + 1)
    if len(data) > _STDIN_LIMIT:
        return {}
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def text(value: dict[str, Any], name: str) -> str:
    """Give a field of the event as text, "" where it is missing or something else."""
    found = value.get(name)
    return found if isinstance(found, str) and "\0" not in found else ""


def session_of(value: dict[str, Any]) -> str:
    """Give the session id if it is one: it becomes part of file names."""
    name = text(value, "session_id")
    bare = name.replace("-", "").replace("_", "")
    return name if 0 < len(name) <= _NAME_LIMIT and bare.isalnum() and bare.isascii() else ""


def own_work(place: Place, value: dict[str, Any]) -> bool:
    """Whether the session is one of Memoria's own model calls (they run in the worker's folder)."""
    cwd = text(value, "cwd")
    return bool(cwd) and os.path.realpath(cwd) == os.path.realpath(place.path("worker"))


def spool(place: Place, value: dict[str, Any]) -> bool:
    """Put a job for the session into the spool; False when there is nothing to capture."""
    session = session_of(value)
    if not session or own_work(place, value):
        return False
    transcript = _transcript(place, value, session)
    if not transcript:
        place.log(f"no transcript for session {session}")
        return False
    job = {
        "event": text(value, "hook_event_name"),
        "reason": text(value, "reason") or text(value, "trigger") or text(value, "source"),
        "session": session,
        "transcript": transcript,
        "cwd": text(value, "cwd"),
        "at": time.time(),
    }
    # nanoseconds order the jobs, the process id keeps two of one moment apart
    name = f"{time.time_ns():020d}-{os.getpid()}-{session[:36]}"
    _link(transcript, place.path("spool", "new", name + ".jsonl"))
    _write(place.path("spool", "new", name + ".json"), json.dumps(job))
    return True


def flush(place: Place, *arguments: str) -> None:
    """Start the detached flush; a snapshot without a usable interpreter leaves the job waiting."""
    command = (place.snapshot or {}).get("command")
    if not isinstance(command, list) or not command or not os.path.isfile(command[0]):
        place.log("the interpreter of the flush is gone: run `memoria install` again")
        return
    detach([*map(str, command), "flush", "--detached", "--vault", place.vault, *arguments])


def detach(command: list[str]) -> None:
    """Start a process that outlives the client, with all three standard streams on /dev/null."""
    environment = {**os.environ, "CLAUDE_INVOKED_BY": "memoria_flush"}
    if sys.platform == "win32":
        _detach_windows(command, environment)
        return
    if os.fork():
        os.wait()
        return
    # the child: a session of its own, and a second fork whose parent is gone at once
    os.setsid()
    if os.fork():
        os._exit(0)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    try:
        os.execve(command[0], command, environment)  # noqa: S606 - the command install wrote
    finally:
        os._exit(127)


def _detach_windows(command: list[str], environment: dict[str, Any]) -> None:
    import subprocess  # noqa: PLC0415 - costs 6 ms, and only Windows has no fork

    # CREATE_NO_WINDOW: no console flashes up; CREATE_NEW_PROCESS_GROUP: Ctrl-C does not reach it
    flags = 0x08000000 | 0x00000200
    null = subprocess.DEVNULL
    subprocess.Popen(
        command, env=environment, stdin=null, stdout=null, stderr=null, creationflags=flags
    )


def first_time(place: Place, session: str, source: str) -> bool:
    """Whether no other installation of this hook has answered this event moments ago."""
    folder = place.path("seen")
    marker = os.path.join(folder, f"{session}-{source[:16]}")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for _ in range(2):
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            if time.time() - os.stat(marker).st_mtime < _TWICE_SECONDS:
                return False
            # of several that find an old marker, one can rename it away
            aside = f"{marker}.{os.getpid()}"
            os.replace(marker, aside)
            os.unlink(aside)
        else:
            return True
    return False


def notices(place: Place) -> list[str]:
    """Say in one line each what a person has to know: a capture that has silently stopped."""
    waiting = [name for name in _names(place.path("spool", "new")) if name.endswith(".json")]
    found = []
    if waiting:
        # the name begins with the time of the job in nanoseconds
        oldest = min(waiting).split("-", 1)[0]
        if oldest.isdigit() and time.time() - int(oldest) / 1e9 > _STALE_SECONDS:
            found.append(
                f"Memoria: {len(waiting)} captured sessions wait to be written down for over "
                f"{_STALE_SECONDS // 3600} hours. Tell the user to run `memoria doctor`."
            )
    dead = [name for name in _names(place.path("spool", "dead")) if name.endswith(".json")]
    if dead:
        found.append(
            f"Memoria: {len(dead)} sessions could not be captured. "
            "Tell the user to run `memoria doctor`."
        )
    return found


def _transcript(place: Place, value: dict[str, Any], session: str) -> str:
    projects = str((place.snapshot or {}).get("projects") or "")
    given = text(value, "transcript_path")
    if given and _is_ours(given, projects):
        return given
    # older clients leave the path empty or stale; the session's file is found by its name
    slug = "".join(c if c.isascii() and c.isalnum() else "-" for c in text(value, "cwd"))
    for folder in [slug, *_names(projects)[:_FOLDERS_LIMIT]]:
        path = os.path.join(projects, folder, session + ".jsonl")
        if folder and _is_ours(path, projects):
            return path
    return ""


def _is_ours(path: str, projects: str) -> bool:
    """Check a path: a regular .jsonl file, owned by us, really below the projects folder."""
    if not path.endswith(".jsonl") or not os.path.isabs(path) or not projects:
        return False
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return False
    real = os.path.realpath(path)
    owner = getattr(os, "getuid", lambda: status.st_uid)()
    inside = real.startswith(os.path.realpath(projects) + os.sep)
    return stat.S_ISREG(status.st_mode) and status.st_uid == owner and inside


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        return  # another file system: the flush reads the transcript where it lies


def _write(path: str, content: str) -> None:
    temporary = path + ".tmp"
    handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
        file.write(content)
    os.replace(temporary, path)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _json(path: str) -> dict[str, Any] | None:
    try:
        with open(path, "rb") as file:
            value = json.loads(file.read())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None
