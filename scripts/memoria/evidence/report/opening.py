"""What a report opens with: what keeps going wrong, and what the next session is told.

It is what a person can use today, whatever an experiment may say some day.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.text.numbers import counted

if TYPE_CHECKING:
    from memoria.capture.recurring_errors import RecurringError

# errors that are named
_SHOWN = 6
# characters of a token, about
_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Opening:
    """The errors of the most of all `sessions`, how many are captured, and a start's text.

    `captured` of `ended` sessions since the installation are captured. `told` is what a session of
    `project` would be told at its start now, "" for nothing.
    """

    errors: tuple[RecurringError, ...] = ()
    sessions: int = 0
    captured: int = 0
    ended: int = 0
    project: str = ""
    told: str = ""

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """The errors, each with the command that makes a rule of it, "" where there is none."""
        return tuple((error.told(self.sessions), error.command) for error in self.errors[:_SHOWN])

    @property
    def tokens(self) -> int:
        """How many tokens a start is told, about."""
        return round(len(self.told) / _TOKEN)

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The figures on capture and on what is told, each with what it counts."""
        found = []
        if self.ended:
            label = f"of {counted(self.ended, 'session')} since the installation captured"
            found.append((f"{self.captured:,}", label))
        if self.told:
            found.append((f"{self.tokens:,}", f"tokens told to a session of {self.project}, about"))
        return tuple(found)
