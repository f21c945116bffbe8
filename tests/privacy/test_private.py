"""What is marked private is left out, and what is doubtful, too."""

from cases import cased
from hypothesis import given, strategies as st

from memoria.privacy.private import strip_private


@cased()
def test_spans_are_cut_out(text, kept):
    assert strip_private(text) == kept


@given(st.text(max_size=20), st.lists(st.text(max_size=9), max_size=3))
def test_no_word_between_the_marks_is_left(secret, around):
    text = "<private>".join(["", f"QQQ{secret.replace('<', '')}QQQ</private>"])
    assert "QQQ" not in strip_private("".join(one.replace("<", "") for one in around) + text)
