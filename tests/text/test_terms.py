"""Which terms a sentence speaks of, however they are spelled."""

from cases import cased

from memoria.text.stems import singularise
from memoria.text.terms import find_terms, find_usual_name, is_specific


@cased()
def test_a_plural_is_undone_and_nothing_else(word, alone):
    assert singularise(word) == alone


@cased()
def test_a_term_is_found_in_all_its_spellings(text):
    assert "invoice ledger" in find_terms(text)


@cased()
def test_common_words_make_no_term(text):
    assert find_terms(text) == ()


def test_a_stop_word_ends_a_phrase():
    assert find_terms("the ledger of the tenant") == ()
    assert find_terms("the ledger always archives tenants") == ("archive tenant",)


@cased()
def test_a_term_needs_one_word_of_its_own(term, tells):
    assert is_specific(term) is tells


@cased()
def test_a_title_is_the_usual_spelling(texts, name):
    assert find_usual_name("invoice ledger", texts) == name
