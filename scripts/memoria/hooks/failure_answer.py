"""A failed command -> what the same errors went away after, claimed for its session and printed.

Words of what was printed bring the few cures that may be for it out of the file that the last flush
wrote; the line of the error decides. A failure of the agent's own tools (a file that was not read
first) is none of ours: the tool says there what to do. The trap: the failing command's output may
have been written by anybody, so nothing of it is ever said again here.
"""

from __future__ import annotations

import os
import sys

from memoria.agents.claude_code.git import project_key
from memoria.hooks import protocol
from memoria.hooks.session_claims import Given, answer
from memoria.search.cures import error_match
from memoria.text import shorten

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

EVENT = "PostToolUseFailure"
# ids of calls have 30 characters
_KEY = 64
# older SQLites take no more than 999 values at once
_AT_ONCE = 500
# as search/cures/store.py has them
_COLUMNS = ("signature", "action", "project", "day", "log", "line", "how", "change", "file")
_QUERY = "SELECT {} FROM cure WHERE anchor IN ({}) ORDER BY key"
# the client's words for a call that the person refused
_REFUSED = "The user doesn't want to"


def handle(place: protocol.Place, event: dict[str, Any]) -> None:
    """Print what the errors went away after, where that is known."""
    session, error = protocol.session_of(event), protocol.text(event, "error")
    inputs = event.get("tool_input")
    command = protocol.text(inputs, "command") if isinstance(inputs, dict) else ""
    refused = event.get("is_interrupt") or error.lstrip().startswith(_REFUSED)
    if not session or not error or not command or refused or protocol.own_work(place, event):
        return
    given = Given(place, session)
    if given.is_control:
        return
    root = protocol.root(event)
    project = project_key(root) if root else ""
    text = plain(shorten.shorten(error, error_match.RESULT))
    known = [cure for cure in cures(place, text) if not given.has(_thing(cure))]
    best = error_match.best(known, text, command[: error_match.ARGUMENT], project)
    if best:
        key = protocol.text(event, "tool_use_id")[:_KEY]
        ours = given.claim(f"call {key}", [_thing(cure) for cure in best])
        best = [cure for cure in best if _thing(cure) in ours]
        if best:
            given.record(EVENT, project, about=key, cures=[_told(cure) for cure in best])
            lines = [error_match.told(cure, project) for cure in best]
            answer(EVENT, error_match.composed(lines, place.vault, os.urandom(8).hex()))


def plain(text: str) -> str:
    """Take terminal codes out of a text: they stand within its words."""
    if "\x1b" not in text and "\x9b" not in text:
        return text
    from memoria.text.unicode import strip_ansi  # noqa: PLC0415 - few tools colour for a pipe

    return strip_ansi(text)


def cures(place: protocol.Place, text: str) -> Iterator[Mapping[str, str]]:
    """Yield the cures that may be for an error of this text; none where there is no file."""
    path = place.path("cures.sqlite")
    if not os.path.isfile(path):
        return
    # here, where it may be missing without an end of the program: not every Python has it
    import _sqlite3  # noqa: PLC0415 - the package around it costs three times as much

    base = _sqlite3.connect(f"file:{_address(path)}?mode=ro", timeout=0, uri=True)
    words = sorted(error_match.tokens(text))
    for at in range(0, len(words), _AT_ONCE):
        part = words[at : at + _AT_ONCE]
        for row in base.execute(_QUERY.format(",".join(_COLUMNS), ",".join("?" * len(part))), part):
            yield dict(zip(_COLUMNS, row, strict=True))


def _address(path: str) -> str:
    """Write a path so that nothing in it means something in SQLite's address."""
    address = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return address if os.sep == "/" else "/" + address.replace(os.sep, "/")


def _thing(cure: Mapping[str, str]) -> str:
    return f"cure {cure['signature']}"


def _told(cure: Mapping[str, str]) -> Mapping[str, str]:
    """Give what the ledger keeps of a cure that was told."""
    return {name: cure[name] for name in ("signature", "how", "day")}


def main(vault: str = "") -> None:
    """Run the hook for the vault named on the command line, or for `vault`, and end the program."""
    protocol.run(handle, sys.argv, vault)
