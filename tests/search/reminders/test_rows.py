from datetime import date

import pytest

from memoria.capture.provenance.sayable import known_by
from memoria.rules.model import Rule, rule_id, text_hash
from memoria.search import injectable as tellable
from memoria.search.reminders import prompt_match as recall
from memoria.search.reminders.rows import COMMON, known
from memoria.search.reminders.rows import found as found_in
from memoria.vault.article import compose, parse, render, with_body

SECTIONS = ("Key Points", "Sources")


def rule(text, scope=()):
    return Rule(
        rule_id("workflow", text), text, "workflow", "active", 1, "low", scope, "2026-03-02"
    )


def found(note, headings):
    """Make the row of an article all of whose lines this machine knows."""
    return found_in(note, headings, set(map(known_by, tellable.of_note(note, headings))))


def words(row):
    return {word: weight for word, weight, _ in row.words}


def test_a_rule_becomes_its_weighted_words():
    texts = ["Rebase the lease branch before you push.", "Never push on Friday.", "Use tabs."]
    first, second, third = known([rule(text) for text in texts], {})
    assert (first.name, first.hash) == (rule_id("workflow", texts[0]), text_hash(texts[0]))
    assert set(words(first)) == {"rebas", "leas", "branch", "push"}
    assert words(first)["leas"] > words(first)["push"]  # which another rule has, and any project
    assert words(second).keys() == {"push", "friday"}
    assert words(third).keys() == {"tab"}
    assert first.total == pytest.approx(sum(words(first).values()))


@pytest.mark.parametrize(
    ("text", "occasion"),
    [
        ("Run the linter before you commit.", {"commit"}),
        ("When a migration fails, restore the dump.", {"migration", "fail"}),
        ("Keep it short unless the lease is at stake", {"leas", "stak"}),
        ("After every change, run the tests.", set()),  # that is any time
        ("Ask before you start.", set()),
        ("If the nightly export of the shop breaks the till, call Ana.", set()),  # half of the rule
        ("Use tabs.", set()),
    ],
)
def test_a_rule_tells_its_occasion(text, occasion):
    (row,) = known([rule(text)], {})
    assert {word for word, _, is_occasion in row.words if is_occasion} == occasion
    assert row.occasions == len(occasion)


def test_where_and_since_when_a_rule_holds():
    here, both, anywhere = rule("Use tabs.", ("p",)), rule("Use uv.", ("p", "q")), rule("Use mise.")
    rows = known([here, both, anywhere], {both.id: 7.0})
    assert [(row.scope, row.since) for row in rows] == [("p", 0.0), ("", 7.0), ("", 0.0)]


def article(lead, body, **meta):
    about = {"title": "Lease store", "aliases": ["till lock"], "updated": date(2026, 3, 2)} | meta
    note = compose("concepts/lease-store", "concept", about, "Lease store", lead)
    note = with_body(note, "Key Points", body, SECTIONS) if body else note
    return parse(note.path, "concept", render(note))


def test_an_article_becomes_its_words_and_passages():
    note = article("It keeps leases.", "- A lease lasts ten minutes. ([[daily/2026-03-02]])")
    row = found(note, SECTIONS)
    assert (row.path, row.title, row.day) == ("concepts/lease-store", "Lease store", "2026-03-02")
    assert row.scopes == ("",)
    assert row.passages == ("- A lease lasts ten minutes.",)
    assert {"leas", "stor", "till", "lock", "minut"} <= set(row.words)
    assert not {"daily", "key", "point", "a", "it"} & set(row.words)
    assert len(set(row.words)) == len(row.words)
    assert found(article("x", "", projects=["p", "q"]), SECTIONS).scopes == ("p", "q")


def test_an_article_of_a_lead_alone_gives_that():
    assert found(article("It keeps leases.", ""), SECTIONS).passages == ("It keeps leases.",)


def test_a_page_that_was_pasted_is_bounded():
    row = found(
        article("", "\n".join(f"- word{n} other{n} more{n}." for n in range(5000))), SECTIONS
    )
    assert len(row.words) <= 400
    assert len(row.passages) <= 64


def test_what_is_common_is_cut_as_a_prompt_is():
    assert {"test", "commit", "push", "fil"} & COMMON == {"test", "commit", "push"}
    assert all(recall.words(word) for word in COMMON if word.isascii() and len(word) > 3)
