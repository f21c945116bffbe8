import pytest
from families import embed

from memoria.rules.merge.embedding_scale import Scale, Vectors
from memoria.rules.merge.judge_pair import judge
from memoria.rules.merge.practices import phrasings


@pytest.fixture(scope="module")
def scale():
    return Scale(embed([text for _, text in phrasings()]))


def near(scale, one, other):
    return scale.nearness(*scale.meanings([one, other], embed([one, other])))


def test_the_scale_goes_from_nothing_in_common_to_the_same(scale):
    assert near(scale, "peel potatoes slowly", "peel potatoes slowly").texts == 1.0
    assert near(scale, "peel potatoes slowly", "paint green fences").texts < 0.3


def test_texts_near_two_phrasings_of_a_practice_are_near_each_other(scale):
    # each has the words of one phrasing and one of its own
    one, other = "prevent sql injection everywhere", "bind values in queries carefully"
    assert near(scale, one, other).practice == 1.0
    assert judge(one, other, near(scale, one, other)).same


def test_the_opposite_of_a_practice_is_not_near_it(scale):
    one, other = "prevent sql injection everywhere", "never bind values in queries carefully"
    assert near(scale, one, other).practice == 0.0


def test_what_is_near_no_practice_has_none(scale):
    (found,) = scale.meanings(["peel potatoes slowly"], embed(["peel potatoes slowly"]))
    assert found.practices == frozenset()


def test_vectors_carry_the_name_of_their_model():
    rows = embed(["a"])
    assert Vectors("model", rows, rows).backend == "model"
