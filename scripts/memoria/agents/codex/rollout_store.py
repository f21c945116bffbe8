"""Find Codex's sessions on disk and read them: one file a session, in a folder for each day.

The trap: an archived session moves to another folder, and what was captured of it is known by its
turns alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents import session_file_store as files
from memoria.agents.codex.rollout import Rollout

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memoria.agents.session_file_store import Found

# below the client's folder; a folder of days or of sessions may be named as well
_PLACES = (
    "sessions/*/*/*/rollout-*.jsonl",
    "archived_sessions/rollout-*.jsonl",
    "*/*/*/rollout-*.jsonl",
    "rollout-*.jsonl",
)
_ID = 36  # characters of the session's id at the end of a file's name


def folder(environ: Mapping[str, str], home: Path) -> Path:
    """Give the client's folder: CODEX_HOME, else ~/.codex."""
    named = environ.get("CODEX_HOME")
    return Path(named).absolute() if named else home / ".codex"


def owns(path: Path) -> bool:
    """Whether a file is called as Codex calls its sessions."""
    return path.name.startswith("rollout-") and path.suffix == ".jsonl"


def found(place: Path) -> Iterator[Found]:
    """List the sessions below the client's folder, or below its `sessions`, oldest first."""
    paths = {path for glob in _PLACES for path in place.glob(glob)}
    for path in sorted(paths, key=lambda path: (path.name, path)):
        one = files.found(path, path.stem[-_ID:])
        if one:
            yield one


read = files.SessionFiles(lambda _: Rollout(), lambda path: path.stem[-_ID:]).read
