from cases import cased
from hypothesis import given, strategies as st

from memoria.vault.written.categories import CATEGORIES, categorise, normalise_category


@given(st.text(max_size=80))
def test_a_name_is_its_own_name(text):
    assert normalise_category(normalise_category(text)) == normalise_category(text)


@cased()
def test_what_a_line_is_about(line, category):
    assert categorise(line) == category


def test_where_no_word_tells_the_default_stands():
    assert categorise("Birds sing") == "domain_knowledge"
    assert categorise("Birds sing", "workflow") == "workflow"


@given(st.text(max_size=300))
def test_any_line_has_one_of_the_four(text):
    assert categorise(text) in CATEGORIES
