"""Replay the checks of rules over the captured transcripts that are still there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memoria.agents import port as agents
from memoria.agents.pieces import Limits
from memoria.errors import TranscriptError
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

    @property
    def is_whole(self) -> bool:
        """Whether all was replayed."""
        return self.files == self.of


def checked_rule(rule: Rule) -> CheckedRule | None:
    """Give the check that a rule has, or one that its words ask for."""
    if rule.check is not None:
        return CheckedRule(rule, rule.check, "stands in the rule's note")
    made = derive(rule.text.replace("&lt;", "<").replace("\\`", "`"))
    return CheckedRule(rule, made.check, made.reason) if made else None


def replay(work: Workspace, wanted: Sequence[CheckedRule]) -> Replayed:
    """Replay checks over the captured transcripts that are still there; Ctrl-C ends it early."""
    history = work.vault.history()
    names = sorted(map(Path, history.watermarks))
    paths = [path for path in names if path.is_file()]
    rehearsal = Rehearsal({one.rule.id: one.check for one in wanted})
    done = 0
    if not wanted:
        return Replayed({}, 0, 0, 0)
    try:
        with work.terminal.progress("Replaying", len(paths)) as step:
            for path in paths:
                _take(path, rehearsal, wanted, history)
                done += 1
                step(path.stem)
    except KeyboardInterrupt:
        work.terminal.warn(f"stopped after {done} of {len(paths)} transcripts; so far:")
    return Replayed(rehearsal.tried, len(rehearsal.sessions), done, len(paths))


def _take(
    path: Path, rehearsal: Rehearsal, wanted: Sequence[CheckedRule], history: History
) -> None:
    with suppress(TranscriptError):  # the client deletes old ones while this runs
        for part in agents.read(path, _LIMITS):
            stay = history.stays.get(part.session)
            here = [one.rule for one in wanted if stay is None or holds_in(one.rule, stay.project)]
            if here:
                rehearsal.take(part, [rule.id for rule in here])
