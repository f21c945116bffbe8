"""A fault and the calls after it -> its Resolution: what made the same action pass.

The fix is taken from the edits' line diff and not from prose: newer models say little between
calls, and what they say is often a guess refuted ten messages later. A change counts only if it is
small and stands in the file, on the line or in the words of the error. The trap: a test made green
by writing the new value into it was not mended, so a change of nothing but values in a test file is
none; and of a run's several findings each has an edit of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

from memoria.capture.extract.failures.diagnosis import Fault
from memoria.capture.extract.signatures import mask
from memoria.text.shell.actions import action, commands, is_check, verb

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memoria.agents.transcript import Call

How = Literal[
    "edit",  # files were edited, then the same action passed
    "retry",  # the same call passed later as it was
    "rephrase",  # the same kind of action passed with other inputs
]

# Later than this many calls the same action serves another purpose (measured on real sessions).
WINDOW = 40
# More changed lines than these are a rewrite, in which the fix cannot be told from the rest.
_MOST_LINES = 4
# difflib is quadratic; an edit longer than this is no small fix anyway.
_LONGEST_EDIT = 400
_WIDTH = 200  # of one line that is shown
_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}")
_ENDING = re.compile(r"(?:ing|ed|es|s)$")
_COMMON = {
    "error", "fail", "func", "return", "line", "file", "string", "type", "value", "this",
    "that", "with", "from", "have", "does", "when", "then", "want", "expected", "actual",
    "should", "must", "not", "true", "false", "none", "null", "test", "self", "const", "import",
    "package", "path",
}  # fmt: skip
_IMPORT = re.compile(
    r"^\s*(?:import\b|from \S+ import|use |#include|require\(|\"[\w./-]+\"$|[)(]?$)"
)
_MISSING = re.compile(
    r"(?i)undefined|not defined|cannot find|unresolved|no module|unused import|never used|not used"
)
_PLACED = re.compile(r"^\S+:\d+(?::\d+)?:")
_PLAIN = re.compile(r"[A-Za-z_]\w{2,}")
_COMMENT = re.compile(r"^\s*(?://|#(?!include|define|if|endif)|/?\*(?:\s|/|$)|<!--)")
_SILENCED = re.compile(r"(?i)nolint|noqa|type: ?ignore|eslint-disable|@ts-|pragma")
_SHOWN = 100  # the very line that the linter shows: surer than any number of shared words
# The failure lay in how the command was called, so the other call is what mended it.
_CALLED = re.compile(
    r"(?i)\b(?:flag|option|argument|arg\(s\)|switch|subcommand|build constraints|missing script)"
    r"|^usage:|no rule to make|no such (?:file|command)|not found|does not exist|unrecogni[sz]ed"
)
_MARKER = re.compile(r"^(?:<{7}|={7}|>{7})")
_TEST_FILE = re.compile(r"(?i)test|spec")
_TAKES_BACK = {"git checkout", "git restore", "git revert", "git reset"}


@dataclass(frozen=True, slots=True)
class Resolution:
    """How a mistake went away: the next success of the same kind of action.

    `change` is what was done in between, as lines of a diff ("- old", "+ new"; at most four, which
    share a word with the error) or in a few words; "" where nothing tells. `at` is the time of the
    success.
    """

    how: How
    change: str
    at: datetime


def _stems(text: str) -> frozenset[str]:
    return frozenset(_ENDING.sub("", word.lower()) for word in _WORD.findall(text)) - _COMMON


def _name(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


def is_same_action(failed: Call, later: Call) -> bool:
    """Say whether a later call does what the failed one was to do."""
    if failed.kind == "edit":
        return later.kind == "edit" and later.path == failed.path
    if failed.name != later.name:
        return False
    if failed.kind == "read":
        return _is_like(*(_name(call.path).rsplit(".", 1)[0] for call in (failed, later)))
    if failed.command:
        return _is_same_command(failed.command, later.command)
    return True


def _is_like(stem: str, other: str) -> bool:
    """Say whether two files' names are one, or share half of their words."""
    words, others = _stems(stem), _stems(other)
    return stem == other or 2 * len(words & others) >= len(words | others) > 0


def _is_same_command(command: str, later: str) -> bool:
    tried, done = action(command), action(later)
    if tried == done:
        return True
    # `fmt && lint` failed and `lint` passed: a check they share is enough.
    shared = set(tried.split(" && ")) & set(done.split(" && "))
    return any(is_check(verb) for verb in shared)


def _hunks(old: str, new: str) -> Iterator[tuple[list[str], list[str]]]:
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > _LONGEST_EDIT:
        return
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal" and (j - i) + (m - k) <= _MOST_LINES:
            yield before[i:j], after[k:m]


def _is_fix(removed: list[str], added: list[str], file: str) -> bool:
    """Say whether a hunk can be a fix: no conflict marker, no comment, no new expected value."""
    lines = [line for line in (*removed, *added) if line.strip()]
    if not lines or any(_MARKER.match(line) for line in lines):
        return False
    if all(_COMMENT.match(line) for line in lines):
        return any(_SILENCED.search(line) for line in lines)
    same = [mask(line) for line in removed] == [mask(line) for line in added]
    return not (same and _TEST_FILE.search(_name(file)))


def _shown(removed: Sequence[str], added: Sequence[str]) -> str:
    return "\n".join(
        f"{sign} {line.strip()[:_WIDTH]}"
        for sign, lines in (("-", removed), ("+", added))
        for line in lines
        if line.strip()
    )


def _diff(edits: Sequence[Call], fault: Fault) -> str:
    """The small change that is most surely the fix, the first of equals; or ""."""
    near = [call for call in edits if _name(call.path) == _name(fault.place)]
    hunks = [
        (removed, added)
        for call in near or edits
        for hunk in call.hunks
        if hunk.old
        for removed, added in _hunks(hunk.old, hunk.new)
        if _is_fix(removed, added, call.path)
    ]
    sure = [_sureness(removed, added, fault) for removed, added in hunks]
    best = max(sure, default=0)
    # A file with one small change has no other that could be it; imports come with any change.
    alone = bool(near) and len(hunks) == 1 and not _is_wiring((*hunks[0][0], *hunks[0][1]))
    return _shown(*hunks[sure.index(best)]) if best or alone else ""


def _sureness(removed: Sequence[str], added: Sequence[str], fault: Fault) -> int:
    """How surely a hunk is the fix: it changes the line that was shown, or shares words with it."""
    said, text = _PLACED.sub("", fault.line), " ".join((*removed, *added))
    about, words = _stems(said), _stems(text)
    if _is_wiring((*removed, *added)):  # an import is the fix only of what speaks of its name
        about, words = _missing(said), frozenset(_PLAIN.findall(text))
    changed = bool(fault.source) and any(line.strip() == fault.source for line in removed)
    return _SHOWN * changed + len(about & words)


def _is_wiring(lines: Sequence[str]) -> bool:
    return all(_IMPORT.match(line) for line in lines)


def _missing(said: str) -> frozenset[str]:
    """The names in an error that speaks of a missing or useless one, else none."""
    named = _MISSING.search(said)
    return frozenset(_PLAIN.findall(said)) - frozenset(named[0].split()) if named else frozenset()


def _rephrased(failed: Call, passed: Call) -> str:
    """Show the input in which the call that passed differs from the one that failed."""
    if failed.command:
        if failed.command == passed.command or not _is_related(failed.command, passed.command):
            return ""
        return _shown(failed.command.splitlines()[:1], passed.command.splitlines()[:1])
    for name, old in failed.arguments:
        new = passed.argument(name)
        if old and new and old != new:
            return _shown(old.splitlines()[:1], new.splitlines()[:1])
    return ""


def _is_related(command: str, later: str) -> bool:
    """Say whether two command lines speak of one thing beside their programs and flags."""
    about = _subjects(command)
    return not about or bool(about & _subjects(later))


def _subjects(text: str) -> frozenset[str]:
    """The names that a command line is about: no program, subcommand, flag, folder or filter."""
    doing = [one for one in commands(text) if not one.is_filter and verb(one) != "cd"]
    return frozenset(
        _name(word)
        for one in doing
        for word in one.words[1:]
        if not word.startswith("-") and word not in verb(one).split()
    )


def resolve(failed: Call, fault: Fault, between: Sequence[Call], passed: Call) -> Resolution:
    """Say how a failed call came to pass: by edits, as it was, or with other inputs.

    `between` are the successful calls from the failure to the success.
    """
    if failed.kind == "edit":
        # what lets an edit pass (to read the file first) the client says itself
        return Resolution("rephrase", "", passed.at)
    check = is_check(failed.command)
    edits = [call for call in between if call.kind == "edit"]
    if edits and check:
        return Resolution("edit", _diff(edits, fault), passed.at)
    if failed.arguments == passed.arguments:
        return Resolution("retry", "", passed.at)
    # That a check was called otherwise later is no fix of what it found, nor is going on with a
    # merge how its conflict was solved.
    told = fault.kind != "conflict" and (not check or bool(_CALLED.search(fault.line)))
    return Resolution("rephrase", _rephrased(failed, passed) if told else "", passed.at)


def mended(said: str, work: Sequence[Call], at: datetime) -> Resolution:
    """Say how the agent ended what the user's words had corrected, by the calls that it then made.

    `at` is when that work was done.
    """
    for call in work:
        if not call.is_error and any(verb(one) in _TAKES_BACK for one in commands(call.command)):
            return Resolution("edit", call.command.strip().split("\n")[0][:_WIDTH], at)
    edits = [call for call in work if call.kind == "edit" and not call.is_error]
    if not edits:
        return Resolution("rephrase", "", at)
    return Resolution("edit", _diff(edits, Fault("correction", said, "")), at)
