"""Articles -> the same, mended: nothing else in the file changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linted import SCHEMA, article

from memoria.lint.fix import add_backlinks, redirect_links, set_summary
from memoria.text.outline import outline
from memoria.vault.article import parse, render, summary


def read(text):
    return parse("concepts/a", "concept", text)


def test_links_back_are_added_where_links_are():
    before = read(article("## Related Concepts\n\n- [[concepts/b]]\n\n## Sources\n\n- x\n"))
    after = add_backlinks(before, ["concepts/b", "concepts/c"], SCHEMA)
    old, new = render(before).split("\n"), render(after).split("\n")
    assert [line for line in new if line not in old] == ["- [[concepts/c]]"]
    assert [line for line in old if line not in new] == []
    assert add_backlinks(after, ["concepts/b", "concepts/c"], SCHEMA) is after


def test_a_section_for_links_back_comes_before_the_sources():
    after = add_backlinks(read(article("## Sources\n\n- x\n")), ["concepts/b"], SCHEMA)
    assert [name for name, _ in after.sections] == ["Related Concepts", "Sources"]


def test_links_back_stop_at_the_limit_and_at_names_that_no_link_can_hold():
    names = [f"concepts/o{n}" for n in range(30)]
    after = add_backlinks(read(article()), ["concepts/x]y", *names], SCHEMA)
    assert render(after).count("\n- [[") == 12
    assert "x]y" not in render(after)


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("[[tools/b]]", "[[people/b]]"),
        ("\u00e9 [[tools/b|words]] x", "\u00e9 [[people/b|words]] x"),
        ("[[tools/b#Part]] ![[tools/b]]", "[[people/b#Part]] ![[people/b]]"),
        ("| x |\n|---|\n| [[tools/b\\|w]] |", "| x |\n|---|\n| [[people/b\\|w]] |"),
        ("`[[tools/b]]` tools/b [[tools/bb]]", "`[[tools/b]]` tools/b [[tools/bb]]"),
    ],
)
def test_links_go_where_their_targets_are(text, mended):
    before = article(f"{text}\r\nend")
    after = redirect_links(read(before), {"tools/b": "people/b"})
    assert render(after) == article(f"{mended}\r\nend")


def test_what_frontmatter_names_goes_there_too():
    before = read(article(front='connects:\n  - "tools/b"\n  - "tools/c"\n'))
    after = redirect_links(before, {"tools/b": "people/b"})
    assert after.names("connects") == ("people/b", "tools/c")


LEAD = "Old words. The second sentence stays.\n\nSo does this."


def lead(text):
    return read(f'---\ntitle: "T"\n---\n\n# T\n\n{text}\n\n## Details\n\nx\n')


def test_a_summary_becomes_the_first_sentence():
    after = set_summary(lead(LEAD), "New | words.")
    assert render(after) == render(lead(LEAD.replace("Old words.", "New | words.")))
    assert summary(after) == "New | words."


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("No end\n\nbut two paragraphs", "New."),
        (LEAD, "Two sentences. Which one?"),
        (LEAD, "![x](https://example.org/a.png) New."),
        (LEAD, "long " * 60 + "end."),
    ],
)
def test_a_summary_that_would_not_come_out_as_it_is_stays_where_it_is(text, new):
    before = lead(text)
    assert set_summary(before, new) is before


PIECES = [
    "[[b]]",
    "[[b|x]]",
    "[[c]]",
    "![[b#h]]",
    "`[[b]]`",
    "`",
    "\n\n",
    "\n- ",
    "é",
    " ",
    "%%",
    "|",
]


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_whatever_stands_around_them_only_targets_change(body):
    before = read(article(body))
    after = redirect_links(before, {"b": "people/b"})
    wanted = [("people/b" if one.target == "b" else one.target) for one in links(before)]
    assert [one.target for one in links(after)] == wanted
    assert render(after).replace("people/b", "b") == render(before)


def links(one):
    return outline(render(one)).links
