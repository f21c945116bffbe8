"""Arms as rows of a matrix."""

import pytest
from hypothesis import given, strategies as st

from memoria.learning.arms import build_vectors, normalise_rows

rows = st.lists(st.dictionaries(st.sampled_from("abcd"), st.floats(0.1, 9.0)), max_size=6)


@given(rows)
def test_rows_have_length_one_or_none(found):
    lengths = normalise_rows(build_vectors(found, {"a": 0, "b": 1, "c": 2}))[0].toarray() ** 2
    known = [any(word in "abc" for word in row) for row in found]
    assert lengths.sum(axis=1) == pytest.approx([float(some) for some in known])
