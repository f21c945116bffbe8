"""The backtest: what came back, what was known then, and that it claims no more."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from ruled import SHOP, made
from studies import AT, seen

from memoria.evidence.backtest.replay import (
    CAVEAT,
    Known,
    backtest,
    knowns,
    most_repeated,
    spoken,
)

LINT = "Always run golangci-lint before you commit"
DATABASE = "Set TEST_DATABASE_URL before the tests run"


def at(minute):
    return AT + timedelta(minutes=minute)


def test_a_mistake_comes_back_from_an_earlier_session_only():
    found = backtest([seen("x", "a", 0), seen("x", "a", 1), seen("x", "b", 60), seen("y", "b", 61)])
    assert found.mistakes == 4
    assert found.sessions == 2
    (back,) = found.comebacks
    assert (back.seen.session, back.times, back.first) == ("b", 2, at(0))
    assert not back.is_known


def test_another_project_knows_nothing():
    history = [seen("x", "a", 0, fix="+ z", mended=3), seen("x", "b", 60, project="other")]
    assert backtest(history).comebacks == ()


def test_the_fix_is_the_latest_that_was_known_by_then():
    found = backtest(
        [
            seen("x", "a", 0, fix="- a\n+ b", mended=5),
            seen("x", "b", 60, fix="- a\n+ c", mended=90),
            seen("x", "c", 80),
            seen("x", "d", 200),
        ]
    )
    assert [back.fix for back in found.comebacks] == ["- a\n+ b", "- a\n+ b", "- a\n+ c"]
    assert found.mended == found.known == 3


def test_a_retry_without_a_change_mends_nothing():
    found = backtest([seen("x", "a", 0, mended=5), seen("x", "b", 60)])
    assert found.comebacks[0].fix == ""
    assert found.known == 0


def test_rules_speak_if_they_existed_and_are_about_it():
    rules = [
        Known("older", at(10), frozenset("x")),
        Known("younger", at(100), frozenset("x")),
        Known("about y", at(0), frozenset("y")),
        Known("elsewhere", at(0), frozenset("x"), "other"),
        Known("here", at(0), frozenset("xy"), "shop"),
    ]
    found = backtest([seen("x", "a", 5), seen("x", "b", 60)], rules)
    assert found.comebacks[0].rules == ("here", "older")
    assert (found.ruled, found.mended, found.known) == (1, 0, 1)


def test_what_it_cost():
    turns = {"b": [at(59), at(63), at(70), at(99)]}
    history = [seen("x", "a", 0, fix="+ z", mended=3), seen("x", "b", 60, fix="+ z", mended=75)]
    (back,) = backtest(history, turns=turns).comebacks
    assert (back.cost, back.turns) == (timedelta(minutes=15), 2)
    assert backtest(history).comebacks[0].turns is None
    assert backtest(history).minutes == 15
    (never,) = backtest([history[0], seen("x", "b", 60)], turns=turns).comebacks
    assert (never.cost, never.turns) == (None, None)


def test_a_session_that_met_it_later_knew_nothing():
    found = backtest([seen("y", "a", 0), seen("x", "b", 10), seen("x", "a", 20)])
    assert found.comebacks == ()


def test_the_order_of_the_ledger_does_not_matter():
    history = [
        seen("x", "a", 0, fix="+ z", mended=3),
        seen("x", "b", 60),
        seen("y", "b", 61),
        seen("y", "c", 90),
        seen("x", "c", 95, project="shop"),
    ]
    assert backtest(history) == backtest(history[::-1])


def test_the_head_line():
    assert backtest([]).headline == "No mistake was found in the captured sessions."
    first = seen("x", "a", 0, fix="+ z", mended=3)
    assert backtest([first]).headline == (
        "None of 1 mistakes had been met earlier in the same project."
    )
    again = [first, seen("x", "b", 60), seen("n", "b", 61)]
    assert backtest(again).headline == (
        "1 of 3 mistakes had been met before in the same project; for 1 of them what mended it "
        "was already known (upper bound)."
    )
    unknown = [seen("x", "a", 0), seen("x", "b", 60)]
    assert backtest(unknown).headline == (
        "1 of 2 mistakes had been met before in the same project; for none of them was it known "
        "what mends it."
    )
    rule = Known("r", at(1), frozenset("x"))
    assert "or a rule against it" in backtest(unknown, [rule]).headline
    assert "not evidence" in CAVEAT


def test_the_dearest_come_first():
    found = backtest(
        [
            *(seen("x", f"s{n}", 60 * n, mended=60 * n + 1) for n in range(3)),
            *(seen("y", f"t{n}", 60 * n, mended=60 * n + 30) for n in range(3)),
            *(seen("z", f"u{n}", 60 * n) for n in range(5)),
        ]
    )
    assert most_repeated(found, 3) == (("z", 4, 0.0), ("y", 2, 60.0), ("x", 2, 2.0))


# -- Which rule would have spoken of which mistake -----------------------------------------------


def local(moment):
    return moment.replace(tzinfo=UTC)


def mistake(line, signature="m"):
    one = seen(signature, "a", 0)
    return replace(one, mistake=replace(one.mistake, line=line))


@pytest.mark.parametrize(
    ("line", "rules"),
    [
        ("RuntimeError: TEST_DATABASE_URL is not set", {"b"}),
        ("golangci-lint: commit refused", {"a"}),
        ("panic: index out of range", set()),
        ("the test is slow", set()),
    ],
)
def test_a_rule_speaks_where_most_of_its_words_stand(line, rules):
    found = spoken({"a": LINT, "b": DATABASE}, [mistake(line)])
    assert found.keys() == rules


def test_of_one_signature_any_line_is_enough():
    lines = [mistake("KeyError: 'PATH'"), mistake("KeyError: 'TEST_DATABASE_URL' of the tests")]
    assert spoken({"b": DATABASE}, lines) == {"b": {"m"}}


def test_a_rule_exists_from_the_end_of_its_day_or_from_a_decision_before():
    rules = [made(DATABASE, created="2026-03-02"), made(LINT, scope=(SHOP, "other"))]
    history = [mistake("TEST_DATABASE_URL is not set", "d"), mistake("golangci-lint commit", "l")]
    decided = [
        {"at": "2026-03-02T14:00:00+00:00", "id": rules[1].id, "status": "active"},
        {"at": "2026-03-02T09:00:00+00:00", "id": rules[1].id, "status": "waiting"},
        {"at": "2026-04-02T09:00:00+00:00", "id": rules[0].id, "status": "active"},
        {"at": "never", "id": rules[0].id, "status": "active"},
    ]
    one, other = knowns(rules, history, decided, local)
    assert (one.since, one.project) == (datetime(2026, 3, 3, tzinfo=UTC), SHOP)
    assert (other.since, other.project) == (datetime(2026, 3, 2, 14, tzinfo=UTC), "")
    assert (one.signatures, other.signatures) == (frozenset("d"), frozenset("l"))


def test_a_rule_without_a_date_or_a_word_to_say_is_none():
    rules = [made(DATABASE, created="soon"), made(LINT)]
    assert knowns(rules, [mistake("TEST_DATABASE_URL is not set")], [], local) == ()
