"""Contexts gather by what they share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.capture.extract.session_context import Context
from memoria.learning.neighbourhoods import MOST, NEAR, gather, members

COLUMNS = {"sql": 0, "css": 1, "queue": 2, "token": 3}


def at(project, task="", **words):
    return Context(project, task, words={word: float(weight) for word, weight in words.items()})


def homes(contexts, asked):
    membership, near = members(gather(contexts, COLUMNS), asked)
    return membership.places[:, 0].tolist(), membership.weights[:, 0], near


def test_sessions_of_a_project_are_near_whatever_they_speak_of():
    contexts = [
        at("shop", "fix", sql=1, queue=1),
        at("trail", "fix", sql=1, css=1),
        at("shop", "docs", css=1),
    ]
    places, weights, _ = homes(contexts, contexts)
    assert places == [0, 1, 0]
    assert min(weights) > 0.5


def test_a_wrong_label_is_outvoted_by_the_words():
    contexts = [at("", "test", sql=1)] * 5 + [at("", "docs", css=1)] * 5
    places, _, _ = homes(contexts, [at("", "docs", sql=1), at("", "test", css=1)])
    assert places == [0, 1]


def test_missing_words_are_made_up_for_by_the_label_and_the_reverse():
    contexts = [at("shop", "test", sql=1)] * 3 + [at("trail", "docs", css=1)] * 3
    places, _, near = homes(
        contexts, [at("trail"), at("shop"), at("", "", css=1), at("", "", sql=1)]
    )
    assert places == [1, 0, 1, 0]
    assert near.min() > NEAR


def test_a_context_like_none_is_far_from_all():
    _, _, near = homes([at("shop", "fix", sql=1)], [at("trail", "docs", css=1), Context()])
    assert near.max() < NEAR


def test_no_sessions_make_no_neighbourhoods():
    found = gather([], COLUMNS)
    membership, near = members(found, [at("shop")])
    assert found.size == 0
    assert membership.weights.sum() == near.sum() == 0.0


def test_a_centre_is_as_long_as_its_members():
    contexts = [at("shop", sql=1, queue=1), at("shop", sql=1, css=1)]
    found = gather(contexts, COLUMNS)
    assert np.sqrt((found.words**2).sum()) == pytest.approx(np.sqrt(2))
    assert found.words[0, 0] == found.words.max()


many = st.lists(
    st.builds(
        at,
        st.sampled_from(["", "shop", "trail", *map(str, range(60))]),
        st.sampled_from(["", "fix", "docs"]),
        sql=st.integers(0, 2),
        css=st.integers(0, 2),
    ),
    min_size=1,
    max_size=60,
)


@given(many)
def test_every_session_belongs_somewhere(contexts):
    found = gather(contexts, COLUMNS)
    membership, _ = members(found, contexts)
    assert 1 <= found.size <= MOST
    assert membership.places.max() < found.size
    assert membership.weights.sum(axis=1) == pytest.approx(np.ones(len(contexts)))
    assert found.counts.sum() == len(contexts)
