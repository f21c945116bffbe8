"""Weigh a candidate's features: how likely a reader finds the sentence worth keeping.

The weights are a logistic regression over labelled sentences of real sessions. The trap: the figure
is calibrated on long sessions of two teams, so it orders the sentences of one session better than
it compares two sessions.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Table:
    """Fitted weights, and where they are from."""

    command: str
    date: str
    data: str
    teams: tuple[str, ...]
    intercept: float
    weights: Mapping[str, float]


_FARTHEST: Final = 30.0  # beyond it the share is 0 or 1 to every digit that matters


def worth(features: Mapping[str, float], table: Table | None = None) -> float:
    """Give the chance, from 0 to 1, that a sentence is worth a line."""
    table = table or FITTED
    known = (value * table.weights.get(name, 0.0) for name, value in features.items())
    total = table.intercept + sum(known)
    return 1 / (1 + exp(-max(-_FARTHEST, min(_FARTHEST, total))))


# fitted: the rest of this file is written by the command that it names
FITTED: Final = Table(
    command="python -m bench.extract.fit",
    date="2026-11-23",
    data="1919 candidates of 36 judged sessions",
    teams=("entire", "cb"),
    intercept=-5.717,
    weights={
        "narrates": -0.5972,
        "orders": -0.1061,
        "length": 0.9439,
        "denies": 0.5212,
        "sentence": 0.311,
        "first_person": -0.0947,
        "intends": -0.8892,
        "hedges": -0.4505,
        "doubts": -0.4712,
        "limits": 0.3458,
        "cause": 0.4904,
        "choice": 0.4224,
        "digits": -0.2647,
        "labelled": -0.1485,
        "of_test": -0.1357,
        "names": 0.5903,
        "rare": 0.205,
        "central": 0.2638,
        "plan": 0.0825,
        "of_reason": 1.1951,
        "closing": 0.279,
        "subject": 0.5194,
        "user": -0.3119,
        "item": -0.3082,
        "depth": -0.3776,
        "crowd": -0.0876,
        "progress": 0.107,
        "result": 0.3221,
        "guess": -0.1937,
        "said_in_answer": 0.1912,
        "said_in_commit": 0.1983,
        "edits_after": -0.6528,
        "state_before": -0.2793,
        "past_before": -0.7432,
        "state_edited": -0.3126,
        "edited": -0.1023,
        "lack_before": -0.0578,
        "turns_after": -0.3596,
        "corrected": -0.2207,
        "undone": -0.8434,
    },
)
