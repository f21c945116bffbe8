from datetime import date

import pytest
from hypothesis import given, strategies as st
from notes import hostile

from memoria.search.pages import (
    BUDGET,
    Page,
    build_article_page,
    build_entry_page,
    count_bytes,
    fit_pages,
    render_pages,
)
from memoria.vault.article import parse_article

ARTICLE = """---
title: "Session tokens"
updated: 2026-04-05
---

# Session tokens

Tokens expire after an hour.

## Key Points

- Expiry is stored in UTC. ([[daily/2026-04-01]]) ([[daily/2026-04-05.md|then]])
- See [[concepts/cookies]].
"""


def page(path="concepts/x", text="Text.", **more):
    return Page(path, more.get("title", path), "concept", more.get("front", ""), text)


def long_page(lines=100, path="concepts/long"):
    filler = [f"Line {number} speaks of shelves and boxes. {'x' * 300}" for number in range(lines)]
    filler[lines // 2] += " The lighthouse keeper winds the clock."
    return page(path, "\n".join(["# Long", "The head.", *filler]))


def test_an_article_is_shown_whole_with_days_in_place_of_links_to_logs():
    article = parse_article("concepts/session-tokens", "concept", ARTICLE)
    text = render_pages([build_article_page(article)])
    assert text.splitlines()[0] == "[[concepts/session-tokens]] (concept)"
    assert "updated: 2026-04-05" in text
    assert "- Expiry is stored in UTC. (2026-04-01) (2026-04-05)" in text
    assert "- See [[concepts/cookies]]." in text


def test_an_entry_is_named_by_its_log_and_title():
    found = build_entry_page(date(2026, 4, 1), "Fix tokens", "**Context:** Tokens.")
    assert render_pages([found]) == "[[daily/2026-04-01]] (entry: Fix tokens)\n**Context:** Tokens."


def test_pages_that_fit_are_whole_and_in_order():
    pages = [page(f"concepts/{name}", "word " * 100) for name in "abc"]
    assert fit_pages(pages, "word") == tuple(pages)


def test_a_page_that_does_not_fit_keeps_its_head_and_what_was_asked_for():
    (found,) = fit_pages([long_page()], "Who winds the clock?", 6_000)
    assert count_bytes(found) <= 6_000
    assert found.text.startswith("# Long\nThe head.")
    assert "lighthouse keeper" in found.text
    assert found.text.count("[…]") >= 2
    assert "Line 99" not in found.text


def test_one_long_page_leaves_room_for_others():
    short = (page(f"concepts/{n}", "w " * 500) for n in range(50))
    found = fit_pages([long_page(500), *short], "x")
    assert found[0].path == "concepts/long"
    assert count_bytes(found[0]) <= BUDGET // 2
    assert len(found) > 10


def test_the_budget_is_filled_whatever_the_size_of_the_notes():
    for length in (3, 10, 40):
        pages = [long_page(length, f"concepts/{number}") for number in range(60)]
        assert 0.95 * BUDGET < sum(map(count_bytes, fit_pages(pages, "boxes"))) <= BUDGET


def test_the_budget_is_of_bytes_since_a_character_of_chinese_is_a_token():
    found = fit_pages([page(f"concepts/{number}", "日" * 2_000) for number in range(20)], "日")
    assert sum(len(one.text) for one in found) <= BUDGET // 3


@pytest.mark.parametrize("text", ["x" * 50_000, "", "\n\n\n"])
def test_a_page_without_parts_that_fit(text):
    assert sum(map(count_bytes, fit_pages([page(text=text)], "x", 2_000))) <= 2_000


@given(
    st.lists(st.tuples(hostile, st.integers(1, 60)), max_size=8),
    st.text(max_size=20),
    st.integers(0, 3_000),
)
def test_pages_never_exceed_the_budget_and_keep_their_order(parts, question, budget):
    texts = enumerate("\n".join([text] * times) for text, times in parts)
    found = fit_pages([page(f"concepts/{n}", text) for n, text in texts], question, budget)
    assert sum(map(count_bytes, found)) <= budget
    paths = [one.path for one in found]
    assert paths == sorted(paths)
