"""Words, their weight, and how much of a rule a context speaks of."""

import pytest
from cases import cased

from memoria.text import word_overlap


@cased()
def test_terms(text, expected):
    assert word_overlap.find_telling_words(text) == expected


def test_a_rare_word_weighs_more():
    weights = word_overlap.rarity([("alembic", "test"), ("test",), ("test", "docker")])
    assert weights["alembic"] == weights["docker"] > weights["test"] > 0.0
    shares = word_overlap.compute_shares(("alembic", "test"), weights)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert shares["alembic"] > shares["test"]
