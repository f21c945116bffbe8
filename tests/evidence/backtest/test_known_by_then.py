"""Which rule would have spoken of which mistake, and since when."""

from datetime import UTC, datetime

import pytest
from ruled import SHOP, made
from studies import seen

from memoria.evidence.backtest.replay import knowns, spoken

LINT = "Always run golangci-lint before you commit"
DATABASE = "Set TEST_DATABASE_URL before the tests run"


def local(moment):
    return moment.replace(tzinfo=UTC)


def mistake(line, signature="m"):
    one = seen(signature, "a", 0)
    from dataclasses import replace

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
        {"at": "2026-03-02T14:00:00+00:00", "id": rules[1].id, "status": "approved"},
        {"at": "2026-03-02T09:00:00+00:00", "id": rules[1].id, "status": "candidate"},
        {"at": "2026-04-02T09:00:00+00:00", "id": rules[0].id, "status": "pinned"},
        {"at": "never", "id": rules[0].id, "status": "pinned"},
    ]
    one, other = knowns(rules, history, decided, local)
    assert (one.since, one.project) == (datetime(2026, 3, 3, tzinfo=UTC), SHOP)
    assert (other.since, other.project) == (datetime(2026, 3, 2, 14, tzinfo=UTC), "")
    assert (one.signatures, other.signatures) == (frozenset("d"), frozenset("l"))


def test_a_rule_without_a_date_or_a_word_to_say_is_none():
    rules = [made(DATABASE, created="soon"), made(LINT)]
    assert knowns(rules, [mistake("TEST_DATABASE_URL is not set")], [], local) == ()
