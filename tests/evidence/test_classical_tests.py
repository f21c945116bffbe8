"""The seed's tests give what other programs give, and their note says how far to trust them."""

import pytest
from scipy.stats import chi2_contingency

from memoria.evidence.rates import Rate
from memoria.evidence.two_rates import NOTE, classical

CLOSE = {"rel": 1e-9}


def test_the_z_test():
    found = classical(Rate(8, 19, 6), Rate(8, 31, 21))
    # statsmodels 0.15.0, proportions_ztest([6, 21], [19, 31])
    assert (found.z, found.z_p) == pytest.approx(
        (-2.4903544148548056, 0.012761576676353114), **CLOSE
    )
    assert found.note == NOTE
    assert "Do not decide" in NOTE


@pytest.mark.parametrize(
    ("x1", "n1", "x0", "n0"), [(6, 19, 21, 31), (1, 30, 2, 31), (10, 20, 10, 20), (0, 9, 8, 9)]
)
def test_chi_squared_is_scipys(x1, n1, x0, n0):
    found = classical(Rate(9, n1, x1), Rate(9, n0, x0))
    cells = [[x1, n1 - x1], [x0, n0 - x0]]
    plain, corrected = (chi2_contingency(cells, correction=yes) for yes in (False, True))
    assert (found.chi_squared, found.chi_squared_p) == pytest.approx(
        (plain.statistic, plain.pvalue), **CLOSE
    )
    assert (found.corrected, found.corrected_p) == pytest.approx(
        (corrected.statistic, corrected.pvalue), **CLOSE
    )


@pytest.mark.parametrize(
    ("treated", "control"),
    [
        (Rate(0, 0, 0), Rate(5, 9, 3)),
        (Rate(5, 9, 3), Rate(5, 0, 0)),
        (Rate(5, 9, 0), Rate(5, 9, 0)),
        (Rate(5, 9, 9), Rate(5, 9, 9)),
    ],
)
def test_nothing_to_test(treated, control):
    assert classical(treated, control) is None
