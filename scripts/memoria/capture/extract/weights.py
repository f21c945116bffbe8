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
    intercept=-5.577,
    weights={
        "narrates": -0.716,
        "length": 0.8622,
        "denies": 0.5075,
        "sentence": 0.2452,
        "first_person": -0.1629,
        "hedges": -0.5264,
        "limits": 0.3356,
        "cause": 0.3867,
        "choice": 0.395,
        "digits": -0.2979,
        "labelled": -0.1155,
        "names": 0.5784,
        "central": 0.4688,
        "of_reason": 1.3299,
        "closing": 0.3454,
        "subject": 0.5391,
        "item": -0.2824,
        "depth": -0.3624,
        "result": 0.4457,
        "said_in_commit": 0.1847,
        "edits_after": -0.7825,
        "edited": -0.2154,
    },
)
