"""A failed call -> what the same error went away after, claimed for its session and printed.

Words of the error tell first whether it may be one that is known; only then are the patterns loaded
that name a failure for certain, as the flush will name it. The trap: the failing tool's output may
have been written by anybody, so nothing of it is ever said again here.
"""

from __future__ import annotations

import json
import os
import sys

from memoria.agents.claude_code.git import project_key
from memoria.hooks import protocol
from memoria.hooks.reminder_reader import Lookup
from memoria.hooks.session_claims import Given, answer
from memoria.search.reminders import failure_match
from memoria.text import shorten as clip

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from typing import Any

    from memoria.agents.transcript import Call

EVENT = "PostToolUseFailure"
# ids of calls have 30 characters
_KEY = 64


def handle(place: protocol.Place, event: dict[str, Any]) -> None:
    """Print what the error went away after, where that is known."""
    session, error = protocol.session_of(event), protocol.text(event, "error")
    if not session or not error or protocol.own_work(place, event) or event.get("is_interrupt"):
        return
    given = Given(place, session)
    if given.is_control:
        return
    root = protocol.root(event)
    name = project_key(root) if root else ""
    call = Failed(event)
    rows = Lookup(place, name).remedies(call.name, plain(f"{call.result}\n{call.said}"))
    rows = [row for row in rows if not given.has(_thing(row["signature"]))]
    found = fitting(call, rows) if rows else []
    if found:
        key, mark = protocol.text(event, "tool_use_id")[:_KEY], found[0]["signature"]
        if given.claim(f"call {key}", [_thing(mark)]):
            given.record(EVENT, name, about=key, remedy=mark)
            lines = [failure_match.told(row, name) for row in found]
            answer(EVENT, failure_match.composed(lines, place.vault, os.urandom(8).hex()))


def plain(text: str) -> str:
    """Take terminal codes out of a text: they stand within its words."""
    if "\x1b" not in text and "\x9b" not in text:
        return text
    from memoria.text.unicode import strip_ansi  # noqa: PLC0415 - few tools colour for a pipe

    return strip_ansi(text)


class Failed:
    """A failed call as the transcript will have it, before it is worth a Call.

    That one is a dataclass, and to load what makes those costs more than all of this hook.
    """

    def __init__(self, event: dict[str, Any]) -> None:
        self.name = protocol.text(event, "tool_name")
        self.result = clip.shorten(protocol.text(event, "error"), failure_match.RESULT)
        given = event.get("tool_input")
        self._inputs = given if isinstance(given, dict) else {}

    def inputs(self) -> tuple[tuple[str, str], ...]:
        """Give the inputs as text."""
        return tuple((name, _text(value)) for name, value in self._inputs.items())

    def call(self) -> Call:
        """Give the Call that a transcript's reader makes of it."""
        from datetime import UTC, datetime  # noqa: PLC0415 - as below

        from memoria.agents.claude_code import tools  # noqa: PLC0415

        never = datetime.fromtimestamp(0, UTC)
        return tools.call("", self.name, self.inputs(), self.result, True, True, never)

    @property
    def said(self) -> str:
        """All inputs."""
        return "\n".join(value for _, value in self.inputs())


def _text(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return clip.shorten(text, failure_match.ARGUMENT)


def fitting(call: Failed, rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Name the failure as a flush will, and choose what fits it of one signature, best first."""
    # twice as much as all the rest of this hook, for a failure that is most probably known
    from memoria.capture.extract.failures.faults import faults  # noqa: PLC0415
    from memoria.capture.extract.signatures import signature  # noqa: PLC0415

    for fault in faults(call.call()):
        mark = signature(call.name, fault.kind, fault.masked)
        # the same change, learned in two projects, is told once
        found: dict[str, dict[str, str]] = {}
        for row in rows:
            same = row["signature"] == mark
            if same and failure_match.fits(mark, fault.line, row["line"], row["change"]):
                found.setdefault(row["change"], row)
        if found:
            return list(found.values())[: failure_match.MOST]
    return []


def _thing(mark: str) -> str:
    return f"remedy {mark}"


def main(vault: str = "") -> None:
    """Run the hook for the vault named on the command line, or for `vault`, and end the program."""
    protocol.run(handle, sys.argv, vault)
