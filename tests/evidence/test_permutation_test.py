"""The permutation test: scipy's where it has one, valid on every study, the same for a seed."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import permutation_test
from studies import columns, unit

from memoria.capture.repeats import table
from memoria.evidence.permutation_test import permute


def rng():
    return np.random.default_rng(7)


def dealt(mistakes, repeats, treated):
    arm = np.isin(np.arange(len(mistakes)), treated)
    return columns(mistakes, repeats, arm)


def ratio(index, mistakes, repeats):
    return repeats[index].sum() / mistakes[index].sum()


def test_all_deals_of_a_small_study_are_scipys():
    data = columns((3, 2, 5, 1, 2, 7, 4, 1), (1, 0, 4, 0, 1, 2, 3, 1), (1, 0, 0, 1, 1, 1, 0, 1))
    found = permute(data, rng())
    assert found.exact
    assert found.deals == 56
    options = {"permutation_type": "independent", "n_resamples": np.inf, "vectorized": False}
    counts = permutation_test(
        (data.repeats[data.treated], data.repeats[data.control]),
        lambda one, other: one.mean() - other.mean(),
        **options,
    )
    places = np.arange(8)
    shares = permutation_test(
        (places[data.treated], places[data.control]),
        lambda one, other: (
            ratio(one, data.mistakes, data.repeats) - ratio(other, data.mistakes, data.repeats)
        ),
        **options,
    )
    assert (found.count, found.count_p) == pytest.approx((counts.statistic, counts.pvalue))
    assert (found.share, found.share_p) == pytest.approx((shares.statistic, shares.pvalue))


def test_under_chance_a_p_of_alpha_comes_in_at_most_alpha_of_the_deals():
    mistakes, repeats = (3, 2, 5, 1, 2, 7, 4, 1), (1, 0, 4, 0, 1, 2, 3, 1)
    values = [
        permute(dealt(mistakes, repeats, chosen), rng()) for chosen in combinations(range(8), 4)
    ]
    for p in ([one.share_p for one in values], [one.count_p for one in values]):
        for alpha in (0.02, 0.05, 0.1, 0.3, 0.5):
            assert np.mean(np.array(p) <= alpha + 1e-12) <= alpha


def test_a_sample_of_deals_is_near_to_all_of_them_and_repeats_itself():
    data = columns()
    whole = permute(data, rng(), draws=20_000)
    assert whole.exact
    assert whole.deals == 12_870
    sample = permute(data, rng(), draws=4_000)
    assert not sample.exact
    assert sample.share_p == pytest.approx(whole.share_p, abs=0.01)
    assert sample.count_p == pytest.approx(whole.count_p, abs=0.03)
    assert permute(data, rng(), draws=4_000) == sample


def test_uneven_projects_do_not_look_like_an_effect():
    # treated nine of ten in the project that repeats all, one of ten in the other
    found = [
        unit(n, 2, 2 * (n < 10), treated=(n % 10 == 0) != (n < 10), project="a" if n < 10 else "b")
        for n in range(20)
    ]
    result = permute(table(found), rng())
    assert result.share > 0.5
    assert result.share_p == 1.0
    sample = permute(table(found), rng(), draws=99)
    assert not sample.exact
    assert sample.share_p == 1.0
    mixed = [unit(n, 2, one.repeats, treated=one.treated) for n, one in enumerate(found)]
    assert permute(table(mixed), rng()).share_p < 0.01


@pytest.mark.parametrize(
    "data",
    [
        columns((), (), ()),
        columns((3, 4), (1, 1), (1, 1)),
        columns((3, 0), (1, 0), (1, 0)),
    ],
    ids=["no session", "one arm", "no mistake in one arm"],
)
def test_nothing_to_deal(data):
    assert permute(data, rng()) is None
