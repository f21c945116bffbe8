"""Contexts gather by what they share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from memoria.capture.extract.session_context import Context
from memoria.learning import neighbourhoods as promise
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


def test_wordings_are_averaged_and_keep_their_length():
    rows = sparse.csr_array(np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.0, 0.0]]))
    found = promise.joined(rows, [0, 0, 1, 2], 4).toarray()
    assert np.sqrt((found**2).sum(axis=1)) == pytest.approx([1.0, 1.0, 0.0, 0.0])
    assert found[0] == pytest.approx([np.sqrt(0.5)] * 2)


@pytest.mark.parametrize(
    ("overlap", "expected"), [(1.0, 1.0), (0.5, 0.25), (0.0, 0.0), (-0.4, 0.0)]
)
def test_fit(overlap, expected):
    assert promise.fit(np.array([[overlap]]))[0, 0] == pytest.approx(expected)


def test_a_family_that_fits_one_place_has_its_share_there():
    known = np.array([[0.8, 0.1, 0.0], [0.8, 0.8, 0.8], [0.0, 0.0, 0.0]])
    found = promise.share(known, known)
    assert found[0, 0] > 0.9
    assert found[1] == pytest.approx([found[1, 0]] * 3)
    assert found[2].sum() < 0.2  # it belongs nowhere


def test_a_new_place_is_a_rival_of_the_known_ones():
    known = np.array([[0.8, 0.1]])
    alike = promise.share(np.array([[0.8]]), known, new=True)[0, 0]
    assert 0.4 < alike < 0.5
