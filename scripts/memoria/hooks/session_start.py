"""SessionStart: the project's rules and latest knowledge into the session; a sweep beside it.

All of it was prepared by the last flush in one small file a project, so the cost does not grow with
the vault. The sweep that is started beside it finds sessions that ended without SessionEnd.
"""

from __future__ import annotations

import json
import os
import sys
import time

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from typing import Any

if not __package__:  # started by path, under -S -E: the package is two folders up
    # behind the standard library, so that nothing that lies there is taken for a part of it
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    del sys.path[0]

from memoria.edges.git import project_key  # noqa: E402 - the path above comes first
from memoria.hooks import allotment, protocol  # noqa: E402
from memoria.stages import injection, project  # noqa: E402

# the client starts hooks of several installations within moments of each other
_TWICE_SECONDS = 10.0
# what a caller has to tell beside, a line each
extra: list[str] = []
# a capture that waits longer than this has met more than a short outage
_STALE_SECONDS = 6 * 3600


def handle(place: protocol.Place, event: dict[str, Any]) -> None:
    """Print the injection and start the sweep."""
    session = protocol.session_of(event)
    source = protocol.text(event, "source") or "startup"
    if not session or protocol.own_work(place, event):
        return
    if first_time(place, session, source):
        context = text(place, session, protocol.text(event, "cwd"))
        if context:
            _print(context)
    protocol.flush(place, "--sweep")


def text(place: protocol.Place, session: str, cwd: str) -> str:
    """Give what a session in that folder gets; "" when nothing is known yet.

    In the control arm of an experiment that is what belongs to no experiment: pinned rules, and
    word of a capture that has stopped.
    """
    key = project_key(cwd) if cwd else ""
    snapshot = None
    for name in (project.file_name(key) if key else "default", "default"):
        snapshot = snapshot or protocol.stored(place.path("inject", name + ".json"))
    snapshot = snapshot or {}
    given = allotment.allotment(place, session, key, snapshot)
    told = {"rules": allotment.texts(snapshot, given)}
    lines = notices(place)
    if given.get("arm") != allotment.CONTROL:
        told = snapshot | told
        lines += [line for line in [protocol.text(snapshot, "offer")] if line]
    # a boundary that earlier content cannot have known
    boundary = os.urandom(8).hex()
    return injection.compose(told, place.vault, boundary, lines)


def first_time(place: protocol.Place, session: str, source: str) -> bool:
    """Whether no other installation of this hook has answered this event moments ago."""
    os.makedirs(place.path("seen"), mode=0o700, exist_ok=True)
    plain = "".join(char for char in source[:16] if char.isascii() and char.isalnum())
    marker = place.path("seen", f"{session}-{plain}")
    if _made(marker):
        return True
    met = os.stat(marker).st_mtime_ns
    # a clock that was set back shows a time to come: that is no reason to be silent until then
    if abs(time.time_ns() - met) < _TWICE_SECONDS * 1e9:
        return False
    # of several that find the same old marker one alone can make this file
    if not _made(f"{marker}.{met}"):
        return False
    os.utime(marker)
    return True


def notices(place: protocol.Place) -> list[str]:
    """Say in one line each what a person has to know: a capture that has silently stopped."""
    waiting = _jobs(place, "new") + _jobs(place, "claimed")
    found = [*extra]
    if waiting:
        # the name begins with the time of the job in nanoseconds
        oldest = min(waiting).split("-", 1)[0]
        if oldest.isdigit() and time.time() - int(oldest) / 1e9 > _STALE_SECONDS:
            found.append(
                f"Memoria: {len(waiting)} captured sessions wait to be written down for over "
                f"{_STALE_SECONDS // 3600} hours. Tell the user to run `memoria doctor`."
            )
    dead = _jobs(place, "dead")
    if dead:
        found.append(
            f"Memoria: {len(dead)} sessions could not be captured. "
            "Tell the user to run `memoria doctor`."
        )
    return found


def _print(context: str) -> None:
    answer = {"hookEventName": "SessionStart", "additionalContext": context}
    # unescaped, as the client may count what is printed; and past sys.stdout, which a locale can
    # keep from printing this and which would complain of a reader that has gone
    printed = json.dumps({"hookSpecificOutput": answer}, ensure_ascii=False)
    protocol.put(1, printed.encode("utf-8", "replace"))


def _made(path: str) -> bool:
    """Make an empty file; False where it is there already."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    return True


def _jobs(place: protocol.Place, state: str) -> list[str]:
    return [name for name in protocol.names(place.path("spool", state)) if name.endswith(".json")]


def main(vault: str = "") -> None:
    """Run the hook for the vault named on the command line, or for `vault`, and end the program."""
    protocol.run(handle, sys.argv, vault)


if __name__ == "__main__":
    main()
