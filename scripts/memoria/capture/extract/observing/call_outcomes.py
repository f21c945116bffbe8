"""Tell by a shell call's status and output how each check in it ended, and how the call did.

The exit status tells, where it is that of the work. Behind a pipe, a `;` or an `||` it is another
command's; then the tool's own closing line tells, or what the command line itself prints for each
case ("&& echo OK"). The word "error" in a log tells nothing, and neither does its absence.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from memoria.agents.transcript import Call
from memoria.capture.extract.observing.closing_lines import find_closing_state, is_runner, is_silent
from memoria.text.shell.actions import (
    Command,
    describe_action,
    is_check,
    is_check_command,
    is_question,
    is_quiet,
    parse_commands,
    verb,
)

State = Literal["passed", "failed", "unknown"]
# "[lint] ", "> app@1.0 lint": how mise, and how npm and pnpm announce a script by its name
_SCRIPT_HEADING = r"^(?:\[NAME[\]:]|> \S+ NAME\b)"


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """How a call or a check ended, and what tells it."""

    state: State = "unknown"
    by: Literal["status", "closing line", "error text", "nothing"] = "nothing"


_MAX_CHECK_CHARS = 600  # a longer command is a script that happens to run a test
# how an agent's client announces the status in the output itself
_STATUS_LINE = re.compile(r"\A\s*(?:Error: )?Exit code \d+\s*")
# "serve & # x": a shell lets it go on by itself, so the status says that it was begun
_IN_BACKGROUND = re.compile(r"(?<!&)&[\s)}'\"]*(?:(?<=\s)#.*)?\Z")
# "! (a && b)", "x; ! { a; }": turns round the status of more than a command
_INVERTED_GROUP = re.compile(r"(?m)(?:^|[;&|])\s*!\s*[({]")
_TIME_UP_STATUS = 124  # the command's own limit ended it, as with a server that goes on
# what `ls` and its like leave with where nothing is, on macOS and on Linux
_NOTHING_THERE_STATUS = (1, 2)
_LOOKS = {"ls", "cat", "stat", "head", "tail", "wc", "file", "find", "du", "tree", "readlink",
          "realpath", "git log", "git show", "git branch", "git remote"}  # fmt: skip
_LISTINGS = {"pip show", "pip3 show", "uv pip show", "npm ls", "npm list", "npm view", "kill"}
_SHOWING_FILTERS = {"head", "tail", "cat", "tee"}  # filters that show all of what is short
# of any other filter: "grep -E 'ok|FAIL'", "grep -v 'no test files'"
_KEEPS_FAILURES = re.compile(r"(?i)fail|error|✘|^\S+ -\w*v")
_SILENCING_OPTION = re.compile(r"(?:^| )(?:-s|--silent|-q|--quiet|-i)(?: |$)")
# what a client writes where a command printed nothing
NOTHING = {"", "(no content)", "(Bash completed with no output)"}

_PASSED, _FAILED = CallOutcome("passed", "status"), CallOutcome("failed", "status")
_UNKNOWN = CallOutcome()


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands joined by pipes, and the operator before the first of them."""

    operator: str
    parts: tuple[Command, ...]

    @property
    def check(self) -> Command | None:
        """The check that it runs, None where it runs none."""
        return next((part for part in self.parts if is_verdict(part)), None)

    @property
    def is_quiet(self) -> bool:
        """Whether it only changes the shell or prints, so that it hardly fails."""
        return all(map(is_quiet, self.parts))

    @property
    def is_script(self) -> bool:
        """Whether its check is a script that the project has named."""
        return self.check is not None and is_runner(verb(self.check))


def is_verdict(command: Command) -> bool:
    """Say whether a command tests, lints, type-checks, builds or commits."""
    return not command.is_filter and (is_check_command(command) or verb(command) == "git commit")


def build_pipelines(commands: Sequence[Command]) -> tuple[Pipeline, ...]:
    """Join the commands of a line to pipelines."""
    pipes: list[Pipeline] = []
    for command in commands:
        if command.is_filter and pipes:
            pipes[-1] = Pipeline(pipes[-1].operator, (*pipes[-1].parts, command))
        else:
            pipes.append(Pipeline(command.operator, (command,)))
    return tuple(pipes)


@lru_cache(maxsize=64)  # each detector that reads a call asks again
def find_check_outcomes(call: Call) -> tuple[tuple[Command, CallOutcome], ...]:
    """Give the checks that a call ran, each with how it ended; one that did not run is left out."""
    has_ended = call.answered and not call.is_refused
    if call.kind != "shell" or not has_ended or len(call.command) > _MAX_CHECK_CHARS:
        return ()
    pipes = build_pipelines(parse_commands(call.command))
    if not any(pipe.check for pipe in pipes):
        return ()
    outcomes = _judge_pipelines(call, pipes)
    return tuple(
        (pipe.check, outcome)
        for pipe, outcome in zip(pipes, outcomes, strict=True)
        if pipe.check and outcome is not None
    )


def _judge_pipelines(call: Call, pipes: Sequence[Pipeline]) -> list[CallOutcome | None]:
    """Judge each pipeline; None for one that did not run."""
    status = 1 if call.is_error and call.status is None else call.status
    if status is None or _IN_BACKGROUND.search(call.command):  # it goes on in the background
        return [_UNKNOWN for _ in pipes]
    shown = [
        _invert_outcome(pipe, _judge_by_output(call, pipes, at)) if pipe.check else _UNKNOWN
        for at, pipe in enumerate(pipes)
    ]
    start = len(pipes) if _INVERTED_GROUP.search(call.command) else _find_last_chain(pipes)
    chain, chain_shown = pipes[start:], shown[start:]
    judge = _went_on if status == 0 else _judge_failed_chain
    pairs = zip(pipes, [*shown[:start], *judge(call, chain, chain_shown)], strict=True)
    return [outcome and _invert_outcome(pipe, outcome) for pipe, outcome in pairs]


def _invert_outcome(pipe: Pipeline, outcome: CallOutcome) -> CallOutcome:
    """Give of a check's result the line's, and of the line's the check's: `!` turns it round."""
    if outcome.state == "unknown" or not pipe.parts[0].is_inverted:
        return outcome
    return replace(outcome, state="failed" if outcome.state == "passed" else "passed")


def _find_last_chain(pipes: Sequence[Pipeline]) -> int:
    """Give where the `&&` list begins that gave the call its status: nowhere if `||` decides."""
    start = len(pipes) - 1
    while start > 0 and pipes[start].operator == "&&":
        start -= 1
    return len(pipes) if pipes[start].operator == "||" else start


def _has_own_status(call: Call, pipe: Pipeline) -> bool:
    """Say whether a pipeline's status is its check's: nothing behind it, or pipefail."""
    return len(pipe.parts) == 1 or "pipefail" in call.command


def _went_on(
    call: Call, pipes: Sequence[Pipeline], outcomes: Sequence[CallOutcome]
) -> list[CallOutcome | None]:
    """Judge lines of which each had to succeed for what came after it."""
    return [
        _PASSED if _has_own_status(call, pipe) else outcome
        for pipe, outcome in zip(pipes, outcomes, strict=True)
    ]


def _judge_failed_chain(
    call: Call, pipes: Sequence[Pipeline], outcomes: Sequence[CallOutcome]
) -> list[CallOutcome | None]:
    """Find which of an `&&` list failed: all before it passed, all after it did not run."""
    places = [
        at
        for at, outcome in enumerate(outcomes)
        if outcome.state != "unknown" and _has_begun(call, pipes, pipes[at])
    ]
    last = places[-1] if places else -1
    if places and outcomes[last].state == "failed":
        culprit: int | None = last
    else:
        fallible = [at for at in range(last + 1, len(pipes)) if not pipes[at].is_quiet]
        culprit = fallible[0] if len(fallible) == 1 else None
        if places and not fallible:  # its tests passed, and still it failed: a threshold, a plugin
            culprit = last
    if culprit is None:
        begun = max(last, 0)
        return [*_went_on(call, pipes[:begun], outcomes[:begun]), *outcomes[begun:]]
    verdict = _FAILED if _has_own_status(call, pipes[culprit]) else outcomes[culprit]
    earlier = _went_on(call, pipes[:culprit], outcomes[:culprit])
    return [*earlier, verdict, *[None] * (len(pipes) - culprit - 1)]


def _has_begun(call: Call, pipes: Sequence[Pipeline], pipe: Pipeline) -> bool:
    """Say whether a script was begun, where the runner writes so of another one of the list."""
    names = [verb(pipe.check).split(" ")[-1] for pipe in pipes if pipe.check and pipe.is_script]
    headings = {name: _SCRIPT_HEADING.replace("NAME", re.escape(name)) for name in names}
    announced = {name for name in names if re.search(headings[name], call.result, re.MULTILINE)}
    script = verb(pipe.check).split(" ")[-1] if pipe.check else ""
    return not announced or not pipe.is_script or script in announced


def _judge_by_output(call: Call, pipes: Sequence[Pipeline], at: int) -> CallOutcome:
    """Judge a check by what was printed."""
    pipe = pipes[at]
    assert pipe.check is not None  # noqa: S101 - asked of checks alone
    output = _STATUS_LINE.sub("", call.result, count=1)
    state = _parse_echoed_state(pipes, at, output) or find_closing_state(verb(pipe.check), output)
    if state == "passed" and _is_cut(pipe, output):
        return _UNKNOWN
    if not state and _says_nothing(call, pipes, at, output):
        state = "passed"
    return CallOutcome(state, "closing line") if state else _UNKNOWN


def _is_cut(pipe: Pipeline, output: str) -> bool:
    """Say whether what tells of a failure may be missing: `| head -20`, `| grep ok`."""
    filters = (part for part in pipe.parts[1:] if verb(part) not in _SHOWING_FILTERS)
    if any(not _KEEPS_FAILURES.search(" ".join(part.words)) for part in filters):
        return True
    heads = [part for part in pipe.parts[1:] if verb(part) == "head"]
    if not heads:
        return False
    count = re.search(r"-n?\s*(\d+)", " ".join(heads[0].words[1:]))
    return output.count("\n") + 1 >= (int(count[1]) if count else 10)  # what `head` shows by itself


def _says_nothing(call: Call, pipes: Sequence[Pipeline], at: int, output: str) -> bool:
    """Say whether a tool that tells nothing but failures told none, and all is shown."""
    check = pipes[at].check
    if check is None or not is_silent(verb(check)) or _is_cut(pipes[at], output):
        return False
    is_alone = len([pipe for pipe in pipes if not pipe.is_quiet]) == 1
    # what was begun in the background may not have come to what it says
    goes_on = any(pipe.operator == "&" for pipe in pipes)
    is_hidden = ">" in call.command.replace("2>&1", "") or _SILENCING_OPTION.search(
        " ".join(check.words)
    )
    is_telling = not is_runner(verb(check)) and output.strip() not in NOTHING
    is_whole = all(verb(part) in _SHOWING_FILTERS for part in pipes[at].parts[1:])
    return is_alone and is_whole and not (goes_on or is_hidden or is_telling)


def _parse_echoed_state(pipes: Sequence[Pipeline], at: int, output: str) -> State | None:
    """Read what the command line prints itself: `&& echo OK || echo FAILED`, `; echo "exit $?"`."""
    for number in range(at + 1, min(at + 3, len(pipes))):
        pipe = pipes[number]
        echo = pipe.parts[0]
        if verb(echo) != "echo" or len(pipe.parts) > 1:
            break
        text = " ".join(word for word in echo.words[1:] if not re.fullmatch(r"-[neE]+", word))
        pattern = re.escape(text).join(("^", r"\s*$"))
        if "?" in text or "PIPESTATUS" in text:
            if state := _parse_printed_status(text, output, is_piped=len(pipes[at].parts) > 1):
                return state
        elif text and pipe.operator in {"&&", "||"} and re.search(pattern, output, re.MULTILINE):
            return "passed" if pipe.operator == "&&" else "failed"
    return None


def _parse_printed_status(text: str, output: str, *, is_piped: bool) -> State | None:
    """Read the status that `echo "exit: $?"` printed; behind a pipe that is the filter's."""
    variable = next(iter(re.findall(r"\$\?|\$\{PIPESTATUS\[0\]\}", text)), "")
    if not variable or (is_piped and variable == "$?"):
        return None
    pattern = re.escape(text).replace(re.escape(variable), r"(\d{1,3})")
    match = re.search(f"^{pattern}", output, re.MULTILINE)
    return None if match is None else "passed" if match[1] == "0" else "failed"


def judge_call(call: Call) -> CallOutcome:
    """Say how a call ended."""
    if not call.answered or call.is_refused:
        return _UNKNOWN
    if call.kind == "shell":
        return _judge_shell_call(call)
    if call.kind == "output" and call.status is None:
        return _UNKNOWN
    return _FAILED if call.is_error or call.status else _PASSED


def _judge_shell_call(call: Call) -> CallOutcome:
    outcomes = [outcome for _, outcome in find_check_outcomes(call)]
    if failed_outcome := next((outcome for outcome in outcomes if outcome.state == "failed"), None):
        return failed_outcome
    if call.is_error:
        return _PASSED if is_answer(call) else _FAILED
    is_unknown = any(outcome.state == "unknown" for outcome in outcomes) or _goes_on(call)
    return _UNKNOWN if call.status is None or is_unknown else _PASSED


def _goes_on(call: Call) -> bool:
    """Say whether the work was begun in the background, and nothing but waiting came after it."""
    pipes = build_pipelines(parse_commands(call.command))
    places = [at for at, pipe in enumerate(pipes) if pipe.operator == "&"]
    waits = bool(places) and all(pipe.is_quiet for pipe in pipes[places[-1] :])
    return waits or bool(_IN_BACKGROUND.search(call.command))


def is_answer(call: Call) -> bool:
    """Say whether the exit status only answered "no", or was expected as the command was called."""
    if call.status is None:
        return False
    has_output = bool(_STATUS_LINE.sub("", call.result, count=1).strip())
    if call.status == _TIME_UP_STATUS:
        return "timeout" in call.command.split() and not is_check(call.command)
    if call.status == 1 and is_question(call.command, has_output=has_output):
        return True
    verbs = set(describe_action(call.command).split(" && "))
    # Who throws the error away asks whether there is something; `pip show` says it in words.
    is_asking = not has_output and "2>/dev/null" in call.command and verbs <= _LOOKS
    return call.status in _NOTHING_THERE_STATUS and (is_asking or verbs <= _LISTINGS)
