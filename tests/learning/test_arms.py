"""Arms, their rows, and the families that paraphrases fall into."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.learning.arms import Arm, families, unit, vectors

MIGRATE = {"run": 0.2, "migration": 0.5, "test": 0.3}


def test_nearly_the_same_words_are_one_family_named_by_the_first():
    arms = [
        Arm("wf-1", MIGRATE),
        Arm("wf-2", {"docker": 1.0}),
        Arm("wf-3", {**MIGRATE, "please": 0.1}),
        Arm("wf-4", {"docker": 0.6, "compose": 0.8}),
    ]
    assert families(arms) == ("wf-1", "wf-2", "wf-1", "wf-4")


def test_a_family_that_was_given_stands_and_nobody_joins_it_by_words():
    arms = [
        Arm("wf-1", MIGRATE, family="f"),
        Arm("wf-2", MIGRATE, family="f"),
        Arm("wf-3", MIGRATE),
    ]
    assert families(arms) == ("f", "f", "wf-3")


rows = st.lists(st.dictionaries(st.sampled_from("abcd"), st.floats(0.1, 9.0)), max_size=6)


@given(rows)
def test_rows_have_length_one_or_none(found):
    lengths = unit(vectors(found, {"a": 0, "b": 1, "c": 2}))[0].toarray() ** 2
    known = [any(word in "abc" for word in row) for row in found]
    assert lengths.sum(axis=1) == pytest.approx([float(some) for some in known])
