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
from memoria.evidence.backtest import backtest
from memoria.vault.entry import USER
from memoria.vault.project import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from memoria.vault.storage.history import Seen

# rows of the table
_MOST = 20
# characters of an error's line
_LINE = 160


@dataclass(frozen=True, slots=True)
class ErrorFamily:
    """A family of errors.

    `met_before` counts those that an earlier session of the project had met, `resolved` those that
    went away within their session, after `minutes` at the median (0 if none did). `fix` is the
    change that resolved the latest of them that shows one. `log` is the daily log of the session
    it came in last, "" for one without an entry.
    """

    family: str
    example: str
    kind: str
    count: int
    met_before: int
    sessions: int
    projects: tuple[str, ...]
    last: date
    log: str
    resolved: int
    minutes: float
    fix: str | None


@dataclass(frozen=True, slots=True)
class RepeatedErrors:
    """The families of errors that came back most, and the sums of all; `more` are not shown."""

    shown: tuple[ErrorFamily, ...] = ()
    total: int = 0
    met_before: int = 0
    sessions: int = 0
    more: int = 0


def repeated_errors(seen: Iterable[Seen], logs: Mapping[str, str]) -> RepeatedErrors:
    """Join errors by family; `logs` by session."""
    named = counted_errors(seen)
    replay = backtest(named)
    repeats = Counter(comeback.seen.mistake.signature for comeback in replay.comebacks)
    groups: dict[str, list[Seen]] = {}
    for one in named:
        groups.setdefault(one.mistake.signature, []).append(one)
    rows = [_family(mark, group, repeats[mark], logs) for mark, group in groups.items()]
    rows.sort(key=lambda family: (-family.met_before, -family.count, family.family))
    sums = replay.mistakes, len(replay.comebacks), replay.sessions
    return RepeatedErrors(tuple(rows[:_MOST]), *sums, more=len(rows[_MOST:]))


def _family(mark: str, group: Sequence[Seen], repeats: int, logs: Mapping[str, str]) -> ErrorFamily:
    latest = group[-1]
    ends = [(seen.mistake.at, seen.mistake.resolution) for seen in group]
    spent = [(end.at - at).total_seconds() / 60 for at, end in ends if end]
    changes = [end.change for _, end in ends if end and end.change]
    return ErrorFamily(
        mark,
        " ".join(latest.mistake.line.split())[:_LINE] or mark,
        "your correction" if latest.mistake.tool == USER else latest.mistake.kind,
        len(group),
        repeats,
        len({seen.session for seen in group}),
        tuple(sorted({label(seen.project) for seen in group if seen.project})),
        latest.mistake.at.date(),
        logs.get(latest.session, ""),
        len(spent),
        median(spent) if spent else 0.0,
        changes[-1] if changes else None,
    )
