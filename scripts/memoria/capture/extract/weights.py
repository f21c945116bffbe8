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
    date="2026-11-22",
    data="1943 candidates of 36 judged sessions",
    teams=("entire", "cb"),
    intercept=-7.3205,
    weights={
        "narrates": -0.8352,
        "orders": -0.2918,
        "length": 1.317,
        "denies": 0.7104,
        "sentence": 0.4776,
        "first_person": -0.1037,
        "hedges": -0.4008,
        "doubts": -0.7124,
        "limits": 0.4048,
        "cause": 0.3404,
        "choice": 0.2718,
        "status": -0.1038,
        "digits": -0.2419,
        "labelled": -0.1583,
        "of_test": -0.2906,
        "names": 0.484,
        "rare": 0.2096,
        "central": 0.3337,
        "plan": 0.3975,
        "closing": 0.2977,
        "subject": 0.5206,
        "user": -0.4687,
        "item": -0.3152,
        "depth": -0.4754,
        "crowd": -0.0929,
        "progress": 0.0827,
        "result": 0.2846,
        "guess": -0.259,
        "said_in_answer": 0.2076,
        "said_in_commit": 0.4036,
        "edits_after": -0.6679,
        "state_before": -0.2638,
        "past_before": -0.6366,
        "state_edited": -0.3593,
        "corrected": -0.0377,
        "undone": -0.445,
    },
)
