"""Rules that are active together -> how well each way of giving credit finds out which helped.

24 rules, 8 of them in each session, drawn mostly from those that the session's context favours, so
that a rule's company and its context are confounded with its effect. Compared is the rank
correlation of estimated with true effects: the seed's success rate when active, the difference by
random withholding alone, a doubly robust estimate, a plain ridge regression with an intercept for
each context, and Memoria's model, which is told nothing of how these sessions are made.

    python bench/bandit/credit.py [--seeds 20] [--first 100] [--sessions 200 800]
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import spearmanr  # type: ignore[import-untyped,unused-ignore] # it ships no types

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from memoria.capture.extract.session_context import SessionContext
from memoria.learning import joint
from memoria.learning.arms import Arm
from memoria.learning.play import EPOCH, Play

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]

RULES, ACTIVE, CONTEXTS = 24, 8, 8
# chosen on seeds 0-15 so that the anchors of the specification come out as near as one pair of
# numbers allows: .54, .64, .66 and .80 for the first four
EFFECT, FAVOUR = 0.45, 3.0
# the specification counts how many of the five best are found
TOP = 5


@dataclass(frozen=True, slots=True)
class Sessions:
    """Sessions with their contexts, what was chosen, what was shown, and how they went."""

    effects: Floats
    contexts: Ints
    chosen: NDArray[np.bool_]
    shown: NDArray[np.bool_]
    outcomes: Floats
    epsilon: float


def sessions(seed: int, count: int, epsilon: float) -> Sessions:
    """Make sessions; each chosen rule is withheld with probability epsilon."""
    rng = np.random.default_rng([seed, 5])
    shares = np.arange(1, CONTEXTS + 1) ** -0.7
    rates = rng.uniform(0.45, 0.80, CONTEXTS)
    effects = rng.normal(0.0, EFFECT, RULES)
    favour = np.exp(FAVOUR * rng.normal(size=(CONTEXTS, RULES)))
    contexts = rng.choice(CONTEXTS, p=shares / shares.sum(), size=count)
    chosen = np.zeros((count, RULES), bool)
    for at, context in enumerate(contexts):
        likely = favour[context] / favour[context].sum()
        chosen[at, rng.choice(RULES, ACTIVE, replace=False, p=likely)] = True
    shown = chosen & (rng.random(chosen.shape) >= epsilon)
    scores = np.log(rates / (1 - rates))[contexts] + shown @ effects
    outcomes = (rng.random(count) < 1 / (1 + np.exp(-scores))).astype(float)
    return Sessions(effects, contexts, chosen, shown, outcomes, epsilon)


def when_active(found: Sessions) -> Floats:
    """Give the success rate of the sessions in which a rule was active: the seed's credit."""
    return _mean(found.outcomes[:, None], found.shown)


def by_withholding(found: Sessions) -> Floats:
    """Give the difference of success with and without a rule, among sessions that chose it."""
    outcomes, held = found.outcomes[:, None], found.chosen & ~found.shown
    return _mean(outcomes, found.shown) - _mean(outcomes, held)


def doubly_robust(found: Sessions) -> Floats:
    """Correct the regression's prediction by what withholding shows (AIPW, known chances)."""
    weights = _ridge(found)
    base = _design(found) @ weights
    estimates = np.zeros(RULES)
    for rule in range(RULES):
        rows = found.chosen[:, rule]
        own = weights[CONTEXTS + rule]
        shown, outcomes = found.shown[rows, rule], found.outcomes[rows]
        without = base[rows] - own * shown
        with_, held = _chance(without + own), _chance(without)
        up = with_ + shown * (outcomes - with_) / (1 - found.epsilon)
        down = held + ~shown * (outcomes - held) / max(found.epsilon, 1e-9)
        estimates[rule] = (up - down).mean() if rows.any() else 0.0
    return estimates


def ridge(found: Sessions) -> Floats:
    """Give the rules' weights of one logistic regression with an intercept for each context."""
    return _ridge(found)[CONTEXTS:]


def memoria(found: Sessions) -> Floats:
    """Give the effects that the product's model believes in, over all contexts."""
    arms = [Arm(f"rule {at:02d}") for at in range(RULES)]
    plays = [
        Play(
            f"{at:06d}",
            EPOCH + timedelta(minutes=at),
            SessionContext(task=f"{found.contexts[at]}"),
            {arms[rule].id: "" for rule in np.flatnonzero(found.shown[at])},
            outcome=float(found.outcomes[at]),
        )
        for at in range(len(found.outcomes))
    ]
    model = joint.fit(arms, plays)
    return np.asarray(joint.predict_everywhere(model)[0][[model.owner[arm.id] for arm in arms]])


def _design(found: Sessions) -> Floats:
    return np.hstack([np.eye(CONTEXTS)[found.contexts], found.shown.astype(float)])


def _ridge(found: Sessions) -> Floats:
    rows, weights = _design(found), np.zeros(CONTEXTS + RULES)
    # a wide prior for contexts, the true spread of effects for rules: the best case for it
    precisions = np.array([0.25] * CONTEXTS + [1 / EFFECT**2] * RULES)
    for _ in range(20):
        likely = _chance(rows @ weights)
        slope = rows.T @ (likely - found.outcomes) + precisions * weights
        bend = (rows.T * (likely * (1 - likely))) @ rows + np.diag(precisions)
        weights = weights - np.linalg.solve(bend, slope)
    return np.asarray(weights)


def _chance(scores: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-scores)))


def _mean(values: Floats, where: NDArray[np.bool_]) -> Floats:
    return np.asarray((values * where).sum(axis=0) / np.maximum(where.sum(axis=0), 1))


def grade(estimates: Floats, effects: Floats) -> tuple[float, float]:
    """Give the rank correlation, and the part of the five best that is among the five ahead."""
    best, ahead = (set(np.argsort(-values)[:TOP]) for values in (effects, estimates))
    return float(spearmanr(estimates, effects).statistic), len(best & ahead) / TOP


# how it is estimated, and the part of the chosen that is withheld for it
WAYS: dict[str, tuple[Callable[[Sessions], Floats], float]] = {
    "success rate when active (the seed's)": (when_active, 0.0),
    "difference by withholding .2": (by_withholding, 0.2),
    "doubly robust, withholding .2": (doubly_robust, 0.2),
    "ridge regression, knows the spread": (ridge, 0.0),
    "memoria": (memoria, 0.0),
    "memoria, withholding .1": (memoria, 0.1),
}


def main() -> None:
    """Print a table for each number of sessions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--sessions", type=int, nargs="*", default=[200, 800])
    options = parser.parse_args()
    for count in options.sessions:
        print(
            f"\n{count} sessions\n| estimate | rank correlation | of the top five |\n|---|---|---|"
        )
        for name, (estimate, epsilon) in WAYS.items():
            made = (
                sessions(seed, count, epsilon)
                for seed in range(options.first, options.first + options.seeds)
            )
            grades = np.array([grade(estimate(found), found.effects) for found in made])
            error = grades[:, 0].std(ddof=1) / np.sqrt(len(grades))
            mean = grades.mean(axis=0)
            print(f"| {name} | {mean[0]:.3f} ± {error:.3f} | {mean[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
