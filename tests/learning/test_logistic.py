"""The regression finds what a general optimiser finds, and the same whatever the order of rows."""

import numpy as np
import pytest
from scipy.optimize import minimize

from memoria.learning import logistic
from memoria.learning.logistic import Table, solve


def table(seed, rows=200, size=12, each=4):
    rng = np.random.default_rng(seed)
    columns = np.array([rng.choice(size, each, replace=False) for _ in range(rows)])
    values = rng.normal(size=(rows, each))
    scores = (values * rng.normal(size=size)[columns]).sum(axis=1)
    return Table(
        (rng.random(rows) < logistic.chance(scores)).astype(float),
        rng.uniform(0.1, 1.0, rows),
        rng.normal(size=rows) * 0.1,
        np.repeat(np.arange(rows), each),
        columns.ravel(),
        values.ravel(),
    )


def dense(found, size):
    matrix = np.zeros((len(found.answers), size))
    np.add.at(matrix, (found.rows, found.columns), found.values)
    return matrix


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_most_likely_solution(seed):
    found, means, variances = table(seed), np.full(12, 0.2), np.full(12, 0.5)
    matrix = dense(found, 12)

    def loss(weights):
        scores = matrix @ weights + found.offsets
        missed = found.weights * (np.logaddexp(0, scores) - found.answers * scores)
        return missed.sum() + ((weights - means) ** 2 / (2 * variances)).sum()

    solution = solve(found, means, variances)
    other = minimize(loss, means, method="BFGS", options={"gtol": 1e-9})
    assert solution.weights == pytest.approx(other.x, abs=2e-5)
    likely = logistic.chance(matrix @ solution.weights + found.offsets)
    bent = (matrix**2 * (found.weights * likely * (1 - likely))[:, None]).sum(axis=0)
    assert solution.variances == pytest.approx(1 / (bent + 1 / variances), rel=1e-6)


def test_answers_that_never_differ_do_not_run_away():
    rows = np.arange(50)
    found = Table(
        np.ones(50), np.ones(50), np.zeros(50), rows, np.zeros(50, np.intp), np.full(50, 9.0)
    )
    solution = solve(found, np.zeros(1), np.array([100.0]))
    assert 0.0 < solution.weights[0] < 10.0
