from datetime import date

import pytest
from cases import cased
from hypothesis import given
from notes import active, hostile
from reviewed import review

from memoria.errors import BadReply
from memoria.privacy import clean
from memoria.rules.from_review.advice import Advice
from memoria.rules.from_review.service import MOST_RULES, Critique, entry, verify
from memoria.vault import frontmatter
from memoria.vault.written.written_entry import parse_written_entry

TEXT = review("seen/java")[0]
REVIEW = Critique(TEXT, "pr-7.txt")
RULE = Advice(
    "Optional must not be used for parameters",
    "architectural",
    "Optional must not be used for parameters.",
)
DAY = date(2026, 4, 1)


def reply(**changes):
    rule = {"text": RULE.text, "quote": RULE.quote, "category": RULE.category} | changes
    return {"rules": [rule]}


def filed(*rules, review=REVIEW, project="github.com/ana/shop", engine="offline"):
    return entry(review, rules or (RULE,), day=DAY, project=project, engine=engine)


# -- What an engine found --------------------------------------------------------------------------


def test_a_rule_with_the_reviewers_own_words_is_kept():
    assert verify(reply(), REVIEW) == ((RULE,), ())


@cased()
def test_a_quote_is_found_by_its_words(quote):
    (found,), refused = verify(reply(quote=quote), REVIEW)
    assert (found.text, refused) == (RULE.text, ())


@cased(({"text": "x" * 301}, "8 to 300 characters"), ({"text": "!" * 20}, "8 to 300 characters"))
def test_what_the_review_does_not_support_is_refused(changes, why):
    kept, (refused,) = verify(reply(**changes), REVIEW)
    assert not kept
    assert why in refused.reason


@cased(reply(quote="x" * 2_001), {"rules": [reply()["rules"][0]] * (MOST_RULES * 10 + 1)})
def test_an_answer_of_another_form(value):
    with pytest.raises(BadReply):
        verify(value, REVIEW)


def test_rules_are_kept_once_and_not_without_end():
    value = {"rules": [reply(text=f"Rule number {n} of many")["rules"][0] for n in range(99)]}
    kept, _ = verify(value, REVIEW)
    assert len(kept) == MOST_RULES
    kept, _ = verify({"rules": reply()["rules"] * 3}, REVIEW)
    assert kept == (RULE,)


# -- Its entry -------------------------------------------------------------------------------------


def test_the_entry_of_a_review():
    own = Advice("Run the linter before you push", "workflow", "Run the linter, always.")
    assert (
        filed(RULE, own).rsplit("<!--", 1)[0]
        == f"""\
---
title: "Review: pr-7.txt"
origin: review
session: "{REVIEW.sha}"
project: "github.com/ana/shop"
engine: offline
created: 2026-04-01
---

# Review: pr-7.txt

## The Goal

What the authors of a code review asked for in general. The words are theirs: no rule holds until \
you approve it with `memoria review`.

## Improvements

### Architectural

- Optional must not be used for parameters

### Workflow

- Run the linter before you push

## Quotes

- "Optional must not be used for parameters."
- "Run the linter, always."

"""
    )


@cased()
def test_an_entry_is_called_by_its_file(file, called):
    review = Critique("Text.", file)
    assert review.name == (called or review.sha[:8])
    assert review.title.startswith("Review: ")


@given(hostile, hostile, hostile)
def test_a_hostile_review_becomes_an_inert_entry(text, quote, file):
    one, review = clean.clean_value((Advice(text, "workflow", quote), Critique(quote, file)))
    found = filed(one, review=review)
    front, body = found.removeprefix("---\n").split("\n---\n", 1)
    meta = frontmatter.parse(front + "\n")
    assert meta["origin"] == "review"
    assert not active(body.rsplit("<!-- memoria", 1)[0])
    read = parse_written_entry(found)
    assert all(line.drafted for line in read.improvements)
