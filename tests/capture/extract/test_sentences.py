"""Sentences tidied for a log, and compared by their content words."""

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.capture.extract.candidates import tidy
from memoria.text.word_overlap import containment, stems


@cased()
def test_chatter_is_taken_off(said, kept):
    assert tidy(said) == kept


@given(st.text(max_size=100), st.text(max_size=100))
def test_containment_is_a_share(one, other):
    share = containment(stems(one), stems(other))
    assert 0 <= share <= 1
    assert share == containment(stems(other), stems(one))
    assert containment(stems(one), stems(one)) in (0, 1)


@pytest.mark.parametrize("piece", ["a", " ", "(", "`", "line 1 ", "(line ", "ok. ", "right, "])
def test_a_flood_is_tidied_in_linear_time(piece):
    assert len(tidy((piece * 100_000)[:100_000])) <= 100_000
