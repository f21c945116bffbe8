"""Commands of a session -> Trials: what was run to see whether it works, and what it printed.

Of each check only the last run counts; the runs that failed on the way are told in the journey.
Where nothing was tested, what the program itself printed stands in. The trap: a check that failed
behind a pipe looks like one that passed, so what counts is the fault that was found in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.stages.command import action, is_check, runs_program
from memoria.stages.console import command, error_lines, is_shell, result_lines, session
from memoria.stages.failure import faults, was_refused
from memoria.stages.output import says_failed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.stages.transcript import Call, Transcript

MOST = 5  # checks that are shown; a session has two to four
_LONGEST = 600  # characters: a longer command is a script that happens to test something
_BACKGROUND = "running in the background"


@dataclass(frozen=True, slots=True)
class Trial:
    """The last run of a check: its name, whether it passed, the command and the output, fenced."""

    name: str
    passed: bool
    shown: str


def passed(call: Call) -> bool:
    """Say whether a command did what it was to do."""
    return call.answered and not call.is_error and not faults(call)


def is_run(call: Call) -> bool:
    """Say whether a call ran a check or a program to its end."""
    typed = call.argument("command")
    if not is_shell(call.name) or not call.answered or len(typed) > _LONGEST:
        return False
    if was_refused(call) or _BACKGROUND in call.result[:300]:
        return False
    return is_check(typed) or runs_program(typed)


def trials(transcript: Transcript) -> tuple[Trial, ...]:
    """Give the checks in the order of their last runs; programs where there is no check.

    A failure before a pass of its sort was mended, or given up for another way to run the tests:
    the journey tells of it.
    """
    runs = [call for call in transcript.calls if is_run(call)]
    checks = [call for call in runs if is_check(call.argument("command"))]
    last: dict[str, Call] = {}
    for call in checks or runs:
        # `fmt && lint` is a later run of `lint`, too
        for verb in _verbs(call):
            last.pop(verb, None)
            last[verb] = call
    latest = list({call.id: call for call in last.values()}.values())
    kept = [
        call
        for place, call in enumerate(latest)
        if _went_well(call) or not any(map(_went_well, alike(call, latest[place + 1 :])))
    ]
    return tuple(map(_trial, kept[-MOST:]))


def _verbs(call: Call) -> list[str]:
    """Give the checks that a call ran; all that it did where it ran none."""
    verbs = action(call.argument("command")).split(" && ")
    return [verb for verb in verbs if is_check(verb)] or verbs


_TESTS = re.compile(
    r"test|spec|jest|tox|nox|mocha|bats|phpunit|playwright|cypress|e2e|integration", re.IGNORECASE
)


def alike(call: Call, others: Iterable[Call]) -> Iterator[Call]:
    """Give the calls that ran something of the same sort: the tests, however they were called."""
    mine = set(_verbs(call))
    tests = any(map(_TESTS.search, mine))
    for other in others:
        verbs = _verbs(other)
        if mine & set(verbs) or (tests and any(map(_TESTS.search, verbs))):
            yield other


def _went_well(call: Call) -> bool:
    return passed(call) and not says_failed(call.result)


def _trial(call: Call) -> Trial:
    well = _went_well(call)
    printed: Sequence[str] = result_lines(call.result)
    if not well:
        printed = error_lines(call.result, [fault.line for fault in faults(call)]) or printed
    name = " && ".join(_verbs(call))
    return Trial(name, well, session(command(call.argument("command")), printed or ["(no output)"]))
