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
    data="1939 candidates of 36 judged sessions",
    teams=("entire", "cb"),
    intercept=-7.3032,
    weights={
        "narrates": -0.834,
        "orders": -0.2919,
        "length": 1.3092,
        "denies": 0.7082,
        "sentence": 0.488,
        "first_person": -0.1019,
        "hedges": -0.3868,
        "doubts": -0.7117,
        "limits": 0.405,
        "cause": 0.3397,
        "choice": 0.2717,
        "status": -0.1056,
        "digits": -0.2392,
        "labelled": -0.1572,
        "of_test": -0.29,
        "names": 0.495,
        "rare": 0.2087,
        "central": 0.3301,
        "plan": 0.3947,
        "closing": 0.2976,
        "subject": 0.5281,
        "user": -0.4738,
        "item": -0.3111,
        "depth": -0.469,
        "crowd": -0.0936,
        "progress": 0.0836,
        "result": 0.2899,
        "guess": -0.2618,
        "said_in_answer": 0.2077,
        "said_in_commit": 0.4037,
        "edits_after": -0.6572,
        "state_before": -0.2666,
        "past_before": -0.6374,
        "state_edited": -0.3579,
        "corrected": -0.0388,
        "undone": -0.4459,
    },
)
