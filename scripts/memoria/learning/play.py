"""Describe a session as the learner sees it: a play, and the one order of plays.

Evidence comes late or never: a play is whole from its first day, and what is not known yet is left
open. Plays are folded in the order of time and session, so that two machines with the same ledger
hold the same beliefs. A clock that went backwards must not lose a play, so time orders plays and
nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING

from memoria.capture.extract.session_context import Context

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Play:
    """One session as the learner sees it.

    `shown` maps the id of each rule that was chosen and injected to the hash of its text then;
    pinned rules are not among them. `withheld` were chosen and held back by the coin. `outcome` is
    1 for a session without a repeated mistake, 0 for one with, None while nobody knows. `rewards`
    are a person's: 1 helped, 0 did not help, -1 hurt. `judged` says of a rule, shown or withheld,
    whose occasion came up, whether it went well (True) or its mistake came back (False). `lines`
    counts all injected rules, pinned ones too.
    """

    session: str
    at: datetime = EPOCH
    context: Context = field(default_factory=Context)
    shown: Mapping[str, str] = field(default_factory=dict)
    withheld: tuple[str, ...] = ()
    outcome: float | None = None
    rewards: Mapping[str, int] = field(default_factory=dict)
    judged: Mapping[str, bool] = field(default_factory=dict)
    lines: int = 0

    @property
    def known(self) -> bool:
        """Whether anything came of it that can be learned from."""
        return self.outcome is not None or bool(self.rewards) or bool(self.judged)


def canonical(plays: Iterable[Play]) -> tuple[Play, ...]:
    """Put plays into the one order in which they are folded."""
    ordered = sorted(plays, key=_when)
    # rewards given outside a session may share a moment: then what they say decides
    runs = (list(run) for _, run in groupby(ordered, key=_when))
    return tuple(play for run in runs for play in (run if len(run) == 1 else sorted(run, key=repr)))


def _when(play: Play) -> tuple[datetime, str]:
    return play.at, play.session
