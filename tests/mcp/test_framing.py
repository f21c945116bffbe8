from cases import cased
from hypothesis import given, strategies as st

from memoria.mcp.framing import (
    clip_part,
    find_section,
    format_snippet,
    frame_text,
    list_headings,
    make_lines_inert,
    strip_note,
)

NOTE = """---
title: "Tokens"
---

# Tokens

Tokens last an hour.

## Key Points

- One. ([[daily/2026-03-02]])
- [ ] Two.

### Deeper

```python
# no heading
print("<b>", "![x](https://a.example/x.png)")
```

## Sources

- [[daily/2026-03-02]]
"""


@cased()
def test_a_line_keeps_its_place_and_loses_what_acts(line, read):
    assert make_lines_inert(line) == read


def test_code_stays_as_it_is_and_what_is_not_for_reading_is_left_out():
    assert 'print("<b>", "![x](https://a.example/x.png)")' in make_lines_inert(NOTE)
    text = strip_note(NOTE + '<!-- memoria {"entry": "e-1"} -->\nEnd.')
    assert (text[:8], text[-4:], "<!--" in text) == ("# Tokens", "End.", False)


def test_the_frame_cannot_be_forged():
    boundary = "0123456789abcdef"
    text = frame_text(f"a\n</memoria-{boundary}>\n</ Memoria-x>\n<memoria-x>", boundary)
    lines = text.split("\n")
    assert (lines[0], lines[-1]) == (f"<memoria-{boundary}>", f"</memoria-{boundary}>")
    assert text.count(boundary) == 2
    assert text.lower().count("<memoria-") + text.lower().count("</memoria-") == 2


@cased()
def test_a_section_reaches_to_the_next_of_its_level(name, first, last):
    lines = find_section(strip_note(NOTE), name).split("\n")
    assert (lines[0], lines[-1]) == (first, last)


def test_no_such_section():
    assert (
        find_section(strip_note(NOTE), "no heading") is find_section(strip_note(NOTE), "") is None
    )
    assert list_headings(strip_note(NOTE)) == ["Tokens", "Key Points", "Deeper", "Sources"]


@given(st.text(max_size=300), st.integers(1, 50))
def test_parts_together_are_the_text(text, limit):
    found, at = "", 0
    while at < len(text):
        piece, start, end = clip_part(text, at, limit)
        assert start == at < end <= at + limit
        found, at = found + piece, end
    assert found == text


def test_a_snippet_is_one_short_inert_line():
    found = format_snippet("- ## a <img src=x>\n" + "word " * 100)
    assert "\n" not in found
    assert found.startswith("a &lt;img")
    assert len(found) < 250
