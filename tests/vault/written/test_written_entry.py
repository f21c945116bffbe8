from itertools import product

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.vault.written.written_entry import (
    find_template_insights,
    format_draft_mark,
    parse_written_entry,
)

HEAD = "# Auth API\n\n## The Goal\n\nMake the login work.\n\n"


def insights(text, **more):
    return [(one.category, one.text) for one in parse_written_entry(text, **more).improvements]


def under(body, heading="## Improvements\n\n### Workflow\n\n"):
    return [text for _, text in insights(HEAD + heading + body)]


@cased()
def test_the_words_of_a_bullet(body, found):
    assert under(body) == found


def test_how_nested_bullets_are_joined():
    assert under(
        "- Validate at the edge\n  - not in handlers\n    1. they forget.\n  - once\n"
    ) == ["Validate at the edge: not in handlers: they forget; once"]
    assert under("- It failed.\n\n  It was Monday.\n  - and late\n") == [
        "It failed. It was Monday. and late."
    ]
    assert under("- Deploying:\n  - migrate first\n    - with the lock\n  - [ ] ask Bo\n") == [
        "Deploying: migrate first: with the lock"
    ]
    assert under("- real\n  - TODO\n  - [ ] later\n") == ["real"]
    assert under("- TODO\n  - a real one\n") == ["a real one"]


@pytest.mark.parametrize(
    "name",
    ["Tool Usage", "tool-usage", "TOOL_USAGE", "Tools usage", "Tool Usages:", "`tool usage`"],
)
def test_categories_are_tolerant(name):
    assert insights(f"{HEAD}## Improvements\n\n### {name}\n\n- x y\n") == [("tool_usage", "x y")]


@cased()
def test_headings_of_all_kinds(text):
    for line_end, mark in product(("\n", "\r\n", "\r"), ("", "\ufeff")):
        found = insights(mark + text.replace("\n", line_end))
        assert found == [("workflow", "a")], (line_end, mark)


@cased()
def test_what_an_entry_lacks(text, lacks):
    assert parse_written_entry(text).lacks == lacks


@pytest.mark.parametrize(
    "front", ["---\n: [\n---\n", "---\na: !!python/none\n---\n", "---\n- x\n---\n"]
)
def test_a_broken_frontmatter_costs_only_itself(front):
    found = parse_written_entry(f"{front}{HEAD}## Improvements\n- fine\n")
    assert found.fault
    assert [one.text for one in found.improvements] == ["fine"]


def test_what_the_template_prints_is_no_insight():
    template = "# {{title}}\n## Improvements\n### Workflow\n- What would you do again?\n"
    text = template.replace("{{title}}", "A") + "- run the tests\n"
    assert insights(text, placeholders=find_template_insights(template)) == [
        ("workflow", "run the tests")
    ]


def test_a_draft_is_not_the_persons_until_it_is_changed():
    body = f"{HEAD}## Improvements\n### Workflow\n- proposed\n- Proposed, but changed\n- my own\n"
    mark = format_draft_mark("s-1", ["proposed", "proposed, not changed"])
    found = parse_written_entry(f"{body}\n{mark}\n")
    assert found.session == "s-1"
    assert [one.drafted for one in found.improvements] == [True, False, False]
    # without the hashes nothing can be told to be the person's
    found = parse_written_entry(f"---\nsession: s-1\n---\n{body}")
    assert [one.drafted for one in found.improvements] == [True, True, True]
    found = parse_written_entry(f"---\nsession: s-1\n---\n{body}<!-- memoria {{broken}} -->\n")
    assert [one.drafted for one in found.improvements] == [True, True, True]


def test_a_long_insight_and_deep_nesting_are_bounded():
    assert len(under(f"- {'word ' * 2000}\n")[0]) == 1000
    deep = "".join(f"{'  ' * level}- level {level}\n" for level in range(300))
    assert len(under(deep)) == 1


PIECES = (
    *("# ", "## Improvements\n", "### Workflow\n", "- a", "  - b\n", "* [ ] c\n", "\n", "```\n"),
    *("---\n", "<!-- ", "-->\n", "1. d\n", "\t- e\n", "\r\n", "> ", "|x|\n", "===\n", "İ", "\\"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_no_markdown_breaks_it(text):
    found = parse_written_entry(text)
    assert all(one.text.strip() and "\n" not in one.text for one in found.improvements)
    assert found == parse_written_entry(text.replace("\r\n", "\n"))


@given(st.lists(st.from_regex(r"[A-Z][a-z]{2,8}( [a-z]{3,8}){1,5}", fullmatch=True), max_size=6))
def test_what_is_written_comes_back(lines):
    body = "".join(f"- {line}\n" for line in lines)
    assert under(body) == lines
