"""Find the small change between a failure and its success that is most surely the fix.

It is taken from the edits' line diff and not from prose, which is often a guess refuted ten
messages later. A change counts only if it is small and stands in the file, on the line or in the
words of the error. A test made green by writing the new value into it was not fixed, so a change of
nothing but values in a test file is none; of a run's several findings each has an edit of its own.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from memoria.agents.transcript import Call
from memoria.capture.extract.failures.diagnosis import Fault
from memoria.capture.extract.signatures import mask

# More changed lines than these are a rewrite, in which the fix cannot be told from the rest; where
# the very line of the error was changed, the handling of it comes with it (`if err != nil {`).
_MAX_LINES, _MAX_AT_PLACE = 4, 8
_MAX_EDIT_LINES = 400  # difflib is quadratic; a longer edit is no small fix anyway
_LINE_CHARS = 200  # of one line that is shown
_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}")
_ENDING = re.compile(r"(?:ing|ed|es|s)$")
_COMMON_WORDS = {
    "error", "fail", "func", "return", "line", "file", "string", "type", "value", "this",
    "that", "with", "from", "have", "does", "when", "then", "want", "expected", "actual",
    "should", "must", "not", "true", "false", "none", "null", "test", "self", "const", "import",
    "package", "path",
}  # fmt: skip
# "from x import y", "#include <x>", and in Go's list: "\"net/http\"", ")"
_IMPORT_LINE = re.compile(
    r"^\s*(?:import\b|from \S+ import|use |#include|require\(|\"[\w./-]+\"$|[)(]?$)"
)
_MISSING = re.compile(
    r"(?i)undefined|not defined|cannot find|unresolved|no module|unused import|never used|not used"
)
_POSITION = re.compile(r"^\S+:\d+(?::\d+)?:")  # "src/app.go:3:7:"
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,}")
_COMMENT = re.compile(r"^\s*(?://|#(?!include|define|if|endif)|/?\*(?:\s|/|$)|<!--)")
_SILENCES = re.compile(r"(?i)nolint|noqa|type: ?ignore|eslint-disable|@ts-|pragma")
# The rule that a comment silences: nolint:nilerr, eslint-disable-line no-eval
_SILENCED_RULE = re.compile(
    r"(?:nolint|noqa|eslint-disable(?:-\w+)*|type: ?ignore)[:\[ ]+([\w/@-]+)"
)
_SOURCE_SCORE = 100  # the very line that the linter shows: surer than any number of shared words
_CONFLICT_MARK = re.compile(r"^(?:<{7}|={7}|>{7})")


@dataclass(frozen=True, slots=True)
class LineChange:
    """The lines that an edit took away and brought, and the file; all empty where none is sure."""

    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    path: str = ""

    @property
    def text(self) -> str:
        """The lines as a diff, without comments that only explain it."""
        return "\n".join(
            f"{sign} {line.strip()[:_LINE_CHARS]}"
            for sign, lines in (("-", self.removed), ("+", self.added))
            for line in lines
            if line.strip() and (not self.is_comment(line) or _SILENCES.search(line))
        )

    def is_comment(self, line: str) -> bool:
        """Say whether a line of the file is a comment and nothing else."""
        is_prose = self.path.endswith((".md", ".mdx", ".markdown"))  # there "#" begins a heading
        return not is_prose and bool(_COMMENT.match(line))


def file_name(path: str) -> str:
    """Give the last part of a path."""
    return re.split(r"[/\\]", path)[-1]


def find_likely_fix(
    edits: Sequence[Call], fault: Fault, others: Collection[str] = ()
) -> LineChange:
    """Find the small change that is most surely the fix, the first of equals.

    `others` are the lines of code that the same run named for other faults: who changes one of
    them fixes that other fault.
    """
    calls_of_file = [call for call in edits if file_name(call.path) == file_name(fault.place)]
    changes = [
        change
        for call in calls_of_file or edits
        for change in _list_small_changes(call, fault.source)
        if not _is_for_other_fault(change, fault, others)
    ]
    changes_at_source = [change for change in changes if _has_source(change.removed, fault.source)]
    changes = changes_at_source[-1:] or changes  # what was changed there once more was no fix yet
    scores = [_score_sureness(change, fault) for change in changes]
    best = max(scores, default=0)
    # A file with one small change, made once or often, has no other that could be it; imports come
    # with any change.
    is_only = bool(calls_of_file) and len(set(map(_find_differing_words, changes))) == 1
    is_sure = best or (is_only and not _is_wiring(changes[0]))
    return changes[scores.index(best)] if is_sure else LineChange()


def _list_small_changes(call: Call, source: str) -> Iterator[LineChange]:
    for hunk in call.hunks:
        old, new = hunk.old.splitlines(), hunk.new.splitlines()
        if not old or max(len(old), len(new)) > _MAX_EDIT_LINES:
            continue
        for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            change = LineChange(tuple(old[i:j]), tuple(new[k:m]), call.path)
            limit = _MAX_AT_PLACE if _has_source(change.removed, source) else _MAX_LINES
            if tag != "equal" and len(change.removed + change.added) <= limit and _is_fix(change):
                yield change


def _has_source(lines: Sequence[str], source: str) -> bool:
    return bool(source) and any(source in line for line in lines)


def _is_for_other_fault(change: LineChange, fault: Fault, others: Collection[str]) -> bool:
    """Say whether a change is at another fault's line, or silences another rule than this one."""
    if _has_source(change.removed, fault.source):
        return False
    rules = {rule for line in change.added for rule in _SILENCED_RULE.findall(line)}
    is_at_other = any(_has_source(change.removed, other) for other in others)
    return is_at_other or (bool(rules) and fault.kind.partition(":")[2] not in rules)


def _find_differing_words(change: LineChange) -> tuple[frozenset[str], frozenset[str]]:
    """Give the words that only one side has: alike for a change that is made in many places."""
    old, new = (frozenset(" ".join(side).split()) for side in (change.removed, change.added))
    return old - new, new - old


def _is_fix(change: LineChange) -> bool:
    """Say whether a change can be a fix: no conflict marker, no comment, no new expected value."""
    lines = [line for line in (*change.removed, *change.added) if line.strip()]
    if not lines or any(_CONFLICT_MARK.match(line) for line in lines):
        return False
    if all(map(change.is_comment, lines)):
        return any(_SILENCES.search(line) for line in lines)
    is_same = [mask(line) for line in change.removed] == [mask(line) for line in change.added]
    return not (is_same and re.search("(?i)test|spec", file_name(change.path)))


def _score_sureness(change: LineChange, fault: Fault) -> int:
    """How surely it is the fix: it changes the line that was shown, or shares words with it."""
    fault_line, text = _POSITION.sub("", fault.line), " ".join((*change.removed, *change.added))
    about, words = _stems(fault_line), _stems(text)
    if _is_wiring(change):  # an import is the fix only of what speaks of its missing name
        missing = _MISSING.search(fault_line)
        complaint = missing[0].split() if missing else ()
        about = frozenset(_IDENTIFIER.findall(fault_line)).difference(complaint)
        words = frozenset(_IDENTIFIER.findall(text)) if missing else frozenset()
    return _SOURCE_SCORE * _has_source(change.removed, fault.source) + len(about & words)


def _stems(text: str) -> frozenset[str]:
    return frozenset(_ENDING.sub("", word.lower()) for word in _WORD.findall(text)) - _COMMON_WORDS


def _is_wiring(change: LineChange) -> bool:
    return all(_IMPORT_LINE.match(line) for line in (*change.removed, *change.added))
