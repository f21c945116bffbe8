"""The seed's policy: wins and losses of each rule in each context."""

from datetime import timedelta

from memoria.capture.extract.session_context import Context
from memoria.learning.play import EPOCH, Play
from memoria.learning.thompson import count, labels

SHOP, TEST = Context("shop"), Context("shop", "test")


def test_every_rule_that_was_shown_gets_the_outcome():
    plays = [
        Play("a", EPOCH, TEST, {"x": "", "y": ""}, outcome=1.0),
        Play("b", EPOCH + timedelta(1), TEST, {"x": ""}, ("y",), outcome=0.0),
        Play("c", EPOCH + timedelta(2), SHOP, {"y": ""}, outcome=1.0),
        Play("d", EPOCH + timedelta(3), Context("trail"), {"y": ""}),
    ]
    found = count(plays)
    assert found["shop|test"] == {"x": (1.0, 1.0), "y": (1.0, 0.0)}
    assert found["shop|"] == {"x": (1.0, 1.0), "y": (2.0, 0.0)}
    assert found["trail|"] == {}
    assert count(reversed(plays)) == found


def test_a_reward_is_a_win_or_a_loss():
    plays = [
        Play(f"{at}", context=SHOP, rewards={"x": reward}) for at, reward in enumerate([1, 0, -1])
    ]
    assert count(plays)["shop|"] == {"x": (1.0, 2.0)}


def test_a_merged_rule_keeps_its_counts():
    plays = [Play("a", context=SHOP, shown={"old": ""}, outcome=1.0)]
    assert count(plays, {"old": "new"})["shop|"] == {"new": (1.0, 0.0)}


def test_a_session_counts_for_its_task_and_for_its_project():
    assert labels(TEST) == ("shop|test", "shop|")
    assert labels(SHOP) == ("shop|",)
