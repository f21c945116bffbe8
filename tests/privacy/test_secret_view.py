from itertools import pairwise

from cases import cased
from hypothesis import given, strategies as st

from memoria.privacy.secrets import build_view


@cased()
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
