"""Calls -> the files that they changed, in order; scratch files are no part of the work."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.extract.observing.values import FileEdit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.agents.transcript import Call
    from memoria.capture.extract.observing.values import ObservedCall

_PASSING = re.compile(  # scratch and the client's own files
    r"(?:^|/)(?:tmp|scratchpad)/|^(?:/|~|[A-Za-z]:).*/\.(?:claude|codex)/|(?:^|/)\.claude/(?:plans"
    r"|projects|todos)/"
    r"|AppData/Local/Temp/|^/(?:private|var/folders)/|(?:^|/)plans?/[^/]*\.md$"
)
_OUTSIDE = 4  # names of a path outside the session's folder that tell where it belongs


def edits(calls: Iterable[ObservedCall], cwd: str) -> Iterator[FileEdit]:
    """Yield the edits that succeeded in files that belong to the work."""
    for one in calls:
        if path := edited_path(one.call, cwd):
            yield FileEdit(path, one.turn, one.step, one.call.hunks)


def edited_path(call: Call, cwd: str) -> str:
    """Give the file that a call changed, "" where it changed none that belongs to the work."""
    if call.kind != "edit" or call.is_error or not call.answered:
        return ""
    # a name can hold line ends and worse; what cannot be printed is shown as "?"
    path = "".join(c if c.isprintable() else "?" for c in call.path).replace("\\", "/")
    root = cwd.replace("\\", "/").rstrip("/") + "/"
    if len(root) > 1 and path.lower().startswith(root.lower()):
        path = path[len(root) :]
    if _PASSING.search(path):
        return ""
    absolute = path.startswith(("/", "~")) or path[1:2] == ":"
    return "/".join(path.split("/")[-_OUTSIDE:]) if absolute else path
