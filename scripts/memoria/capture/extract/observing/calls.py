"""A tool call -> ObservedCall: its commands, how it ended, what went wrong in it.

A test that is written to fail first is announced; its failure is what was wanted and no mistake.
The trap: a test that was to fail may not compile by mistake, so there the announcement is not
enough.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.agents.transcript import Say
from memoria.capture.extract.failures.faults import faults
from memoria.capture.extract.observing.call_outcomes import outcome
from memoria.capture.extract.observing.values import ObservedCall
from memoria.text.shell.actions import commands, is_check

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def observed_call(call: Call, turn: int, step: int, steps: Sequence[Step] = ()) -> ObservedCall:
    """Read a call, the step at that place among the steps of its turn."""
    ran = commands(call.command) if call.command else ()
    ended = outcome(call)
    found = faults(call)
    expected = bool(found) and all(_is_expected(call, fault, steps, step) for fault in found)
    return ObservedCall(call, turn, step, ran, ended, found, expected)


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
