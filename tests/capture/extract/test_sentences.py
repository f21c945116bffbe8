"""Sentences tidied for a log, and compared by their content words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.capture.extract.candidates import tidy
from memoria.text.word_overlap import containment, stems


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Perfect! The lease is renewed.", "The lease is renewed."),
        ("Done. I've added a retry to the worker.", "Added a retry to the worker."),
        ("You're right - the clock jumps.", "The clock jumps."),
        ("Looking at the code, the clock jumps.", "The clock jumps."),
        ("So the clock jumps.", "The clock jumps."),
        ("I can see that `pop()` blocks.", "`pop()` blocks."),
        ("The bug (lines 12-14) is in `pop` at line 12.", "The bug is in `pop`."),
        ("It is on line 12 of `queue.py`.", "It is in `queue.py`."),
        ("Perfect!", ""),
        ("I think so.", "I think so."),
    ],
)
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
