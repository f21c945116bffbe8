"""Find where another agent than Claude Code keeps the session that a hook was started for.

A client may tell the path or not; then the session's id tells it. What came on stdin is not
trusted, so whatever is found must be a file of this person's in that client's own folder.
"""

from __future__ import annotations

import os
import time

from memoria.hooks import protocol

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def transcript(place: protocol.Place, value: dict[str, Any], session: str) -> str:
    """Give the path of a session's transcript, "" where there is none."""
    folder = protocol.client_folder(place, "sessions")
    if place.agent == "opencode":
        # a build of each channel has its own database: the one that was written last
        paths = [os.path.join(folder, name) for name in protocol.names(folder)]
        paths = [path for path in paths if protocol.is_own_file(path, folder, ".db")]
        paths = [path for path in paths if os.path.basename(path).startswith("opencode")]
        return os.path.join(max(paths, key=os.path.getmtime), session) if paths else ""
    if place.agent == "copilot":
        # the file may be written only after this hook
        path = os.path.join(folder, session, "events.jsonl")
        is_to_come = os.path.isdir(os.path.dirname(path)) and not os.path.lexists(path)
        return path if is_to_come or protocol.is_own_file(path, folder) else ""
    given = protocol.text(value, "transcript_path")
    paths = [given] if given else list(_by_day(folder, session))
    return next((path for path in paths if protocol.is_own_file(path, folder)), "")


def _by_day(folder: str, session: str) -> Iterator[str]:
    """Look into the folders of the days around a session's beginning, which its id tells."""
    try:
        began = int(session.replace("-", "")[:12], 16) / 1000
        around = [time.gmtime(began + shift) for shift in (0, -86_400, 86_400)]
    except (ValueError, OverflowError, OSError):
        return
    for day in around:
        place = os.path.join(folder, "sessions", time.strftime("%Y/%m/%d", day))
        names = (name for name in protocol.names(place) if name.endswith(f"-{session}.jsonl"))
        yield from (os.path.join(place, name) for name in names)
