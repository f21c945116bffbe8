"""Mistakes of a session -> Detours: the wrong turns, each with its error and what ended it.

A tutorial is worth what its wrong turns are worth, so each failed call is shown with the lines that
it really printed and the change after which the same action passed. The trap: one run of a linter
is a dozen mistakes and one wrong turn, and the same error met five times in a row is one, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.stages.command import is_check
from memoria.stages.console import command, error_lines, is_shell, session, subject
from memoria.stages.fence import code, fenced
from memoria.stages.markup import inert

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memoria.stages.mistake import Mistake
    from memoria.stages.resolution import Resolution
    from memoria.stages.transcript import Call, Transcript

_MOST_CHANGES = 2  # of one detour: a linter's run may have been mended in ten places
_ERROR = 200  # characters of an error that is told in a sentence
_SENTENCE = re.compile(r"(?<=[a-z)\]])\.(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Detour:
    """A call that failed in an avoidable way.

    `typed` is the command, "" for a slip in the use of a file tool, whose `about` says which.
    `printed` are the lines that tell the error, `signatures` name its causes, `solved` holds how
    they went away, once each.
    """

    call: str
    typed: str
    about: str
    printed: tuple[str, ...]
    signatures: frozenset[str]
    solved: tuple[Resolution, ...]

    @property
    def is_slip(self) -> bool:
        """Whether a tool was used wrongly, which says nothing about the work."""
        return not self.typed


def detours(transcript: Transcript, mistakes: Iterable[Mistake]) -> Mapping[str, Detour]:
    """Give the detours of a conversation by the ids of their calls; what the user said is none."""
    by_call: dict[str, list[Mistake]] = {}
    for mistake in mistakes:
        if not is_objection(mistake):
            by_call.setdefault(mistake.call, []).append(mistake)
    return {
        call.id: _detour(call, by_call[call.id]) for call in transcript.calls if call.id in by_call
    }


def is_objection(mistake: Mistake) -> bool:
    """Whether a mistake is a correction by the user: their words tell it, and no call."""
    return mistake.kind.startswith("correction")


def _detour(call: Call, found: Sequence[Mistake]) -> Detour:
    shell = is_shell(call.name)
    named = [mistake.line for mistake in found]
    printed = error_lines(call.result, named) or [line for line in named[:1] if line]
    solved = {one.resolution.change + one.resolution.how: one.resolution
              for one in found if one.resolution}  # fmt: skip
    return Detour(
        call=call.id,
        typed=command(call.argument("command")) if shell else "",
        about=subject(call.name, call.arguments),
        printed=tuple(printed or ["(it failed and printed nothing)"])
        if shell
        else tuple(named[:1]),
        signatures=frozenset(mistake.signature for mistake in found),
        solved=tuple(solved.values()),
    )


def told(detour: Detour, edited: Sequence[str] = (), past: str | None = None) -> list[str]:
    """Tell a detour in blocks of Markdown.

    `past` is the next run of the same check where that failed of something else: then this error
    was gone, however long the check went on failing. `edited` are the files changed before that,
    or before the same passed.
    """
    if detour.is_slip:
        return [_slip(detour)]
    changes = [one.change for one in detour.solved if one.how == "edit" and one.change]
    blocks = ["**Wrong turn.**", session(detour.typed, detour.printed)]
    if changes:
        diff = "\n\n".join(changes[:_MOST_CHANGES])
        return [*blocks, "What resolved it:", fenced(diff, "diff")]
    ending = _ending(detour, edited) if past is None else _passed_by(detour, edited, past)
    return [*blocks, ending] if ending else blocks


def _slip(detour: Detour) -> str:
    error = _SENTENCE.split(" ".join(detour.printed), maxsplit=1)[0][:_ERROR]
    words = next((one.change for one in detour.solved if _is_words(one.change)), "")
    return f"*Slip:* {code(detour.about)} failed: {inert(error)}." + (
        f" What helped: {inert(words)}." if words else ""
    )


def _ending(detour: Detour, edited: Sequence[str]) -> str:
    """Say how a detour ended that no single small change resolved."""
    instead = next((_instead(one) for one in detour.solved if _instead(one)), "")
    if instead:
        return f"What worked instead: {code(instead)}"
    if not detour.solved:
        return "In this form it never passed." if is_check(detour.typed) else ""
    if edited:
        return f"It passed after edits to {', '.join(map(code, edited))}."
    if any(one.how == "retry" for one in detour.solved):
        return "It passed when it was run again."
    return "Called in another way, it passed."


def _passed_by(detour: Detour, edited: Sequence[str], past: str) -> str:
    """Say how the next run got past an error."""
    if past != detour.typed:
        return f"The next run got past it: {code(past)}"
    after = f", after edits to {', '.join(map(code, edited))}" if edited else ""
    return f"The next run got past it{after}."


def _instead(solved: Resolution) -> str:
    """Give the command that took the place of the one that failed, "" where none did."""
    added = [line[2:] for line in solved.change.split("\n") if line.startswith("+ ")]
    return command(added[0]) if solved.how == "rephrase" and added else ""


def _is_words(change: str) -> bool:
    return bool(change) and not change.startswith(("- ", "+ "))
