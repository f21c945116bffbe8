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
    parts = (value * table.weights.get(name, 0.0) for name, value in features.items())
    total = table.intercept + sum(parts)
    return 1 / (1 + exp(-max(-_FARTHEST, min(_FARTHEST, total))))


# fitted: the rest of this file is written by the command that it names
FITTED: Final = Table(
    command="python -m bench.extract.fit",
    date="2026-11-24",
    data="1917 candidates of 36 judged sessions",
    teams=("entire", "cb"),
    intercept=-6.5788,
    weights={
        "narrates": -0.6692,
        "length": 0.6212,
        "passage": 0.4619,
        "denies": 0.4721,
        "sentence": 0.1212,
        "first_person": -0.1192,
        "hedges": -0.5461,
        "limits": 0.3409,
        "cause": 0.3481,
        "choice": 0.3555,
        "digits": -0.3054,
        "labelled": -0.1222,
        "names": 0.5556,
        "central": 0.4784,
        "of_reason": 1.216,
        "closing": 0.3347,
        "subject": 0.6078,
        "item": -0.2558,
        "depth": -0.4108,
        "result": 0.4627,
        "said_in_commit": 0.1665,
        "edits_after": -0.7885,
        "edited": -0.2155,
    },
)
