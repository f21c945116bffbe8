"""Words, their weight, and how much of a rule a context speaks of."""

import pytest

from memoria.text import word_overlap


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Always run the migrations before the tests", ("migration", "test")),
        (
            "use `userStore` and HTTP_client",
            ("userstore", "user", "store", "httpclient", "http", "client"),
        ),
        ("pytest -q tests/api", ("pytest", "test", "api")),
        ("port 3001, v2", ("port", "v2")),
        ("class status gas", ("class", "status", "gas")),
        ("", ()),
        ("Größe der Tabelle", ("größe", "der", "tabelle")),
        ("数据库 迁移", ("数据库", "迁移")),
    ],
)
def test_terms(text, expected):
    assert word_overlap.find_telling_words(text) == expected


def test_a_rare_word_weighs_more():
    weights = word_overlap.rarity([("alembic", "test"), ("test",), ("test", "docker")])
    assert weights["alembic"] == weights["docker"] > weights["test"] > 0.0
    shares = word_overlap.compute_shares(("alembic", "test"), weights)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert shares["alembic"] > shares["test"]
