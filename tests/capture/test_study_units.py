"""Units: what counts as a repeat, in which session, and how far back a session remembers."""

from datetime import timedelta

import pytest
from studies import AT, seen, unit

from memoria.capture.study_units import (
    ArmAssignment,
    Lookback,
    PastSession,
    build_table,
    build_units,
    filter_error_class,
    is_of_class,
)


def derive(found, visits=(), names=None, **options):
    sessions = {one.session for one in found} | {one.session for one in visits}
    draws = {name: ArmAssignment(name, True) for name in (names or sessions)}
    return build_units(visits, found, draws, **options)


def counts(found):
    return {one.session: (one.mistakes, one.repeats) for one in found}


def test_a_session_is_settled_once_its_window_is_full():
    visits = [PastSession(f"v{n}", "shop", AT + timedelta(hours=n)) for n in range(5)]
    found = derive([], visits, lookback=Lookback(sessions=3))
    assert [one.settled for one in found] == [False, False, False, False, True]


def test_the_first_time_a_session_is_seen_is_its_start():
    visits = [PastSession("a", "shop", AT + timedelta(hours=9)), PastSession("a", "shop", AT)]
    (found,) = derive([seen("x", "a", -5)], visits)
    assert found.at == AT - timedelta(minutes=5)


def test_a_lost_coin_is_an_unknown_arm():
    (found,) = build_units([PastSession("a", "shop", AT)], [], {"a": ArmAssignment("a", None)})
    assert found.treated is None
    assert not found.is_randomised
    assert len(build_table([found]).p) == 0


@pytest.mark.parametrize(("p", "tossed"), [(0.5, True), (0.9, True), (0.0, False), (1.0, False)])
def test_a_coin_that_could_only_fall_one_way_is_none(p, tossed):
    assert unit(0, p=p).is_randomised is tossed


def test_counting_one_class_keeps_every_session():
    found = derive(
        [
            seen("x", "a", 0, kind="lint:E501"),
            seen("y", "a", 1, kind="test"),
            seen("x", "b", 100, kind="lint:E501"),
            seen("y", "c", 200, kind="test"),
        ]
    )
    assert counts(filter_error_class(found, "lint")) == {"a": (1, 0), "b": (1, 1), "c": (0, 0)}
    assert counts(filter_error_class(found, "lint:E501")) == counts(
        filter_error_class(found, "lint")
    )
    assert counts(filter_error_class(found, "lint:W1")) == {"a": (0, 0), "b": (0, 0), "c": (0, 0)}
    assert is_of_class("lint:E501", "lint")
    assert not is_of_class("lint", "lint:E501")


def test_columns_are_in_the_order_of_time_and_strata_are_project_and_chance():
    found = [
        unit(2, 5, 1, treated=False),
        unit(0, 3, 2),
        unit(1, 4, 0, project="other"),
        unit(3, 1, 1, p=0.9),
        unit(4, 2, 0, stratum="tests"),
        unit(5, treated=None),
    ]
    data = build_table(found)
    assert data.mistakes.tolist() == [3, 4, 5, 1, 2]
    assert data.repeats.tolist() == [2, 0, 1, 1, 0]
    assert data.treated.tolist() == [True, True, False, True, True]
    assert data.strata.tolist() == [0, 1, 0, 2, 3]
