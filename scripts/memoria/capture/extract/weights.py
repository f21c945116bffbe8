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
    intercept=-5.7567,
    weights={
        "narrates": -0.7008,
        "orders": -0.0648,
        "length": 0.8931,
        "denies": 0.5027,
        "sentence": 0.2626,
        "first_person": -0.1273,
        "intends": -0.8754,
        "hedges": -0.5624,
        "doubts": -0.5144,
        "limits": 0.315,
        "cause": 0.3995,
        "choice": 0.3934,
        "digits": -0.2902,
        "labelled": -0.1294,
        "of_test": -0.1224,
        "names": 0.5734,
        "rare": 0.2753,
        "central": 0.5395,
        "plan": 0.1342,
        "of_reason": 1.2125,
        "closing": 0.3728,
        "subject": 0.6147,
        "user": -0.1538,
        "item": -0.2733,
        "depth": -0.3484,
        "result": 0.3512,
        "said_in_commit": 0.2425,
        "edits_after": -0.7103,
        "edited": -0.1819,
        "turns_after": -0.321,
    },
)
