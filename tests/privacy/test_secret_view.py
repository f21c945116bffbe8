from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from memoria.privacy.secrets import build_view


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a plain text", "a plain text"),
        ("\x1b[32mKEY\x1b[0m", "KEY"),
        ("K\u200bE\u2060Y", "KEY"),
        (r"line1\nKEY\tx", "line1\nKEY\tx"),
        (r"{\\\"token\\\": \\\"x\\\"}", '{"token": "x"}'),
        ("a%3Db%2Fc", "a=b/c"),
        (r"\u003dx", "=x"),
        ("100% of it", "100% of it"),
        (r"C:\Users", r"C:\Users"),
    ],
)
def test_the_plain_form(text, plain):
    assert build_view(text).text == plain


PIECE = st.sampled_from(
    ["a", "KEY", "\x1b[1m", "\u200b", r"\n", r"\\\"", "%41", r"\u003d", "%", "\\", "é"]
)


@given(st.lists(PIECE, max_size=12).map("".join))
def test_every_character_has_its_place_in_the_original(text):
    seen = build_view(text)
    spans = [seen.span(i, i + 1) for i in range(len(seen.text))]
    for (start, end), c in zip(spans, seen.text, strict=True):
        assert build_view(text[start:end]).text in {c, ""} or text[start:end] == c
    for first, second in pairwise(spans):
        assert first[0] < first[1] <= second[0]
    if spans:
        assert build_view(text[slice(*seen.span(0, len(seen.text)))]).text == seen.text
