"""Find Gemini CLI's sessions on disk and read them: one file a session, in a folder a project.

The trap: no line says in which folder the session ran; a file beside the sessions does.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents import session_file_store as files
from memoria.agents.gemini.chats import Chats
from memoria.agents.json_line import load
from memoria.agents.renamed_tools import PATH, text_of
from memoria.errors import TranscriptError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memoria.agents.session_file_store import Found

# below the client's folder; its `tmp` or a project's folder may be named as well. Subagents' files
# lie a folder deeper and are not theirs who asked.
_PLACES = tuple(f"{above}chats/session-*.jsonl" for above in ("tmp/*/", "*/", ""))
_ROOT = ".project_root"
_HEAD = 64 << 10  # bytes: a first line has under 500


def folder(environ: Mapping[str, str], home: Path) -> Path:
    """Give the client's folder: below GEMINI_CLI_HOME, else below the person's."""
    named = environ.get("GEMINI_CLI_HOME")
    return (Path(named).absolute() if named else home) / ".gemini"


def owns(path: Path) -> bool:
    """Whether a file is called as Gemini CLI calls its sessions."""
    return path.parent.name == "chats" and path.match("session-*.jsonl")


def found(place: Path) -> Iterator[Found]:
    """List the sessions below the client's folder, oldest first."""
    paths = {path for glob in _PLACES for path in place.glob(glob)}
    for path in sorted(paths, key=lambda path: (path.name, path)):
        one = files.found(path, _session(path))
        if one:
            yield one


def _session(path: Path) -> str:
    """Give the session of a file by its first line, else by its name."""
    loaded = load(_beginning(path).partition(b"\n")[0])
    told = "" if isinstance(loaded, str) else text_of(loaded[0].get("sessionId"))
    return files.session_name(told or path.stem)


def _form(path: Path) -> Chats:
    return Chats(_beginning(path.parent.parent / _ROOT)[:PATH].decode("utf-8", "replace").strip())


def _beginning(path: Path) -> bytes:
    """Give the first bytes of a file; b"" for one that cannot be read."""
    try:
        with files.opened(path) as (file, _):
            return file.read(_HEAD)
    except TranscriptError:
        return b""


read = files.SessionFiles(_form, _session).read
