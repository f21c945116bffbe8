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
    date="2026-11-29",
    data="1762 candidates of 36 judged sessions",
    teams=("entire", "cb"),
    intercept=-6.2051,
    weights={
        "narrates": -0.6978,
        "length": 0.6473,
        "passage": 0.5123,
        "denies": 0.412,
        "sentence": 0.1653,
        "hedges": -0.3997,
        "limits": 0.2484,
        "cause": 0.4884,
        "choice": 0.2563,
        "digits": -0.2192,
        "labelled": -0.1233,
        "names": 0.4611,
        "central": 0.2552,
        "of_reason": 1.0708,
        "item": -0.217,
        "depth": -0.4078,
        "result": 0.3323,
        "said_in_commit": 0.1657,
        "edits_after": -0.5831,
        "texts_after": -0.2277,
    },
)
