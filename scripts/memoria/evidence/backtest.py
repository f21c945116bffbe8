"""Replay the captured history: which mistakes came back, and what was known then.

That a fix was known does not say that it would have been shown, read and followed, so every figure
is an upper bound. Signatures that differ by a name are one family, as in the experiments.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from memoria.capture.recurring_errors import counted_errors
from memoria.vault.entry import USER
from memoria.vault.project import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from memoria.vault.entry import Mistake
    from memoria.vault.storage.history import History, Seen
    from memoria.workspace import Workspace

CAVEAT = (
    "An upper bound and not evidence: that something was known does not say that it would have "
    "been shown, read and followed."
)


@dataclass(frozen=True, slots=True)
class Comeback:
    """A mistake that an earlier session of its project had met.

    `fix` is the change that fixed it in the latest of those sessions that shows one, "" where none
    does.
    """

    seen: Seen
    fix: str


@dataclass(frozen=True, slots=True)
class Backtest:
    """A replayed history: all its `mistakes`, and those that came back, in the order of time."""

    mistakes: int
    sessions: int
    comebacks: tuple[Comeback, ...]

    @property
    def known(self) -> int:
        """Comebacks of which the earlier fix was known."""
        return sum(bool(comeback.fix) for comeback in self.comebacks)

    @property
    def headline(self) -> str:
        """One sentence for the summary of an import and for the report."""
        if not self.mistakes:
            return "No error was found in the captured sessions."
        if not self.comebacks:
            return f"None of {self.mistakes} errors had been met before in the same project."
        head = (
            f"{len(self.comebacks)} of {self.mistakes} errors had been met before in the same "
            "project"
        )
        if not self.known:
            return f"{head}; for none of them was a fix known."
        return f"{head}; for {self.known} of them a fix was known by then (upper bound)."


def backtest(seen: Iterable[Seen]) -> Backtest:
    """Replay a history.

    The memory is unlimited, unlike an experiment's: the question is what was known, not how often
    chance makes a repeat.
    """
    sessions: dict[tuple[str, str], list[Seen]] = {}
    for one in sorted(seen, key=lambda one: one.mistake.at):
        sessions.setdefault((one.project, one.session), []).append(one)
    past: dict[tuple[str, str], list[Mistake]] = {}
    comebacks: list[Comeback] = []
    # in the order of each session's first mistake; a session learns from earlier ones alone
    for (project, _), mistakes in sessions.items():
        for one in mistakes:
            # the session that began earlier may have met it later
            met = past.get((project, one.mistake.signature), ())
            earlier = [mistake for mistake in met if mistake.at < one.mistake.at]
            comebacks += [Comeback(one, _fix(one, met))] if earlier else []
        for one in mistakes:
            past.setdefault((project, one.mistake.signature), []).append(one.mistake)
    comebacks.sort(key=lambda comeback: (comeback.seen.mistake.at, comeback.seen.session))
    total = sum(len(mistakes) for mistakes in sessions.values())
    return Backtest(total, len(sessions), tuple(comebacks))


def _fix(seen: Seen, met: Sequence[Mistake]) -> str:
    ends = [one.resolution for one in met if one.resolution]
    fixes = [(one.at, one.change) for one in ends if one.change and one.at < seen.mistake.at]
    return max(fixes)[1] if fixes else ""


def replayed(work: Workspace, project: str = "", history: History | None = None) -> Backtest:
    """Replay the captured sessions of the projects whose name holds `project`.

    `history` spares reading the ledger again.
    """
    history = history or work.vault.history()
    mine = (seen for seen in history.latest.mistakes if project in seen.project)
    return backtest(counted_errors(mine))


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
