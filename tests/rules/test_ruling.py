from datetime import date

import pytest
from notes import DAY

from memoria.rules.model import Rule, is_in_force, rule, rule_id, text_hash
from memoria.rules.ruling import Ruling, approvals_after, decided, drafted
from memoria.vault.article import render, with_body

LATER = date(2026, 5, 1)


def one(text="Lint first", **fields):
    values = {"created": str(DAY), "sessions": ("s-1",), "sources": ("daily/2026-04-01.md",)}
    values |= {"quotes": (f'- "{text}" ([[daily/2026-04-01]])',)} | fields
    identity = rule_id("workflow", text)
    return Rule(identity, text, "workflow", "waiting", 1, "low", ("shop",), str(DAY), **values)


def note(text="Lint first", **fields):
    return drafted(one(text, **fields), ())


@pytest.mark.parametrize("status", ["active", "rejected", "retired"])
def test_a_decision_is_written_into_the_note_and_approves_its_words_here(status):
    ruling = Ruling(one().id, status, "review")
    after = rule(decided(note(), ruling, LATER))
    assert (after.status, after.updated) == (status, "2026-05-01")
    approvals = approvals_after({one().id: "old"}, [(ruling, after)])
    assert is_in_force(after, approvals) is (status == "active")
    assert (one().id in approvals) is (status == "active")


def test_other_words_keep_the_id_and_the_old_ones():
    ruling = Ruling(one().id, "active", "review", text="Run the linter first")
    after = decided(note(), ruling, LATER)
    assert rule(after).text == "Run the linter first"
    assert rule(after).aliases == ("Lint first",)
    assert rule(after).id == one().id
    assert "# Run the linter first\n" in render(after)
    back = decided(after, Ruling(one().id, "active", "review", text="Lint first"), LATER)
    assert (rule(back).text, rule(back).aliases) == ("Lint first", ("Run the linter first",))
    # another spelling of the same words is no alias
    spelled = decided(note(), Ruling(one().id, "active", "review", text="lint FIRST!"), LATER)
    assert (rule(spelled).text, rule(spelled).aliases) == ("lint FIRST!", ())


def test_what_a_person_wrote_into_the_note_stays():
    mine = with_body(note(), "Notes", "My own words.")
    after = decided(
        mine, Ruling(one().id, "active", "review", text="Lint, always", pinned=True), LATER
    )
    assert "My own words." in render(after)


def test_a_rule_that_is_overruled_is_closed_with_its_date_and_can_come_back():
    closed = decided(note(), Ruling(one().id, "retired", "supersede", superseded_by="wf-1"), LATER)
    assert rule(closed).superseded_by == "wf-1"
    assert closed.meta["closed"] == LATER
    assert not is_in_force(rule(closed), {one().id: text_hash("Lint first")})
    again = decided(closed, Ruling(one().id, "active", "review"), LATER)
    assert rule(again).superseded_by == ""
    assert is_in_force(rule(again), {one().id: text_hash("Lint first")})
