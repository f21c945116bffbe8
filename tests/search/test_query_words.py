from cases import cased
from hypothesis import given, strategies as st

from memoria.search.index.ranking import expand_names, parse_query, split_words


@cased()
def test_what_a_query_asks_for(query, units):
    found = parse_query(query)
    assert list(found)[: len(units)] == units or set(found) == set(units)


def test_words_that_tell_nothing_are_sought_where_there_are_no_others():
    assert list(parse_query("what is it", everything=True)) == ["what", "is", "it"]


def test_a_text_that_repeats_a_word_says_so():
    assert parse_query("retry the retry of a webhook") == {"retry": 2, "webhook": 1}


def test_of_a_page_the_words_that_it_repeats_are_sought():
    page = " ".join(f"word{number}" for number in range(2000)) + " storm storm"
    found = parse_query(page)
    assert len(found) == 400
    assert next(iter(found)) == "storm"


@given(st.text())
def test_a_unit_is_words_and_single_spaces(text):
    for unit in parse_query(text, everything=True):
        assert unit.split(" ") == unit.split()
        assert all(word.isalnum() for word in unit.split(" "))
        assert '"' not in unit
        assert "\0" not in unit


@given(st.text())
def test_what_is_indexed_holds_the_text(text):
    assert split_words(text) <= split_words(expand_names(text))


@cased()
def test_the_parts_of_names_stand_behind_the_text(text, behind):
    assert expand_names(text) == text + behind


def test_signs_stand_apart():
    assert expand_names("\u4ee4\u724cx").split() == ["\u4ee4", "\u724c", "x"]
