import numpy as np
from cases import cased
from families import embed, judge, pairs
from hypothesis import given, settings, strategies as st

from memoria.rules.merge.groups import BACKGROUND, Index, Vectors, merge_duplicates

TEXTS = sorted({text for pair in pairs()[:400] for text in pair[:2]})


def vectors(texts):
    return Vectors(embed(texts), embed(BACKGROUND))


def test_a_group_takes_no_text_that_a_veto_keeps_from_a_member():
    index = Index(["Log requests that users send with tokens"])
    group = index.add("Log all requests that users send", 0)
    assert index.match("Log the requests that users send").place == 1
    # it is like the second alone, and forbids what the first asks for
    index.add("Do not log tokens that users send with requests", group)
    assert index.match("Log the requests that users send") is None


@given(st.lists(st.sampled_from(TEXTS), max_size=25))
@settings(max_examples=60)
def test_no_rule_that_is_one_is_overlooked(texts):
    index = Index(texts)
    for text in TEXTS[:40]:
        same = any(judge(text, known).is_same for known in texts)
        assert (index.match(text) is not None) == same


@given(st.lists(st.sampled_from(TEXTS), max_size=12))
@settings(max_examples=5, deadline=None)  # a vector is made for each word
def test_with_a_model_one_by_one_comes_to_the_same_as_all_at_once(texts):
    found = vectors(texts) if texts else None
    index = Index(usual=found.usual if found else 0.0)
    for text, row in zip(texts, found.texts if found else (), strict=True):
        match = index.match(text, row)
        index.add(text, index.group(match.place) if match else None, row)
    assert index.groups == merge_duplicates(texts, vectors=found).groups


def test_a_model_joins_what_is_near_by_its_meaning():
    texts = ["Squash commits", "Squash the commits of a feature branch"]
    near = Vectors(np.array([[1.0, 0.0], [1.0, 0.0]]), np.eye(2))
    assert merge_duplicates(texts, vectors=near).groups == ((0, 1),)
    assert merge_duplicates(texts).groups == ((0,), (1,))


@cased()
def test_any_text_can_be_asked_for(text):
    assert Index(["Run tests"]).match(text) is None
    assert Index([text]).match(text).is_copy
