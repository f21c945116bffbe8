from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.evidence.charts import axis


def labels(found):
    return [tick.label for tick in found.ticks]


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([], ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ([0, 0], ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ([1.9, 0.8], ["0", "0.5", "1.0", "1.5", "2.0"]),
        ([9], ["0", "2", "4", "6", "8", "10"]),
        ([1_200], ["0", "250", "500", "750", "1,000", "1,250"]),
        ([0.11], ["0", "0.025", "0.050", "0.075", "0.100", "0.125"]),
    ],
)
def test_numbers_have_round_ticks(values, wanted):
    assert labels(axis.numbers(values, "x")) == wanted


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([], ["0", "1"]),
        ([1], ["0", "1"]),
        ([3], ["0", "1", "2", "3"]),
        ([11], ["0", "3", "6", "9", "12"]),
    ],
)
def test_what_is_counted_has_whole_ticks(values, wanted):
    assert labels(axis.numbers(values, "sessions", whole=True)) == wanted


@given(st.lists(st.floats(0, 1e9), max_size=20), st.booleans())
def test_every_value_has_its_place_between_readable_ticks(values, whole):
    found = axis.numbers(values, "x", whole=whole)
    assert all(found.low <= value <= found.high * (1 + 1e-9) for value in values)
    assert 2 <= len(found.ticks) <= 8
    assert found.ticks[0].value == 0
    assert len(set(labels(found))) == len(found.ticks)
    assert found.place(found.low) == 0
    assert found.place(found.high) == 1
    assert found.place(found.high * 9 + 1) == 1


@pytest.mark.parametrize(
    ("values", "top"),
    [([], 0.2), ([0.1], 0.2), ([0.3], 0.4), ([0.41], 1.0), ([1.0], 1.0), ([7], 1.0)],
)
def test_shares_reach_up_to_all(values, top):
    found = axis.shares(values, "share")
    assert found.high == top
    assert labels(found)[0] == "0%"
    assert labels(found)[-1] == f"{top:.0%}"
    assert len(found.ticks) == 5


@given(st.lists(st.floats(-12, 304), max_size=10))
def test_powers_always_name_one_if_it_is_inside(values):
    found = axis.powers([*values, 0.0], "e")
    assert "1" in labels(found)
    assert found.low <= min([*values, 0.0])
    assert found.high >= max([*values, 0.0])


def moments(*days):
    return [axis.moment(datetime(*day, 12, tzinfo=UTC)) for day in days]


@pytest.mark.parametrize(
    ("days", "wanted"),
    [
        ([(2026, 3, 2)], ["2 Mar", "3 Mar"]),
        ([(2026, 3, 2), (2026, 3, 5)], ["3 Mar", "4 Mar", "5 Mar"]),
        ([(2026, 3, 2), (2026, 4, 1)], ["9 Mar", "16 Mar", "23 Mar", "30 Mar"]),
        (
            [(2025, 11, 20), (2026, 4, 3)],
            ["Dec 2025", "Jan 2026", "Feb 2026", "Mar 2026", "Apr 2026"],
        ),
        ([(2019, 2, 3), (2026, 2, 3)], ["Jan 2020", "Jan 2022", "Jan 2024", "Jan 2026"]),
    ],
)
def test_time_is_named_by_days_mondays_or_months(days, wanted):
    found = axis.dates(moments(*days), "when")
    assert labels(found) == wanted
    assert all(found.low <= tick.value <= found.high for tick in found.ticks)


def test_ticks_of_weeks_are_mondays():
    found = axis.dates(moments((2026, 3, 4), (2026, 4, 10)), "when")
    days = [
        date.fromordinal(date(1970, 1, 1).toordinal() + int(tick.value)) for tick in found.ticks
    ]
    assert {day.weekday() for day in days} == {0}


YEARS = tuple(datetime(year, 1, 1) for year in (1990, 2090))  # noqa: DTZ001 - as said


@given(st.datetimes(*YEARS), st.floats(0, 20_000))
def test_an_axis_of_time_has_a_length_and_few_ticks(start, days):
    low = axis.moment(start.replace(tzinfo=UTC))
    found = axis.dates([low, low + days], "when")
    assert found.high - found.low >= 1
    assert 1 <= len(found.ticks) <= 8
