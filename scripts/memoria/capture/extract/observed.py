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

from memoria.agents.claude_code.user_words import (
    How,
    Utterance,
    find_foreign_words,
    own_words,
    parse_ask,
)
from memoria.agents.transcript import AssistantText, Call, Compaction, Steer, Step, Transcript, Turn
from memoria.capture.extract.failures.diagnosis import Fault, diagnose
from memoria.capture.extract.failures.faults import find_faults
from memoria.capture.extract.observing.call_outcomes import (
    CallOutcome,
    find_check_outcomes,
    judge_call,
)
from memoria.capture.extract.observing.commits import find_branch, find_commits, find_pull_requests
from memoria.capture.extract.observing.folders import find_call_folder
from memoria.capture.extract.observing.observations import (
    CheckRun,
    FileEdit,
    ObservedCall,
    ObservedCheck,
    ObservedSession,
    ObservedText,
    ObservedTurn,
    Place,
    Speaker,
    parse_sentences,
)
from memoria.text.shell.actions import describe_action, hides_status, is_check, parse_commands, verb
from memoria.vault.storage.ledger_records import NO_TURN


def observe(transcript: Transcript) -> ObservedSession:
    """Read a part of a session."""
    turns = tuple(
        ObservedTurn(
            index,
            turn,
            tuple(_turn_texts(turn, index)),
            tuple(
                observe_call(step, index, at, turn.steps)
                for at, step in enumerate(turn.steps)
                if isinstance(step, Call)
            ),
        )
        for index, turn in enumerate(transcript.turns)
    )
    find_hidden = build_hidden_failure_finder(call for turn in turns for call in turn.calls)
    turns = tuple(replace(turn, calls=tuple(map(find_hidden, turn.calls))) for turn in turns)
    calls = [call for turn in turns for call in turn.calls]
    commits = find_commits(calls)
    edits = tuple(
        FileEdit(path, seen.turn, seen.step, seen.call.hunks, seen.call.path)
        for seen in calls
        if (path := find_edited_path(seen.call, transcript.cwd))
    )
    busy = frozenset({edit.turn for edit in edits} | {commit.turn for commit in commits})
    return ObservedSession(
        transcript=transcript,
        turns=turns,
        subagents=tuple(observe_call(call, NO_TURN, 0) for call in transcript.subagents),
        commits=commits,
        pull_requests=find_pull_requests(transcript),
        checks=_gather_checks(calls),
        edits=edits,
        branch=find_branch(transcript, calls, busy, commits),
    )


# -- Texts ----------------------------------------------------------------------------------------


def _turn_texts(turn: Turn, index: int) -> Iterator[ObservedText]:
    """Yield the texts of a turn in the order of time; the assistant's last one closes it."""
    yield from _split_user_text(turn.prompt, "prompt", index, 0, turn.at)
    places = (at for at, step in enumerate(turn.steps) if isinstance(step, AssistantText))
    last_text = max(places, default=-1)
    for at, step in enumerate(turn.steps):
        if isinstance(step, AssistantText):
            place: Place = "closing" if at == last_text else "narration"
            text, sentences = step.text, parse_sentences(step.text)
            yield ObservedText("assistant", place, index, at, step.at, text, sentences)
        elif isinstance(step, Steer):
            yield from _split_user_text(step.text, "steer", index, at + 1, step.at)
        elif isinstance(step, Compaction):
            text, sentences = step.summary, parse_sentences(step.summary)
            yield ObservedText("summary", "summary", index, at, step.at, text, sentences)
        elif isinstance(step, Call):
            yield from _call_texts(step, index, at)


def _call_texts(call: Call, turn: int, step: int) -> Iterator[ObservedText]:
    """Yield what a call shows to the user, and what the user said about it."""
    if call.plan:
        sentences = parse_sentences(call.plan)
        yield ObservedText("plan", "plan", turn, step, call.at, call.plan, sentences, call.id)
    if call.reason:
        yield from _split_user_text(call.reason, "refusal", turn, step + 1, call.at, call.id)
    for answer in call.answers:
        if answer.free:
            yield from _split_user_text(answer.text, "answer", turn, step + 1, call.at, call.id)


def _split_user_text(  # noqa: PLR0913, PLR0917 - as Text has them
    raw: str, how: How, turn: int, step: int, at: datetime, call: str = ""
) -> Iterator[ObservedText]:
    """Part what is stored as the user's by who speaks in it."""
    for speaker, text, is_trivial in _split_by_speaker(raw, how, turn, at):
        sentences = parse_sentences(text) if speaker != "harness" else ()
        yield ObservedText(speaker, how, turn, step, at, text, sentences, call, is_trivial)


def _split_by_speaker(
    raw: str, how: How, turn: int, at: datetime
) -> Iterator[tuple[Speaker, str, bool]]:
    request = parse_ask(raw)
    if not request.text and not request.trace:
        if raw.strip():
            yield "harness", raw, False
        return
    if request.is_plan or request.pasted or request.is_command:
        kind: Speaker = "plan" if request.is_plan else "pasted" if request.pasted else "command"
        yield kind, request.text, False
        return
    utterance = Utterance(request, how, turn, at)
    own_text = own_words(utterance).strip()
    if own_text or request.trivial:
        yield "user", own_text or request.text, request.trivial
    for text in (find_foreign_words(utterance), request.trace):
        if text:
            yield "pasted", text, False


# -- Calls ----------------------------------------------------------------------------------------

_ANNOUNCES_FAILURE = re.compile(  # "This should fail now", "Let me see it fail"
    r"(?i)\b(?:should|will|must|to) (?:now )?fail\b|\b(?:see|watch) (?:it|them|the tests?) fail"
    r"|\b(?:verify|confirm|check|ensure|show)(?:ing)? (?:that )?"
    r"(?:it|they|the (?:new )?tests?) fails?"
    r"|\breproduc(?:e|es|ing)\b|\bfailing tests? first|\b(?:verify|confirm)(?:ing)? the bug\b"
)
_GREETS_FAILURE = re.compile(  # "It fails as expected", "The test confirms it"
    r"(?i)\bas expected\b|\bexpected(?:ly)? fail|\bexpected to fail|\breproduc(?:es|ed)\b"
    r"|\b(?:tests?|bug|this|that|it|which) (?:\w+ )?confirm(?:s|ed)?\b"
    r"|^confirmed\b|\bconfirming the bugs?\b"
)
_TEST_KINDS = ("test", "compile", "panic", "exception")
# "bash: line 3: jq: command not found": what a shell says itself, whatever it goes on with
_NOT_FOUND = "command not found"
_SHELL_LINE = re.compile(rf"^(?:\S*sh|\(eval\)):(?: line)? ?\d*:? .*{_NOT_FOUND}")


def observe_call(call: Call, turn: int, step: int, steps: Sequence[Step] = ()) -> ObservedCall:
    """Read a call, the step at that place among the steps of its turn."""
    commands = parse_commands(call.command) if call.command else ()
    faults = find_faults(call)
    is_expected = bool(faults) and all(_is_expected(call, fault, steps, step) for fault in faults)
    folder = find_call_folder(call, commands)
    return ObservedCall(call, turn, step, commands, judge_call(call), faults, is_expected, folder)


def build_hidden_failure_finder(
    calls: Iterable[ObservedCall],
) -> Callable[[ObservedCall], ObservedCall]:
    """Give what finds, in a call whose status is hidden, the errors that the same command had."""
    by_action: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for seen_call in calls:
        errors = {(fault.kind, fault.masked) for fault in seen_call.faults if fault.informative}
        by_action[describe_action(seen_call.call.command)] |= errors

    def judge(run: ObservedCall) -> ObservedCall:
        call, earlier = run.call, by_action.get(describe_action(run.call.command), set())
        has_ended = call.kind == "shell" and call.answered and not call.is_refused
        if run.faults or not has_ended or not (earlier or _NOT_FOUND in call.result):
            return run
        # its status is another command's
        if run.outcome.by == "closing line" or not hides_status(call.command):
            return run
        faults = tuple(
            fault
            for fault in diagnose(call.result, call.command)
            if (fault.kind, fault.masked) in earlier or _SHELL_LINE.match(fault.line)
        )
        outcome = CallOutcome("failed", "error text")
        return replace(run, outcome=outcome, faults=faults) if faults else run

    return judge


def _is_expected(call: Call, fault: Fault, steps: Sequence[Step], index: int) -> bool:
    """Say whether a test was announced to fail, or its failure greeted as the one wanted."""
    if not fault.kind.startswith(_TEST_KINDS) or not is_check(call.command):
        return False
    text_before, text_after = (
        step.text if 0 <= at < len(steps) and isinstance(step := steps[at], AssistantText) else ""
        for at in (index - 1, index + 1)
    )
    # a test that was to fail may not compile by mistake
    is_announced = _ANNOUNCES_FAILURE.search(text_before) and not fault.kind.startswith("compile")
    return bool(is_announced or _GREETS_FAILURE.search(text_after))


# -- Checks and files -----------------------------------------------------------------------------

_SELECTS_TESTS = re.compile(  # "-run", "--grep=x", "a.py::test_b", "test_a.py"
    r"-run|-k|-t|-g|--?(?:filter|grep|testNamePattern|tests?|only)(?:=.*)?|.*::.*|.*\.(?:py"
    r"|[jt]sx?|rb|go|rs)|--no-run|--collect-only|--?list(?:Tests)?"
)
_NO_WORK_FILE = re.compile(  # "/tmp/x", "~/.claude/x": scratch and the client's own
    r"(?:^|/)(?:tmp|scratchpad)/|^(?:/|~|[A-Za-z]:).*/\.(?:claude|codex)/|(?:^|/)\.claude/(?:plans"
    r"|projects|todos)/|AppData/Local/Temp/|^/(?:private|var/folders)/"
)
_MAX_OUTSIDE_NAMES = 4  # of a path outside the session's folder: they tell where it belongs


def _gather_checks(calls: Iterable[ObservedCall]) -> tuple[ObservedCheck, ...]:
    """Gather the checks with all their runs; the order is that of their last runs."""
    runs: dict[str, list[CheckRun]] = {}
    for call in calls:
        for command, outcome in find_check_outcomes(call.call):
            if (name := verb(command)) != "git commit":
                is_whole = runs_whole_check(command.words)
                run = CheckRun(call.turn, call.step, outcome, is_whole, call.folder)
                runs[name] = [*runs.pop(name, []), run]
    return tuple(ObservedCheck(name, tuple(check_runs)) for name, check_runs in runs.items())


def runs_whole_check(words: Sequence[str]) -> bool:
    """Say whether a command runs all of a check, and no selection or folder of it."""
    if tuple(words[:2]) == ("go", "test") and "-c" in words:  # it only compiles
        return False
    folders = any("/" in word and not word.endswith("./...") for word in words[2:])
    return not folders and not any(map(_SELECTS_TESTS.fullmatch, words))


def find_edited_path(call: Call, cwd: str) -> str:
    """Give the file that a call changed, "" where it changed none that belongs to the work."""
    if call.kind != "edit" or call.is_error or not call.answered:
        return ""
    # a name can hold line ends and worse; what cannot be printed is shown as "?"
    path = "".join(c if c.isprintable() else "?" for c in call.path).replace("\\", "/")
    root = cwd.replace("\\", "/").rstrip("/") + "/"
    if len(root) > 1 and path.lower().startswith(root.lower()):
        path = path[len(root) :]
    if _NO_WORK_FILE.search(path):
        return ""
    is_absolute = path.startswith(("/", "~")) or path[1:2] == ":"
    return "/".join(path.split("/")[-_MAX_OUTSIDE_NAMES:]) if is_absolute else path
