import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.rules.merge.words import words


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("commits,", [("thing", "commit"), ("stop", ",")]),
        ("(never", [("stop", ","), ("not", "never")]),
        ("don't", [("not", "not")]),
        ("1,000", [("number", "#1000")]),
        ("500ms", [("number", "#500"), ("thing", "millisecond")]),
        ("1", [("link", "one")]),
        ("three", [("number", "#3")]),
        ("`--force`", [("thing", "--force")]),
        ("PUT", [("thing", "PUT")]),
        ("put", [("act", "put")]),
        ("pre/post", [("thing", "pre"), ("thing", "post")]),
        ("==", [("thing", "double equals")]),
        ("->", [("link", "to")]),
        ("—", [("stop", ",")]),
        ("✅", []),
        ("delete", [("act", "remove")]),
        ("pull request", [("thing", "pull request")]),
        ("stop using", [("not", "stop"), ("act", "use")]),
        ("turn off", [("act", "remove"), ("link", "off")]),
        ("free of", [("not", "free"), ("link", "of")]),
        ("required keys", [("thing", "optional"), ("thing", "key")]),
        ("keys are required", [("thing", "key"), ("act", "be"), ("act", "require")]),
        ("under 50", [("thing", "limit"), ("number", "#50")]),
    ],
)
def test_what_is_written_is_read_as_words(written, expected):
    assert [(word.kind, word.concept) for word in words(written)] == expected


def test_an_end_of_a_concept_has_its_own_name():
    assert (words("public")[0].end, words("private")[0].end) == ("public", "-public")


@given(st.text())
def test_any_text_is_read(text):
    assert all(word.concept for word in words(text))
