"""Count which errors come back in several sessions, for every page and verb that tells of them.

Near signatures are one error. A fix is told where it is known: a command, a variable or another
call that worked, or the same edit in two sessions.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from memoria.capture.extract.signatures import group_families
from memoria.program import quote_words
from memoria.text.shorten import clip_line
from memoria.text.word_overlap import stems
from memoria.vault.storage.history import RecordedMistake
from memoria.vault.storage.ledger_records import USER, Mistake, Resolution

_MIN_SESSIONS = 2  # an error of one session did not come back
_MIN_UNFIXED_SESSIONS = 3  # from which on an error without a fix is worth a reader's time
_CODED = ":"  # in a kind: a tool gave the error a code, so its next text is the same error
_MAX_MINUTES = 60  # what takes longer to go away had a pause in it
_MIN_MINUTES = 5  # fewer tell a reader nothing
_MIN_COMMON_WORDS = 3  # that lines share, before these say what went wrong
_LINE, _FIX = 110, 90  # characters of an error and of its fix: what is read at a glance
_EDIT = 60  # characters of what an edit changed in a line, before and after
# errors of the agent's own file tools: it is told there what to do, and nobody else can
_FILE_TOOL_KINDS = frozenset({"not-found", "edit-mismatch", "not-read", "too-large"})
_FILE_TOOLS = frozenset({"Read", "Edit", "Write", "MultiEdit", "read", "edit", "write"})
_POSITION = re.compile(r"^\S+:\d+(?::\d+)?:\s+")  # "a.go:12: ": it is another one next time
_ADDED = re.compile(r"(?m)^\+ (.*)$")
_ONE_LINE_EDIT = re.compile(r"- (.*\S.*)\n\+ (.*\S.*)")
_LETTERS = re.compile(r"[^\W\d_]{3}")
_SHELL_SIGNS = re.compile(r"[`'\"$\\!\n]")
# "Don't run CI": no rule to run it is offered beside that
_DENIES = re.compile(r"(?i)\b(?:do(?:n['\u2019]?t| not)|never|avoid|stop|no longer)\b")
# "the unit tests are failing": what a user says of a check; its name is two words and more, or
# nobody could run it
_FAILING = re.compile(r"(?i)(\S+(?: \S+){1,4}) (?:is|are) (?:still )?failing\b")


@dataclass(frozen=True, slots=True)
class RecurringError:
    """An error of several sessions.

    `line` is what all its lines have in common, with … for what differs, or where that says
    nothing (`is_one_of_many`) how it read last. `minutes` is what passed until it went away, all
    together, where that is known; `fix` is what worked, "" where nothing is sure. `last` is the
    time of the latest, `example` how one line was edited so that it went, "" for none.
    """

    family: str
    line: str
    tool: str
    kind: str
    count: int
    sessions: int
    minutes: int
    fix: str
    last: datetime
    example: str = ""
    is_one_of_many: bool = False

    @property
    def is_fixed(self) -> bool:
        """Whether it is known what fixes it, or what once did."""
        return bool(self.fix or self.example)

    @property
    def is_worth_telling(self) -> bool:
        """Whether a reader learns from it: names that differ each time are the work of the day."""
        if self.is_fixed or self.tool == USER:
            return True
        return self.sessions >= _MIN_UNFIXED_SESSIONS and not self.is_one_of_many

    @property
    def _command_to_run(self) -> str:
        failing = _FAILING.match(clip_line(self.line, _LINE)) if self.tool == USER else None
        return self.fix or (failing[1] if failing else "")

    def is_covered_by(self, rules: Iterable[str]) -> bool:
        """Whether a rule in force names the fix, the tool's code or what the user said."""
        tool, _, code = self.kind.partition(":")
        error_words = self.line if self.tool == USER else code * (tool in {"lint", "compile"})
        parts = [*filter(None, map(_split_bare_words, (self._command_to_run, error_words)))]
        return any(part.issubset(_strip_marks(text).split()) for text in rules for part in parts)

    def command(self, rules: Iterable[str] = ()) -> str:
        """Give the command that makes a rule of it.

        "" where nothing general can be said, or one of the `rules`, in force or waiting, speaks of
        it.
        """
        rules = list(rules)
        words = f"Before you say that it is done, run {self._command_to_run} and see it pass"
        names = stems(self._command_to_run) - stems("run")
        if not self.fix and any(_DENIES.search(rule) and names & stems(rule) for rule in rules):
            return ""
        if self.fix:
            words = f"When this comes up, {clip_line(self.line, _LINE)}: {self.fix}"
        if not _split_bare_words(self._command_to_run) or self.is_covered_by(rules):
            return ""
        return f"memoria remember {quote_words(_SHELL_SIGNS.sub('', words))}"

    def format_line(self, total: int, scope: str = "", *, longest: int = _LINE) -> str:
        """Say in a line how often it came back and what fixed it, of `total` sessions there."""
        cost = f", cost at least {self.minutes} minutes" if self.minutes >= _MIN_MINUTES else ""
        example = f"; one fix: {self.example}" if self.example else ""
        fix = f" -> {self.fix}" if self.fix else example
        head = "errors like: " if self.is_one_of_many else ""
        if self.tool == USER:
            head = "you said, or the like: " if self.is_one_of_many else "you said: "
        line = clip_line(self.line, longest).rstrip(".")
        return f"{self.sessions} of {total} sessions{scope}{cost}: {head}{line}{fix}"


def _strip_marks(text: str) -> str:
    """Give a text without marks of code and without what ends its words."""
    return re.sub(r"[`\"']|[.,;:!?]+(?=\s|$)", "", text.casefold())


def _split_bare_words(text: str) -> set[str]:
    """Give the words of a command or a line; a rule may name the command without its options."""
    return {word for word in _strip_marks(text).split() if not word.startswith("-")}


def find_counted_errors(mistakes: Iterable[RecordedMistake]) -> tuple[RecordedMistake, ...]:
    """Give the errors that count, in the order of time, each with the signature of its family."""
    cases = [case for case in mistakes if not _is_of_file_tool(case.mistake)]
    families = group_families(case.mistake.signature for case in cases)
    return tuple(
        case._replace(mistake=replace(case.mistake, signature=families[case.mistake.signature]))
        for case in sorted(cases, key=lambda case: case.mistake.at)
    )


def _is_of_file_tool(mistake: Mistake) -> bool:
    return mistake.tool in _FILE_TOOLS and mistake.kind in _FILE_TOOL_KINDS


def find_recurring_errors(mistakes: Iterable[RecordedMistake]) -> tuple[RecurringError, ...]:
    """Give the errors that came back, those of the most sessions first."""
    groups: dict[str, list[RecordedMistake]] = {}
    for case in find_counted_errors(mistakes):
        groups.setdefault(case.mistake.signature, []).append(case)
    errors = [_build_error(family, group) for family, group in groups.items()]
    again = [error for error in errors if error.sessions >= _MIN_SESSIONS]
    return tuple(sorted(again, key=lambda error: (-error.sessions, -error.count, error.family)))


def find_errors_worth_telling(mistakes: Iterable[RecordedMistake]) -> tuple[RecurringError, ...]:
    """Give the errors that came back and that a reader learns from, those with a fix first."""
    return rank_errors(find_recurring_errors(mistakes))


def rank_errors(errors: Iterable[RecurringError]) -> tuple[RecurringError, ...]:
    """Leave out the errors that tell a reader nothing; put those with a fix first."""
    worth = (error for error in errors if error.is_worth_telling)
    return tuple(sorted(worth, key=lambda error: not error.is_fixed))


def _build_error(family: str, group: Sequence[RecordedMistake]) -> RecurringError:
    mistakes = [case.mistake for case in group]
    latest = mistakes[-1]
    ends = [(mistake.at, mistake.resolution.at) for mistake in mistakes if mistake.resolution]
    minutes = [(end - at).total_seconds() / 60 for at, end in ends]
    shown_mistake, example = next(_find_examples(mistakes), (latest, ""))
    line = _mask_differing_words(_strip_place(shown_mistake), {*map(_strip_place, mistakes)})
    return RecurringError(
        family,
        line or _strip_place(shown_mistake) or family,
        latest.tool,
        latest.kind,
        len(group),
        len({case.session for case in group}),
        round(sum(length for length in minutes if length <= _MAX_MINUTES)),
        _find_fix(mistakes),
        latest.at,
        example,
        is_one_of_many=not line,
    )


def _strip_place(mistake: Mistake) -> str:
    return _POSITION.sub("", " ".join(mistake.line.split()))


def _mask_differing_words(line_shown: str, lines: Iterable[str]) -> str:
    """Give a line with … for the words that not all lines have; "" where too few are left."""
    word_lists = [line.casefold().split() for line in lines]
    if all(line == word_lists[0] for line in word_lists):
        return line_shown
    shared = set(word_lists[0]).intersection(*word_lists[1:])
    words = line_shown.split()
    if (
        sum(word.casefold() in shared and bool(_LETTERS.search(word)) for word in words)
        < _MIN_COMMON_WORDS
    ):
        return ""
    runs = groupby(words, key=lambda word: word.casefold() in shared)
    return " ".join(" ".join(run) if is_shared else "\u2026" for is_shared, run in runs)


def _find_examples(mistakes: Sequence[Mistake]) -> Iterator[tuple[Mistake, str]]:
    """Give errors with the edit of one line by which they went away, the latest first."""
    for mistake in reversed(mistakes):
        fix = mistake.resolution
        pair = _ONE_LINE_EDIT.fullmatch(fix.change.strip()) if fix and fix.how == "edit" else None
        if pair and _CODED in mistake.kind and mistake.tool != USER:
            sides = _find_differing_words(pair[1].split(), pair[2].split())
            if all(0 < len(side) <= _EDIT and "`" not in side for side in sides):
                yield mistake, " became ".join(f"`{side}`" for side in sides)


def _find_differing_words(old: list[str], new: list[str]) -> tuple[str, str]:
    """Give the words in which two lines differ."""
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return " ".join(old), " ".join(new)


def _find_fix(mistakes: Iterable[Mistake]) -> str:
    """Give what fixed it: a command or another call that worked, or an edit that came twice."""
    fixes = [mistake.resolution for mistake in mistakes if mistake.resolution]
    texts = (_format_change(fix) for fix in fixes if fix.how != "retry")
    counts = Counter(filter(None, texts))
    best = max(sorted(counts), key=lambda text: counts[text], default="")
    return best if counts[best] > 1 or not best.startswith("`") else ""


def _format_change(fix: Resolution) -> str:
    """Give a change in a few words, "" for one that only its file explains."""
    is_edit = fix.how == "edit"
    lines = _ADDED.findall(fix.change) if is_edit else fix.change.strip().splitlines()
    text = lines[0].strip() if len(lines) == 1 else ""
    if len(text) > _FIX or (is_edit and "`" in text):
        return ""
    if is_edit:
        return f"`{text}`" if text else ""
    return "" if text.startswith(("- ", "+ ")) else text
