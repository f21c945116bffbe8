"""The state file: counts that can be checked by hand, beliefs beside them, the same bytes again."""

import json
from datetime import timedelta

import pytest
from hypothesis import given, settings, strategies as st

from memoria.capture.extract.session_context import SessionContext
from memoria.learning.arms import Arm
from memoria.learning.play import EPOCH, Play
from memoria.learning.policy import POLICIES, learn, round_value, state

SHOP, TRAIL = (
    SessionContext("shop", words={"sql": 1.0}),
    SessionContext("trail", words={"css": 1.0}),
)
ARMS = [Arm("x", {"sql": 1.0}), Arm("y", {"css": 1.0}), Arm("new", {"sql": 0.9})]
PLAYS = [
    Play("a", EPOCH, SHOP, {"x": "", "y": ""}, outcome=1.0),
    Play("b", EPOCH + timedelta(1), TRAIL, {"y": ""}, ("x",), outcome=0.0, judged={"y": False}),
    Play("c", EPOCH + timedelta(2), SHOP, {"x": ""}, rewards={"x": 1, "y": 0}),
    Play("", EPOCH + timedelta(3), SHOP, rewards={"x": -1}),
    Play("d", EPOCH + timedelta(4), SHOP, {"gone": ""}, judged={"x": True}),
]


def believed(policy="joint", plays=PLAYS):
    return state(learn(policy, ARMS, plays), ARMS, plays)


@pytest.mark.parametrize("policy", POLICIES)
def test_counts_can_be_checked_by_hand_whatever_the_policy(policy):
    found = believed(policy)
    x, y = found["rules"]["x"], found["rules"]["y"]
    assert (found["policy"], found["plays"], found["known"]) == (policy, 5, 5)
    assert (x["shown"], x["withheld"], x["outcomes"], x["successes"]) == (2, 1, 1, 1)
    assert (x["well"], x["helped"], x["hurt"]) == (1, 1, 1)
    assert (y["shown"], y["outcomes"], y["successes"], y["again"], y["no_help"]) == (2, 2, 1, 1, 1)
    assert x["last_reward"] == {"at": "1970-01-04T00:00:00+00:00", "reward": -1}
    assert found["rules"]["gone"]["shown"] == 1
    assert found["rules"]["new"]["last_reward"] is None


def test_beliefs_are_those_of_the_policy():
    assert believed("none")["rules"]["x"].keys().isdisjoint({"mean", "sd"})
    assert believed("beta-thompson")["rules"]["y"]["mean"] == pytest.approx(2 / 5)
    joint = believed()
    assert joint["rules"]["x"]["mean"] > joint["rules"]["gone"]["mean"]
    assert joint["rules"]["x"]["sd"] > 0.0


@settings(deadline=None, max_examples=10)
@given(st.permutations(PLAYS), st.sampled_from(POLICIES))
def test_the_same_plays_give_the_same_bytes_in_any_order(plays, policy):
    assert json.dumps(believed(policy, plays)) == json.dumps(believed(policy))


@pytest.mark.parametrize(
    ("value", "expected"), [(0.123456789, 0.123457), (-0.0, 0.0), (12345678.0, 12345700.0)]
)
def test_numbers_keep_six_digits(value, expected):
    assert str(round_value(value)) == str(expected)
