"""Effect sizes by name; the seed's is the relative reduction."""

import pytest

from memoria.evidence.rates import Rate
from memoria.evidence.two_rates import cohens_h, effects


def named(treated, control):
    return {one.name: one.value for one in effects(treated, control)}


def test_the_seeds_headline():
    found = named(Rate(50, 100, 12), Rate(50, 100, 34))
    assert found["difference of RMR"] == pytest.approx(-0.22)
    assert found["relative reduction of RMR"] == pytest.approx(0.647, abs=5e-4)  # "0.65"
    assert found["Cohen's h of RMR"] == pytest.approx(0.5375836277209237)  # statsmodels 0.15.0
    assert found["difference of repeats per session"] == pytest.approx(-0.44)
    assert found["relative reduction of repeats per session"] == pytest.approx(0.647, abs=5e-4)
    assert found["difference of mistakes per session"] == 0


def test_what_is_not_defined_is_none():
    found = named(Rate(3, 0, 0), Rate(3, 5, 0))
    assert found["difference of RMR"] is None
    assert found["relative reduction of RMR"] is None
    assert found["Cohen's h of RMR"] is None
    assert found["relative reduction of repeats per session"] is None
    assert found["difference of repeats per session"] == 0


def test_every_effect_says_what_it_is():
    assert all(one.means and one.name for one in effects(Rate(1, 1, 1), Rate(1, 1, 1)))


def test_h_has_the_sign_of_the_difference():
    assert cohens_h(0.5, 0.2) == -cohens_h(0.2, 0.5) > 0
