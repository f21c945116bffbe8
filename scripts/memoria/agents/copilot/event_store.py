"""Find Copilot CLI's sessions on disk and read them: one file of events in a folder each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents import session_file_store as files
from memoria.agents.copilot.events import Events

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memoria.agents.session_file_store import Found

NAME = "events.jsonl"


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


read = files.SessionFiles(lambda _: Events(), lambda path: path.parent.name).read
