"""Read a hook's event from stdin, print an answer, start a detached flush, and write small files.

A person waits for all of this, so it reads no transcript, takes no lock, waits for none but the
index's and imports little: a worker does the rest. What stdin says is not trusted.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    Handler = Callable[["HookPlace", dict[str, Any]], None]

# what the client sends is below 10 KB; more is not from the client
_STDIN_LIMIT = _LOG_LIMIT = 1024 * 1024
_NAME_LIMIT = _ID_LIMIT = 64  # characters of a session's id, and of the client's others
# Windows' CREATE_NO_WINDOW, CREATE_NEW_PROCESS_GROUP (Ctrl-C does not reach it) and
# CREATE_BREAKAWAY_FROM_JOB (it is not ended with the job that a terminal or a host runs in)
_OWN_CONSOLE, _OUT_OF_THE_JOB = 0x08000000 | 0x00000200, 0x01000000
# agents whose clients run no SessionStart after a compaction: the next prompt tells it again
TOLD_ONCE = ("copilot", "gemini")
# without it Windows writes \r\n for \n
BINARY = getattr(os, "O_BINARY", 0)
# seconds between tries while a virus scanner or an indexer has the new file open (Windows)
_RETRIES = (0.005, 0.01, 0.02, 0.04, 0.08)


def is_off() -> bool:
    """Whether hooks are to do nothing: switched off, or in a model call of Memoria's own."""
    switched = os.environ.get("MEMORIA_DISABLE", "0") not in {"", "0"}
    return switched or bool(os.environ.get("CLAUDE_INVOKED_BY"))


def answer_event(
    handle: Handler, place: HookPlace, handle_lost_state: Handler | None = None
) -> None:
    """Handle the event on stdin; a hook must never break a session: it logs and goes."""
    try:
        if place.snapshot is not None:
            handle(place, read_event())
        elif handle_lost_state:
            handle_lost_state(place, read_event())
    except Exception as error:  # noqa: BLE001 - as above
        place.log(f"{type(error).__name__}: {error}")


def read_option(arguments: list[str], name: str) -> str:
    """Read an option's value from the command line, "" without it."""
    return arguments[arguments.index(name) + 1] if name in arguments[:-1] else ""


class HookPlace:
    """A vault and its state as hooks see them; `snapshot` is None where there is none for them.

    The state is the person's own folder, outside of the vault, and names the vault that it is of.
    `agent` is whose client runs the hook, "" for Claude Code's.
    """

    def __init__(self, vault: str, state: str) -> None:
        self.vault = os.path.abspath(vault) if vault else ""
        self.state = state
        self.agent = ""
        self.snapshot = None
        # relative to the folder of a session it would be another in each
        if vault and os.path.isabs(state) and is_private(state):
            self.snapshot = read_json(self.path("hooks.json"))
        owner = str((self.snapshot or {}).get("vault") or "")
        # a clone is not captured into the state of another vault
        if self.snapshot is not None and self.vault != owner:
            from memoria.vault.storage.child_environment import is_same  # noqa: PLC0415 - for few paths

            self.snapshot = self.snapshot if is_same(self.vault, owner) else None

    def path(self, *names: str) -> str:
        """Build a path in the state folder."""
        return os.path.join(self.state, *names)

    def log(self, text: str) -> None:
        """Add a line to the hooks' log; a log that cannot be written is no reason to fail."""
        try:
            with open(self.path("logs", "hooks.log"), "a", encoding="utf-8") as file:
                if file.tell() > _LOG_LIMIT:
                    file.truncate(0)
                file.write(f"{int(time.time())} {text[:500]!r}\n")
        except OSError:
            return


def read_event() -> dict[str, Any]:
    """Read the client's event from stdin, as Claude Code tells it; {} for what is none."""
    data = sys.stdin.buffer.read(_STDIN_LIMIT + 1)
    value = (_parse_object(data) or {}) if len(data) <= _STDIN_LIMIT else {}
    # Cursor runs Claude Code's hooks with sessions of its own, which nothing here can read
    if "cursor_version" in value:
        return {}
    if value.get("source") == "new":  # Copilot CLI
        value["source"] = "startup"
    prompt = text_at(value, "prompt")
    if prompt.startswith("<hook_context>"):  # Gemini CLI: what the session's start was told
        value["prompt"] = prompt.partition("</hook_context>")[2].lstrip()
    return value


def print_answer(place: HookPlace, event: str, fields: dict[str, str]) -> None:
    """Print a hook's one JSON object, in the fields that the agent's client reads.

    Unescaped, as the client may count what is printed; and past sys.stdout, which a locale can keep
    from printing this and which would complain of a reader that has gone.
    """
    value: dict[str, Any] = {"hookSpecificOutput": {"hookEventName": event, **fields}}
    if place.agent == "copilot" and "additionalContext" in fields:
        value = fields  # it takes Claude Code's events, and of their answers a tool call's alone
    elif place.agent == "gemini" and "permissionDecision" in fields:
        value = {"decision": "deny", "reason": fields["permissionDecisionReason"]}
    write_all(1, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def is_private(folder: str) -> bool:
    """Whether a folder is this person's, and nobody else can use it."""
    try:
        status = os.lstat(folder)
    except (OSError, ValueError):
        return False
    if not stat.S_ISDIR(status.st_mode):
        return False
    return sys.platform == "win32" or (status.st_uid == os.getuid() and not status.st_mode & 0o077)


def read_json(path: str) -> dict[str, Any] | None:
    """Read a JSON object of the state folder, None for anything else."""
    try:
        with open(path, "rb") as file:
            return _parse_object(file.read())
    except OSError:
        return None


def _parse_object(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def text_at(value: dict[str, Any], name: str) -> str:
    """Give a field of the event as text, "" where it is missing or something else."""
    field = value.get(name)
    return field if isinstance(field, str) and "\0" not in field else ""


def session_of(value: dict[str, Any]) -> str:
    """Give the session id if it is one: it becomes part of file names."""
    name = text_at(value, "session_id")
    letters = name.replace("-", "").replace("_", "")
    return name if 0 < len(name) <= _NAME_LIMIT and letters.isalnum() and letters.isascii() else ""


def session_folder(value: dict[str, Any]) -> str:
    """Give the folder that the session was started in; its cwd follows every `cd`."""
    project_folder = "" if text_at(value, "turn_id") else os.environ.get("CLAUDE_PROJECT_DIR")
    return project_folder or text_at(value, "cwd")


def id_at(value: dict[str, Any], *names: str) -> str:
    """Give the first of these ids that an event has, "" for none, as old clients have it."""
    return next(filter(None, (text_at(value, name)[:_ID_LIMIT] for name in names)), "")


def is_own_work(place: HookPlace, value: dict[str, Any]) -> bool:
    """Whether the session is one of Memoria's own model calls (they run in the worker's folder)."""
    cwd = text_at(value, "cwd")
    try:
        return bool(cwd) and os.path.realpath(cwd) == os.path.realpath(place.path("worker"))
    except (OSError, ValueError):  # a text that no folder can be called
        return False


def client_folder(place: HookPlace, kind: str = "settings") -> str:
    """Give the folder of the client that runs the hook, "" where it is not known."""
    snapshot = place.snapshot or {}
    if not place.agent:
        return os.path.dirname(text_at(snapshot, "projects"))
    folders = snapshot.get("agents")
    return text_at(folders.get(place.agent) or {}, kind) if isinstance(folders, dict) else ""


def start_flush(place: HookPlace, *arguments: str) -> None:
    """Start the detached flush; a snapshot without a usable interpreter leaves the job waiting."""
    words = vault_command(place)
    if not words or not os.path.isfile(words[0]):
        place.log("the interpreter of the flush is gone: run `memoria install` again")
        return
    words += ["flush", "--detached", "--vault", place.vault, *arguments]
    detach(words, build_environment(place) | {"CLAUDE_INVOKED_BY": "memoria_flush"}, place.state)


def vault_command(place: HookPlace) -> list[str]:
    """Give the command that runs a verb for the vault, [] where the snapshot names none."""
    words = (place.snapshot or {}).get("command")
    return [str(word) for word in words] if isinstance(words, list) else []


def build_environment(place: HookPlace) -> dict[str, str]:
    """Give the environment of what is started for a vault: without what a project set."""
    from memoria.vault.storage.child_environment import clean_environment  # noqa: PLC0415 - most hooks start nothing

    variables = (place.snapshot or {}).get("environment")
    return clean_environment(os.environ, variables if isinstance(variables, dict) else {})


def detach(command: list[str], environment: dict[str, str], folder: str) -> None:
    """Start a process that outlives the client, in a folder, with all streams on /dev/null.

    A child that kept a stream would hang the client, which ends all but a double fork at a timeout.
    """
    if sys.platform == "win32":
        _detach_windows(command, environment, folder)
        return
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    # the child: a session of its own, and a second fork whose parent is gone at once
    try:
        os.setsid()
        os.chdir(folder)  # no program or module of the project's is found beside it
        if os.fork() == 0:
            null = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(null, stream)
            os.execve(command[0], command, environment)  # noqa: S606 - the command install wrote
    finally:
        os._exit(0)


def _detach_windows(command: list[str], environment: dict[str, str], folder: str) -> None:
    """Start it in no job, window or group of the client's; a process there outlives its parent."""
    import subprocess  # noqa: PLC0415 - costs 6 ms, and only Windows has no fork

    null = subprocess.DEVNULL
    streams = {"stdin": null, "stdout": null, "stderr": null, "close_fds": True}
    # a job that forbids to leave it answers "access denied": then the flush lives as long as that
    for flags in (_OWN_CONSOLE | _OUT_OF_THE_JOB, _OWN_CONSOLE):
        try:
            subprocess.Popen(command, env=environment, cwd=folder, creationflags=flags, **streams)  # type: ignore[call-overload] # the streams are one thing
        except PermissionError:
            continue
        return


def write_all(handle: int, data: bytes) -> None:
    """Write all of it to a descriptor; a disk that is full says so at the second try only."""
    while data:
        data = data[os.write(handle, data) :]


def list_names(folder: str) -> list[str]:
    """List a folder in order, [] for one that cannot be read."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def write(path: str, data: bytes) -> None:
    """Write a file that was not there, or replace it, whole; OSError where that cannot be."""
    temporary = f"{path}.{os.getpid()}.tmp"
    handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | BINARY, 0o600)
    try:
        try:
            write_all(handle, data)
        finally:
            os.close(handle)  # Windows renames no file that is open
        for wait in _RETRIES if sys.platform == "win32" else ():
            try:
                return os.replace(temporary, path)
            except PermissionError:
                time.sleep(wait)
        os.replace(temporary, path)
    except OSError:
        remove(temporary)
        raise


def remove(path: str) -> None:
    """Remove a file, if it is there."""
    try:
        os.unlink(path)
    except OSError:
        return  # it was never made


def append_rows(path: str, rows: Iterable[tuple[str, ...]]) -> None:
    """Add a line for each row, its parts apart by tabs; OSError where that cannot be.

    Hooks of several processes append to one file: one write each, so that lines do not mix.
    """
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    text = "".join("\t".join(" ".join(part.split()) for part in row) + "\n" for row in rows)
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | BINARY, 0o600)
    try:
        write_all(handle, text.encode("utf-8", "replace"))
    finally:
        os.close(handle)


def read_whole_lines(path: str) -> list[str]:
    """Give the lines of a file without a torn last one, [] for a file that cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace").split("\n")[:-1]
    except OSError:
        return []
