"""Merge two changes of a text line by line, None where they meet; show one.

What a person saves in a note at the moment in which Memoria writes it stands beside what Memoria
adds: additions at one place are both taken, the person's first. Where days lie between the two, as
when a step is taken back, changes that touch are left alone. After a crash the first is done again
on a text that holds both changes already, and then nothing may come twice.
"""

import re
from difflib import SequenceMatcher, unified_diff
from itertools import pairwise, takewhile
from operator import eq
from typing import NamedTuple

_MAX_LINES = 50_000  # far more than a day's log has, and to compare more would take seconds
# Settings can hold keys in "env": the diff, which lands in terminals and logs, shows one line about
_CONTEXT_LINES = 1
_OPEN_LINE = "\\ No newline at end of file"


class _Change(NamedTuple):
    """Lines `start` to `end` of the base become `lines`; none of them for an addition."""

    start: int
    end: int
    lines: list[str]


def merge_texts(base: str, ours: str, theirs: str) -> str | None:
    """Put two changes of a text together; None where both have changed the same lines."""
    # a last line without its end would run into the next one
    lines, *versions = (
        (text if not text or text.endswith("\n") else f"{text}\n").splitlines(keepends=True)
        for text in (base, theirs, ours)
    )
    if max(map(len, (lines, *versions))) > _MAX_LINES:
        return None
    changes = _merge_changes(*(_find_changes(lines, version) for version in versions))
    return None if changes is None else _apply_changes(lines, changes)


def merge_if_apart(base: str, ours: str, other: str) -> str | None:
    """Put two changes of a text together; None where they touch. The same in both counts once."""
    lines = base.splitlines(keepends=True)
    first, others = (_find_changes(lines, text.splitlines(keepends=True)) for text in (ours, other))
    changes = sorted([*first, *(change for change in others if change not in first)])
    if any(change.end >= following.start for change, following in pairwise(changes)):
        return None
    return _apply_changes(lines, changes)


def _apply_changes(lines: list[str], changes: list[_Change]) -> str:
    parts, at = [], 0
    for change in changes:
        parts += [*lines[at : change.start], *change.lines]
        at = change.end
    return "".join([*parts, *lines[at:]])


def _find_changes(base: list[str], text: list[str]) -> list[_Change]:
    head = sum(1 for _ in takewhile(lambda pair: eq(*pair), zip(base, text, strict=False)))
    ends = zip(reversed(base[head:]), reversed(text[head:]), strict=False)
    tail = sum(1 for _ in takewhile(lambda pair: eq(*pair), ends))
    matcher = SequenceMatcher(
        None, base[head : len(base) - tail], text[head : len(text) - tail], autojunk=False
    )
    return [
        _Change(head + start, head + end, text[head + new_start : head + new_end])
        for kind, start, end, new_start, new_end in matcher.get_opcodes()
        if kind != "equal"
    ]


def _merge_changes(theirs: list[_Change], ours: list[_Change]) -> list[_Change] | None:
    """Order all changes; None where two of them are about the same lines."""
    merged: list[_Change] = []
    for change in sorted([*theirs, *ours], key=lambda item: (item.start, item.end)):
        last = merged[-1] if merged else None
        if last is None or change.start > last.end:
            merged.append(change)
        elif both := _merge_touching(last, change):
            merged[-1:] = both
        else:
            return None
    return merged


def _merge_touching(first: _Change, second: _Change) -> list[_Change]:
    """Give two changes that touch each other as they can both be made; [] where they cannot."""
    for change, other in ((first, second), (second, first)):
        # after a crash the one holds the other already, perhaps within what it replaces
        starts = range(len(change.lines) - len(other.lines) + 1)
        is_held = any(change.lines[at : at + len(other.lines)] == other.lines for at in starts)
        if change == other or (other.start == other.end and is_held):
            return [change]
    if first.end > second.start:
        return []
    if (first.start, first.end) != (second.start, second.end):
        return [first, second]
    return [first._replace(lines=[*first.lines, *second.lines])]


def format_diff(old: str, new: str, name: str) -> str:
    """Give the change as a unified diff, "" where there is none."""
    # split at \n alone: JSON strings may hold the other characters that end a line
    old_lines, new_lines = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (old, new))
    rows = unified_diff(old_lines, new_lines, name, name, n=_CONTEXT_LINES)
    # a line that the file leaves open is marked as git and diff(1) mark it
    return "".join(row if row.endswith("\n") else f"{row}\n{_OPEN_LINE}\n" for row in rows)
