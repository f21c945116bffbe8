"""Group errors into families, with how often each came back and what resolved it last.

Signatures that differ by a name are one family here, as in the experiments. A fix that worked once
is a fact of the past and no promise: it is shown as what resolved the error, not as advice.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from memoria.capture.recurring_errors import counted_errors
from memoria.evidence.backtest.replay import backtest
from memoria.text.numbers import counted
from memoria.vault.entry import USER
from memoria.vault.project import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from memoria.vault.storage.history import Seen

# rows of the table
MOST = 20
# characters of an error's line
_LINE = 160
# minutes: what takes longer is told in hours, which a pause may have made
_LONG = 120


@dataclass(frozen=True, slots=True)
class ErrorFamily:
    """A family of errors.

    `met_before` counts those that an earlier session of the project had met, `resolved` those that
    went away within their session, after `minutes` at the median (None if none did). `fix` is the
    change that resolved the latest of them that shows one. `log` is the daily log of the session
    it came in last, "" for one without an entry.
    """

    family: str
    example: str
    kind: str
    tool: str
    count: int
    met_before: int
    sessions: int
    projects: tuple[str, ...]
    last: datetime
    log: str
    resolved: int
    minutes: float | None
    fix: str | None

    @property
    def took(self) -> str:
        """How long it took to go away at the median, in words."""
        minutes = self.minutes or 0.0
        if minutes < 1:
            return "less than a minute"
        return counted(round(minutes), "minute") if minutes < _LONG else "hours"

    @property
    def by_person(self) -> bool:
        """Whether it is a correction by the user."""
        return self.tool == USER


@dataclass(frozen=True, slots=True)
class RepeatedErrors:
    """The errors of the report by family, those that came back most first, and the sums."""

    families: tuple[ErrorFamily, ...] = ()
    total: int = 0
    met_before: int = 0
    sessions: int = 0

    @property
    def shown(self) -> tuple[ErrorFamily, ...]:
        """The families of the table."""
        return self.families[:MOST]

    @property
    def more(self) -> int:
        """How many families the table leaves out."""
        return len(self.families) - len(self.shown)


def repeated_errors(seen: Iterable[Seen], logs: Mapping[str, str]) -> RepeatedErrors:
    """Join errors by family; `logs` by session."""
    named = counted_errors(seen)
    replayed = backtest(named)
    repeats = Counter(comeback.seen.mistake.signature for comeback in replayed.comebacks)
    groups: dict[str, list[Seen]] = {}
    for one in named:
        groups.setdefault(one.mistake.signature, []).append(one)
    rows = [_family(mark, group, repeats[mark], logs) for mark, group in groups.items()]
    rows.sort(key=lambda family: (-family.met_before, -family.count, family.family))
    return RepeatedErrors(
        tuple(rows), replayed.mistakes, len(replayed.comebacks), replayed.sessions
    )


def _family(mark: str, group: Sequence[Seen], repeats: int, logs: Mapping[str, str]) -> ErrorFamily:
    latest = group[-1]
    ends = [(seen.mistake.at, seen.mistake.resolution) for seen in group]
    spent = [(end.at - at).total_seconds() / 60 for at, end in ends if end]
    changes = [end.change for _, end in ends if end and end.change]
    return ErrorFamily(
        mark,
        " ".join(latest.mistake.line.split())[:_LINE] or mark,
        latest.mistake.kind,
        latest.mistake.tool,
        len(group),
        repeats,
        len({seen.session for seen in group}),
        tuple(sorted({label(seen.project) for seen in group if seen.project})),
        latest.mistake.at,
        logs.get(latest.session, ""),
        len(spent),
        median(spent) if spent else None,
        changes[-1] if changes else None,
    )
