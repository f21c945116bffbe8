"""A fault and the calls after it -> its Resolution: what made the same action pass.

The fix is taken from the edits' line diff and not from prose: newer models say little between
calls, and what they say is often a guess refuted ten messages later. A change counts only if it is
small and speaks of the error. The trap: a test made green by writing the new value into it was not
mended, so a change of nothing but values in a test file is none.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

from memoria.stages.command import action, is_check
from memoria.stages.signature import mask

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memoria.stages.transcript import Call

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
_MARKER = re.compile(r"^(?:<{7}|={7}|>{7})")
_TEST_FILE = re.compile(r"(?i)test|spec")
_EDITS = {"Edit", "MultiEdit", "Write", "NotebookEdit"}


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


def _file(call: Call) -> str:
    return call.argument("file_path") or call.argument("notebook_path") or call.argument("path")


def _name(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


def is_same_action(failed: Call, later: Call) -> bool:
    """Say whether a later call does what the failed one was to do."""
    if failed.name in _EDITS:
        return later.name in _EDITS and _file(later) == _file(failed)
    if failed.name != later.name:
        return False
    if failed.name == "Read":
        stem, other = (_name(_file(call)).rsplit(".", 1)[0] for call in (failed, later))
        return stem == other or bool(_stems(stem) & _stems(other))
    if command := failed.argument("command"):
        return _is_same_command(command, later.argument("command"))
    return True


def _is_same_command(command: str, later: str) -> bool:
    tried, done = action(command), action(later)
    if tried == done:
        return True
    # `fmt && lint` failed and `lint` passed: a check they share is enough.
    shared = set(tried.split(" && ")) & set(done.split(" && "))
    return any(is_check(verb) for verb in shared)


def _pairs(call: Call) -> Iterator[tuple[str, str]]:
    """Yield the replacements of an edit as (old, new)."""
    if call.name == "Edit":
        yield call.argument("old_string"), call.argument("new_string")
    elif call.name == "MultiEdit":
        try:
            edits = json.loads(call.argument("edits"))
        except ValueError:
            return  # the argument was too long and has been cut
        for edit in edits if isinstance(edits, list) else ():
            if isinstance(edit, dict):
                yield str(edit.get("old_string", "")), str(edit.get("new_string", ""))


def _hunks(old: str, new: str) -> Iterator[tuple[list[str], list[str]]]:
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > _LONGEST_EDIT:
        return
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal" and (j - i) + (m - k) <= _MOST_LINES:
            yield before[i:j], after[k:m]


def _is_fix(removed: list[str], added: list[str], file: str) -> bool:
    """Say whether a hunk can be a fix: no import, no conflict marker, no new expected value."""
    lines = [line for line in (*removed, *added) if line.strip()]
    if not lines or any(_MARKER.match(line) for line in lines):
        return False
    if all(_IMPORT.match(line) for line in lines):
        return False
    same = [mask(line) for line in removed] == [mask(line) for line in added]
    return not (same and _TEST_FILE.search(_name(file)))


def _shown(removed: Sequence[str], added: Sequence[str]) -> str:
    return "\n".join(
        f"{sign} {line.strip()[:_WIDTH]}"
        for sign, lines in (("-", removed), ("+", added))
        for line in lines
        if line.strip()
    )


def _diff(edits: Sequence[Call], error: str) -> str:
    """The small change that shares most words with the error, the first of equals; or ""."""
    about = _stems(error)
    best, most = "", 0
    for call in edits:
        for old, new in _pairs(call):
            for removed, added in _hunks(old, new):
                shared = len(about & _stems(" ".join((*removed, *added))))
                if shared > most and _is_fix(removed, added, _file(call)):
                    best, most = _shown(removed, added), shared
    return best


def _edited_again(failed: Call, between: Sequence[Call], passed: Call) -> str:
    """What made a refused edit pass, in a few words."""
    old, new = failed.argument("old_string"), passed.argument("old_string")
    if passed.argument("replace_all").lower() == "true":
        return "replace_all"
    if old and old in new and old != new:
        return "more context in old_string"
    read = any(call.name == "Read" and _file(call) == _file(failed) for call in between)
    return "read the file first" if read else ""


def _rephrased(failed: Call, passed: Call) -> str:
    names = ("command", "file_path", "path", "pattern", "url", "query", "skill")
    for name in names:
        old, new = failed.argument(name), passed.argument(name)
        if old and new and old != new:
            return _shown(old.splitlines()[:1], new.splitlines()[:1])
    return ""


def resolve(failed: Call, error: str, between: Sequence[Call], passed: Call) -> Resolution:
    """Say how a failed call came to pass: by edits, as it was, or with other inputs.

    `between` are the successful calls from the failure to the success.
    """
    if failed.name in _EDITS:
        return Resolution("rephrase", _edited_again(failed, between, passed), passed.at)
    edits = [call for call in between if call.name in _EDITS]
    if edits and is_check(failed.argument("command")):
        return Resolution("edit", _diff(edits, error), passed.at)
    if failed.arguments == passed.arguments:
        return Resolution("retry", "", passed.at)
    # That a check was called otherwise later is no fix of what it found.
    change = "" if is_check(failed.argument("command")) else _rephrased(failed, passed)
    return Resolution("rephrase", change, passed.at)
