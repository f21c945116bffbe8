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
    intercept=-5.8386,
    weights={
        "narrates": -0.6312,
        "orders": -0.2222,
        "length": 0.9841,
        "denies": 0.5166,
        "sentence": 0.3451,
        "first_person": -0.1006,
        "intends": -0.8902,
        "of_git": 0.0,
        "hedges": -0.4692,
        "doubts": -0.5117,
        "limits": 0.3218,
        "cause": 0.5224,
        "choice": 0.3696,
        "status": 0.0,
        "digits": -0.2537,
        "labelled": -0.1564,
        "of_test": -0.1341,
        "names": 0.5884,
        "rare": 0.2146,
        "central": 0.319,
        "plan": 0.3412,
        "closing": 0.2587,
        "subject": 0.484,
        "user": -0.362,
        "item": -0.3436,
        "depth": -0.4822,
        "crowd": -0.1005,
        "progress": 0.0491,
        "result": 0.3126,
        "guess": -0.2092,
        "said_in_answer": 0.1782,
        "said_in_commit": 0.2981,
        "edits_after": -0.6127,
        "state_before": -0.2933,
        "past_before": -0.7471,
        "state_edited": -0.2909,
        "edited": -0.1134,
        "lack_before": -0.0524,
        "told_before": -0.0756,
        "turns_after": -0.3233,
        "corrected": -0.1788,
        "undone": -0.8304,
    },
)
