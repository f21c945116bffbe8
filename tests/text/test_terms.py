"""Which terms a sentence speaks of, however they are spelled."""

from cases import cased

from memoria.text.stems import singularise
from memoria.text.terms import find_usual_name, is_specific


@cased()
def test_a_plural_is_undone_and_nothing_else(word, alone):
    assert singularise(word) == alone


@cased()
def test_a_term_needs_one_word_of_its_own(term, tells):
    assert is_specific(term) is tells


@cased()
def test_a_title_is_the_usual_spelling(texts, name):
    assert find_usual_name("invoice ledger", texts) == name
