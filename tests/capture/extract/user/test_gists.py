from cases import cased
from hypothesis import given, strategies as st

from memoria.capture.extract.user.gists import build_gist


@cased()
def test_the_same_words_have_the_same_gist(one, other):
    assert build_gist(one) == build_gist(other) != ""


def test_what_says_nothing_itself_is_named_by_what_it_follows():
    assert build_gist("that is wrong", "add the price to the invoice") == "re add invoic pric"
    assert build_gist("the footer is wrong", "add the price") == "footer re add pric"
    assert build_gist("the build is broken", "add the price", fewest=1) == "build"
    assert build_gist("that is wrong") == ""
    assert build_gist("you did it again", "do it") == ""
    assert build_gist("tie the knot of the cable", fewest=1) == "cabl knot tie"
    assert build_gist("it cannot tie the cable", fewest=1) == "cabl not tie"


@given(st.text(max_size=200))
def test_any_text_has_a_gist_of_bounded_length(text):
    assert len(build_gist(text, text).split()) <= 18
