import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.rules.merge.sense import plain, sense, suspected, weights


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Run tests", "run  TESTS."),
        ("Run `pytest -q`!", "run pytest -q"),
        ("**Never** push", "never push"),
        ("“Quoted”", "quoted"),
    ],
)
def test_case_spacing_and_marks_never_change_a_rule(one, other):
    assert plain(one) == plain(other)


@pytest.mark.parametrize(
    ("one", "other"), [("C++", "C#"), ("a.b", "ab"), ("1.2", "12"), ("-q", "q")]
)
def test_marks_inside_of_a_name_do(one, other):
    assert plain(one) != plain(other)


@given(st.text(max_size=60))
def test_plain_text_stays_as_it_is(text):
    assert plain(plain(text)) == plain(text)


@given(st.text(max_size=60))
def test_any_text_makes_sense(text):
    found = sense(text)
    assert found.words.weights == weights(text)
    assert found.practised is None or suspected(text)


def test_numbers_and_names_are_kept_apart():
    found = sense("Call setup_logging() 3 times on port 8080")
    assert (found.numbers, found.names) == ({"#3", "#8080"}, {"setup_logging"})


def test_wanted_and_given():
    found = sense("Never retry when the queue is full").words
    assert found.wanted["retry"] == 2
    assert found.given["queue"] == 1
