from datetime import UTC, date, datetime

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.capture.provenance.marks import build_line_key
from memoria.search.index.passages import (
    Document,
    IndexedLine,
    build_article_document,
    build_log_documents,
    build_page_document,
    split_passages,
)
from memoria.vault import daily_log
from memoria.vault.article import parse_article
from memoria.vault.entry import Draft, Entry

NOTE = """---
title: "Token expiry"
aliases: [lease length]
tags: ["#auth", area/billing]
projects:
  - "github.com/ana/shop"
created: 2026-01-05
updated: 2026-02-07
---

# Token expiry

Tokens expire in UTC.

## Key Points

- The check compares aware datetimes. ([[daily/2026-02-07]])

## Where the clock drifts

- On the old host.

## Related Concepts

- [[concepts/retry-storms]] - edited the same file

## Sources

- [[daily/2026-02-07]] - The token check
"""
DAY = date(2026, 3, 2)


def article(text=NOTE, path="concepts/token-expiry", kind="concept"):
    return build_article_document(parse_article(path, kind, text), ("Key Points", "Sources"))


def entry(title="Expiry in UTC", identity="e-1", **parts):
    at = datetime(2026, 3, 2, 14, 5, tzinfo=UTC).replace(tzinfo=None)
    draft = Draft(title, **({"context": ""} | parts))
    return Entry(identity, DAY, at, "github.com/ana/shop", "s1", "offline", draft)


def log(*entries, text=""):
    for one in entries:
        text = daily_log.place(text, one).text
    return text


def test_an_article_is_a_document():
    assert article() == Document(
        path="knowledge/concepts/token-expiry.md",
        sha="",
        title="Token expiry",
        kind="concept",
        date="2026-02-07",
        projects=("github.com/ana/shop",),
        tags=("auth", "area/billing"),
        text="Tokens expire in UTC.\n- The check compares aware datetimes.\n"
        "## Where the clock drifts\n- On the old host.",
        names=("lease length", "auth", "area/billing"),
        link="concepts/token-expiry",
        lines=(
            named("concepts/token-expiry"),
            line("The check compares aware datetimes.", "daily/2026-02-07"),
            line("On the old host."),
        ),
    )


def named(path):
    return IndexedLine("name", 0, build_line_key(path), path, path)


def line(text, link=""):
    return IndexedLine("fact", 2, build_line_key(text), text, link)


@cased()
def test_the_date_of_an_article_is_its_last_update(front, day):
    assert article(f"---\n{front}\n---\n# T\n").date == day


def test_a_rule_belongs_to_the_projects_of_its_scope():
    text = "---\nscope: [github.com/ana/shop]\n---\n# Use uv\n"
    assert article(text, "rules/wf-1", "rule").projects == ("github.com/ana/shop",)
    assert article(text, "concepts/x", "concept").projects == ()


def test_the_entries_of_a_log_are_documents():
    text = log(
        entry(context="On `main`.", decisions=("Compare in UTC, since hosts differ",)),
        entry("", "e-2", lessons=("A lease is an hour",)),
    )
    one, two = build_log_documents(DAY, text, "h1")
    assert (one.path, one.date) == ("daily/2026-03-02.md", "2026-03-02")
    assert (one.sha, one.kind) == ("h1", "entry")
    assert (one.title, one.projects) == ("Expiry in UTC", ("github.com/ana/shop",))
    # neither labels, which every entry has, nor the comment with its hashes
    assert one.text == "On `main`.\n- Compare in UTC, since hosts differ"
    assert (two.title, two.text) == ("Untitled", "- A lease is an hour")


def test_what_a_person_wrote_outside_of_the_blocks_is_a_document_too():
    text = log(entry(context="C"), text="# Daily Log: 2026-03-02\n\nRemember the milk.\n\n")
    first, notes = build_log_documents(DAY, text + "\n## Plans\n\nBuy a pony.\n", "h")
    assert first.title == "Expiry in UTC"
    assert (notes.title, notes.kind) == ("Daily Log: 2026-03-02", "entry")
    assert notes.text == "Remember the milk.\n## Plans\nBuy a pony."
    (only,) = build_log_documents(DAY, log(entry(context="C")), "h")
    assert only.title == "Expiry in UTC"
    assert list(build_log_documents(DAY, "", "")) == []


def test_terminal_codes_and_what_is_invisible_do_not_come_through():
    found = article("---\ntitle: t\n---\n# A\x1b[31m title\n\nto\u200bken\x00s \x1b]0;evil\x07\n")
    assert (found.title, found.text) == ("A title", "tokens ")


def test_short_lines_share_a_passage_and_a_long_line_has_several():
    short = [f"- line {number} of a list that goes on for a while" for number in range(30)]
    found = split_passages("\n".join(short))
    assert "\n".join(found) == "\n".join(short)
    assert 200 < len(found[0]) < 400
    long = "A sentence of seven words ends here. " * 100
    found = split_passages(long)
    assert all(200 < len(part) <= 800 for part in found[:-1])
    assert all(part.endswith("here.") for part in found)
    assert split_passages(" \n\n ") == ()


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=900), max_size=8).map("\n".join))
def test_no_word_is_lost_and_none_is_made_up(text):
    found = split_passages(text)
    assert "".join("".join(found).split()) == "".join("".join(text.split("\n")).split())


@pytest.mark.parametrize("line", ["x" * 2_000_000, "word " * 400_000, "- item\n" * 300_000])
def test_a_huge_document_is_shown_in_a_bounded_number_of_passages(line):
    assert 50 < len(split_passages(line)) < 256


def test_a_written_entry_is_found_without_what_its_template_says():
    text = "# Auth API\n\n## The Goal\n\n<!-- What you set out\nto build. -->\n\nTokens expire.\n"
    found = build_page_document("daily/2026-04-01-auth.md", date(2026, 4, 1), text, "s1")
    assert (found.title, found.kind, found.date) == ("Auth API", "entry", "2026-04-01")
    assert "Tokens expire." in found.text
    assert "set out" not in found.text
    empty = build_page_document("daily/2026-04-01-x.md", date(2026, 4, 1), "", "")
    assert empty.title == "2026-04-01-x"
