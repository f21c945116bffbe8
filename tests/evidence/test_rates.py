"""Rates: a ratio of sums, None over nothing, split by whatever one asks for."""

from studies import drawn, seen, unit, units

from memoria.capture.repeats import Draw
from memoria.capture.repeats import units as derive
from memoria.evidence.rates import (
    Rate,
    by_class,
    by_project,
    classes,
    over_time,
    rate,
)


def test_a_rate_over_nothing_is_none():
    assert rate([]).repeats_per_session is None
    assert rate([]).mistakes_per_session is None
    assert rate([unit(0, 0, 0)]).rmr is None
    assert rate([unit(0, 0, 0)]).repeats_per_session == 0


def test_by_project_and_class():
    found = derive(
        [],
        [
            seen("x", "a", 0, kind="lint:E501"),
            seen("x", "b", 100, kind="lint:E501"),
            seen("y", "b", 101, kind="test"),
            seen("x", "c", 200, project="other", kind="lint:W1"),
        ],
        {name: Draw(name, True) for name in "abc"},
    )
    assert by_project(found) == {"shop": Rate(2, 3, 1), "other": Rate(1, 1, 0)}
    assert classes(found) == ("lint", "test")
    assert by_class(found) == {"lint": Rate(3, 3, 1), "test": Rate(3, 1, 0)}


def test_over_time_has_both_arms_and_loses_no_session():
    found = drawn(0.5, 0.3, 93)
    points = over_time(found)
    assert sum(point.rate.sessions for point in points) == 93
    assert sum(point.rate.repeats for point in points) == sum(one.repeats for one in found)
    assert {point.treated for point in points} == {True, False}
    assert len({point.since for point in points}) == 8
    assert all(one.until < two.since for one, two in zip(points[::2], points[2::2], strict=False))
    told = [point for point in points if point.rmr]
    assert all(point.rmr.low <= point.rate.rmr <= point.rmr.high for point in told)
    assert len(told) > 10


def test_over_time_of_little_is_one_span_without_limits():
    points = over_time(units((3, 2), (1, 0), (1, 0)))
    assert [(point.treated, point.rmr, point.repeats) for point in points] == [
        (True, None, None),
        (False, None, None),
    ]
    assert over_time([]) == ()
