"""Edits of a session -> Samples: the few pieces of code that tell what was built.

A reader wants the ten lines that carry the idea and not the commit. So each edit is cut to its
blocks, and a block is worth what it shares with what was decided and learned, more if it mended an
error. The trap: an edit may have been overwritten by a later one; what is no longer in the file
must not be shown as if it were.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from memoria.stages.fence import fenced, language
from memoria.stages.sentence import stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.stages.transcript import Call, Transcript

MOST = 4  # samples of one session
_A_FILE = 2  # of one file: two show it, three are the file
_EDITORS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit", "Update", "StrReplace"})
_TAIL = 4  # names of a path outside of the folder, as stages/work.py keeps them
_LEAST, _BEST, _LONGEST = 3, 8, 26  # lines: a sample, a telling one, what fits on a screen
_DIFF = 14  # changed lines that still read as a change and not as two texts
_MENDED = 1.5  # it made an error go away
_SIZED = 0.6  # long enough to stand alone
_ASIDE = {"test": -1.2, "doc": -1.2, "data": -1.0}
_TEST = re.compile(r"(?i)(?:^|/)tests?/|(?:^|[/_.-])(?:test|spec)s?(?:[_.-]|$)|_test\.")
_DOCS = re.compile(r"(?i)\.(?:md|rst|txt|adoc)$|changelog")
_DATA = re.compile(r"(?i)\.(?:json|lock|csv|svg|snap|toml|ya?ml|cfg|ini)$|(?:^|/)go\.sum$")
# where content.py left out the middle of a long argument
_GAP = re.compile(r"\[\.\.\. \d+ characters left out \.\.\.\]")
_IMPORT = re.compile(
    r"^\s*(?:import\b|from \S+ import|use |#include|require\(|package |\"[\w./-]+\"$|[)(]?$)"
)
_SHARED = 0.45  # of a sentence's words: enough to be about the code
_BEST_SHARED = 3  # sentences that count: a long piece shares a word with all of them
_ABOUT = 10  # words that can tell; more would favour the longest piece


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement in a file; `old` is "" where a file was written anew."""

    call: str
    file: str
    old: str
    new: str
    turn: int


@dataclass(frozen=True, slots=True)
class Sample:
    """A piece of code: its file, the code fenced, and the sentence that it shows ("" for none)."""

    file: str
    shown: str
    caption: str


def edited(call: Call, cwd: str, files: Sequence[str]) -> str:
    """Give the file that a call changed, as `files` name it; "" where it changed none of them."""
    if call.name not in _EDITORS or call.is_error or not call.answered:
        return ""
    path = (call.argument("file_path") or call.argument("notebook_path")).replace("\\", "/")
    root = cwd.replace("\\", "/").rstrip("/") + "/"
    inner = path[len(root) :] if path.lower().startswith(root.lower()) else path
    names = (inner, "/".join(path.split("/")[-_TAIL:]))
    return next((name for name in names if name in files), "")


def edits(transcript: Transcript, files: Sequence[str]) -> tuple[Edit, ...]:
    """Give the replacements made in those files, in order."""
    return tuple(
        Edit(call.id, file, old, new, index)
        for index, turn in enumerate(transcript.turns)
        for call in turn.calls
        if (file := edited(call, transcript.cwd, files))
        for old, new in _pairs(call)
        if new.strip()
    )


def _pairs(call: Call) -> Iterator[tuple[str, str]]:
    if call.name == "MultiEdit":
        try:
            items = json.loads(call.argument("edits"))
        except ValueError:
            return  # the argument was too long and has been cut
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict):
                yield str(item.get("old_string", "")), str(item.get("new_string", ""))
    else:
        new = call.argument("new_string") or call.argument("content") or call.argument("new_source")
        yield call.argument("old_string"), new


def samples(
    made: Sequence[Edit], sentences: Iterable[str], mended: Iterable[str]
) -> tuple[Sample, ...]:
    """Choose the most telling pieces, in the order of time.

    `sentences` are what was decided and learned, the best first; `mended` the lines of the changes
    that made errors go away.
    """
    about = [(text, stems(text)) for text in sentences]
    made = settled(made)
    lines = {
        line[2:].strip() for change in mended for line in change.split("\n") if line[:2] == "+ "
    }
    ranked: list[tuple[float, int, Edit, str]] = []
    for number, edit, piece in _latest(made):
        ranked.append((_worth(piece, edit, about, lines), -number, edit, piece))
    ranked.sort(key=lambda one: (-one[0], -one[1]))
    chosen: list[tuple[int, Sample]] = []
    taken: dict[str, int] = {}
    told: set[str] = set()
    for worth, number, edit, piece in ranked:
        if len(chosen) < MOST and worth > 0 and taken.get(edit.file, 0) < _A_FILE:
            taken[edit.file] = taken.get(edit.file, 0) + 1
            caption = _caption(piece, edit.file, [one for one in about if one[0] not in told])
            told.add(caption)
            chosen.append((-number, Sample(edit.file, _shown(edit, piece), caption)))
    chosen.sort(key=lambda one: one[0])
    return tuple(sample for _, sample in chosen)


def _latest(made: Sequence[Edit]) -> Iterator[tuple[int, Edit, str]]:
    """Give the pieces with the numbers of their edits; of those much alike only the latest."""
    kept: dict[str, list[set[str]]] = {}
    for number, edit in reversed(list(enumerate(made))):
        for piece in _pieces(edit):
            lines = _lines(piece)
            if not any(_alike(lines, other) for other in kept.setdefault(edit.file, [])):
                kept[edit.file].append(lines)
                yield number, edit, piece


def _lines(piece: str) -> set[str]:
    return {line.strip() for line in piece.split("\n") if len(line.strip()) > 1}


def _alike(one: set[str], other: set[str]) -> bool:
    """Whether two pieces share most lines of the shorter one."""
    return len(one & other) > min(len(one), len(other)) // 2


def settled(made: Sequence[Edit]) -> tuple[Edit, ...]:
    """Give the edits as they stand in the files at the end: later ones within them are applied.

    A later edit that is within an earlier one is no edit of its own any more; what was written over
    by a whole file, or by an edit that reaches beyond it, is gone.
    """
    kept: list[Edit] = []
    for edit in made:
        inside = False
        standing: list[Edit] = []
        for other in kept:
            if other.file != edit.file:
                standing.append(other)
            elif edit.old and edit.old in other.new:
                standing.append(replace(other, new=other.new.replace(edit.old, edit.new, 1)))
                inside = True
            elif edit.old and not _is_overtaken(other, edit):
                standing.append(other)
        kept = standing if inside else [*standing, edit]
    return tuple(kept)


def _is_overtaken(edit: Edit, later: Edit) -> bool:
    """Whether most of what an edit wrote was taken out again by a later one."""
    mine = [line for line in edit.new.split("\n") if line.strip()]
    gone = set(later.old.split("\n")) - set(later.new.split("\n"))
    return sum(line in gone for line in mine) > len(mine) // 2


def _pieces(edit: Edit) -> Iterator[str]:
    """Part what was written into blocks of code of a size that can be shown."""
    new = edit.new.expandtabs(4)
    if _GAP.search(new):
        # the parts beside the gap are whole, but for the lines at it
        parts = [part.strip("\n").split("\n") for part in _GAP.split(new)]
        wholes = ["\n".join(parts[0][:-1]), "\n".join(parts[-1][1:])]
    else:
        wholes = [new]
    for whole in wholes:
        lines = whole.strip("\n").split("\n")
        if len(lines) <= _LONGEST:
            yield "\n".join(lines)
            continue
        yield from _blocks(lines)


def _blocks(lines: Sequence[str]) -> Iterator[str]:
    """Give the blocks of a long text: from a line at the left margin to the next after a gap."""
    starts = [
        index
        for index, line in enumerate(lines)
        if line and not line[0].isspace() and (not index or not lines[index - 1].strip())
    ]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        block = "\n".join(lines[start:end]).strip("\n").split("\n")
        if len(block) <= _LONGEST:
            yield "\n".join(block)
        else:
            yield "\n".join([*block[: _LONGEST - 1], "…"])


def _worth(
    piece: str, edit: Edit, about: Sequence[tuple[str, frozenset[str]]], mended: set[str]
) -> float:
    lines = [line for line in piece.split("\n") if line.strip()]
    # a change of one line tells something beside what it replaced
    if len(lines) < (1 if edit.old else _LEAST) or all(_IMPORT.match(line) for line in lines):
        return 0.0
    words = stems(_split_names(piece))
    rated = sorted((len(words & other) / max(len(other), _ABOUT) for _, other in about))
    worth = sum(rated[-_BEST_SHARED:]) + (_SIZED if len(lines) >= _BEST else 0.0)
    worth += _MENDED if any(line.strip() in mended for line in lines) else 0.0
    kinds = {"test": _TEST, "doc": _DOCS, "data": _DATA}
    return worth + sum(_ASIDE[kind] for kind, form in kinds.items() if form.search(edit.file))


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


def _split_names(piece: str) -> str:
    """Give code with the words of its names beside the names."""
    return f"{piece} {_CAMEL.sub(' ', piece)}"


_FILE = re.compile(r"[\w-]+\.[a-z]{1,4}\b(?!\()")


def _caption(piece: str, file: str, about: Sequence[tuple[str, frozenset[str]]]) -> str:
    """Give the sentence that a piece of code shows best, "" if none is about it.

    One that names another file is about that.
    """
    words = stems(_split_names(piece))
    rated = [
        (len(words & other) / len(other), text)
        for text, other in about
        if other and all(name in file for name in _FILE.findall(text)[:1])
    ]
    best = max(rated, default=(0.0, ""), key=lambda one: one[0])
    return best[1] if best[0] >= _SHARED else ""


def _shown(edit: Edit, piece: str) -> str:
    """Show a small change as a diff, everything else as it is now."""
    old, new = edit.old.expandtabs(4).strip("\n"), edit.new.expandtabs(4).strip("\n")
    if old and piece == new and not _GAP.search(old):
        before, after = old.split("\n"), new.split("\n")
        lines: list[str] = []
        for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if tag == "equal":
                lines += [f"  {line}" for line in before[i:j]]
            else:
                lines += [f"- {line}" for line in before[i:j]]
                lines += [f"+ {line}" for line in after[k:m]]
        changed = sum(line[:1] in "+-" for line in lines)
        removed = sum(line[:1] == "-" for line in lines)
        if removed and changed <= _DIFF and len(lines) <= _LONGEST:
            return fenced("\n".join(lines), "diff")
    return fenced(piece, language(edit.file))
