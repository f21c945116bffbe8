from hypothesis import given
from hypothesis import strategies as st

from memoria.rules.merge.sense import View
from memoria.rules.merge.similarity import ALIKE, likeness

WEIGHTS = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([0.15, 0.3, 0.5, 0.8, 1.0]))


def view(weights):
    return View(weights, {}, {}, {})


def alike(one, other):
    return likeness(view(one), view(other)).alike


def test_the_same_words_are_alike_and_no_words_are_not():
    assert alike({"a": 0.3}, {"a": 0.3})
    assert not alike({}, {})


def test_a_detail_more_is_the_same_rule():
    assert alike({"a": 0.8, "b": 0.5}, {"a": 0.8, "b": 0.5, "c": 0.4})


def test_a_thing_of_its_own_on_each_side_is_not_however_long_the_rules():
    shared = dict.fromkeys("abcdef", 0.8)
    found = likeness(view(shared | {"x": 0.5}), view(shared | {"y": 0.5}))
    assert found.score > ALIKE
    assert not found.alike


def test_a_light_word_alone_is_not_enough_to_share():
    assert not alike({"a": 0.5}, {"a": 0.5, "b": 0.3})


def test_meaning_counts_only_where_words_are_near():
    near = likeness(view({"a": 0.8}), view({"a": 0.8, "b": 0.8}))
    far = likeness(view({"a": 0.8, "c": 0.8}), view({"a": 0.8, "b": 0.8}))
    assert near.fused(1.0) >= ALIKE > near.fused(0.5)
    assert far.fused(1.0) == 0.0


@given(WEIGHTS, WEIGHTS)
def test_likeness_is_symmetric_and_between_0_and_1(one, other):
    first, second = likeness(view(one), view(other)), likeness(view(other), view(one))
    assert abs(first.score - second.score) < 1e-9
    assert first.alike == second.alike
    assert 0 <= first.score <= 1 + 1e-9
