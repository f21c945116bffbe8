"""A shell call's status and output -> how it ended, and how each check in it ended.

The exit status tells, where it is that of the work; behind a pipe, a `;` or an `||` the tool's own
closing line does. The trap: the word "error" in a log tells nothing, and neither does its absence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.capture.extract.failures.faults import faults
from memoria.capture.extract.observing.values import Outcome
from memoria.text.shell.actions import is_check, verb

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.agents.transcript import Call
    from memoria.text.shell.actions import Command

_LONGEST_CHECK = 600  # characters: a longer command is a script that happens to run a test


def outcome(call: Call, ran: Sequence[Command]) -> Outcome:
    """Say how a call ended."""
    if not call.answered or call.is_refused:
        return Outcome()
    if call.kind == "shell" and call.status is None and not call.is_error:
        return Outcome()
    failed = call.is_error or bool(faults(call))
    return Outcome("failed" if failed else "passed", "status")


def check_outcomes(call: Call, ran: Sequence[Command]) -> Iterator[tuple[Command, Outcome]]:
    """Yield the checks that a call ran, each with how it ended."""
    if call.kind != "shell" or not call.answered or len(call.command) > _LONGEST_CHECK:
        return
    for command in ran:
        if is_check(verb(command)) and not command.is_filter:
            yield command, outcome(call, ran)
