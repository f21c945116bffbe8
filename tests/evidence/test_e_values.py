"""The e-process: no way of betting makes money against a coin, and an effect makes it rich."""

from itertools import product
from math import log

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from studies import columns, drawn

from memoria.capture.study_units import build_table
from memoria.evidence.e_values import (
    THRESHOLD,
    Wealth,
    build_share_bets,
    compute_growth,
    compute_wealth,
    find_crossing,
    usual_count,
    usual_share,
)

SESSION = st.tuples(st.integers(0, 12), st.floats(0, 1)).map(lambda t: (t[0], int(t[0] * t[1])))
COINS = list(product((0, 1), repeat=6))


def deals(sessions, p):
    """Every way in which the coins of a study may fall, with its chance."""
    for coin in COINS:
        data = columns([m for m, _ in sessions], [r for _, r in sessions], coin, p)
        yield data, float(np.prod([p if side else 1 - p for side in coin]))


@settings(max_examples=12, deadline=None)
@given(st.lists(SESSION, min_size=6, max_size=6), st.sampled_from([0.5, 0.3, 0.9]))
def test_the_stake_is_worth_one_on_average_whatever_the_sessions_show(sessions, p):
    totals, best = np.zeros(3), 0.0
    for data, chance in deals(sessions, p):
        found = compute_wealth(data)
        paths = (found.total, found.share, found.count)
        totals += chance * np.exp([path[-1] for path in paths])
        # Ville: stopping at a level of the gambler's choice gains nothing either
        best += chance * (found.peak >= 1.5)
    assert totals == pytest.approx(np.ones(3))
    assert best <= 1 / 1.5


def test_what_a_session_pays_is_its_likelihood_ratio_against_the_coin():
    data = columns((4,), (0,), (1,), 0.25)
    bets = build_share_bets(data)
    ratio = np.exp(bets.ratios[0])
    assert np.exp(compute_growth(bets, data)[0]) == pytest.approx(ratio / (0.25 * ratio + 0.75))
    untreated = columns((4,), (0,), (0,), 0.25)
    assert np.exp(compute_growth(bets, untreated)[0]) == pytest.approx(1 / (0.25 * ratio + 0.75))


@pytest.mark.parametrize(("control", "treated"), [(0.34, 0.12), (0.12, 0.4)])
def test_an_effect_is_seen_in_either_direction(control, treated):
    studies = [build_table(drawn(control, treated, 200, seed)) for seed in range(20)]
    assert sum(compute_wealth(study).crossed is not None for study in studies) >= 17


def test_the_threshold_is_reached_once_and_the_peak_stays():
    path = Wealth(total=(0.0, log(20.5), log(5)))
    assert path.crossed == 2
    assert path.peak == pytest.approx(20.5)
    assert path.now == pytest.approx(5)
    assert find_crossing((0.0, 1.0)) is None
    assert find_crossing((0.0, log(20.0))) == 2
    assert THRESHOLD == 20


# -- What is usual ---------------------------------------------------------------------------------

SAME = np.zeros(40, np.int64)


def test_what_is_usual_is_found_from_the_project_and_fades():
    found = usual_share(np.full(40, 4.0), np.full(40, 3.0), SAME)
    assert (found[0], found[-1]) == pytest.approx((0.4, 0.75), abs=0.01)
    assert usual_count(np.full(40, 3.0), SAME)[0] == pytest.approx(0.5)
    strata = np.arange(40) % 2
    apart = usual_share(np.full(40, 4.0), 4.0 * strata, strata)
    assert apart[-2] < 0.15
    assert apart[-1] > 0.85
    # a new project is taken for average
    new = usual_share(np.full(40, 4.0), np.full(40, 1.0), np.r_[SAME[:39], 1])
    assert new[-1] == pytest.approx(0.25, abs=0.01)
    drift = usual_count(np.r_[np.zeros(300), np.full(300, 2.0)], np.zeros(600, np.int64))
    assert drift[-1] > 1.7
    still = usual_share(np.zeros(40), np.zeros(40), SAME)
    assert ((still > 0) & (still < 1)).all()
