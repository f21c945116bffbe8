"""Plays become rows: what explains them, and how much each weighs."""

import numpy as np
import pytest

from memoria.learning.neighbourhoods import Membership
from memoria.learning.observations import SESSION, WORD, Promises, events, laid_out, rest, table
from memoria.learning.play import Play

OWNER = {"a": 0, "a2": 0, "b": 1}
LAYOUT = laid_out(2, 2)


def laid(*plays):
    found, _ = events(plays, OWNER, {"a": "now", "b": "now"})
    count = len(plays)
    homes = Membership(np.tile([0, 1], (count, 1)), np.tile([0.75, 0.25], (count, 1)))
    promises = Promises(
        np.array([[0.4, 0.0], [0.0, 0.8]]), np.array([[1.0, 0.0], [0.0, 1.0]]), 0.03
    )
    return found, table(found, LAYOUT, homes, np.linspace(0.5, 1.0, count), promises)


def causes(found, row):
    cells = np.zeros(LAYOUT.size)
    mine = found.rows == row
    np.add.at(cells, found.columns[mine], found.values[mine])
    return cells


def test_a_layout_has_a_place_for_every_weight():
    assert (LAYOUT.fit, LAYOUT.ease, LAYOUT.start, LAYOUT.block, LAYOUT.size) == (3, 7, 8, 5, 18)


def test_a_session_is_explained_by_its_place_and_all_that_was_shown():
    _, found = laid(Play("s", shown={"a": "", "b": ""}, outcome=1.0, lines=3))
    cells = causes(found, 0)
    assert cells[:3].tolist() == [1.0, 0.75, 0.25]
    assert cells[3:8] == pytest.approx([0.3 + 0.2, 0.75 + 0.25, 2.0, 2.0, 0.0])
    assert cells[8:13] == pytest.approx([1.0, 0.75, 0.0, 0.75, 0.25])
    assert cells[13:18] == pytest.approx([1.0, 0.25, 0.0, 0.75, 0.25])
    assert found.offsets.tolist() == pytest.approx([-0.09])


def test_two_wordings_of_a_family_count_once_and_the_newer_one():
    _, found = laid(Play("s", shown={"a": "before", "a2": ""}, outcome=0.0))
    assert causes(found, 0)[8] == 1.0
    _, found = laid(Play("s", shown={"a": "before"}, outcome=0.0))
    assert causes(found, 0)[8] == 0.5
    assert causes(found, 0)[3] == pytest.approx(0.15)


def test_an_occasion_has_an_ease_of_its_own_and_the_rule_where_it_was_shown():
    told, found = laid(Play("s", shown={"a": ""}, judged={"a": True, "b": False}))
    assert [row[2] for row in told.rows] == [0, 1]
    assert found.answers.tolist() == [1.0, 0.0]
    shown, without = causes(found, 0), causes(found, 1)
    assert shown[0] == without[0] == 0.0
    assert shown[7] == without[7] == shown[10] == without[15] == 1.0
    assert shown[8] == 2.0
    assert without[8] == without[13] == 0.0


@pytest.mark.parametrize(("reward", "answer"), [(1, 1.0), (0, 0.5), (-1, 0.0)])
def test_a_reward_speaks_of_the_rule_alone(reward, answer):
    told, found = laid(Play("s", shown={"a": ""}, rewards={"a": reward}))
    assert [row[2] for row in told.rows] == [WORD]
    assert found.answers.tolist() == [answer]
    assert causes(found, 0)[:3].tolist() == [0.0, 0.0, 0.0]
    assert causes(found, 0)[8] == 4.0


def test_what_is_no_reward_is_none():
    assert laid(Play("s", rewards={"a": 7}))[0].rows == []


def test_a_session_without_outcome_is_no_row_but_is_remembered_as_shown():
    found, last = events([Play("s", shown={"a": ""}), Play("t")], OWNER, {})
    assert found.rows == []
    assert last == {0: 0}


def test_rules_rest_between_sessions():
    plays = [
        Play(f"{at}", shown={"a": ""} if at in {0, 10} else {}, outcome=1.0) for at in range(11)
    ]
    found, _ = events(plays, OWNER, {})
    assert [cause[3] for cause in found.causes] == [1.0, 0.5]
    assert rest(None) == 1.0
    assert rest(1) < rest(5) < rest(50) < 1.0


def test_rows_weigh_as_their_plays():
    told, found = laid(Play("s", outcome=1.0), Play("t", rewards={"a": 1}, outcome=0.0))
    assert [row[2] for row in told.rows] == [SESSION, SESSION, WORD]
    assert found.weights.tolist() == [0.5, 1.0, 1.0]
