"""Markdown -> links, headings and text, as CommonMark and Obsidian read it."""

from cases import cased
from hypothesis import given, strategies as st

from memoria.text.outline import parse_outline


def targets(text):
    return [link.target for link in parse_outline(text).links]


@cased()
def test_links(text, found):
    assert targets(text) == found


@cased()
def test_what_is_no_link(text):
    assert targets(text) == []


def test_blocks_say_which_section_they_are_in():
    read = parse_outline(
        "Lead.\n\n## Key Points\n\n- one `x`\n- two\n  goes on\n\n```\ncode\n```\n"
    )
    assert [(one.text, one.section, one.level, one.place) for one in read.blocks] == [
        ("Lead.", "", 0, 1),
        ("Key Points", "Key Points", 2, 3),
        ("one x", "Key Points", 0, 5),
        ("two goes on", "Key Points", 0, 6),
    ]


@given(st.text(alphabet="[]|#!`\n %<>-\\a()\u00e9", max_size=80))
def test_whatever_is_written_it_is_read(text):
    for link in parse_outline(text).links:
        assert 1 <= link.place <= 1 + text.count("\n")
