from cases import cased
from hypothesis import given, strategies as st

from memoria.vault.written.categories import CATEGORIES, categorised, named


@given(st.text(max_size=80))
def test_a_name_is_its_own_name(text):
    assert named(named(text)) == named(text)


@cased()
def test_what_a_line_is_about(line, category):
    assert categorised(line) == category


def test_where_no_word_tells_the_default_stands():
    assert categorised("Birds sing") == "domain_knowledge"
    assert categorised("Birds sing", "workflow") == "workflow"


@given(st.text(max_size=300))
def test_any_line_has_one_of_the_four(text):
    assert categorised(text) in CATEGORIES
