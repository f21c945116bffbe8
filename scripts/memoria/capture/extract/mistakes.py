"""Find what went wrong in a session, under a name that stays the same next time.

A mistake is a failed call that the agent could have avoided: a tool error, a failing check, also
one whose exit status a pipe has hidden; or a correction by the user. What the user refused without
a word, what was cancelled with it, a search that found nothing and a test announced to fail are
none. A signature must not depend on the order in which mistakes arrive, or last year's evidence
cannot be compared with today's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.capture.extract.failures.resolutions import (
    WINDOW,
    Recovery,
    find_other_check,
    is_same_action,
    resolve,
    resolve_correction,
)
from memoria.capture.extract.observing.call_outcomes import NOTHING
from memoria.capture.extract.signatures import build_signature, tool_of
from memoria.capture.extract.user.corrections import find_corrections
from memoria.text.shell.actions import describe_action, is_check
from memoria.vault.storage.ledger_records import USER, Mistake, Resolution

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence
    from datetime import datetime

    from memoria.agents.transcript import Call
    from memoria.capture.extract.failures.diagnosis import Fault
    from memoria.capture.extract.observing.observations import ObservedCall, ObservedSession
    from memoria.capture.extract.user.corrections import Correction


# A mistake with its turn, its step, and what comes first of one step.
_Placed = tuple[tuple[int, int, int], Mistake]


def find_mistakes(session: ObservedSession) -> tuple[Mistake, ...]:
    """Find the mistakes of a session in the order of time, those of its subagents last."""
    cwd = session.transcript.cwd
    placed = sorted(
        (*_find_call_mistakes(session.calls, cwd), *_find_correction_mistakes(session)),
        key=lambda pair: pair[0],
    )
    return tuple(mistake for _, mistake in (*placed, *_find_call_mistakes(session.subagents, cwd)))


def _build_signatures(seen_call: ObservedCall) -> tuple[str, ...]:
    """Give the signatures of what went wrong in a call."""
    tool = tool_of(seen_call.call)
    return tuple(build_signature(tool, fault.kind, fault.masked) for fault in seen_call.faults)


def _has_succeeded(seen_call: ObservedCall) -> bool:
    """Say whether a call did what it was to do; a filter can hide that it did not."""
    if seen_call.faults or seen_call.outcome.state != "passed" or seen_call.call.is_error:
        return False
    is_mute = "2>/dev/null" in seen_call.call.command or seen_call.call.result.strip() in NOTHING
    return not (is_mute and any(command.is_filter for command in seen_call.commands))


def _is_mistake_gone(seen_call: ObservedCall, mark: str) -> bool:
    """Say whether that mistake is gone: no fault, or only others of the kinds that add up.

    A linter goes on after its first finding, and tests run only once the code compiles; but a
    test that fails in another place may have been stopped by the same mistake.
    """
    kind = mark.split(" ")[1]
    if _has_succeeded(seen_call) or not kind.startswith(("lint:", "compile")):
        return _has_succeeded(seen_call)
    is_clear = all(fault.informative and fault.kind != "exit" for fault in seen_call.faults)
    return bool(seen_call.faults) and is_clear and mark not in _build_signatures(seen_call)


def _find_resolution(
    calls: Sequence[ObservedCall], index: int, mark: str, fault: Fault, cwd: str
) -> Resolution | None:
    """Find the next call of the same kind that does not show this signature any more."""
    failed = calls[index].call
    others = frozenset(other.source for other in calls[index].faults) - {fault.source}
    between: list[Call] = []
    for call in calls[index + 1 : index + 1 + WINDOW]:
        if _is_mistake_gone(call, mark) and is_same_action(failed, call.call, fault.kind):
            resolution = resolve(Recovery(failed, fault, between, call.call, cwd, others))
            # what brought another fault was no fix: it is changed again before the run passes
            if not any(new.source and new.source in resolution.change for new in call.faults):
                return resolution
        if _has_succeeded(call):
            between.append(call.call)
    return find_other_check(failed, fault, between)


def _find_call_mistakes(calls: Sequence[ObservedCall], cwd: str) -> Iterator[_Placed]:
    for index, seen_call in enumerate(calls):
        if seen_call.is_expected:
            continue
        for fault, mark in zip(seen_call.faults, _build_signatures(seen_call), strict=True):
            if not fault.informative and not seen_call.call.is_error:
                continue  # a filter left only that something failed; the next call will show what
            mistake = Mistake(
                signature=mark,
                tool=tool_of(seen_call.call),
                kind=fault.kind,
                line=fault.line,
                call=seen_call.call.id,
                turn=seen_call.turn,
                at=seen_call.call.at,
                resolution=_find_resolution(calls, index, mark, fault, cwd),
                action=describe_action(seen_call.call.command) if seen_call.call.command else "",
            )
            yield (seen_call.turn, seen_call.step, 1), mistake


def _find_correction_mistakes(session: ObservedSession) -> Iterator[_Placed]:
    """Give the user's corrections; the work that followed says how each ended."""
    passed = {call.call.id for call in session.calls if _has_succeeded(call)}
    for correction in find_corrections(session.transcript):
        ended, work = _find_correction_end(correction, passed), correction.work
        mistake = Mistake(
            signature=build_signature(USER, correction.kind, correction.words),
            tool=USER,
            kind=correction.kind,
            line=correction.line,
            call=correction.call,
            turn=correction.turn,
            at=correction.at,
            resolution=resolve_correction(correction.line, work, ended) if ended else None,
        )
        yield (correction.turn, correction.step, 0), mistake


def _find_correction_end(correction: Correction, passed: Container[str]) -> datetime | None:
    """Say when a correction was done: with the check that passes now, else as the user went on."""
    checks = [call for call in correction.work if is_check(call.command)]
    named = [c for c in checks if all(word in c.command for word in correction.words.split())]
    checks = named or checks
    if correction.kind == "correction:failing" and checks:
        return checks[-1].at if checks[-1].id in passed else None
    return correction.ended
