"""Find Copilot CLI's sessions on disk and read them: one file of events in a folder each.

The trap: the client writes a session's last events, of a short one all, after the hook of its end.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents import session_file_store as files
from memoria.agents.copilot.events import Events
from memoria.errors import TranscriptError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memoria.agents.session_file_store import Found

NAME = "events.jsonl"
_SHUTDOWN = b'{"type":"session.shutdown"'
# bytes: the line has what was used of each model, and the files that were changed
_LAST_LINE = 256 * 1024
# 5 s: the client is gone a tenth of a second after the hook's end
_TRIES, _PAUSE_SECONDS = 100, 0.05


def settings(environ: Mapping[str, str], home: Path) -> Path:
    """Give the client's folder: COPILOT_HOME, else ~/.copilot."""
    named = environ.get("COPILOT_HOME")
    return Path(named).absolute() if named else home / ".copilot"


def folder(environ: Mapping[str, str], home: Path) -> Path:
    """Give the folder of sessions."""
    return settings(environ, home) / "session-state"


def owns(path: Path) -> bool:
    """Whether a file is called as Copilot calls its sessions."""
    return path.name == NAME


def found(place: Path) -> Iterator[Found]:
    """List the sessions below the folder of sessions, or of the client."""
    for path in sorted({*place.glob(f"*/{NAME}"), *place.glob(f"session-state/*/{NAME}")}):
        one = files.found(path, path.parent.name)
        if one:
            yield one


def await_end(path: Path) -> None:
    """Wait until a session whose end was told is written down, for a few seconds at most."""
    for _ in range(_TRIES):
        if _is_ended(path):
            return
        time.sleep(_PAUSE_SECONDS)


def _is_ended(path: Path) -> bool:
    try:
        with files.opened(path) as (file, state):
            file.seek(max(0, state.st_size - _LAST_LINE))
            return file.read().rstrip(b"\n").rpartition(b"\n")[2].startswith(_SHUTDOWN)
    except TranscriptError:  # it is not there yet
        return False


read = files.SessionFiles(lambda _: Events(), lambda path: path.parent.name).read
