"""SessionStart: the project's rules and latest knowledge into the session; a sweep beside it.

All of it was prepared by the last flush in one small file a project, so the cost does not grow with
the vault. The sweep that is started beside it finds sessions that ended without SessionEnd.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from typing import Any

if not __package__:  # started by path, under -S -E: the package is two folders up
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from memoria.edges.git import project_key  # noqa: E402 - the path above comes first
from memoria.hooks import protocol  # noqa: E402
from memoria.stages import injection, project  # noqa: E402


def handle(place: protocol.Place, event: dict[str, Any]) -> None:
    """Print the injection and start the sweep."""
    session = protocol.session_of(event)
    source = protocol.text(event, "source") or "startup"
    if not session or protocol.own_work(place, event):
        return
    if protocol.first_time(place, session, source):
        context = text(place, protocol.text(event, "cwd"))
        if context:
            _print(context)
    protocol.flush(place, "--sweep")


def text(place: protocol.Place, cwd: str) -> str:
    """Give what a session in that folder gets; "" when nothing is known yet."""
    name = project.file_name(project_key(cwd)) if cwd else "default"
    snapshot = None
    for candidate in (name, "default"):
        snapshot = snapshot or protocol._json(place.path("inject", candidate + ".json"))  # noqa: SLF001 - one program in two files
    # a boundary that earlier content cannot have known
    boundary = os.urandom(8).hex()
    return injection.compose(snapshot or {}, place.vault, boundary, protocol.notices(place))


def _print(context: str) -> None:
    answer = {"hookEventName": "SessionStart", "additionalContext": context}
    sys.stdout.write(json.dumps({"hookSpecificOutput": answer}))
    sys.stdout.flush()


def main(vault: str = "") -> None:
    """Run the hook for the vault named on the command line, or for `vault`."""
    protocol.run(handle, protocol.vault_of(sys.argv) or vault)


if __name__ == "__main__":
    main()
