"""Both ends of a long text, within a bound, as UTF-8 can hold them."""

import pytest
from hypothesis import given, strategies as st

from memoria.text.shorten import clip_line, shorten


@given(st.text(), st.integers(2, 50))
def test_both_ends_stay(text, bound):
    short = shorten(text, bound)
    short.encode()
    if len(text) <= bound:
        assert len(short) == len(text)
    else:
        assert len(short) < bound + 60
        head, _, rest = short.partition("\n[... ")
        left, _, tail = rest.partition(" characters left out ...]\n")
        assert text.startswith(head)
        assert text.endswith(tail)
        assert len(head) + int(left) + len(tail) == len(text)


@pytest.mark.parametrize("sentence", ["one\ntwo {}\nthree\n", "a b {} c d ", '{{"a":"{}","b":1}},'])
def test_what_is_left_out_begins_and_ends_between_words(sentence):
    key = "".join(f"K{n:02}" for n in range(14))
    for shift in range(0, 90, 3):
        text = "x" * shift + sentence.format(key) * 90
        short = shorten(text, 2000)
        whole = short.count(key)
        assert short.replace(key, "").count("K0") == 0
        assert whole > 4
        assert len(short) < 2050


@given(st.text(), st.integers(2, 50))
def test_a_line_for_a_person(text, limit):
    line = clip_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    whole = " ".join(text.split())
    assert line == whole or whole.startswith(line.removesuffix("…"))


def test_a_line_ends_with_a_word():
    assert clip_line("one two\n three", 12) == "one two…"
    assert clip_line("one two\n three", 13) == "one two three"
