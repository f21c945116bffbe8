"""How what a person typed stands in a line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.agents.claude_code.user_words import Ask, ask
from memoria.capture.extract.exchanges.questions import (
    is_correction,
    is_order,
    plan_title,
    shown,
    unlead,
)


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("can you add a retry to the worker?", "Add a retry to the worker"),
        ("hmm ok, let's also drop the lock", "Drop the lock"),
        ("please explain the lease", "Explain the lease"),
        ("quick question: what is a lease?", "What is a lease?"),
        ("why does it stop?", "Why does it stop?"),
        ("does a -> b?", "Does a → b?"),
        ("fix the worker\n@/home/ana/shop/app/queue.py:12-20", "Fix the worker"),
        ("the comment on line 12 is outdated", "The comment is outdated"),
        ("tests fail - why? https://ci.shop.io/" + "x" * 80, "Tests fail - why?"),
        ("minor nitpick /github-review", "Minor nitpick"),
    ],
)
def test_politeness_and_noise_are_taken_off(typed, line):
    assert shown(ask(typed)) == line


def test_of_a_long_ask_the_sentence_that_asks_is_shown():
    typed = (
        "We have the worker that drains the queue of the shop, and since last week it seems to be "
        "a lot slower than it was. Does the lease cost that much time in the broker? I measured "
        "nothing so far."
    )
    assert shown(ask(typed)) == "Does the lease cost that much time in the broker?"


def test_what_a_question_points_at_comes_along():
    typed = (
        "There is one more finding. " + "Is it addressed by the token, or do we have to add a lock"
    )
    typed += " in the broker as well, and in the worker?"
    assert shown(ask(typed)).startswith("There is one more finding. Is it addressed")


def test_plans_and_commands_have_their_own_form():
    assert shown(Ask("# Plan: ABC-12: renew leases\n\nx", is_plan=True)) == ("Plan “Renew leases”")
    assert shown(ask("/review this branch, please")) == "/review this branch, please"
    assert plan_title("no heading at all") == "No heading at all"


@pytest.mark.parametrize(
    ("typed", "order"),
    [
        ("can you add a retry?", True),
        ("rename the worker", True),
        ("look at the branch and add a retry", True),
        ("yes", True),
        ("can you explain the retry?", False),
        ("is it safe?", False),
        ("check the lease", False),
        ("/review 12", False),
    ],
)
def test_an_order_is_told_from_a_question(typed, order):
    assert is_order(ask(typed)) is order


@pytest.mark.parametrize(
    "typed",
    ["no, the other one", "but the clock jumps", "it still fails", "that is not what I said"],
)
def test_a_correction_is_heard(typed):
    assert is_correction(ask(typed))
    assert not is_correction(ask("add a retry"))


@given(st.text(max_size=300))
def test_a_line_is_short_and_has_no_break(text):
    line = shown(ask(text))
    assert len(line) <= 230
    assert "\n" not in line


@pytest.mark.parametrize("piece", ["a", " ", "(", "`", "so, ", "quick question "])
def test_a_flood_is_read_in_linear_time(piece):
    unlead((piece * 100_000)[:100_000])
    shown(Ask((piece * 100_000)[:100_000]))
