import importlib

import pytest

from memoria.errors import UsageError
from memoria.search.index.ranking import Hit
from memoria.search.vectors import fused


def hit(name, score, passage=""):
    return Hit(f"{name}.md", name, "concept", "", "", score, passage or name)


def embedding(**vectors):
    """Stand in for a model: a vector for each text's first line, the last one's is the query's."""

    def embed(texts, *, norm):
        assert norm
        return [vectors[text.split("\n")[0]] for text in texts]

    return embed


MODEL = embedding(far=(0.0, 1.0), near=(1.0, 0.0), other=(0.0, -1.0), query=(1.0, 0.0))


def order(*hits, embed=MODEL):
    return [found.title for found in fused("query", hits, embed)]


def test_of_equal_words_the_nearer_meaning_comes_first():
    assert order(hit("far", 2.0), hit("near", 2.0), hit("other", 1.0)) == ["near", "far", "other"]


def test_words_count_more_than_meaning():
    assert order(hit("far", 9.0), hit("near", 2.0), hit("other", 1.0)) == ["far", "near", "other"]


def test_ties_stay_in_their_order():
    assert order(hit("far", 1.0), hit("other", 1.0), hit("far", 1.0)) == ["far", "other", "far"]


def test_scores_are_those_of_the_new_order():
    scores = [found.score for found in fused("query", [hit("far", 1.0), hit("near", 0.9)], MODEL)]
    assert scores == sorted(scores, reverse=True)


def test_without_hits_no_model_is_asked_for():
    assert fused("query", []) == []


def test_without_the_extra_it_says_what_to_install():
    if importlib.util.find_spec("wordllama"):
        pytest.skip("the extra is installed")
    with pytest.raises(UsageError, match=r"pip install 'memoria-compiler\[wordllama\]'"):
        fused("query", [hit("far", 1.0)])


def test_the_real_model_works_without_a_network():
    pytest.importorskip("wordllama")
    hits = [
        hit("clock", 1.0, "The clocks of two hosts differ by an hour."),
        hit("cake", 1.0, "A recipe for a chocolate cake with cherries."),
        hit("time zone", 0.9, "Times are compared in UTC."),
    ]
    assert fused("how to bake something sweet", hits)[0].title == "cake"
