import pytest
from cases import cased
from hypothesis import given
from notes import MEANING, active, hostile, tokens

from memoria.text.markdown import find_wikilinks, make_inert, make_prose_inert, next_fence

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
