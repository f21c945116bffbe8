from datetime import UTC, datetime

from cases import cased
from hypothesis import given, strategies as st

from memoria.learning import rewards
from memoria.learning.rewards import Reward, counted_rewards, read_rewards

RULE, OTHER = "wf-0123456789", "tool-0123456789"
AT = datetime(2026, 4, 1, 12, tzinfo=UTC)


def one(value=1, session="s", by="command", name=RULE):
    return Reward(name, value, "2026-04-01T12:00:00", by, session)


def test_what_is_written_is_read_again():
    given_ = Reward(RULE, -1, "2026-04-01T12:00:00", "command", "s", "p", "types", "broke it", "q")
    assert read_rewards([rewards.record(given_)]) == (given_,)
    assert read_rewards([rewards.opinion(given_)]) == ()
    verdicts = {RULE: (True, "flush", ""), OTHER: (False, "model", "that was wrong")}
    found = read_rewards([rewards.build_judged_record(AT, "s", "p", verdicts)])
    assert {(one.id, one.value, one.by, one.quote) for one in found} == {
        (RULE, 1, "flush", ""),
        (OTHER, 0, "model", "that was wrong"),
    }


@cased()
def test_what_is_no_reward_is_passed_over(broken):
    assert read_rewards([broken]) == ()
    assert rewards.opinions([broken]) == []


@cased()
def test_at_most_one_a_rule_and_session(given_, counts):
    found = counted_rewards(one(value, by=by) for value, by in given_)
    assert [reward.value for reward in found.values()] == [counts]


def test_rewards_without_a_session_stand_alone():
    assert counted_rewards([one(session="")]) == {}
    assert len(counted_rewards([one(), one(session="t"), one(name=OTHER)])) == 3


@given(st.lists(st.builds(one, st.sampled_from([1, 0]), st.just("s"), st.just("flush"))))
def test_what_was_judged_does_not_depend_on_its_order(found):
    values = [reward.value for reward in counted_rewards(found).values()]
    assert values == [reward.value for reward in counted_rewards(reversed(found)).values()]
