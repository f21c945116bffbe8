"""Units: what counts as a repeat, in which session, and how far back a session remembers."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies import AT, seen, unit

from memoria.capture.repeats import Draw, Lookback, Visit, is_of_class, of_class, table, units

DAY = 24 * 60


def derive(found, visits=(), names=None, **options):
    sessions = {one.session for one in found} | {one.session for one in visits}
    draws = {name: Draw(name, True) for name in (names or sessions)}
    return units(visits, found, draws, **options)


def counts(found):
    return {one.session: (one.mistakes, one.repeats) for one in found}


def test_a_repeat_was_met_in_an_earlier_session_and_not_only_in_this_one():
    found = derive(
        [
            seen("x", "a", 0),
            seen("x", "a", 1),
            seen("x", "b", 100),
            seen("x", "b", 101),
            seen("y", "b", 102),
        ]
    )
    assert counts(found) == {"a": (2, 0), "b": (3, 2)}
    assert [met.repeat for met in found[1].met] == [True, True, False]


def test_another_project_is_no_memory():
    found = derive([seen("x", "a", 0), seen("x", "b", 100, project="other")])
    assert counts(found) == {"a": (1, 0), "b": (1, 0)}


def test_a_session_without_a_mistake_counts():
    visits = [Visit("quiet", "shop", AT + timedelta(hours=1))]
    assert counts(derive([seen("x", "a", 0)], visits)) == {"a": (1, 0), "quiet": (0, 0)}


def test_sessions_that_overlap_know_only_what_has_happened():
    # b begins later, and meets x before a does
    found = derive([seen("y", "a", 0), seen("x", "b", 10), seen("x", "a", 20), seen("y", "b", 30)])
    assert counts(found) == {"a": (2, 0), "b": (2, 1)}
    # at the same instant neither was before the other
    assert counts(derive([seen("x", "a", 5), seen("x", "b", 5)])) == {"a": (1, 0), "b": (1, 0)}


def test_only_sessions_with_a_draw_are_in_the_study_and_all_are_remembered():
    found = derive([seen("x", "before", 0), seen("x", "in", 100)], names={"in", "not captured"})
    assert counts(found) == {"in": (1, 1)}


@pytest.mark.parametrize(
    ("lookback", "later", "between", "repeated"),
    [
        (Lookback(days=30, sessions=50), 29 * DAY, 0, 1),
        (Lookback(days=30, sessions=50), 31 * DAY, 0, 0),
        (Lookback(days=30, sessions=50), 20 * DAY, 49, 1),
        (Lookback(days=30, sessions=50), 20 * DAY, 50, 0),
        (Lookback(days=30, sessions=3), 60, 2, 1),
        (Lookback(days=30, sessions=3), 60, 3, 0),
    ],
)
def test_the_look_back_is_the_shorter_of_days_and_sessions(lookback, later, between, repeated):
    visits = [Visit(f"v{n}", "shop", AT + timedelta(minutes=1 + n / 2)) for n in range(between)]
    found = derive([seen("x", "a", 0), seen("x", "z", later)], visits, lookback=lookback)
    assert counts(found)["z"] == (1, repeated)


def test_a_session_is_settled_once_its_window_is_full():
    visits = [Visit(f"v{n}", "shop", AT + timedelta(hours=n)) for n in range(5)]
    found = derive([], visits, lookback=Lookback(sessions=3))
    assert [one.settled for one in found] == [False, False, False, False, True]


def test_a_memory_of_fixed_length_does_not_make_the_rate_rise():
    # one of twenty mistakes in turn: with a memory for ever all are repeats after a while
    found = [seen(f"m{n % 20}", f"s{n}", n * 60) for n in range(200)]
    forever = derive(found, lookback=Lookback(days=9999, sessions=9999))
    window = derive(found, lookback=Lookback(sessions=10))
    assert sum(one.repeats for one in forever[100:]) == 100
    assert sum(one.repeats for one in window) == 0


def test_near_signatures_count_as_one_where_a_table_says_so():
    found = [seen("x 1", "a", 0), seen("x 2", "b", 100)]
    assert counts(derive(found))["b"] == (1, 0)
    assert counts(derive(found, families={"x 2": "x", "x 1": "x"}))["b"] == (1, 1)


def test_the_first_time_a_session_is_seen_is_its_start():
    visits = [Visit("a", "shop", AT + timedelta(hours=9)), Visit("a", "shop", AT)]
    (found,) = derive([seen("x", "a", -5)], visits)
    assert found.at == AT - timedelta(minutes=5)


def test_a_lost_coin_is_an_unknown_arm():
    (found,) = units([Visit("a", "shop", AT)], [], {"a": Draw("a", None)})
    assert found.treated is None
    assert not found.is_tossed
    assert len(table([found]).p) == 0


@pytest.mark.parametrize(("p", "tossed"), [(0.5, True), (0.9, True), (0.0, False), (1.0, False)])
def test_a_coin_that_could_only_fall_one_way_is_none(p, tossed):
    assert unit(0, p=p).is_tossed is tossed


def test_counting_one_class_keeps_every_session():
    found = derive(
        [
            seen("x", "a", 0, kind="lint:E501"),
            seen("y", "a", 1, kind="test"),
            seen("x", "b", 100, kind="lint:E501"),
            seen("y", "c", 200, kind="test"),
        ]
    )
    assert counts(of_class(found, "lint")) == {"a": (1, 0), "b": (1, 1), "c": (0, 0)}
    assert counts(of_class(found, "lint:E501")) == counts(of_class(found, "lint"))
    assert counts(of_class(found, "lint:W1")) == {"a": (0, 0), "b": (0, 0), "c": (0, 0)}
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
    data = table(found)
    assert data.mistakes.tolist() == [3, 4, 5, 1, 2]
    assert data.repeats.tolist() == [2, 0, 1, 1, 0]
    assert data.treated.tolist() == [True, True, False, True, True]
    assert data.strata.tolist() == [0, 1, 0, 2, 3]


@given(
    st.lists(st.lists(st.sampled_from("abcde"), max_size=5), max_size=8),
)
def test_without_a_limit_all_that_an_earlier_session_met_is_a_repeat(history):
    found = [
        seen(mark, f"s{n}", 100 * n + place)
        for n, marks in enumerate(history)
        for place, mark in enumerate(marks)
    ]
    ours = derive(found, lookback=Lookback(days=9999, sessions=9999))
    earlier = [set().union(*history[:n]) for n in range(len(history))]
    assert sum(one.mistakes for one in ours) == len(found)
    assert sum(one.repeats for one in ours) == sum(
        mark in met for met, marks in zip(earlier, history, strict=True) for mark in marks
    )
