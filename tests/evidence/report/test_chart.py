"""Axes with round ticks, and numbers as a reader expects them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.evidence.report import chart, words


@given(st.lists(st.floats(0, 1e9), max_size=20))
def test_every_value_has_its_place_between_readable_ticks(values):
    axis = chart.numbers(values, "x")
    assert all(axis.low <= value <= axis.high * (1 + 1e-9) for value in values)
    assert 2 <= len(axis.ticks) <= 8


@given(st.lists(st.floats(-12, 304), max_size=10))
def test_powers_always_name_one_and_hold_every_value(values):
    axis = chart.powers([*values, 0.0], "e")
    assert "1" in [label for _, label in axis.ticks]
    assert axis.low <= min([*values, 0.0]) <= max([*values, 0.0]) <= axis.high


@pytest.mark.parametrize(("high", "top"), [(0.1, 0.2), (0.3, 0.4), (0.41, 1.0), (7, 1.0)])
def test_shares_reach_up_to_all(high, top):
    axis = chart.shares([high], "share")
    assert (axis.high, axis.ticks[-1][1], len(axis.ticks)) == (top, f"{top:.0%}", 5)


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        (words.rough(None), words.NONE), (words.rough(0.0), "0"), (words.rough(1.9), "1.9"),
        (words.rough(0.48123), "0.48"), (words.rough(1e-9), "0"), (words.rough(153.2), "153"),
        (words.rough(9_762.4), "9,762"), (words.rough(-1.23), "-1.2"),
        (words.percent(0.123), "12%"),
        (words.percent(None), words.NONE), (words.limits(None), words.NONE),
        (words.points(-0.3), f"{words.MINUS}30"), (words.signed(0.5), "+0.5"),
        (words.signed(-0.96), f"{words.MINUS}0.96"), (words.chance(0.0001), "p < .001"),
        (words.chance(0.0312), "p = .031"), (words.chance(1.0), "p = 1.000"),
        (words.between(date(2026, 3, 2), date(2026, 3, 2)), "2 Mar 2026"),
        (words.between(date(2026, 3, 2), date(2026, 3, 9)), "2 to 9 Mar 2026"),
        (words.between(date(2026, 3, 2), date(2026, 4, 1)), "2 Mar to 1 Apr 2026"),
        (words.between(date(2025, 12, 2), date(2026, 1, 1)), "2 Dec 2025 to 1 Jan 2026"),
    ],
)  # fmt: skip
def test_what_is_written(written, wanted):
    assert written == wanted
