"""One door for all policies, and only what is given to it comes out."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings, strategies as st

from memoria.capture.extract.session_context import SessionContext
from memoria.learning import joint, session_rules
from memoria.learning.arms import Arm
from memoria.learning.play import EPOCH, Play
from memoria.learning.policy import (
    POLICIES,
    SPREAD_PART,
    Options,
    compact,
    learn,
    round_value,
    state,
)

SHOP = SessionContext("shop", words={"sql": 1.0, "queue": 1.0})
ARMS = [
    Arm(f"wf-{at:010x}", {word: 1.0}, units=50)
    for at, word in enumerate(["sql", "queue", "css", "token", "docker"])
]
PLAYS = [
    Play(
        f"{at:03d}",
        EPOCH + timedelta(hours=at),
        replace(SHOP, task="test" if at % 2 else "fix"),
        {ARMS[at % 5].id: ""},
        outcome=float(at % 5 != 2),
    )
    for at in range(60)
]
PLAIN, TEST = SessionContext("shop"), SessionContext("shop", "test")


def prepared(policy, arms=ARMS, plays=PLAYS, **options):
    return compact(learn(policy, ARMS, plays), arms, SHOP, Options(policy, **options))


@pytest.mark.parametrize("policy", POLICIES)
def test_only_rules_that_are_given_can_be_chosen_whatever_was_learned(policy):
    found = prepared(policy, arms=ARMS[2:3], epsilon=0.0)
    for number in range(50):
        assert set(session_rules.choose(found, f"{number}").shown) <= {ARMS[2].id}


@pytest.mark.parametrize("policy", POLICIES)
def test_pinned_rules_are_in_whatever_the_policy(policy):
    arms = [*ARMS[:4], replace(ARMS[4], pinned=True)]
    chosen = session_rules.choose(prepared(policy, arms=arms), "a session")
    assert chosen.pinned == [ARMS[4].id]
    assert chosen.shown[0] == ARMS[4].id
    assert chosen.shown.count(ARMS[4].id) == 1


@pytest.mark.parametrize("policy", POLICIES)
def test_without_rules_or_plays_nothing_breaks(policy):
    assert session_rules.choose(prepared(policy, arms=[]), "s").shown == []
    assert session_rules.choose(prepared(policy, plays=[]), "s").policy == policy
    nothing = compact(learn(policy, [], []), [], SessionContext(), Options(policy))
    assert session_rules.choose(nothing, "s").shown == []


def test_none_chooses_none_and_all_chooses_all_in_order():
    assert session_rules.choose(prepared("none"), "s").shown == []
    every = session_rules.choose(prepared("all", epsilon=0.0, k=2), "s")
    assert every.shown == [arm.id for arm in ARMS]
    first = session_rules.choose(prepared("all", epsilon=0.0), "s", budget=120)
    assert first.shown == every.shown[:2]


def test_beyond_the_room_the_first_of_paraphrases_stands_for_all_and_a_pinned_one_for_the_rest():
    arms = [replace(arm, family="one") for arm in ARMS[:3]]
    learned = learn("joint", arms, PLAYS)
    options = Options("joint", k=2)
    assert session_rules.choose(compact(learned, arms, SHOP, options), "s").shown == [arms[0].id]
    turned = compact(learned, arms[::-1], SHOP, options)
    assert session_rules.choose(turned, "s").shown == [arms[2].id]
    assert session_rules.choose(turned, "s").left_out == [arms[1].id, arms[0].id]
    whole = session_rules.choose(compact(learned, arms, SHOP, Options("joint")), "s")
    assert (len(whole.shown), whole.left_out) == (3, [])
    pinned = [replace(arms[0], pinned=True), *arms[1:]]
    assert session_rules.choose(compact(learned, pinned, SHOP, options), "s").shown == [arms[0].id]


def test_beta_thompson_knows_the_counts_of_the_label_and_of_the_project():
    found = prepared("beta-thompson")
    at = [name for name, _ in found["arms"]].index(ARMS[2].id)
    assert [at, 1.0, 13.0] in found["labels"][""]
    of_task = compact(learn("beta-thompson", ARMS, PLAYS), ARMS, replace(SHOP, task="test"))
    assert [at, 1.0, 7.0] in of_task["labels"][""]


def test_a_draw_is_what_the_model_believes_and_damped_by_alpha():
    learned = learn("joint", ARMS, PLAYS)
    found = compact(learned, ARMS, SHOP, Options("joint"))
    means, spreads = joint.predict(learned.model, [SHOP])
    for at, mean, spread in found["labels"][""]:
        family = learned.model.owner[found["arms"][at][0]]
        assert mean == pytest.approx(means[family, 0], abs=1e-4)
        assert spread == pytest.approx(SPREAD_PART * spreads[family, 0], abs=1e-4)


def test_a_line_has_a_cost_only_where_there_are_far_more_rules_than_room():
    assert prepared("joint", k=3)["cost"] is None
    assert prepared("joint", k=2)["cost"] == joint.PRIOR.cost


def test_candidates_are_bounded_by_what_may_be_drawn():
    arms = [Arm(f"wf-{at:010x}", {f"word{at}": 1.0}) for at in range(250)]
    learned = learn("joint", arms, [])
    few = compact(learned, arms, SHOP)
    assert len(few["labels"][""]) == len(few["arms"]) == 200
    assert len(few["rest"]) == 50


def test_every_rule_that_was_shown_gets_the_outcome():
    plays = [
        Play("a", EPOCH, TEST, {"x": "", "y": ""}, outcome=1.0),
        Play("b", EPOCH + timedelta(1), TEST, {"x": ""}, ("y",), outcome=0.0),
        Play("c", EPOCH + timedelta(2), PLAIN, {"y": ""}, outcome=1.0),
        Play("d", EPOCH + timedelta(3), SessionContext("trail"), {"y": ""}),
    ]
    found = learn("beta-thompson", [], plays).counts
    assert found["shop|test"] == {"x": (1.0, 1.0), "y": (1.0, 0.0)}
    assert found["shop|"] == {"x": (1.0, 1.0), "y": (2.0, 0.0)}
    assert found["trail|"] == {}
    assert learn("beta-thompson", [], reversed(plays)).counts == found


def test_a_reward_is_a_win_or_a_loss():
    plays = [
        Play(f"{at}", context=PLAIN, rewards={"x": reward}) for at, reward in enumerate([1, 0, -1])
    ]
    assert learn("beta-thompson", [], plays).counts["shop|"] == {"x": (1.0, 2.0)}


# -- The state file -------------------------------------------------------------------------------

WEB, TRAIL = (
    SessionContext(name, words={word: 1.0}) for name, word in (("shop", "sql"), ("trail", "css"))
)
THREE = [Arm("x", {"sql": 1.0}), Arm("y", {"css": 1.0}), Arm("new", {"sql": 0.9})]
FIVE = [
    Play("a", EPOCH, WEB, {"x": "", "y": ""}, outcome=1.0),
    Play("b", EPOCH + timedelta(1), TRAIL, {"y": ""}, ("x",), outcome=0.0, judged={"y": False}),
    Play("c", EPOCH + timedelta(2), WEB, {"x": ""}, rewards={"x": 1, "y": 0}),
    Play("", EPOCH + timedelta(3), WEB, rewards={"x": -1}),
    Play("d", EPOCH + timedelta(4), WEB, {"gone": ""}, judged={"x": True}),
]


def believed(policy="joint", plays=FIVE):
    return state(learn(policy, THREE, plays), THREE, plays)


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
@given(st.permutations(FIVE), st.sampled_from(POLICIES))
def test_the_same_plays_give_the_same_bytes_in_any_order(plays, policy):
    assert json.dumps(believed(policy, plays)) == json.dumps(believed(policy))


@pytest.mark.parametrize(
    ("value", "expected"), [(0.123456789, 0.123457), (-0.0, 0.0), (12345678.0, 12345700.0)]
)
def test_numbers_keep_six_digits(value, expected):
    assert str(round_value(value)) == str(expected)
