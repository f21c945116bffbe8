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
    date="2026-11-24",
    data="1919 candidates of 36 judged sessions",
    teams=("entire", "cb"),
    intercept=-6.5747,
    weights={
        "narrates": -0.6683,
        "length": 0.6198,
        "passage": 0.4623,
        "denies": 0.4733,
        "sentence": 0.1209,
        "first_person": -0.1244,
        "hedges": -0.545,
        "limits": 0.3422,
        "cause": 0.3492,
        "choice": 0.3561,
        "digits": -0.3047,
        "labelled": -0.1218,
        "names": 0.5567,
        "central": 0.479,
        "of_reason": 1.2176,
        "closing": 0.3351,
        "subject": 0.6082,
        "item": -0.2559,
        "depth": -0.4104,
        "result": 0.4624,
        "said_in_commit": 0.1663,
        "edits_after": -0.7906,
        "edited": -0.2144,
    },
)
