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

# lines; far more than a day's log has, and to compare more would take seconds
_MOST = 50_000
# Settings can hold keys in "env": the diff, which lands in terminals and logs, shows one line about
_CONTEXT = 1
_OPEN_LINE = "\\ No newline at end of file"


class _Change(NamedTuple):
    """Lines `start` to `end` of the base become `lines`; none of them for an addition."""

    start: int
    end: int
    lines: list[str]


def merge_texts(base: str, ours: str, theirs: str) -> str | None:
    """Put two changes of a text together; None where both have changed the same lines."""
    # a last line without its end would run into the next one
    before, after, other = (
        (text if not text or text.endswith("\n") else f"{text}\n").splitlines(keepends=True)
        for text in (base, ours, theirs)
    )
    if max(map(len, (before, after, other))) > _MOST:
        return None
    changes = _merge_changes(_find_changes(before, other), _find_changes(before, after))
    return None if changes is None else _apply_changes(before, changes)


def merge_if_apart(base: str, first_text: str, other: str) -> str | None:
    """Put two changes of a text together; None where they touch. The same in both counts once."""
    lines = base.splitlines(keepends=True)
    mine, theirs = (
        _find_changes(lines, text.splitlines(keepends=True)) for text in (first_text, other)
    )
    both = sorted([*mine, *(change for change in theirs if change not in mine)])
    if any(first.end >= second.start for first, second in pairwise(both)):
        return None
    return _apply_changes(lines, both)


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
        _Change(head + start, head + end, text[head + first : head + last])
        for kind, start, end, first, last in matcher.get_opcodes()
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
    for mine, other in ((first, second), (second, first)):
        # after a crash the one holds the other already, perhaps within what it replaces
        starts = range(len(mine.lines) - len(other.lines) + 1)
        is_held = any(mine.lines[at : at + len(other.lines)] == other.lines for at in starts)
        if mine == other or (other.start == other.end and is_held):
            return [mine]
    if first.end > second.start:
        return []
    if (first.start, first.end) != (second.start, second.end):
        return [first, second]
    return [first._replace(lines=[*first.lines, *second.lines])]


def format_diff(old: str, new: str, name: str) -> str:
    """Give the change as a unified diff, "" where there is none."""
    # split at \n alone: JSON strings may hold the other characters that end a line
    before, after = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (old, new))
    rows = unified_diff(before, after, name, name, n=_CONTEXT)
    # a line that the file leaves open is marked as git and diff(1) mark it
    return "".join(row if row.endswith("\n") else f"{row}\n{_OPEN_LINE}\n" for row in rows)
