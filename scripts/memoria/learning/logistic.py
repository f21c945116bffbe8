"""Fit a logistic regression with a normal prior of its own for each weight.

Newton steps by conjugate gradients: each pass costs as much as there are numbers in the table, so
ten thousand weights are no obstacle. Sums through BLAS differ from machine to machine, so here they
are loops in a fixed order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]

# Newton doubles the digits with each step: more than this is a table without a solution
_STEPS = 25
# conjugate gradients: enough for the worst of 10,000 sessions, which took 60
_PASSES = 300
# the gradient's part that is left in a step, and the gain in log-likelihood that is none
_LEFT, _GAIN = 1e-9, 1e-9
# a step that makes it worse is halved, down to this
_SHORTEST = 1e-3


@dataclass(frozen=True, slots=True)
class Table:
    """Observations: `answers` in [0, 1] with `weights`, known parts `offsets`, and sparse causes.

    `rows`, `columns` and `values` name the causes: observation, weight, how much. Where one
    observation names a weight twice, both count, but they belong added up.
    """

    answers: Floats
    weights: Floats
    offsets: Floats
    rows: Ints
    columns: Ints
    values: Floats


@dataclass(frozen=True, slots=True)
class Solution:
    """The most likely weights and their variances, each as if the others were known."""

    weights: Floats
    variances: Floats


def solve(table: Table, means: Floats, variances: Floats) -> Solution:
    """Find the weights that are most likely under the table and normal priors."""
    problem = _Problem(table, means, 1.0 / variances)
    weights = means.copy()
    scores = problem.scores(weights) + table.offsets
    loss = problem.loss(weights, scores)
    for _ in range(_STEPS):
        step = problem.step(weights, scores)
        ahead = problem.scores(step)
        size, after = 1.0, problem.loss(weights + step, scores + ahead)
        while after > loss and size > _SHORTEST:
            size /= 2.0
            after = problem.loss(weights + size * step, scores + size * ahead)
        if after > loss:
            break  # the last step was exact to rounding
        weights, scores = weights + size * step, scores + size * ahead
        gain, loss = loss - after, after
        if gain < _GAIN:
            break
    return Solution(weights, 1.0 / problem.curvature(problem.slopes(scores)))


def chance(scores: Floats) -> Floats:
    """Turn log-odds into probabilities."""
    return np.asarray(1.0 / (1.0 + np.exp(-scores)))


class _Problem:
    def __init__(self, table: Table, means: Floats, precisions: Floats) -> None:
        self.table, self.means, self.precisions = table, means, precisions

    def scores(self, weights: Floats) -> Floats:
        table = self.table
        summed = table.values * weights[table.columns]
        return np.asarray(np.bincount(table.rows, summed, len(table.answers)), float)

    def back(self, residuals: Floats) -> Floats:
        table = self.table
        summed = table.values * residuals[table.rows]
        return np.asarray(np.bincount(table.columns, summed, len(self.means)), float)

    def loss(self, weights: Floats, scores: Floats) -> float:
        table, off = self.table, weights - self.means
        missed = table.weights * (np.logaddexp(0.0, scores) - table.answers * scores)
        return float(missed.sum() + 0.5 * (self.precisions * off * off).sum())

    def slopes(self, scores: Floats) -> Floats:
        likely = chance(scores)
        return np.asarray(self.table.weights * likely * (1.0 - likely))

    def curvature(self, slopes: Floats) -> Floats:
        """Give the diagonal of the second derivative."""
        table = self.table
        summed = table.values * table.values * slopes[table.rows]
        return self.precisions + np.bincount(table.columns, summed, minlength=len(self.means))

    def step(self, weights: Floats, scores: Floats) -> Floats:
        """Solve for Newton's step by conjugate gradients, scaled by the diagonal."""
        table = self.table
        slopes = self.slopes(scores)
        scale = 1.0 / self.curvature(slopes)
        missed = self.back(table.weights * (table.answers - chance(scores)))
        left = missed - self.precisions * (weights - self.means)
        step = np.zeros_like(left)
        towards = scale * left
        rest = first = _dot(left, towards)
        for _ in range(_PASSES):
            if rest <= _LEFT * first or rest <= 0.0:
                break
            bent = self.back(slopes * self.scores(towards)) + self.precisions * towards
            length = rest / _dot(towards, bent)
            step += length * towards
            left -= length * bent
            scaled = scale * left
            before, rest = rest, _dot(left, scaled)
            towards = scaled + (rest / before) * towards
        return step


def _dot(left: Floats, right: Floats) -> float:
    return float((left * right).sum())
