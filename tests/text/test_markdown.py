import re

import pytest
from cases import cased
from hypothesis import given, strategies as st
from notes import MEANING, active, hostile, tokens

from memoria.text.markdown import (
    find_wikilinks,
    format_code_block,
    format_inline_code,
    format_quote,
    make_inert,
    make_prose_inert,
    next_fence,
)
from memoria.text.outline import _PARSER, parse_outline

KNOWN = {"concepts/known", "daily/2026-04-01"}
STRUCTURE = {"heading_open", "fence", "code_block", "hr", "blockquote_open"}


@cased()
def test_what_could_act_is_rewritten(text, expected):
    assert make_inert(text, KNOWN) == expected


@given(hostile)
def test_nothing_in_an_inert_line_acts_wherever_it_is_put(text):
    line = make_inert(text, KNOWN)
    assert "\n" not in line
    assert line == line.strip()
    for place in (line, f"- {line}", f"- [ ] {line}", f"Words before.\n\n{line}\n", f"## {line}"):
        found = tokens(place) - ({"heading_open"} if place.startswith("## ") else set())
        assert not active(place), place
        assert not found & (STRUCTURE | {"ordered_list_open"}), place
    assert set(find_wikilinks(line)) <= KNOWN


@given(hostile)
def test_an_inert_line_stays_as_it_is(text):
    line = make_inert(text, KNOWN)
    assert make_inert(line, KNOWN) == line


@cased()
def test_prose_keeps_paragraphs_and_lists(text, expected):
    assert make_prose_inert(text) == expected


@given(hostile)
def test_prose_does_nothing_and_stays_as_it_is(text):
    prose = make_prose_inert(text, KNOWN)
    assert not active(prose)
    assert not tokens(prose) & STRUCTURE
    assert set(find_wikilinks(prose)) <= KNOWN
    assert make_prose_inert(prose, KNOWN) == prose


@cased()
def test_targets_of_wikilinks(text, expected):
    assert find_wikilinks(text) == expected


@cased()
def test_fences_open_and_close_as_in_markdown(lines, expected):
    fence, found = "", []
    for line in lines:
        fence = next_fence(fence, line)
        found.append(fence)
    assert found == expected


@pytest.mark.parametrize("piece", [*MEANING, "[a](", "[[a|", "` `` "])
def test_long_runs_stay_fast(piece):
    # a pattern that backtracks over 5,000 pieces would not return at all
    text = piece * 5_000 + "x"
    assert make_inert(make_inert(text)) == make_inert(text)
    prose = make_prose_inert(f"a\n\n{text}")
    assert prose.startswith("a")


# -- Blocks that nothing leaves --------------------------------------------------------------------


def events(text):
    return [event for event, _ in _PARSER.events_with_range(text, merge_text=True)]


@given(st.text(alphabet="`~ ab\n<%>\t\u200b\r", max_size=60))
def test_no_text_leaves_the_fence(inner):
    text = f"before\n\n{format_code_block(inner)}\n\nafter\n"
    assert [block.text for block in parse_outline(text).blocks] == ["before", "after"]
    assert "<%" not in text


def test_long_lines_and_templates():
    assert format_code_block("x" * 500).split("\n")[1] == "x" * 159 + "…"
    assert format_code_block("<% tp.file %>") == "```text\n< % tp.file %>\n```"


@cased()
def test_inline_code(text, shown):
    assert format_inline_code(text) == shown


@given(st.text(alphabet="`a =$<%\\[]", min_size=1, max_size=20).filter(str.strip))
def test_inline_code_holds_all_of_it(text):
    shown = format_inline_code(text)
    if not re.match(r"\s*\$?=", text):
        (one,) = [
            event["Code"] for event in events(shown) if isinstance(event, dict) and "Code" in event
        ]
        assert " ".join(one.split()) == " ".join(text.replace("<%", "< %").split())


def test_a_quotation_is_inert_and_keeps_its_paragraphs():
    assert format_quote("Use <b>bold</b>\n\n- one\n- two\n\n```\n# x\n```") == (
        "> Use &lt;b>bold&lt;/b>\n>\n> - one\n> - two\n>\n> \\# x"
    )
