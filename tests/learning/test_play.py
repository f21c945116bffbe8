"""Plays: their one order, and what is known of them."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from memoria.learning import rewards as reward
from memoria.learning.play import EPOCH, Play, read_plays, sort_plays
from memoria.vault.storage.history import History, RecordedMistake, RecordedSession
from memoria.vault.storage.ledger_records import NO_TURN, Mistake

many = st.lists(
    st.builds(
        Play,
        st.sampled_from(["", "a", "b", "c"]),
        st.integers(0, 3).map(lambda day: EPOCH + timedelta(days=day)),
        outcome=st.sampled_from([None, 0.0, 1.0]),
        rewards=st.dictionaries(st.sampled_from(["x", "y"]), st.sampled_from([-1, 0, 1])),
    ),
    max_size=12,
)


@given(many)
def test_time_orders_plays_and_loses_none(found):
    ordered = sort_plays(found)
    assert len(ordered) == len(found)
    assert [play.at for play in ordered] == sorted(play.at for play in found)


# -- From the ledger -------------------------------------------------------------------------------

T0 = datetime(2026, 4, 1, tzinfo=UTC)
RULE, OTHER, PIN = "wf-0000000001", "wf-0000000002", "wf-0000000003"


def stay(name, day=0, **context):
    at = T0 + timedelta(days=day)
    return RecordedSession(name, "shop", at, at + timedelta(hours=1), context)


def seen(session, day=0, signature="Bash exit x"):
    at = T0 + timedelta(days=day, minutes=5)
    mistake = Mistake(signature, "Bash", "exit", "x", "c", NO_TURN, at)
    return RecordedMistake(mistake, session, "shop")


def injection(session, slate=(RULE,), withheld=(), pinned=(), event="SessionStart", **fields):
    rows = [{"id": name, "hash": f"h-{name}", "p": 0.9} for name in slate]
    return {
        "kind": "injection",
        "at": "2026-04-01T00:00:00+00:00",
        "session": session,
        "project": "shop",
        "event": event,
        "slate": rows,
        "withheld": [{"id": name, "hash": "", "p": 0.9} for name in withheld],
        "pinned": list(pinned),
    } | fields


def history(stays=(), mistakes=(), **kept):
    return History(
        sessions={one.session: one for one in stays}, mistakes=list(mistakes), records=kept
    )


def test_what_was_shown_and_what_came_of_it():
    stays = [stay("a"), stay("b", 1, task="fix"), stay("c", 2)]
    given = (injection("b", withheld=(OTHER,)), injection("c"))
    past = history(stays, [seen("a"), seen("b", 1)], injection=given)
    found = {one.session: one for one in read_plays(past)}
    # the first time is no repeat, the second one is; a session without a mistake went well
    assert [found[name].outcome for name in "abc"] == [1.0, 0.0, 1.0]
    assert found["b"].shown == {RULE: f"h-{RULE}"}
    assert found["b"].withheld == (OTHER,)
    assert (found["b"].context.project, found["b"].context.task) == ("shop", "fix")
    assert found["a"].shown == {}
    assert found["b"].at == T0 + timedelta(days=1)


def test_a_session_that_was_not_captured_has_no_outcome():
    (one,) = read_plays(history(injection=(injection("x"),)))
    assert one.outcome is None
    assert one.context.project == "shop"
    assert (one.rewards, one.judged) == ({}, {})


def test_pinned_rules_are_no_choice_but_cost_their_lines():
    (one,) = read_plays(history(injection=(injection("x", (PIN, RULE), pinned=(PIN,)),)))
    assert one.shown == {RULE: f"h-{RULE}"}
    assert one.lines == 2


def test_what_the_prompt_hook_gave_counts_as_shown():
    given = (injection("x", withheld=(OTHER,)), injection("x", (OTHER,), event="UserPromptSubmit"))
    (one,) = read_plays(history(injection=given))
    assert set(one.shown) == {RULE, OTHER}
    assert one.withheld == ()


def test_rewards_and_judgements():
    said = reward.record(reward.Reward(RULE, -1, "2026-04-01T12:00:00", session="x"))
    alone = reward.record(reward.Reward(OTHER, 1, "2026-04-02T12:00:00", project="shop"))
    verdicts = {OTHER: (False, "flush", ""), RULE: (True, "flush", "")}
    judged = reward.build_judged_record(T0, "x", "shop", verdicts)
    found = read_plays(history([stay("x")], reward=(said, alone), judged=(judged,)))
    session, word = found
    # the person's word counts in place of what was judged
    assert (session.rewards, session.judged) == ({RULE: -1}, {OTHER: False})
    assert (word.session, word.rewards) == ("", {OTHER: 1})
    assert word.at == datetime(2026, 4, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "broken",
    [
        {"kind": "injection"},
        injection("x", slate=()) | {"slate": "no", "withheld": None, "pinned": 3, "at": 5},
        injection("x") | {"slate": [None, {"id": None}]},
    ],
)
def test_broken_records_do_no_harm(broken):
    for one in read_plays(history(injection=(broken,))):
        assert one.at == EPOCH or one.at.tzinfo
        assert one.outcome is None
