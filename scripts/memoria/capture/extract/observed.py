"""Read a session once for all detectors: its texts by speaker, its calls, commits and checks.

What a client stores as the user's is told apart by speaker here: own words, slash commands, plans,
what was pasted or handed on, the harness. What was said while a call ran belongs after it, and what
refused a call before the next one. A pipe or `|| true` hides how a command ended; where it prints
the very error that it failed with before, it failed again. A test that is written to fail first is
announced; its failure is what was wanted and no mistake.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from memoria.agents.claude_code.user_words import How, Utterance, ask, handed, own_words
from memoria.agents.transcript import Call, Compaction, Say, Steer, Step, Transcript, Turn
from memoria.capture.extract.failures.diagnosis import Fault, diagnose
from memoria.capture.extract.failures.faults import faults
from memoria.capture.extract.observing.call_outcomes import Outcome, check_outcomes, outcome
from memoria.capture.extract.observing.commits import branch, commits, pull_requests
from memoria.capture.extract.observing.values import (
    Check,
    FileEdit,
    Observed,
    ObservedCall,
    ObservedTurn,
    Place,
    Run,
    Speaker,
    Text,
    sentences,
)
from memoria.text.shell.actions import action, commands, hides_status, is_check, verb
from memoria.vault.entry import NO_TURN

__all__ = ["Observed", "observe"]


def observe(transcript: Transcript) -> Observed:
    """Read a part of a session."""
    turns = tuple(
        ObservedTurn(
            index,
            turn,
            tuple(_texts(turn, index)),
            tuple(
                observed_call(step, index, at, turn.steps)
                for at, step in enumerate(turn.steps)
                if isinstance(step, Call)
            ),
        )
        for index, turn in enumerate(transcript.turns)
    )
    judged = hidden_failures(call for turn in turns for call in turn.calls)
    turns = tuple(replace(turn, calls=tuple(map(judged, turn.calls))) for turn in turns)
    calls = [call for turn in turns for call in turn.calls]
    made = commits(calls)
    edits = tuple(
        FileEdit(path, seen_call.turn, seen_call.step, seen_call.call.hunks)
        for seen_call in calls
        if (path := edited_path(seen_call.call, transcript.cwd))
    )
    busy = frozenset({edit.turn for edit in edits} | {commit.turn for commit in made})
    return Observed(
        transcript=transcript,
        turns=turns,
        subagents=tuple(observed_call(call, NO_TURN, 0) for call in transcript.subagents),
        commits=made,
        pull_requests=pull_requests(transcript),
        checks=_checks(calls),
        edits=edits,
        branch=branch(transcript, busy, made),
    )


# -- Texts ----------------------------------------------------------------------------------------


def _texts(turn: Turn, index: int) -> Iterator[Text]:
    """Yield the texts of a turn in the order of time; the assistant's last one closes it."""
    yield from _said(turn.prompt, "prompt", index, 0, turn.at)
    closing = max((at for at, step in enumerate(turn.steps) if isinstance(step, Say)), default=-1)
    for at, step in enumerate(turn.steps):
        if isinstance(step, Say):
            place: Place = "closing" if at == closing else "narration"
            yield Text("assistant", place, index, at, step.at, step.text, sentences(step.text))
        elif isinstance(step, Steer):
            yield from _said(step.text, "steer", index, at + 1, step.at)
        elif isinstance(step, Compaction):
            summary = step.summary
            yield Text("summary", "summary", index, at, step.at, summary, sentences(summary))
        elif isinstance(step, Call):
            yield from _about(step, index, at)


def _about(call: Call, turn: int, step: int) -> Iterator[Text]:
    """Yield what a call shows to the user, and what the user said about it."""
    if call.plan:
        shown = sentences(call.plan)
        yield Text("plan", "plan", turn, step, call.at, call.plan, shown, call.id)
    if call.reason:
        yield from _said(call.reason, "refusal", turn, step + 1, call.at, call.id)
    for answer in call.answers:
        if answer.free:
            yield from _said(answer.text, "answer", turn, step + 1, call.at, call.id)


def _said(  # noqa: PLR0913, PLR0917 - as Text has them
    raw: str, how: How, turn: int, step: int, at: datetime, call: str = ""
) -> Iterator[Text]:
    """Part what is stored as the user's by who speaks in it."""
    for speaker, text, is_trivial in _speakers(raw, how, turn, at):
        shown = sentences(text) if speaker != "harness" else ()
        yield Text(speaker, how, turn, step, at, text, shown, call, is_trivial)


def _speakers(raw: str, how: How, turn: int, at: datetime) -> Iterator[tuple[Speaker, str, bool]]:
    request = ask(raw)
    if not request.text and not request.trace:
        if raw.strip():
            yield "harness", raw, False
        return
    if request.is_plan or request.pasted or request.is_command:
        kind: Speaker = "plan" if request.is_plan else "pasted" if request.pasted else "command"
        yield kind, request.text, False
        return
    utterance = Utterance(request, how, turn, at)
    own = own_words(utterance).strip()
    if own or request.trivial:
        yield "user", own or request.text, request.trivial
    for other in (handed(utterance), request.trace):
        if other:
            yield "pasted", other, False


# -- Calls ----------------------------------------------------------------------------------------

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
    named = faults(call)
    expected = bool(named) and all(_is_expected(call, fault, steps, step) for fault in named)
    return ObservedCall(call, turn, step, ran, outcome(call), named, expected)


def hidden_failures(seen: Iterable[ObservedCall]) -> Callable[[ObservedCall], ObservedCall]:
    """Give what finds, in a call whose status is hidden, the errors that the same command had."""
    by_action: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for seen_call in seen:
        named = {(fault.kind, fault.masked) for fault in seen_call.faults if fault.informative}
        by_action[action(seen_call.call.command)] |= named

    def judged(run: ObservedCall) -> ObservedCall:
        call, met = run.call, by_action.get(action(run.call.command), set())
        ended = call.kind == "shell" and call.answered and not call.is_refused and not run.faults
        if not ended or not (met or _NOT_FOUND in call.result):
            return run
        # its status is another command's
        if run.outcome.by == "closing line" or not hides_status(call.command):
            return run
        again = tuple(
            fault
            for fault in diagnose(call.result, call.command)
            if (fault.kind, fault.masked) in met or _SHELL_SAYS.match(fault.line)
        )
        return replace(run, outcome=Outcome("failed", "error text"), faults=again) if again else run

    return judged


def _is_expected(call: Call, fault: Fault, steps: Sequence[Step], index: int) -> bool:
    """Say whether a test was announced to fail, or its failure greeted as the one wanted."""
    if not fault.kind.startswith(_TESTING) or not is_check(call.command):
        return False
    before, after = (
        step.text if 0 <= at < len(steps) and isinstance(step := steps[at], Say) else ""
        for at in (index - 1, index + 1)
    )
    # a test that was to fail may not compile by mistake
    announced = _ANNOUNCED.search(before) and not fault.kind.startswith("compile")
    return bool(announced or _AFFIRMED.search(after))


# -- Checks and files -----------------------------------------------------------------------------

_SELECTED = re.compile(
    r"-run|-k|-t|-g|--?(?:filter|grep|testNamePattern|tests?|only)(?:=.*)?|.*::.*|.*\.(?:py"
    r"|[jt]sx?|rb|go|rs)|--no-run|--collect-only|--?list(?:Tests)?"
)
_PASSING = re.compile(  # scratch and the client's own files
    r"(?:^|/)(?:tmp|scratchpad)/|^(?:/|~|[A-Za-z]:).*/\.(?:claude|codex)/|(?:^|/)\.claude/(?:plans"
    r"|projects|todos)/"
    r"|AppData/Local/Temp/|^/(?:private|var/folders)/|(?:^|/)plans?/[^/]*\.md$"
)
_OUTSIDE = 4  # names of a path outside the session's folder that tell where it belongs


def _checks(calls: Iterable[ObservedCall]) -> tuple[Check, ...]:
    """Gather the checks with all their runs; the order is that of their last runs."""
    runs: dict[str, list[Run]] = {}
    for call in calls:
        for command, ended in check_outcomes(call.call):
            if (name := verb(command)) != "git commit":
                run = Run(call.turn, call.step, ended, is_whole(command.words))
                runs[name] = [*runs.pop(name, []), run]
    return tuple(Check(name, tuple(ran)) for name, ran in runs.items())


def is_whole(words: Sequence[str]) -> bool:
    """Say whether a command runs all of a check, and no selection or folder of it."""
    if tuple(words[:2]) == ("go", "test") and "-c" in words:  # it only compiles
        return False
    folders = any("/" in word and not word.endswith("./...") for word in words[2:])
    return not folders and not any(map(_SELECTED.fullmatch, words))


def edited_path(call: Call, cwd: str) -> str:
    """Give the file that a call changed, "" where it changed none that belongs to the work."""
    if call.kind != "edit" or call.is_error or not call.answered:
        return ""
    # a name can hold line ends and worse; what cannot be printed is shown as "?"
    path = "".join(c if c.isprintable() else "?" for c in call.path).replace("\\", "/")
    root = cwd.replace("\\", "/").rstrip("/") + "/"
    if len(root) > 1 and path.lower().startswith(root.lower()):
        path = path[len(root) :]
    if _PASSING.search(path):
        return ""
    absolute = path.startswith(("/", "~")) or path[1:2] == ":"
    return "/".join(path.split("/")[-_OUTSIDE:]) if absolute else path
