"""The backtest: what came back, what was known then, and that it claims no more."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from ruled import SHOP, made
from studies import AT, seen

from memoria.evidence.backtest.replay import (
    backtest,
    knowns,
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


def test_a_retry_without_a_change_mends_nothing():
    found = backtest([seen("x", "a", 0, mended=5), seen("x", "b", 60)])
    assert found.comebacks[0].fix == ""
    assert found.known == 0


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
