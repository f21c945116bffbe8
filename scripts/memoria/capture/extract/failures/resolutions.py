"""Find what made a failed action pass: its resolution.

Either files were edited (`changed_lines` finds the lines), a variable that the error had named was
set, one other command was run, or the command was called in another way; else it went away by
itself. What only looks changes nothing, and of two commands that may have helped it cannot be told
which did.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from itertools import chain, dropwhile

from memoria.agents.transcript import Call
from memoria.capture.extract.failures.changed_lines import file_name, find_likely_fix
from memoria.capture.extract.failures.diagnosis import Fault
from memoria.capture.extract.observed import find_edited_path
from memoria.text.shell.actions import (
    Command,
    describe_action,
    is_check,
    is_check_command,
    is_quiet,
    parse_commands,
    runs_program,
    verb,
)
from memoria.vault.storage.ledger_records import Resolution

# Later than this many calls the same action serves another purpose (measured on real sessions).
WINDOW = 40
_COMMAND_CHARS = 200  # of a command that is shown
# "unknown flag: -x", "usage: x": the failure lay in how the command was called, so the other call
# is what made it pass
_MISCALLED = re.compile(
    r"(?i)\b(?:flag|option|argument|arg\(s\)|switch|subcommand|build constraints|missing script)"
    r"|^usage:|no rule to make|no such (?:file|command)|not found|does not exist|unrecogni[sz]ed"
)
_TAKES_BACK = {"git checkout", "git restore", "git revert", "git reset"}
# They show something, or prepare a commit; after them nothing passes that did not before.
_GIT_LOOKS = "status diff log show branch blame remote rev-parse ls-files grep add commit fetch"
_LOOKS = frozenset(
    """ls cat head tail wc find stat file du tree grep egrep rg awk jq sort uniq diff which command
    type pwd date env ps lsof curl test [""".split()  # noqa: SIM905 - a word list reads best as words
).union((f"git {verb}" for verb in _GIT_LOOKS.split()), (
    "gh run view", "gh run list", "gh pr view", "gh pr checks", "gh pr diff", "docker ps",
    "docker logs", "go doc", "go list", "go env", "npm ls", "pip show",
))  # fmt: skip
# "lint --fix", "prettier --write", "make fmt": repairs what it finds
_REPAIRS = re.compile(r"(?:^| )(?:--fix\S*|--write|-w|--update\S*|--in-place)(?: |$)|f(?:or)?ma?t")
_OF_VARIABLE = re.compile(  # "X_KEY is required", "set X_KEY": speaks of an environment's variable
    r"(?i)\benv|\bset\b|unset|unbound|missing|required|(?:un|not )defined|export|provide|KeyError"
)
# "API_KEY", "TOKEN: unbound variable"
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[A-Z]{4,}(?=: unbound variable)")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_MAX_LINE_CHARS = 400  # a longer one is data
# what a linter or a compiler finds is found by the last check of a row that stops at a failure
_FOUND_LAST = ("lint:", "compile")


def is_same_action(failed: Call, later: Call, kind: str = "") -> bool:
    """Say whether a later call does what the failed one was to do, by the kind of its fault."""
    if _is_shell(failed):
        old_action, new_action = describe_action(failed.command), describe_action(later.command)
        checks = [check for check in old_action.split(" && ") if is_check(check)]
        # `fmt && lint` failed and `lint` passed: a check they share is enough; but of
        # `test && lint` the tests had passed: to run them again says nothing of the linter
        shared = [check for check in checks if check in new_action.split(" && ")]
        if kind.startswith(_FOUND_LAST):
            shared = [check for check in shared if check == checks[-1]]
        return _is_shell(later) and (old_action == new_action or bool(shared))
    if failed.kind == "edit":
        return later.kind == "edit" and failed.path == later.path
    is_same_tool = failed.name == later.name
    return is_same_tool and file_name(failed.path) == file_name(later.path)


@dataclass(frozen=True, slots=True)
class Recovery:
    """A failed call with one of its faults, and how the same action came to pass.

    `between` are the successful calls from the failure to the success, `others` the lines of code
    that the run named for its other faults, `cwd` is the session's folder.
    """

    failed: Call
    fault: Fault
    between: Sequence[Call]
    passed: Call
    cwd: str = ""
    others: frozenset[str] = frozenset()

    @property
    def edits(self) -> list[Call]:
        """The calls between that changed a file."""
        return [call for call in self.between if call.kind == "edit"]


def resolve(recovery: Recovery) -> Resolution:
    """Say how a failed call came to pass."""
    failed, passed = recovery.failed, recovery.passed
    if _is_shell(failed):
        return _find_variable(recovery) or _find_edit(recovery) or _find_command(recovery)
    is_same = failed.arguments == passed.arguments
    return Resolution("retry" if is_same else "rephrase", "", passed.at)


def resolve_correction(line: str, work: Sequence[Call], at: datetime) -> Resolution:
    """Say how the agent ended what the user's words had corrected, by the calls that it made."""
    for call in work:
        if not call.is_error and any(
            verb(part) in _TAKES_BACK for part in parse_commands(call.command)
        ):
            return Resolution("edit", _first_line(call), at)
    edits = [call for call in work if call.kind == "edit" and not call.is_error]
    if not edits:
        return Resolution("rephrase", "", at)
    return Resolution("edit", find_likely_fix(edits, Fault("correction", line, "")).text, at)


def find_other_check(failed: Call, fault: Fault, between: Iterable[Call]) -> Resolution | None:
    """Find the check that passed instead of one that lacked a variable; None where none did.

    What lacks a setting never began its work, so the project's own way to run it is what helped.
    """
    is_unset = _VARIABLE.search(fault.line) and _OF_VARIABLE.search(fault.line)
    if not is_unset or not is_check(failed.command):
        return None
    for call in between:
        if _writes_file(call):
            return None
        if _is_shell(call) and is_check(call.command):
            return Resolution("command", _first_line(call), call.at)
    return None


def _is_shell(call: Call) -> bool:
    return call.kind in {"shell", "output"}


def _find_edit(recovery: Recovery) -> Resolution | None:
    """Find the edit that made it pass; None where none of them can have."""
    fault, command, edits = recovery.fault, recovery.failed.command, recovery.edits
    if not edits or not (is_check(command) or runs_program(command) or fault.place):
        return None
    change = find_likely_fix(edits, fault, recovery.others)
    paths = {find_edited_path(call, recovery.cwd): file_name(call.path) for call in edits}
    of_change = {path for path, name in paths.items() if name == file_name(change.path)}
    of_fault = {path for path, name in paths.items() if name == file_name(fault.place)}
    (path,) = next((group for group in (of_change, of_fault, set(paths)) if len(group) == 1), {""})
    return Resolution("edit", change.text, recovery.passed.at, path)


def _find_variable(recovery: Recovery) -> Resolution | None:
    """Find a variable that the error names and that was set before it passed; never its value."""
    calls, at = (*recovery.between, recovery.passed), recovery.passed.at
    failed = recovery.failed
    lines = (line for line in failed.result.splitlines() if len(line) <= _MAX_LINE_CHARS)
    about = [line for line in lines if _OF_VARIABLE.search(line)]
    names = {name for line in about for name in _VARIABLE.findall(line)}
    for name in sorted(name for name in names if not _is_set(failed.command, name)):
        if any(_is_set(call.command, name) for call in calls):
            return Resolution("variable", name, at)
        sets = re.compile(rf"(?m)^\s*(?:export\s+)?{name}\s*[=:]").search
        for call in recovery.edits:
            if any(sets(hunk.new) and not sets(hunk.old) for hunk in call.hunks):
                return Resolution("variable", name, at, find_edited_path(call, recovery.cwd))
    return None


def _is_set(command: str, name: str) -> bool:
    return any(
        word.startswith(f"{name}=") for step in parse_commands(command) for word in step.words
    )


def _find_command(recovery: Recovery) -> Resolution:
    """Say which one other command, or which other way to call it, made it pass."""
    failed, passed = recovery.failed, recovery.passed
    old_steps, new_steps = list(_list_steps(failed.command)), list(_list_steps(passed.command))
    is_whole = set(old_steps) <= set(new_steps)
    if not is_whole and _is_sure(failed, recovery.fault, old_steps, new_steps):
        old_line, new_line = (_first_line(call) for call in (failed, passed))
        change = f"- {old_line}\n+ {new_line}" if old_line != new_line else ""
        return Resolution("rephrase", change, passed.at)
    if any(map(_writes_file, recovery.between)):
        return Resolution("edit", "", passed.at)
    shells = [call for call in recovery.between if _is_shell(call)]
    steps = [*chain.from_iterable(_list_steps(call.command) for call in shells), *new_steps]
    verbs = set(map(verb, old_steps))
    commands = {
        _format_command(step) for step in steps if verb(step) not in verbs and not _only_looks(step)
    }
    if commands:
        return Resolution("command", commands.pop() if len(commands) == 1 else "", passed.at)
    return Resolution("retry" if is_whole else "rephrase", "", passed.at)


def _list_steps(command: str) -> Iterator[Command]:
    """Yield the commands of a line that do something, without operators and assignments."""
    for step in parse_commands(command):
        if not step.is_filter and not is_quiet(step):
            yield Command(tuple(dropwhile(_ASSIGNMENT.match, step.words)))


def _format_command(step: Command) -> str:
    return " ".join(step.words)[:_COMMAND_CHARS]


def _only_looks(step: Command) -> bool:
    name, text = verb(step), _format_command(step)
    if name == "sed":
        return " -i" not in text
    return name in _LOOKS or (is_check_command(step) and not _REPAIRS.search(text))


def _writes_file(call: Call) -> bool:
    """Say whether a call changed a file, also by a command, which nobody can read as an edit."""
    return call.kind == "edit" or "<<" in call.command or "sed -i" in call.command


def _is_sure(failed: Call, fault: Fault, old: Sequence[Command], new: Sequence[Command]) -> bool:
    """Say whether the fault lay in how the command was called, and the other call shows it.

    A check that was called otherwise fixed nothing, nor does going on with a merge solve it.
    """
    if fault.kind == "conflict":
        return False
    if _MISCALLED.search(fault.line) or fault.kind == "usage":
        names = _find_argument_names(old)
        is_same_thing = not names or bool(names & _find_argument_names(new))
        return is_same_thing or _differ_in_options(old, new)
    return not is_check(failed.command) and _differ_in_options(old, new)


def _find_argument_names(steps: Sequence[Command]) -> frozenset[str]:
    """The names that a command line is about: no program, subcommand, option or folder."""
    return frozenset(
        file_name(word)
        for step in steps
        for word in step.words[1:]
        if not word.startswith("-") and word not in verb(step).split()
    )


def _differ_in_options(old_steps: Sequence[Command], new_steps: Sequence[Command]) -> bool:
    """Say whether one command became another by options and their values alone."""
    if len(old_steps) != 1 or len(new_steps) != 1:
        return False
    old, new = old_steps[0].words, new_steps[0].words
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        pieces = [(old, at) for at in range(i, j)] + [(new, at) for at in range(k, m)]
        if tag != "equal" and not all(
            words[at].startswith("-") or words[at - 1].startswith("-") for words, at in pieces
        ):
            return False
    return True


def _first_line(call: Call) -> str:
    return call.command.strip().split("\n")[0][:_COMMAND_CHARS]
