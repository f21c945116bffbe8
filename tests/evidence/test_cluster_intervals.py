"""Intervals: those of other programs to 1e-9, and sane ones where those have none."""

import numpy as np
import pytest
from cases import cased
from hypothesis import given, strategies as st
from studies import drawn

from memoria.capture.study_units import build_table
from memoria.evidence.cluster_intervals import (
    compute_wilson_interval,
    estimate_share,
    estimate_share_difference,
    subtract_intervals,
)

Z = 1.959963984540054
CLOSE = {"rel": 1e-9, "abs": 1e-12}


@cased()
def test_wilson(repeats, mistakes, low, high):
    found = compute_wilson_interval(repeats / mistakes, mistakes, Z)
    assert (found.low, found.high) == pytest.approx((low, high), **CLOSE)


def test_newcombe():
    # statsmodels 0.15.0, confint_proportions_2indep(7, 20, 18, 30, method="newcomb")
    both = (compute_wilson_interval(share / size, size, Z) for share, size in ((7, 20), (18, 30)))
    found = subtract_intervals(*both)
    limits = (-0.47856306445659547, 0.03001648399892798)
    assert (found.low, found.high) == pytest.approx(limits, **CLOSE)


def test_clustered_mistakes_make_a_wider_interval():
    # thirty mistakes of thirty sessions, or the same thirty in three clumps
    alone = estimate_share(np.ones(30), np.array([1.0, 0, 0] * 10))
    clumped = estimate_share(np.full(3, 10.0), np.array([10.0, 0, 0]))
    assert alone.estimate == clumped.estimate == pytest.approx(1 / 3)
    assert clumped.high - clumped.low > 2 * (alone.high - alone.low)


def test_the_interval_covers_the_truth():
    tables = (build_table(drawn(0.34, 0.12, 30, seed)) for seed in range(200))
    hits = map(estimate_share_difference, tables)
    covered = np.mean([one.low <= -0.22 <= one.high for one in hits if one])
    assert covered > 0.90  # .95 less three standard errors


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=20))
def test_an_interval_holds_its_estimate(rows):
    mistakes = np.array([max(row) for row in rows], float)
    repeats = np.array([min(row) for row in rows], float)
    if found := estimate_share(mistakes, repeats):
        assert found.low - 1e-9 <= found.estimate <= found.high + 1e-9
