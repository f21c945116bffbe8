"""Fit the weights of the Offline engine's features on judged sessions.

A logistic regression: what a judge kept against all else, with an L2 penalty and each weight held
to the side that features.DIRECTIONS gives it, because a sign that only one team's sentences show
does not carry over. Thin lines count half against a weight, noisy ones in full, false ones four
times.

    python -m bench.extract.fit --data DIR                        writes the package's weights.py
    python -m bench.extract.fit --data DIR --without cb --out F   writes them as JSON instead
    python -m bench.extract.fit --data DIR --apart --out F        leaves out what two judges read
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING

import numpy as np
from bench.extract.gold import TEAMS, judged
from scipy.optimize import minimize

from memoria.capture.extract import weights
from memoria.capture.extract.features import DIRECTIONS
from memoria.capture.extract.weights import FittedWeights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.extract.gold import Judged

# What a sentence of each label weighs in the fit; only "keep" is to be found. A false line does the
# most damage: blind readers found one in 19 of 30 entries when it weighed 1.
COSTS = {"keep": 1.0, "weak": 0.5, "false": 4.0, "noise": 1.0, "other": 1.0}
# The penalty: from 30 to 200 the order on the other team changes by .01 (AUC); 100 shrinks what a
# hundred kept sentences cannot tell.
PENALTY = 100.0
_MARK = "# fitted: "
_DIGITS = 4


def fit(sessions: Sequence[Judged], command: str = "") -> FittedWeights:
    """Fit weights on judged sessions."""
    labels = [label for session in sessions for label in session.labels]
    described = [each for session in sessions for each in session.features]
    values = np.array([[each.get(name, 0.0) for name in DIRECTIONS] for each in described])
    kept = np.array([label == "keep" for label in labels], float)
    costs = np.array([COSTS[label] for label in labels])
    middle, spread = values.mean(0), values.std(0) + 1e-9
    fitted = _fitted((values - middle) / spread, kept, costs / costs.mean())
    each = fitted[:-1] / spread
    return FittedWeights(
        command=command,
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        data=f"{len(labels)} candidates of {len(sessions)} judged sessions",
        teams=tuple(dict.fromkeys(session.team for session in sessions)),
        intercept=round(float(fitted[-1] - each @ middle), _DIGITS),
        weights={
            name: round(float(value), _DIGITS) for name, value in zip(DIRECTIONS, each, strict=True)
        },
    )


def _fitted(values: np.ndarray, kept: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Give the weights of standardised features, and the intercept last."""
    values = np.c_[values, np.ones(len(values))]
    penalty = np.r_[np.full(values.shape[1] - 1, PENALTY), 0.0]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        logits = values @ weights
        errors = costs * (np.logaddexp(0, logits) - kept * logits)
        slope = values.T @ (costs * (1 / (1 + np.exp(-logits)) - kept)) + penalty * weights
        return float(errors.sum() + 0.5 * (penalty * weights**2).sum()), slope

    sides = [(0, None) if side > 0 else (None, 0) for side in DIRECTIONS.values()]
    start = np.zeros(values.shape[1])
    bounds = [*sides, (None, None)]
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x)


def write(table: FittedWeights) -> None:
    """Put the table into the package in place of the one before."""
    path = Path(weights.__file__)
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition(_MARK)
    values = pformat(dict(table.weights), sort_dicts=False, indent=4, width=60)
    body = values.replace("'", '"').removeprefix("{").removesuffix("}").strip()
    shown = "\n".join(f"        {line.strip()}" for line in body.splitlines())
    path.write_text(
        f"{head}{_MARK}{rest.partition(chr(10))[0]}\n"
        "FITTED: Final = FittedWeights(\n"
        f"    command={_quoted(table.command)},\n"
        f"    date={_quoted(table.date)},\n"
        f"    data={_quoted(table.data)},\n"
        f"    teams=({', '.join(map(_quoted, table.teams))}),\n"
        f"    intercept={table.intercept},\n"
        f"    weights={{\n{shown},\n    }},\n)\n",
        encoding="utf-8",
    )


def _quoted(text: str) -> str:
    return json.dumps(text)


def main() -> None:
    """Fit on what was asked for and write it."""
    parser = argparse.ArgumentParser(description="Fit the Offline engine's weights.")
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds gold/")
    parser.add_argument("--without", choices=TEAMS, help="the team to leave out")
    parser.add_argument("--apart", action="store_true", help="leave out what two judges read")
    parser.add_argument("--out", type=Path, help="write JSON there and leave the package alone")
    given = parser.parse_args()
    teams = [team for team in TEAMS if team != given.without]
    sessions = [
        session
        for team in teams
        for session in judged(given.data, team)
        if not (given.apart and session.twice)
    ]
    table = fit(sessions, "python -m bench.extract.fit")
    if given.out:
        given.out.write_text(json.dumps(asdict(table), indent=1), encoding="utf-8")
    elif given.without or given.apart:
        raise SystemExit("a part of the data is for --out: the package is fitted on all of it")
    else:
        write(table)
    print(f"{table.data}; intercept {table.intercept}")
    for name, value in sorted(table.weights.items(), key=lambda one: -abs(one[1])):
        print(f"{name:>16} {value:+.3f}")


if __name__ == "__main__":
    main()
