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
    intercept=-5.7154,
    weights={
        "narrates": -0.5976,
        "orders": -0.1629,
        "length": 0.944,
        "denies": 0.5215,
        "sentence": 0.3111,
        "first_person": -0.0955,
        "intends": -0.8889,
        "hedges": -0.4509,
        "doubts": -0.4724,
        "limits": 0.3446,
        "cause": 0.4888,
        "choice": 0.4213,
        "digits": -0.2647,
        "labelled": -0.1486,
        "of_test": -0.1353,
        "names": 0.5919,
        "rare": 0.2049,
        "central": 0.2665,
        "plan": 0.0867,
        "of_reason": 1.191,
        "closing": 0.2755,
        "subject": 0.529,
        "user": -0.3102,
        "item": -0.3081,
        "depth": -0.3765,
        "crowd": -0.0879,
        "progress": 0.1053,
        "result": 0.3218,
        "guess": -0.1937,
        "said_in_answer": 0.1915,
        "said_in_commit": 0.2014,
        "edits_after": -0.6525,
        "state_before": -0.282,
        "past_before": -0.7438,
        "state_edited": -0.314,
        "edited": -0.1018,
        "lack_before": -0.0571,
        "turns_after": -0.36,
        "corrected": -0.2189,
        "undone": -0.8395,
    },
)
