"""Rates: a ratio of sums, None over nothing, split by whatever one asks for."""

import pytest
from scipy.stats import chi2_contingency
from studies import unit

from memoria.evidence.rates import NOTE, Rate, classical, effects, rate


def test_a_rate_over_nothing_is_none():
    assert rate([]).repeats_per_session is None
    assert rate([]).mistakes_per_session is None
    assert rate([unit(0, 0, 0)]).rmr is None
    assert rate([unit(0, 0, 0)]).repeats_per_session == 0


# -- Two rates -------------------------------------------------------------------------------------

CLOSE = {"rel": 1e-9}


def test_the_seeds_headline():
    h = 0.5375836277209237  # statsmodels 0.15.0
    sizes = [one.value for one in effects(Rate(50, 100, 12), Rate(50, 100, 34))]
    assert sizes == pytest.approx([0.647, h, 0.647], abs=5e-4)  # "0.65"
    assert [one.value for one in effects(Rate(3, 0, 0), Rate(3, 5, 0))] == [None, None, None]


def test_the_z_test():
    found = classical(Rate(8, 19, 6), Rate(8, 31, 21))
    # statsmodels 0.15.0, proportions_ztest([6, 21], [19, 31])
    assert (found.z, found.p) == pytest.approx((-2.4903544148548056, 0.012761576676353114), **CLOSE)
    assert "Do not decide" in found.note == NOTE


@pytest.mark.parametrize(
    ("x1", "n1", "x0", "n0"), [(6, 19, 21, 31), (1, 30, 2, 31), (10, 20, 10, 20), (0, 9, 8, 9)]
)
def test_chi_squared_is_scipys(x1, n1, x0, n0):
    found = classical(Rate(9, n1, x1), Rate(9, n0, x0))
    cells = [[x1, n1 - x1], [x0, n0 - x0]]
    wanted = chi2_contingency(cells, correction=False)
    assert (found.chi_squared, found.p) == pytest.approx((wanted.statistic, wanted.pvalue), **CLOSE)


@pytest.mark.parametrize(
    ("treated", "control"),
    [((0, 0, 0), (5, 9, 3)), ((5, 9, 3), (5, 0, 0)), ((5, 9, 0),) * 2, ((5, 9, 9),) * 2],
)
def test_nothing_to_test(treated, control):
    assert classical(Rate(*treated), Rate(*control)) is None
