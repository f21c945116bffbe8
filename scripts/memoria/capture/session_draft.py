"""Draft a written entry of a captured session: its commits, errors, fixes and what it taught.

Everything is taken from what log, extract and ledger hold of the session; the places that only the
person can fill stay open. The improvements are mostly the assistant's words, so they are given
beside the sections: who reads the note later must not take them for the person's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.capture.extract.sentences import containment, stems
from memoria.text.fences import code, fenced, quoted
from memoria.text.markdown import inert
from memoria.vault.written.categories import categorised

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.vault.entry import Entry, Extract, Mistake, Statement

_ERRORS = 8  # that are shown
_FILES = 8  # that are listed
_SAME = 0.62  # of the smaller line's words, about as capture/extract/selection.py has it
_A_CATEGORY, _ALL = 4, 10  # improvements: a list of twenty is not read
_REFUSAL = re.compile(r"User, (?:refusing|on) [^:]{1,80}: ")
_COMMIT_SUBJECT = re.compile(r"^\w{2,10}(?:\([^()]{1,40}\))?!?: ")
_PAIR = re.compile(r" -> | → ")


@dataclass(frozen=True, slots=True)
class SessionDraft:
    """A draft: its title, the bodies of its sections by their headings, and what was learned."""

    title: str
    sections: tuple[tuple[str, str], ...]
    improvements: tuple[tuple[str, str], ...]


def session_draft(
    entries: Sequence[Entry], extracts: Sequence[Extract], mistakes: Sequence[Mistake]
) -> SessionDraft:
    """Write the draft; `entries` are the session's blocks as they stand, oldest first."""
    drafts = [entry.draft for entry in entries]
    checks = dict(check for one in extracts for check in one.checks)
    sections = {
        "The Goal": "\n\n".join(inert(draft.context) for draft in drafts if draft.context),
        "What We Built": "\n\n".join(_built(entries, extracts)),
        "The Journey": "\n\n".join(_went_wrong(mistakes)),
        "Test Results": "\n".join(
            f"- {code(name)}: {'passed' if passed else 'failed'} when last run"
            for name, passed in checks.items()
        ),
    }
    title = next((draft.title for draft in drafts if draft.title), "")
    statements = [line for one in extracts for line in one.statements]
    return SessionDraft(
        inert(title), tuple(sections.items()), tuple(_improvements(statements, entries))
    )


def _built(entries: Sequence[Entry], extracts: Sequence[Extract]) -> Iterator[str]:
    """Give commits and decisions, then the edited files."""
    decided = [f"- {inert(line)}" for entry in entries for line in entry.draft.decisions]
    files = list(dict.fromkeys(file for one in extracts for file in one.files))[:_FILES]
    if decided:
        yield "\n".join(decided)
    if files:
        yield "**Files**\n\n" + "\n".join(f"- {code(file)}" for file in files)


def _went_wrong(mistakes: Sequence[Mistake]) -> Iterator[str]:
    """Give each error once, and what changed until the same went well."""
    seen: set[str] = set()
    for mistake in mistakes:
        if mistake.signature in seen or len(seen) >= _ERRORS:
            continue
        seen.add(mistake.signature)
        if mistake.kind.startswith("correction"):
            yield "**The user objected:**"
            yield quoted(mistake.line)
            continue
        yield "**Error:**"
        yield fenced(mistake.line)
        change = mistake.resolution.change if mistake.resolution else ""
        if change.startswith(("- ", "+ ")):
            yield "What fixed it:"
            yield fenced(change, "diff")
        elif change:
            yield f"What fixed it: {inert(change)}."


def _improvements(
    statements: Sequence[Statement], entries: Sequence[Entry]
) -> Iterator[tuple[str, str]]:
    """Give what a session taught, with the category: first what the user stated."""
    taken: list[frozenset[str]] = []
    counts: dict[str, int] = {}
    for category, line in _candidates(statements, entries):
        words = stems(line)
        if any(containment(words, other) > _SAME for other in taken):
            continue
        if counts.get(category, 0) < _A_CATEGORY and len(taken) < _ALL:
            taken.append(words)
            counts[category] = counts.get(category, 0) + 1
            yield category, inert(line)


def _candidates(
    statements: Sequence[Statement], entries: Sequence[Entry]
) -> Iterator[tuple[str, str]]:
    for statement in sorted(statements, key=lambda one: -one.score):
        yield statement.category, statement.text
    for line in _plain(line for entry in entries for line in entry.draft.lessons):
        yield categorised(line), line
    for line in _plain(line for entry in entries for line in entry.draft.decisions):
        yield categorised(line, "architectural"), line


def _plain(lines: Iterable[str]) -> Iterator[str]:
    """Leave out what is told elsewhere: subjects of commits, choices, errors with their change."""
    for line in lines:
        bare = _REFUSAL.sub("", line)
        if not _COMMIT_SUBJECT.match(bare) and not _PAIR.search(bare) and not bare.endswith("?"):
            yield bare
