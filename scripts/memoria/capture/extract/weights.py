"""Weigh a candidate's features: how likely a reader finds the sentence worth keeping.

The weights are a logistic regression over labelled sentences of real sessions. The trap: the figure
is calibrated on long sessions of two teams, so it orders the sentences of one session better than
it compares two sessions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import Final


@dataclass(frozen=True, slots=True)
class FittedWeights:
    """Fitted weights, and where they are from."""

    command: str
    date: str
    data: str
    teams: tuple[str, ...]
    intercept: float
    weights: Mapping[str, float]


_FARTHEST: Final = 30.0  # beyond it the share is 0 or 1 to every digit that matters


def estimate_worth(features: Mapping[str, float], table: FittedWeights | None = None) -> float:
    """Give the chance, from 0 to 1, that a sentence is worth a line."""
    table = table or FITTED
    parts = (value * table.weights.get(name, 0.0) for name, value in features.items())
    total = table.intercept + sum(parts)
    return 1 / (1 + exp(-max(-_FARTHEST, min(_FARTHEST, total))))


# fitted: the rest of this file is written by the command that it names
FITTED: Final = FittedWeights(
    command="python -m bench.extract.fit",
    date="2026-11-24",
    data="1762 candidates of 36 judged sessions",
    teams=("entire", "cb"),
    intercept=-6.1846,
    weights={
        "narrates": -0.6985,
        "length": 0.6509,
        "passage": 0.5037,
        "denies": 0.4123,
        "sentence": 0.1678,
        "hedges": -0.4002,
        "limits": 0.2472,
        "cause": 0.4965,
        "choice": 0.2574,
        "digits": -0.2194,
        "labelled": -0.1228,
        "names": 0.4633,
        "central": 0.2542,
        "of_reason": 1.0812,
        "item": -0.2178,
        "depth": -0.4055,
        "result": 0.3331,
        "said_in_commit": 0.1645,
        "edits_after": -0.5815,
        "texts_after": -0.2274,
    },
)
