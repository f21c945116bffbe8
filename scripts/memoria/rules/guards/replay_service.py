"""Captured transcripts and checks that are tried -> what each check would have said of them.

The transcripts that are still there are read one after the other; what is found so far is given
when a person stops it. The trap: a rule holds in its own projects, and only their sessions say
anything of it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memoria.agents.claude_code import transcript_store as transcripts
from memoria.agents.pieces import Limits
from memoria.errors import TranscriptError, UsageError
from memoria.rules.guards.from_text import derive
from memoria.rules.guards.replay import Rehearsal
from memoria.rules.model import holds_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memoria.rules.guards.check import Check
    from memoria.rules.guards.replay import Tried
    from memoria.rules.model import Rule
    from memoria.vault.storage.history import History
    from memoria.workspace import Workspace

# what of a call is read: a command of a screenful is judged whole, and no result is needed
_LIMITS = replace(Limits(), argument=64 << 10, result=1 << 10, text=8 << 10)


class CheckedRule(NamedTuple):
    """A rule with the check that is tried, and where the check comes from."""

    rule: Rule
    check: Check
    reason: str = ""

    @property
    def is_new(self) -> bool:
        """Whether the rule's note has no check yet."""
        return self.rule.check is None


class Replayed(NamedTuple):
    """What was replayed: how many transcripts of how many, and what each check would have said."""

    tried: Mapping[str, Tried]
    sessions: int
    files: int
    of: int
    gone: int

    @property
    def is_whole(self) -> bool:
        """Whether all was replayed."""
        return self.files == self.of


def checked_rule(found: Rule) -> CheckedRule | None:
    """Give the check that a rule has, or one that its words ask for."""
    if found.check is not None:
        return CheckedRule(found, found.check, "stands in the rule's note")
    made = derive(found.text.replace("&lt;", "<").replace("\\`", "`"))
    return CheckedRule(found, made.check, made.reason) if made else None


def replay(work: Workspace, found: Sequence[CheckedRule], folder: str = "") -> Replayed:
    """Replay checks over the captured transcripts that are still there; Ctrl-C ends it early.

    `folder` names other transcripts: project folders with sessions, as the client keeps them.
    """
    history = work.vault.history()
    paths, gone = _within(folder) if folder else _captured(history)
    rehearsal = Rehearsal({one.rule.id: one.check for one in found})
    done = 0
    if not found:
        return Replayed({}, 0, 0, 0, gone)
    try:
        with work.terminal.progress("Replaying", len(paths)) as step:
            for path in paths:
                _take(path, rehearsal, found, history)
                done += 1
                step(path.stem)
    except KeyboardInterrupt:
        work.terminal.warn(f"stopped after {done} of {len(paths)} transcripts; so far:")
    return Replayed(rehearsal.tried, len(rehearsal.sessions), done, len(paths), gone)


def _within(folder: str) -> tuple[list[Path], int]:
    root = Path(folder).expanduser()
    found = sorted([*root.glob("*/*.jsonl"), *root.glob("*.jsonl")])
    if not found:
        raise UsageError(f"no transcripts in {folder}: name a folder of project folders")
    return found, 0


def _captured(history: History) -> tuple[list[Path], int]:
    """Give the captured transcripts that are there, and how many are not any more."""
    all_ = sorted(map(Path, history.watermarks))
    there = [path for path in all_ if path.is_file()]
    return there, len(all_) - len(there)


def _take(path: Path, rehearsal: Rehearsal, found: Sequence[CheckedRule], history: History) -> None:
    try:
        for part in transcripts.read(path, limits=_LIMITS):
            stay = history.stays.get(part.session)
            mine = [
                one.rule.id for one in found if stay is None or holds_in(one.rule, stay.project)
            ]
            if mine:
                rehearsal.take(part, mine)
    except TranscriptError:
        return  # the client deletes old ones while this runs
