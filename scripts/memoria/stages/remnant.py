"""A session's blocks and mistakes -> a tutorial draft where the transcript is gone.

The client deletes its transcripts after some weeks; the log and the ledger stay. They hold what was
asked and answered, decided and learned, what failed and what mended it, and no code: so the draft
says less and leaves the places open that only the person can fill.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.stages.detour import is_objection
from memoria.stages.fence import code, fenced, quoted
from memoria.stages.markup import inert
from memoria.stages.tutorial import Tutorial, improvements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.stages.entry import Entry, Extract
    from memoria.stages.mistake import Mistake

_MISTAKES = 8  # wrong turns that are shown
_FILES = 8  # that are listed


def remnant(
    entries: Sequence[Entry], extracts: Sequence[Extract], mistakes: Sequence[Mistake]
) -> Tutorial:
    """Write the draft; `entries` are the session's blocks as they stand, oldest first."""
    drafts = [entry.draft for entry in entries]
    files = list(dict.fromkeys(file for one in extracts for file in one.files))[:_FILES]
    checks = dict(check for one in extracts for check in one.checks)
    decided = [f"- {inert(line)}" for draft in drafts for line in draft.decisions]
    built = ["\n".join(decided)] if decided else []
    built += ["**Files**\n\n" + "\n".join(f"- {code(file)}" for file in files)] if files else []
    sections = {
        "The Goal": "\n\n".join(inert(draft.context) for draft in drafts if draft.context),
        "What We Built": "\n\n".join(built),
        "The Journey": "\n\n".join([*_asked(entries), *_failed(mistakes)]),
        "Test Results": "\n".join(
            f"- {code(name)}: {'passed' if passed else 'failed'} when last run"
            for name, passed in checks.items()
        ),
    }
    title = next((draft.title for draft in drafts if draft.title), "")
    said = tuple(line for one in extracts for line in one.statements)
    taught = improvements(said, entries, ())
    return Tutorial(inert(title), tuple(sections.items()), tuple(taught))


def _asked(entries: Sequence[Entry]) -> Iterator[str]:
    """Tell what was asked and answered, in order."""
    number = 0
    for entry in entries:
        for line in entry.draft.exchanges:
            number += 1
            question, _, answer = line.partition(" -> ")
            yield f"### {number}. {inert(question)}"
            if answer:
                yield inert(answer)


def _failed(mistakes: Sequence[Mistake]) -> Iterator[str]:
    """Tell what went wrong and what changed until the same went well."""
    seen: set[str] = set()
    for mistake in mistakes:
        if mistake.signature in seen or len(seen) >= _MISTAKES:
            continue
        seen.add(mistake.signature)
        if is_objection(mistake):
            yield "**The user objected:**"
            yield quoted(mistake.line)
            continue
        yield "**Wrong turn.**"
        yield fenced(mistake.line)
        change = mistake.resolution.change if mistake.resolution else ""
        if change.startswith(("- ", "+ ")):
            yield "What resolved it:"
            yield fenced(change, "diff")
        elif change:
            yield f"What resolved it: {inert(change)}."
