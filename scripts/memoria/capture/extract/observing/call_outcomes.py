"""Tell by a shell call's status and output how each check in it ended, and how the call did.

The exit status tells, where it is that of the work. Behind a pipe, a `;` or an `||` it is another
command's; then the tool's own closing line tells, or what the command line itself prints for each
case ("&& echo OK"). The word "error" in a log tells nothing, and neither does its absence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.agents.transcript import Call

State = Literal["passed", "failed", "unknown"]


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """How a call or a check ended, and what tells it."""

    state: State = "unknown"
    by: Literal["status", "closing line", "error text", "nothing"] = "nothing"


_LONGEST_CHECK = 600  # characters: a longer command is a script that happens to run a test
# how an agent's client announces the status in the output itself
_STATUS_LINE = re.compile(r"\A\s*(?:Error: )?Exit code \d+\s*")
# what a shell lets go on by itself: the status says that it was begun
_LEFT = re.compile(r"(?<!&)&[\s)}'\"]*(?:(?<=\s)#.*)?\Z")
# it turns round the status of more than a command
_TURNED = re.compile(r"(?:^|[;&|])\s*!\s*[({]", re.MULTILINE)
# the limit that the command was called with ended it, as with a server that goes on
_TIME_UP = 124
# what `ls` and its like leave with where nothing is, on macOS and on Linux
_NOTHING_THERE = (1, 2)
_LOOKS = {"ls", "cat", "stat", "head", "tail", "wc", "file", "find", "du", "tree", "readlink",
          "realpath", "git log", "git show", "git branch", "git remote"}  # fmt: skip
_LISTINGS = {"pip show", "pip3 show", "uv pip show", "npm ls", "npm list", "npm view", "kill"}
# filters that show all of what is short
_CUTS = {"head", "tail", "cat", "tee"}
_HUSHED = re.compile(r"(?:^| )(?:-s|--silent|-q|--quiet|-i)(?: |$)")
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


def build_pipelines(ran: Sequence[Command]) -> tuple[Pipeline, ...]:
    """Join the commands of a line to pipelines."""
    pipes: list[Pipeline] = []
    for command in ran:
        if command.is_filter and pipes:
            pipes[-1] = Pipeline(pipes[-1].operator, (*pipes[-1].parts, command))
        else:
            pipes.append(Pipeline(command.operator, (command,)))
    return tuple(pipes)


@lru_cache(maxsize=64)  # each detector that reads a call asks again
def find_check_outcomes(call: Call) -> tuple[tuple[Command, CallOutcome], ...]:
    """Give the checks that a call ran, each with how it ended; one that did not run is left out."""
    ended = call.answered and not call.is_refused
    if call.kind != "shell" or not ended or len(call.command) > _LONGEST_CHECK:
        return ()
    lines = build_pipelines(parse_commands(call.command))
    if not any(line.check for line in lines):
        return ()
    judged = _judge_pipelines(call, lines)
    return tuple(
        (line.check, result)
        for line, result in zip(lines, judged, strict=True)
        if line.check and result is not None
    )


def _judge_pipelines(call: Call, lines: Sequence[Pipeline]) -> list[CallOutcome | None]:
    """Judge each pipeline; None for one that did not run."""
    status = 1 if call.is_error and call.status is None else call.status
    if status is None or _LEFT.search(call.command):  # it goes on in the background
        return [_UNKNOWN for _ in lines]
    shown = [
        _invert_outcome(line, _judge_by_output(call, lines, at)) if line.check else _UNKNOWN
        for at, line in enumerate(lines)
    ]
    start = len(lines) if _TURNED.search(call.command) else _find_last_chain(lines)
    last, ended = lines[start:], shown[start:]
    results = _went_on(call, last, ended) if status == 0 else _judge_failed_chain(call, last, ended)
    pairs = zip(lines, [*shown[:start], *results], strict=True)
    return [result and _invert_outcome(line, result) for line, result in pairs]


def _invert_outcome(line: Pipeline, result: CallOutcome) -> CallOutcome:
    """Give of a check's result the line's, and of the line's the check's: `!` turns it round."""
    if result.state == "unknown" or not line.parts[0].is_inverted:
        return result
    return replace(result, state="failed" if result.state == "passed" else "passed")


def _find_last_chain(lines: Sequence[Pipeline]) -> int:
    """Give where the `&&` list begins that gave the call its status: nowhere if `||` decides."""
    start = len(lines) - 1
    while start > 0 and lines[start].operator == "&&":
        start -= 1
    return len(lines) if lines[start].operator == "||" else start


def _has_own_status(call: Call, line: Pipeline) -> bool:
    """Say whether a pipeline's status is its check's: nothing behind it, or pipefail."""
    return len(line.parts) == 1 or "pipefail" in call.command


def _went_on(
    call: Call, lines: Sequence[Pipeline], shown: Sequence[CallOutcome]
) -> list[CallOutcome | None]:
    """Judge lines of which each had to succeed for what came after it."""
    return [
        _PASSED if _has_own_status(call, line) else result
        for line, result in zip(lines, shown, strict=True)
    ]


def _judge_failed_chain(
    call: Call, lines: Sequence[Pipeline], shown: Sequence[CallOutcome]
) -> list[CallOutcome | None]:
    """Find which of an `&&` list failed: all before it passed, all after it did not run."""
    places = [
        at
        for at, result in enumerate(shown)
        if result.state != "unknown" and _has_begun(call, lines, lines[at])
    ]
    last = places[-1] if places else -1
    if places and shown[last].state == "failed":
        culprit: int | None = last
    else:
        fallible = [at for at in range(last + 1, len(lines)) if not lines[at].is_quiet]
        culprit = fallible[0] if len(fallible) == 1 else None
        if places and not fallible:  # its tests passed, and still it failed: a threshold, a plugin
            culprit = last
    if culprit is None:
        begun = max(last, 0)
        return [*_went_on(call, lines[:begun], shown[:begun]), *shown[begun:]]
    blamed = _FAILED if _has_own_status(call, lines[culprit]) else shown[culprit]
    before = _went_on(call, lines[:culprit], shown[:culprit])
    return [*before, blamed, *[None] * (len(lines) - culprit - 1)]


# how mise, and how npm and pnpm announce a script by its name
_HEADING = r"^(?:\[NAME[\]:]|> \S+ NAME\b)"


def _has_begun(call: Call, lines: Sequence[Pipeline], line: Pipeline) -> bool:
    """Say whether a script was begun, where the runner writes so of another one of the list."""
    names = [verb(line.check).split(" ")[-1] for line in lines if line.check and line.is_script]
    headings = {name: _HEADING.replace("NAME", re.escape(name)) for name in names}
    headed = {name for name in names if re.search(headings[name], call.result, re.MULTILINE)}
    own = verb(line.check).split(" ")[-1] if line.check else ""
    return not headed or not line.is_script or own in headed


def _judge_by_output(call: Call, lines: Sequence[Pipeline], at: int) -> CallOutcome:
    """Judge a check by what was printed."""
    line = lines[at]
    assert line.check is not None  # noqa: S101 - asked of checks alone
    output = _STATUS_LINE.sub("", call.result, count=1)
    state = _parse_echoed_state(lines, at, output) or find_closing_state(verb(line.check), output)
    if state == "passed" and _is_cut(line, output):
        return _UNKNOWN
    if state:
        return CallOutcome(state, "closing line")
    return (
        CallOutcome("passed", "closing line")
        if _says_nothing(call, lines, at, output)
        else _UNKNOWN
    )


def _is_cut(line: Pipeline, output: str) -> bool:
    """Say whether the end of what a check printed may be missing: `| head -20`."""
    heads = [part for part in line.parts[1:] if verb(part) == "head"]
    if not heads:
        return False
    count = re.search(r"-n?\s*(\d+)", " ".join(heads[0].words[1:]))
    return output.count("\n") + 1 >= (int(count[1]) if count else 10)  # what `head` shows by itself


def _says_nothing(call: Call, lines: Sequence[Pipeline], at: int, output: str) -> bool:
    """Say whether a tool that tells nothing but failures told none, and all is shown."""
    check = lines[at].check
    if check is None or not is_silent(verb(check)) or _is_cut(lines[at], output):
        return False
    alone = len([line for line in lines if not line.is_quiet]) == 1
    # what was begun in the background may not have come to what it says
    goes_on = any(line.operator == "&" for line in lines)
    hidden = ">" in call.command.replace("2>&1", "") or _HUSHED.search(" ".join(check.words))
    is_telling = not is_runner(verb(check)) and output.strip() not in NOTHING
    is_whole = all(verb(part) in _CUTS for part in lines[at].parts[1:])
    return alone and is_whole and not (goes_on or hidden or is_telling)


def _parse_echoed_state(lines: Sequence[Pipeline], at: int, output: str) -> State | None:
    """Read what the command line prints itself: `&& echo OK || echo FAILED`, `; echo "exit $?"`."""
    for number in range(at + 1, min(at + 3, len(lines))):
        line = lines[number]
        echoed = line.parts[0]
        if verb(echoed) != "echo" or len(line.parts) > 1:
            break
        text = " ".join(word for word in echoed.words[1:] if not re.fullmatch(r"-[neE]+", word))
        pattern = re.escape(text).join(("^", r"\s*$"))
        if "?" in text or "PIPESTATUS" in text:
            if state := _parse_printed_status(text, output, is_piped=len(lines[at].parts) > 1):
                return state
        elif text and line.operator in {"&&", "||"} and re.search(pattern, output, re.MULTILINE):
            return "passed" if line.operator == "&&" else "failed"
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
    outcomes = [ended for _, ended in find_check_outcomes(call)]
    if failed := next((result for result in outcomes if result.state == "failed"), None):
        return failed
    if call.is_error:
        return _PASSED if is_answer(call) else _FAILED
    is_unknown = any(result.state == "unknown" for result in outcomes) or _goes_on(call)
    return _UNKNOWN if call.status is None or is_unknown else _PASSED


def _goes_on(call: Call) -> bool:
    """Say whether the work was begun in the background, and nothing but waiting came after it."""
    lines = build_pipelines(parse_commands(call.command))
    begun = [at for at, line in enumerate(lines) if line.operator == "&"]
    waits = bool(begun) and all(line.is_quiet for line in lines[begun[-1] :])
    return waits or bool(_LEFT.search(call.command))


def is_answer(call: Call) -> bool:
    """Say whether the exit status only answered "no", or was expected as the command was called."""
    if call.status is None:
        return False
    printed = bool(_STATUS_LINE.sub("", call.result, count=1).strip())
    if call.status == _TIME_UP:
        return "timeout" in call.command.split() and not is_check(call.command)
    if call.status == 1 and is_question(call.command, has_output=printed):
        return True
    verbs = set(describe_action(call.command).split(" && "))
    # Who throws the error away asks whether there is something; `pip show` says it in words.
    asked = not printed and "2>/dev/null" in call.command and verbs <= _LOOKS
    return call.status in _NOTHING_THERE and (asked or verbs <= _LISTINGS)
