"""How what a person typed stands in a line."""

from cases import cased
from hypothesis import given, strategies as st

from memoria.agents.claude_code.user_words import parse_ask
from memoria.capture.extract.user.asks import ASKED, format_ask, is_question, strip_politeness


@cased()
def test_politeness_and_noise_are_taken_off(typed, line):
    assert format_ask(parse_ask(typed)) == line


def test_of_a_long_ask_the_sentence_that_asks_is_shown():
    typed = (
        "We have the worker that drains the queue of the shop, and since last week it seems to be "
        "a lot slower than it was. Does the lease cost that much time in the broker? I measured "
        "nothing so far."
    )
    assert format_ask(parse_ask(typed)) == "Does the lease cost that much time in the broker?"


@cased()
def test_a_question_wants_an_answer(typed, asks):
    assert is_question(parse_ask(typed)) is asks


@given(st.text(max_size=300))
def test_an_ask_is_one_short_line(typed):
    line = format_ask(parse_ask(typed))
    assert "\n" not in line
    assert len(line) <= ASKED + 20
    assert strip_politeness(strip_politeness(line)) is not None
