"""A tool call -> ObservedCall: its commands, how it ended, what went wrong in it.

A pipe or `|| true` hides how a command ended; where it prints the very error that it failed with
before, it failed again. A test that is written to fail first is announced; its failure is what was
wanted and no mistake. The trap: a test that was to fail may not compile by mistake, so there the
announcement is not enough.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from memoria.agents.transcript import Say
from memoria.capture.extract.failures.diagnosis import diagnose
from memoria.capture.extract.failures.faults import faults
from memoria.capture.extract.observing.call_outcomes import outcome
from memoria.capture.extract.observing.outcome import Outcome
from memoria.capture.extract.observing.values import ObservedCall
from memoria.text.shell.actions import action, commands, hides_status, is_check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memoria.agents.transcript import Call, Step
    from memoria.capture.extract.failures.diagnosis import Fault

_ANNOUNCED = re.compile(
    r"(?i)\b(?:should|will|must|to) (?:now )?fail\b|\b(?:see|watch) (?:it|them|the tests?) fail"
    r"|\b(?:verify|confirm|check|ensure|show)(?:ing)? (?:that )?"
    r"(?:it|they|the (?:new )?tests?) fails?"
    r"|\breproduc(?:e|es|ing)\b|\bfailing tests? first|\b(?:verify|confirm)(?:ing)? the bug\b"
)
_AFFIRMED = re.compile(
    r"(?i)\bas expected\b|\bexpected(?:ly)? fail|\bexpected to fail|\breproduc(?:es|ed)\b"
    r"|\b(?:tests?|bug|this|that|it|which) (?:\w+ )?confirm(?:s|ed)?\b"
    r"|^confirmed\b|\bconfirming the bugs?\b"
)
_TESTING = ("test", "compile", "panic", "exception")
# what a shell says itself, whatever it goes on with
_NOT_FOUND = "command not found"
_SHELL_SAYS = re.compile(rf"^(?:\S*sh|\(eval\)):(?: line)? ?\d*:? .*{_NOT_FOUND}")


def observed_call(call: Call, turn: int, step: int, steps: Sequence[Step] = ()) -> ObservedCall:
    """Read a call, the step at that place among the steps of its turn."""
    ran = commands(call.command) if call.command else ()
    ended = outcome(call)
    found = faults(call)
    expected = bool(found) and all(_is_expected(call, fault, steps, step) for fault in found)
    return ObservedCall(call, turn, step, ran, ended, found, expected)


def hidden_failures(seen: Iterable[ObservedCall]) -> Callable[[ObservedCall], ObservedCall]:
    """Give what finds, in a call whose status is hidden, the errors that the same command had."""
    known: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for one in seen:
        named = {(fault.kind, fault.masked) for fault in one.faults if fault.informative}
        known[action(one.call.command)] |= named

    def judged(one: ObservedCall) -> ObservedCall:
        met = known.get(action(one.call.command), set())
        if not (met or _NOT_FOUND in one.call.result) or not _is_hidden(one):
            return one
        again = tuple(
            fault
            for fault in diagnose(one.call.result, one.call.command)
            if (fault.kind, fault.masked) in met or _SHELL_SAYS.match(fault.line)
        )
        return replace(one, outcome=Outcome("failed", "error text"), faults=again) if again else one

    return judged


def _is_hidden(one: ObservedCall) -> bool:
    """Say whether nothing tells how the work of a call ended: its status is another command's."""
    call = one.call
    ended = call.kind == "shell" and call.answered and not call.is_refused and not one.faults
    return ended and one.outcome.by != "closing line" and hides_status(call.command)


def _is_expected(call: Call, fault: Fault, steps: Sequence[Step], index: int) -> bool:
    """Say whether a test was announced to fail, or its failure greeted as the one wanted."""
    if not fault.kind.startswith(_TESTING) or not is_check(call.command):
        return False
    before, after = _said(steps, index - 1), _said(steps, index + 1)
    announced = _ANNOUNCED.search(before) and not fault.kind.startswith("compile")
    return bool(announced or _AFFIRMED.search(after))


def _said(steps: Sequence[Step], index: int) -> str:
    """Give what the assistant said at a place, "" for nothing."""
    step = steps[index] if 0 <= index < len(steps) else None
    return step.text if isinstance(step, Say) else ""
