from cases import cased

from memoria.text.stems import stem


@cased()
def test_forms_of_a_word_share_their_stem(forms):
    assert len({stem(form) for form in forms.split()}) == 1


@cased()
def test_other_words_do_not(one, other):
    assert stem(one) != stem(other)
