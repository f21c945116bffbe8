"""Replay the captured history: which errors came back, and whether a fix was known then.

That a fix was known does not say that it would have been shown, read and followed, so every figure
is an upper bound. Signatures that differ by a name are one family, as in the experiments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.capture.recurring_errors import counted_errors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.vault.entry import Mistake
    from memoria.vault.storage.history import History, Seen
    from memoria.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Backtest:
    """How many errors a history has, how many were met before, and how many of these had a fix."""

    mistakes: int
    met_before: int
    known: int

    @property
    def headline(self) -> str:
        """One sentence for the summary of an import and for the report."""
        if not self.mistakes:
            return "No error was found in the captured sessions."
        if not self.met_before:
            return f"None of {self.mistakes} errors had been met before in the same project."
        head = (
            f"{self.met_before} of {self.mistakes} errors had been met before in the same project"
        )
        if not self.known:
            return f"{head}; for none of them was a fix known."
        return f"{head}; for {self.known} of them a fix was known by then (upper bound)."


def backtest(seen: Iterable[Seen]) -> Backtest:
    """Replay a history.

    The memory is unlimited, unlike an experiment's: the question is what was known, not how often
    chance makes a repeat.
    """
    sessions: dict[tuple[str, str], list[Mistake]] = {}
    for one in sorted(seen, key=lambda one: one.mistake.at):
        sessions.setdefault((one.project, one.session), []).append(one.mistake)
    past: dict[tuple[str, str], list[Mistake]] = {}
    met_before = known = 0
    # in the order of each session's first mistake; a session learns from earlier ones alone
    for (project, _), mistakes in sessions.items():
        for mistake in mistakes:
            met = past.get((project, mistake.signature), ())
            # the session that began earlier may have met it later
            met_before += any(old.at < mistake.at for old in met)
            ends = [old.resolution for old in met if old.resolution]
            known += any(end.change and end.at < mistake.at for end in ends)
        for mistake in mistakes:
            past.setdefault((project, mistake.signature), []).append(mistake)
    return Backtest(sum(map(len, sessions.values())), met_before, known)


def replayed(work: Workspace, project: str = "", history: History | None = None) -> Backtest:
    """Replay the captured sessions of the projects whose name holds `project`.

    `history` spares reading the ledger again.
    """
    history = history or work.vault.history()
    mine = (seen for seen in history.latest.mistakes if project in seen.project)
    return backtest(counted_errors(mine))
