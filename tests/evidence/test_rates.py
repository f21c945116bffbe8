"""Rates: a ratio of sums, None over nothing, and the tests of two of them."""

import pytest
from scipy.stats import chi2_contingency
from studies import unit

from memoria.evidence.rates import (
    NOTE,
    Rate,
    compute_classical_test,
    compute_rate,
    format_headline,
    relative_reduction,
)

CLOSE = {"rel": 1e-9}


def test_a_rate_over_nothing_is_none():
    assert compute_rate([]).repeats_per_session is None
    assert compute_rate([]).mistakes_per_session is None
    assert compute_rate([unit(0, 0, 0)]).rmr is None
    assert compute_rate([unit(0, 0, 0)]).repeats_per_session == 0


def test_the_seeds_headline():
    fall = relative_reduction(Rate(50, 100, 12), Rate(50, 100, 34))
    assert fall == pytest.approx(0.647, abs=5e-4)
    assert relative_reduction(Rate(3, 0, 0), Rate(3, 5, 0)) is None


@pytest.mark.parametrize(
    ("total", "beginning"),
    [(Rate(1, 0, 0), "No error"), (Rate(1, 3, 0), "None of 3 errors"), (Rate(2, 3, 1), "1 of 3")],
)
def test_what_came_back_in_a_sentence(total, beginning):
    assert format_headline(total).startswith(beginning)


@pytest.mark.parametrize(
    ("x1", "n1", "x0", "n0"), [(6, 19, 21, 31), (1, 30, 2, 31), (10, 20, 10, 20), (0, 9, 8, 9)]
)
def test_the_z_test_and_chi_squared_are_scipys(x1, n1, x0, n0):
    found = compute_classical_test(Rate(9, n1, x1), Rate(9, n0, x0))
    cells = [[x1, n1 - x1], [x0, n0 - x0]]
    wanted = chi2_contingency(cells, correction=False)
    assert (found.chi_squared, found.p) == pytest.approx((wanted.statistic, wanted.pvalue), **CLOSE)
    assert found.z**2 == pytest.approx(found.chi_squared)
    assert (found.z > 0) == (x1 / n1 > x0 / n0)
    assert "Do not decide" in found.note == NOTE
