"""Power: the textbook's number for one look, the measured one for every look."""

import numpy as np
import pytest
from studies import columns, drawn

from memoria.capture.repeats import table
from memoria.evidence.power import (
    Spread,
    count_spread,
    forecast,
    share_spread,
    watched,
)


def test_what_is_missing_shrinks_as_the_evidence_grows():
    assert watched(0.1, 2.0) == 75  # (11.5 - 2 * 2) / 0.1
    assert watched(0.1, 2.0) < watched(0.1) < watched(0.1, -2.0)
    assert watched(0.1, 100.0) == 1


def test_the_spread_is_that_of_the_difference():
    data = columns()
    found = count_spread(data.repeats, data)
    one, other = data.repeats[data.treated], data.repeats[data.control]
    error = np.sqrt(one.var(ddof=1) / 8 + other.var(ddof=1) / 8)
    assert found.effect == pytest.approx(one.mean() - other.mean())
    assert np.sqrt(found.variance / 16) == pytest.approx(error)
    assert share_spread(data).effect == pytest.approx(6 / 19 - 21 / 31)
    assert Spread(0.5, 0.0).told == 0


def test_too_little_gives_no_forecast():
    assert forecast(columns((3, 3, 2, 2), (1, 2, 0, 1), (1, 0, 1, 0)), 0.0, 0.5) is None
    assert forecast(columns((3,) * 20, (0,) * 20, (1, 0) * 10), 0.0, 0.5) is None
    assert forecast(columns((0,) * 20, (0,) * 20, (1, 0) * 10), 0.0, 0.5) is None
    assert forecast(columns((), (), ()), 0.0, 0.5) is None


def test_an_effect_that_stands_out_is_used_and_another_is_supposed():
    clear = forecast(table(drawn(0.6, 0.1, 60)), 1.0, 0.5)
    assert clear.basis == "seen"
    assert clear.reduction > 0.5
    even = [4, 3, 0, 5, 2, 6] * 10
    arms = ((1,) * 6 + (0,) * 6) * 5
    flat = forecast(columns(even, [m // 2 for m in even], arms), 0.0, 0.5)
    assert (flat.basis, flat.reduction) == ("supposed", 0.5)
    # a half fewer of .45 of the mistakes leaves .29 of those that are left
    spread = share_spread(columns(even, [m // 2 for m in even], arms))
    rate = 9 / 20
    left = rate / 2 / (1 - rate / 2)
    assert flat.watched == watched((left - rate) ** 2 / spread.variance)


def test_the_forecast_is_about_right():
    # for .50 -> .25 the e-process reaches 20 in .8 of 250 studies by about 107 sessions
    large = table(drawn(0.5, 0.25, 20_000))
    told = max(share_spread(large).told, count_spread(large.repeats, large).told)
    assert watched(told) == pytest.approx(107, rel=0.2)
