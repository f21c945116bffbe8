"""Replay the captured history: which mistakes came back, and what was known then.

That a fix was known does not say that it would have been shown, read and followed, so every figure
is an upper bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memoria.vault.entry import Mistake
    from memoria.vault.storage.history import Seen

CAVEAT = (
    "An upper bound and not evidence: that something was known does not say that it would have "
    "been shown, read and followed."
)


@dataclass(frozen=True, slots=True)
class Comeback:
    """A mistake that an earlier session of its project had met.

    `times` counts how often it had been met in earlier sessions, `first` when. `fix` is the change
    that fixed it in the latest of those sessions that shows one, "" where none does. `minutes` is
    the time until it was fixed again, None where it was not.
    """

    seen: Seen
    first: datetime
    times: int
    fix: str
    minutes: float | None


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
    def minutes(self) -> float:
        """Minutes from the known comebacks to their fix, where the session shows it."""
        return sum(comeback.minutes or 0.0 for comeback in self.comebacks if comeback.fix)

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
            comebacks += [_comeback(one, earlier, met)] if earlier else []
        for one in mistakes:
            past.setdefault((project, one.mistake.signature), []).append(one.mistake)
    comebacks.sort(key=lambda comeback: (comeback.seen.mistake.at, comeback.seen.session))
    total = sum(len(mistakes) for mistakes in sessions.values())
    return Backtest(total, len(sessions), tuple(comebacks))


def _comeback(seen: Seen, earlier: Sequence[Mistake], met: Sequence[Mistake]) -> Comeback:
    mistake, end = seen.mistake, seen.mistake.resolution
    ends = [one.resolution for one in met if one.resolution]
    fixes = sorted((one.at, one.change) for one in ends if one.change and one.at < mistake.at)
    return Comeback(
        seen=seen,
        first=min(one.at for one in earlier),
        times=len(earlier),
        fix=fixes[-1][1] if fixes else "",
        minutes=(end.at - mistake.at).total_seconds() / 60 if end else None,
    )


def most_repeated(replay: Backtest, top: int = 5) -> list[list[Comeback]]:
    """Give the comebacks of the signatures that came back most, then took the most minutes."""
    by_mark: dict[str, list[Comeback]] = {}
    for comeback in replay.comebacks:
        by_mark.setdefault(comeback.seen.mistake.signature, []).append(comeback)

    def rank(mark: str) -> tuple[int, float, str]:
        mine = by_mark[mark]
        return -len(mine), -sum(comeback.minutes or 0.0 for comeback in mine), mark

    return [by_mark[mark] for mark in sorted(by_mark, key=rank)[:top]]
