"""Transcript -> its Mistakes: what went wrong, under a name that stays the same next time.

A mistake is a failed call that the agent could have avoided: a tool error, a failing check, also
one whose exit status a pipe has hidden; or a correction by the user. What the user refused without
a word, what was cancelled with it, a search that found nothing and a test announced to fail are
none. The trap: a signature must not depend on the order in which mistakes arrive, or last year's
evidence cannot be compared with today's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.agents.transcript import Call, Say
from memoria.capture.extract.failures.faults import faults
from memoria.capture.extract.fixes import WINDOW, How, Resolution, is_same_action, mended, resolve
from memoria.capture.extract.signatures import signature
from memoria.capture.extract.user.corrections import corrections
from memoria.text.shell.actions import commands, is_check

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence
    from datetime import datetime

    from memoria.agents.transcript import Step, Transcript
    from memoria.capture.extract.failures.diagnosis import Fault
    from memoria.capture.extract.user.corrections import Correction

__all__ = ["How", "Mistake", "Recurring", "Repeats", "Resolution", "mistakes", "repeats"]

# A subagent's call belongs to no turn of the conversation.
NO_TURN = -1
# The tool of a correction: no call was made, the person spoke.
USER = "user"
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
# What the client writes where a command printed nothing.
_NOTHING = {"", "(no content)", "(Bash completed with no output)"}
_TESTING = ("test", "compile", "panic", "exception")


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing that went wrong.

    `signature` names the cause: tool, kind and the masked first informative line, readable, up to
    200 characters. `kind` is one of "exit", "not-found", "edit-mismatch", "test", "timeout" and so
    on, or has a code after a colon: "exception:ValueError", "lint:errcheck". `line` is the
    informative line unmasked. `call` is the id of the call (a linter's run is a mistake for each
    rule it breaks, so a call may have several, each with a signature of its own); `turn` the index
    of its turn in this transcript, -1 for a subagent's call. `resolution` is None where the session
    ends before it went away.

    A correction has the tool "user", a kind of "correction", "correction:failing" (told that what
    was made does not work), "correction:revert" or "correction:repeat", the user's sentence as its
    `line`, and as `call` the refused call or "". Its signature holds the sentence's content words:
    it joins the same words in any order, tense and politeness, and no paraphrases.
    """

    signature: str
    tool: str
    kind: str
    line: str
    call: str
    turn: int
    at: datetime
    resolution: Resolution | None = None


# A mistake with its turn, its step, and what comes first of one step.
_Placed = tuple[tuple[int, int, int], Mistake]


@dataclass(frozen=True, slots=True)
class Recurring:
    """A signature met in several sessions; `example` is the line of its latest mistake.

    `change` is how it was last resolved (the change itself, or ""), `count` all its mistakes and
    `sessions` the number of sessions it came in.
    """

    signature: str
    count: int
    sessions: int
    example: str
    change: str


@dataclass(frozen=True, slots=True)
class Repeats:
    """How many mistakes had been met before: `repeated` of `total` had a signature seen earlier.

    "Earlier" is an earlier session: the second time within one session is not a repeat. `distinct`
    counts signatures; `top` are those of two and more sessions, the most sessions first.
    """

    total: int
    repeated: int
    distinct: int
    top: tuple[Recurring, ...]

    @property
    def rate(self) -> float:
        """The repeated-mistake rate, 0.0 where there is no mistake."""
        return self.repeated / self.total if self.total else 0.0


def _said_beside(steps: Sequence[Step], index: int) -> tuple[str, str]:
    """What the assistant said just before a call and just after it, "" where it said nothing."""
    before = steps[index - 1] if index else None
    after = steps[index + 1] if index + 1 < len(steps) else None
    return (
        before.text if isinstance(before, Say) else "",
        after.text if isinstance(after, Say) else "",
    )


def _is_expected(steps: Sequence[Step], index: int, fault: Fault) -> bool:
    """Say whether a test was announced to fail, or its failure greeted as the one wanted."""
    call = steps[index]
    if not isinstance(call, Call) or not fault.kind.startswith(_TESTING):
        return False
    if not is_check(call.command):
        return False
    before, after = _said_beside(steps, index)
    # A test that was to fail may not compile by mistake, so there the announcement is not enough.
    announced = _ANNOUNCED.search(before) and not fault.kind.startswith("compile")
    return bool(announced or _AFFIRMED.search(after))


@dataclass(frozen=True, slots=True)
class _Seen:
    """One call in its sequence, where it stood, and what went wrong in it."""

    call: Call
    turn: int
    step: int
    faults: tuple[Fault, ...]

    @property
    def signatures(self) -> tuple[str, ...]:
        return tuple(signature(self.call.name, fault.kind, fault.masked) for fault in self.faults)

    @property
    def succeeded(self) -> bool:
        """Whether it did what it was to do; a pipe can hide that it did not."""
        if self.faults or self.call.is_error or not self.call.answered:
            return False
        command = self.call.command
        mute = "2>/dev/null" in command or self.call.result.strip() in _NOTHING
        return not (mute and any(one.is_filter for one in commands(command)))

    def passes(self, mark: str) -> bool:
        """Say whether that mistake is gone: no fault, or only others of the kinds that add up.

        A linter goes on after its first finding, and tests run only once the code compiles; but a
        test that fails in another place may have been stopped by the same mistake.
        """
        kind = mark.split(" ")[1]
        if self.succeeded or not kind.startswith(("lint:", "compile")):
            return self.succeeded
        known = all(fault.informative and fault.kind != "exit" for fault in self.faults)
        return bool(self.faults) and known and mark not in self.signatures


def _conversation(transcript: Transcript) -> Iterator[_Seen]:
    for number, turn in enumerate(transcript.turns):
        for index, step in enumerate(turn.steps):
            if isinstance(step, Call):
                found = (f for f in faults(step) if not _is_expected(turn.steps, index, f))
                yield _Seen(step, number, index, tuple(found))


def _resolution(seen: Sequence[_Seen], index: int, mark: str, fault: Fault) -> Resolution | None:
    """Find the next call of the same kind that does not show this signature any more."""
    failed = seen[index].call
    between: list[Call] = []
    for later in seen[index + 1 : index + 1 + WINDOW]:
        if later.passes(mark) and is_same_action(failed, later.call):
            return resolve(failed, fault, between, later.call)
        if later.succeeded:
            between.append(later.call)
    return None


def _among(seen: Sequence[_Seen]) -> Iterator[_Placed]:
    for index, one in enumerate(seen):
        for fault, mark in zip(one.faults, one.signatures, strict=True):
            if not fault.informative and not one.call.is_error:
                continue  # a filter left only that something failed; the next call will show what
            yield (
                (one.turn, one.step, 1),
                Mistake(
                    signature=mark,
                    tool=one.call.name,
                    kind=fault.kind,
                    line=fault.line,
                    call=one.call.id,
                    turn=one.turn,
                    at=one.call.at,
                    resolution=_resolution(seen, index, mark, fault),
                ),
            )


def _corrected(transcript: Transcript, seen: Sequence[_Seen]) -> Iterator[_Placed]:
    """The user's corrections; the work that followed says how each ended."""
    passed = {one.call.id for one in seen if one.succeeded}
    for one in corrections(transcript):
        yield (
            (one.turn, one.step, 0),
            Mistake(
                signature=signature(USER, one.kind, one.words),
                tool=USER,
                kind=one.kind,
                line=one.line,
                call=one.call,
                turn=one.turn,
                at=one.at,
                resolution=_end(one, passed),
            ),
        )


def _end(one: Correction, passed: Container[str]) -> Resolution | None:
    """What ended a correction: the check that passes now, else that the user went on."""
    checks = [call for call in one.work if is_check(call.command)]
    named = [c for c in checks if all(word in c.command for word in one.words.split())]
    checks = named or checks
    if one.kind == "correction:failing" and checks:
        done = checks[-1].at if checks[-1].id in passed else None
    else:
        done = one.ended
    return mended(one.line, one.work, done) if done else None


def mistakes(transcript: Transcript) -> tuple[Mistake, ...]:
    """Find the mistakes of a transcript in the order of time, those of its subagents last."""
    seen = tuple(_conversation(transcript))
    placed = sorted((*_among(seen), *_corrected(transcript, seen)), key=lambda pair: pair[0])
    subagents = [_Seen(call, NO_TURN, 0, faults(call)) for call in transcript.subagents]
    return tuple(one for _, one in (*placed, *_among(subagents)))


def _recurring(mark: str, met: Sequence[tuple[int, Mistake]]) -> Recurring:
    changes = [one.resolution.change for _, one in met if one.resolution and one.resolution.change]
    return Recurring(
        signature=mark,
        count=len(met),
        sessions=len({session for session, _ in met}),
        example=met[-1][1].line,
        change=changes[-1] if changes else "",
    )


def repeats(history: Iterable[Sequence[Mistake]], top: int = 5) -> Repeats:
    """Count over sessions in the order of time which mistakes had been met in an earlier one.

    One item is one session: the parts of a session that was read in parts belong joined.
    """
    met: dict[str, list[tuple[int, Mistake]]] = {}
    total = repeated = 0
    for session, found in enumerate(history):
        known = set(met)
        total += len(found)
        repeated += sum(one.signature in known for one in found)
        for one in found:
            met.setdefault(one.signature, []).append((session, one))
    again = [
        one for one in (_recurring(mark, all_) for mark, all_ in met.items()) if one.sessions > 1
    ]
    again.sort(key=lambda one: (-one.sessions, -one.count, one.signature))
    return Repeats(total, repeated, len(met), tuple(again[:top]))
