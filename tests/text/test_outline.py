"""Markdown -> links, headings and text, as CommonMark and Obsidian read it."""

import pytest
from hypothesis import given, strategies as st

from memoria.text.outline import parse_outline


def targets(text):
    return [link.target for link in parse_outline(text).links]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[[a]]", ["a"]),
        ("[[a|words]]", ["a"]),
        ("[[a#Part]]", ["a"]),
        ("[[a#Part|words]]", ["a"]),
        ("[[a#^block]]", ["a"]),
        ("[[#Part]]", [""]),
        ("[[concepts/a.md]]", ["concepts/a.md"]),
        ("![[picture.png]]", ["picture.png"]),
        ("[[ a b ]]", ["a b"]),
        ("| x |\n|---|\n| [[a\\|words]] |", ["a"]),
        ("[words](notes/a%20b.md)", ["notes/a b.md"]),
        ("[words](a.md#part)", ["a.md"]),
        ("> - [[a]] and **[[b]]**", ["a", "b"]),
        ("# Title with [[a]]", ["a"]),
    ],
)
def test_links(text, found):
    assert targets(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "`[[a]]`",
        "``x ` [[a]]``",
        "```\n[[a]]\n```",
        "~~~ python\n[[a]]\n~~~",
        "    [[a]]",
        "- item\n\n  ```\n  [[a]]\n  ```",
        "\\[[a]]",
        "<!-- [[a]] -->",
        "<div>\n[[a]]\n</div>",
        "%% [[a]] %%",
        "%%\n\n[[a]]\n\n%%",
        "[[]]",
        "[[a\nb]]",
        "[words](https://example.org/a.md)",
        "[words](src/app.py)",
        "[words](mailto:ana@example.org)",
    ],
)
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
