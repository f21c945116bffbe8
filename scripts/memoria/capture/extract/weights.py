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
    data="1940 candidates of 36 judged sessions",
    teams=("entire", "cb"),
    intercept=-5.9154,
    weights={
        "narrates": -0.6365,
        "orders": -0.2153,
        "length": 0.9894,
        "denies": 0.5137,
        "sentence": 0.364,
        "first_person": -0.1738,
        "hedges": -0.3778,
        "doubts": -0.591,
        "limits": 0.3761,
        "cause": 0.5506,
        "choice": 0.3325,
        "status": -0.0498,
        "digits": -0.2794,
        "labelled": -0.1173,
        "of_test": -0.1417,
        "names": 0.5474,
        "rare": 0.2739,
        "central": 0.3649,
        "plan": 0.329,
        "closing": 0.2606,
        "subject": 0.4882,
        "user": -0.2976,
        "item": -0.3219,
        "depth": -0.4641,
        "crowd": -0.1015,
        "progress": 0.0753,
        "result": 0.2926,
        "guess": -0.2459,
        "said_in_answer": 0.189,
        "said_in_commit": 0.3716,
        "edits_after": -0.6312,
        "state_before": -0.2977,
        "past_before": -0.7847,
        "state_edited": -0.2978,
        "edited": -0.1066,
        "lack_before": -0.0192,
        "told_before": -0.0756,
        "turns_after": -0.3547,
        "corrected": -0.1398,
        "undone": -0.8488,
    },
)
