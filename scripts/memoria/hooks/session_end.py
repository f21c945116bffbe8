"""Put a session's transcript into the spool, from where a detached flush takes it.

The client gives plugin hooks 1.5 seconds and ends what is still running then, so nothing here reads
the transcript. At Stop, which comes after each turn of agents that may tell no end, the session
only waits in the spool, until it has been quiet or its end is told: an entry for each turn would
tear a day's log to pieces.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from typing import Any

if not __package__:  # started by path, under -S -E: the package is two folders up
    # behind the standard library, so that nothing that lies there is taken for a part of it
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    del sys.path[0]

from memoria.hooks import protocol  # noqa: E402 - the path above comes first


def handle(place: protocol.Place, event: dict[str, Any]) -> None:
    """Spool the session, in place of what its last turn left, and start the flush at its end."""
    ending = f"-{protocol.session_of(event)[:36]}"
    waiting = protocol.names(place.path("spool", "new")) if place.agent else []
    if not protocol.spool(place, event):
        return
    for name in waiting:
        if os.path.splitext(name)[0].endswith(ending):
            protocol.remove(place.path("spool", "new", name))
    name = protocol.text(event, "hook_event_name")
    if name.startswith("PreComp") and place.agent in protocol.TOLD_ONCE:
        protocol.write(protocol.compacted(place, protocol.session_of(event)), b"1")
    if name != "Stop":
        protocol.flush(place)


def main(vault: str = "") -> None:
    """Run the hook for the vault named on the command line, or for `vault`, and end the program."""
    protocol.run(handle, sys.argv, vault)


if __name__ == "__main__":
    main()
