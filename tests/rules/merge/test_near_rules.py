import numpy as np
import pytest
from families import embed, pairs
from hypothesis import given, settings
from hypothesis import strategies as st

from memoria.rules.merge.embedding_scale import Vectors
from memoria.rules.merge.groups import merging
from memoria.rules.merge.near_rules import Index
from memoria.rules.merge.practices import phrasings

TEXTS = sorted({text for pair in pairs()[:400] for text in pair[:2]})


KNOWN = embed([text for _, text in phrasings()])


def vectors(texts):
    return Vectors("made up", embed(texts) if texts else np.zeros((0, 256), np.float32), KNOWN)


def test_a_known_rule_is_found_and_the_index_stays_as_it_is():
    index = Index(["Cache data in Redis", "Run tests before committing"])
    found = index.match("Execute the test suite prior to a commit")
    assert (found.index, found.group, found.by) == (1, 1, "words")
    assert index.match("Peel potatoes") is None
    assert index.groups == ((0,), (1,))


def test_the_most_alike_is_chosen_and_of_equals_the_earliest():
    index = Index(
        ["Log failed requests in production", "Log failed requests", "log failed requests!"]
    )
    assert index.match("Log requests that failed").index == 1
    assert index.match("Log failed requests").by == "text"


def test_what_is_kept_apart_is_told():
    look = Index(["Always force push", "Peel potatoes"]).look("Never force push")
    assert look.match is None
    assert [(each.index, each.veto) for each in look.apart] == [(0, "polarity")]


def test_a_group_takes_no_text_that_a_veto_keeps_from_a_member():
    index = Index()
    group = index.add("Limit uploads by users")
    index.add("Limit uploads by users to 5", group)
    assert index.match("Limit uploads by users") is not None
    assert index.match("Limit the uploads of users to 9") is None


def test_texts_added_later_are_found():
    index = Index(["Cache data in Redis"])
    assert index.match("Squash all commits") is None
    index.add("Squash every commit")
    assert index.match("Squash all commits").index == 1


@given(st.lists(st.sampled_from(TEXTS), max_size=25))
@settings(max_examples=60)
def test_one_by_one_comes_to_the_same_as_all_at_once(texts):
    index = Index()
    for text in texts:
        match = index.match(text)
        index.add(text, match.group if match else None)
    assert index.groups == merging(texts).groups


@given(st.lists(st.sampled_from(TEXTS), max_size=12))
@settings(max_examples=5, deadline=None)  # the scale is measured anew each time
def test_so_does_it_with_a_model(texts):
    found = vectors(texts)
    index = Index(vectors=vectors([]))
    for text, row in zip(texts, found.texts, strict=True):
        match = index.match(text, row)
        index.add(text, match.group if match else None, index.meaning(text, row))
    assert index.groups == merging(texts, vectors=found).groups


@pytest.mark.parametrize("text", ["", " ", "!!!", "\u200b", "不要强制推送"])
def test_any_text_can_be_asked_for(text):
    assert Index(["Run tests"]).match(text) is None
    assert Index([text]).match(text).by == "text"
