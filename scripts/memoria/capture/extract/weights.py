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
    data="1919 candidates of 36 judged sessions",
    teams=("entire", "cb"),
    intercept=-5.8414,
    weights={
        "narrates": -0.6396,
        "orders": -0.2231,
        "length": 0.9864,
        "denies": 0.5195,
        "sentence": 0.3437,
        "first_person": -0.1428,
        "hedges": -0.4621,
        "doubts": -0.575,
        "limits": 0.3259,
        "cause": 0.5269,
        "choice": 0.3732,
        "status": 0.0,
        "digits": -0.2584,
        "labelled": -0.1571,
        "of_test": -0.1334,
        "names": 0.5883,
        "rare": 0.2042,
        "central": 0.3105,
        "plan": 0.3412,
        "closing": 0.2585,
        "subject": 0.4851,
        "user": -0.3554,
        "item": -0.3422,
        "depth": -0.48,
        "crowd": -0.1009,
        "progress": 0.0492,
        "result": 0.313,
        "guess": -0.2182,
        "said_in_answer": 0.1777,
        "said_in_commit": 0.3021,
        "edits_after": -0.6117,
        "state_before": -0.2972,
        "past_before": -0.7417,
        "state_edited": -0.2822,
        "edited": -0.1132,
        "lack_before": -0.0529,
        "told_before": -0.077,
        "turns_after": -0.327,
        "corrected": -0.1759,
        "undone": -0.8246,
    },
)
