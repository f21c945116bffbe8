"""Markdown of any shape becomes units of plain text that a log line can bear."""

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.text.prose import clip_text, parse_units, split_sentences, strip_markdown

LEAD = "The worker that drains the queue of the shop does this:"
TEXT = """The worker that drains the queue of the shop does this:
- first item
  goes on
- second **item**

## The lease

It is *short*.

```py
code = 1
```

| name | what |
|------|------|
| `renew` | renews |
| drop | drops |

**All in bold**
1. one
> quoted
---
last
"""


def test_blocks_are_told_apart_with_what_stands_over_them():
    found = [(unit.form, unit.text, unit.heading, unit.lead) for unit in parse_units(TEXT)]
    assert found == [
        ("paragraph", LEAD, "", ""),
        ("item", "first item goes on", "", LEAD),
        ("item", "second item", "", LEAD),
        ("heading", "The lease", "", ""),
        ("paragraph", "It is short.", "The lease", ""),
        ("row", "`renew`", "The lease", ""),
        ("row", "drop", "The lease", ""),
        ("heading", "All in bold", "", ""),
        ("item", "one quoted", "All in bold", ""),
        ("paragraph", "last", "All in bold", ""),
    ]


@cased(("at https://shop.example/" + "long/" * 20, "at shop.example"))
def test_inline_markup_becomes_text(markdown, text):
    assert strip_markdown(markdown) == text


def test_sentences_end_where_a_sentence_ends():
    text = 'Use `a.b()`. It is so, e.g. Monday. "Why?" Because. Version 1.2. The end'
    assert split_sentences(text) == [
        "Use `a.b()`.", "It is so, e.g. Monday.", '"Why?', "Because.", "Version 1.2.", "The end",
    ]  # fmt: skip
    assert split_sentences("一つ目。二つ目。") == ["一つ目。", "二つ目。"]


@pytest.mark.parametrize(
    "block",
    ["```renew()``` is called", "````md\n```py\nx = 1\n```\nhidden prose\n````", "~~~\nx\n~~~~"],
)
def test_what_stands_behind_code_is_read(block):
    assert parse_units(f"{block}\n\nThe token is used.")[-1].text == "The token is used."
    assert "x = 1" not in str(parse_units(f"{block}\n\nThe token is used."))


@given(st.text(max_size=300), st.integers(30, 200))
def test_a_clipped_text_is_short_and_balanced(text, length):
    text = strip_markdown(text)
    short = clip_text(text, length)
    assert len(short) <= length + 2
    assert short.count("`") % 2 == 0


PIECES = ("a", " ", "(", "`", "`x\n", "[", "<", "*", "_", "/", "|", "> ", "](", "$", "#")


@pytest.mark.parametrize("piece", PIECES)
def test_a_flood_is_read_in_linear_time(piece):
    parse_units((piece * 30_000)[:30_000])
