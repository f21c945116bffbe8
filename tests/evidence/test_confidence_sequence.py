"""Confidence sequences: the published boundary, limits that hold at every look."""

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest
from studies import drawn

from memoria.capture.repeats import table
from memoria.evidence.e_values import BURN_IN, boundary, count_sequence, share_sequence, usual_count


def test_the_boundary_is_the_published_one():
    # equation 20, at n = 100, alpha .05, rho tuned to 100
    rho2 = (-2 * log(0.05) + log(-2 * log(0.05)) + 1) / 100
    expected = sqrt(2 * (100 * rho2 + 1) / (100**2 * rho2) * log(sqrt(100 * rho2 + 1) / 0.05))
    assert boundary(np.array([100.0]), 0.05, 100)[0] == pytest.approx(expected)
    assert expected == pytest.approx(0.3035, abs=5e-5)


def test_there_is_none_before_it_holds():
    short = table(drawn(0.5, 0.3, BURN_IN - 1))
    assert count_sequence(short).low == ()
    assert share_sequence(short).low == ()
    assert len(count_sequence(table(drawn(0.5, 0.3, BURN_IN))).low) == 1


def test_the_limits_hold_the_truth_at_every_look():
    missed = [0, 0]
    for seed in range(60):
        data = table(drawn(0.34, 0.12, 150, seed))
        for place, (found, truth) in enumerate(
            ((count_sequence(data), -0.748), (share_sequence(data), -0.22))
        ):
            limits = zip(found.low, found.high, strict=True)
            missed[place] += any(not low <= truth <= high for low, high in limits)
    assert max(missed) <= 8  # .05 and three standard errors


def test_the_estimate_comes_near_to_the_truth():
    data = table(drawn(0.5, 0.3, 4000))
    assert share_sequence(data).estimate[-1] == pytest.approx(-0.2, abs=0.04)
    assert count_sequence(data).estimate[-1] == pytest.approx(-0.68, abs=0.2)
    found = share_sequence(data)
    assert found.low[-1] < found.estimate[-1] < found.high[-1] < 0


@pytest.mark.parametrize("p", [0.5, 0.8])
def test_the_score_weighs_by_the_coins_chance(p):
    rows = [replace(one, p=p) for one in drawn(0.5, 0.3, BURN_IN)]
    data = table(rows)
    usual = usual_count(data.repeats, data.strata)
    beyond = data.repeats - usual
    scores = np.where(data.treated, beyond / p, -beyond / (1 - p))
    assert count_sequence(data).estimate == pytest.approx((scores.mean(),))
