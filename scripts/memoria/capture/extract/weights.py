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
    data="1765 candidates of 36 judged sessions",
    teams=("entire", "cb"),
    intercept=-6.2054,
    weights={
        "narrates": -0.6956,
        "length": 0.6517,
        "passage": 0.5064,
        "denies": 0.4136,
        "sentence": 0.1675,
        "hedges": -0.3991,
        "limits": 0.2482,
        "cause": 0.5,
        "choice": 0.258,
        "digits": -0.2212,
        "labelled": -0.1238,
        "names": 0.4695,
        "central": 0.256,
        "of_reason": 1.0835,
        "item": -0.215,
        "depth": -0.4027,
        "result": 0.3275,
        "said_in_commit": 0.1648,
        "edits_after": -0.5792,
        "texts_after": -0.2288,
    },
)
