import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.rules.merge.words import chunk


def read(written):
    return [(word.kind, word.concept) for word in chunk(written)]


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("commits,", [("thing", "commit"), ("stop", ",")]),
        ("(never", [("stop", ","), ("not", "never")]),
        ("tests.", [("thing", "test"), ("stop", ".")]),
        ("`any`", [("link", "any")]),
        ("don't", [("not", "not")]),
        ("72", [("number", "#72")]),
        ("1,000", [("number", "#1000")]),
        ("1.26", [("number", "#1.26")]),
        ("80%", [("number", "#80"), ("thing", "percent")]),
        ("500ms", [("number", "#500"), ("thing", "millisecond")]),
        ("1", [("link", "one")]),
        ("three", [("number", "#3")]),
        ("user_id", [("name", "=user_id")]),
        ("`setup_logging()`", [("name", "=setup_logging")]),
        ("userId", [("name", "=userid")]),
        ("--force", [("name", "=--force")]),
        ("/var/log", [("name", "=/var/log")]),
        ("tools/", [("name", "=tools/")]),
        ("config.yaml", [("name", "=config.yaml")]),
        ("TypeScript", [("thing", "typescript")]),
        ("GitHub", [("thing", "github")]),
        ("PUT", [("name", "=put")]),
        ("put", [("act", "put")]),
        ("pre-commit", [("thing", "pre"), ("thing", "commit")]),
        ("and/or", [("name", "=and/or")]),
        ("==", [("name", "===")]),
        ("->", [("link", "to")]),
        ("&", [("link", "and")]),
        ("—", [("stop", ",")]),
        ("e.g.,", [("link", "eg"), ("stop", ",")]),
        ("✅", []),
        ("delete", [("act", "remove")]),
    ],
)
def test_what_stands_between_two_blanks(written, words):
    assert read(written) == words


def test_an_order_is_told_from_a_noun():
    assert chunk("commit")[0].verb
    assert not chunk("commits")[0].verb
    assert not chunk("committing")[0].verb


def test_an_end_of_a_concept_has_its_own_name():
    assert (chunk("public")[0].end, chunk("private")[0].end) == ("public", "-public")


@given(st.text(min_size=1, max_size=30).filter(lambda text: len(text.split()) == 1))
def test_any_chunk_is_read(text):
    for word in chunk(text.split()[0]):
        assert word.kind
        assert 0 <= word.weight <= 1
