"""Which lines of an entry are worth a place in an article, and how they are recognised there."""

from dataclasses import replace

import pytest
from cases import cased
from hypothesis import given, strategies as st
from vaulted import entry, extract, fact

from memoria.compile.points import find_points
from memoria.compile.shelf import replaces
from memoria.compile.subjects import extract_names
from memoria.text.markdown import make_inert, normalise_words
from memoria.vault.entry import Draft


def texts(*facts):
    return [point.text for point in find_points(entry(0), extract(*facts), "p")]


def test_the_best_come_first_and_each_once():
    low = fact("A queue stalls because it is full.", score=3.0)
    high = fact("A queue leaks because nobody drains it.", score=5.0)
    assert texts(low, high, low) == [high.text, low.text]


@pytest.mark.parametrize(
    ("text", "score", "kept"),
    [
        ("A queue is a file per tenant.", 2.8, True),
        ("A queue is a file per tenant.", 2.7, False),
        ("x" * 401, 4.0, False),
    ],
)
def test_a_line_is_worth_a_page_from_a_floor_on_and_fits_a_list(text, score, kept):
    assert bool(texts(fact(text, score=score))) is kept


@cased()
def test_a_lesson_says_why_and_what_does_not_is_what_was_done(text, kind, becomes):
    (point,) = find_points(entry(0), extract(fact(text, kind, 4.0)), "p")
    assert point.kind == becomes


def test_only_what_held_when_the_session_ended_is_a_point():
    early = fact("A queue leaks because nobody drains it.")
    found = replace(extract(fact("Workers drain a queue now.")), facts=(early,))
    assert [point.text for point in find_points(entry(0), found, "p")] == [
        "Workers drain a queue now."
    ]


def test_why_something_was_changed_is_told_before_it_and_carries_no_page():
    reason = "Reason for the change: A table locks whenever two workers drain it."
    draft = Draft("Day", "", lessons=(reason, "Planned: Use a file."))
    found = find_points(entry(0, draft=draft), extract(fact("Use a file.", "decision", 3.4)), "p")
    assert [(point.text, point.kind) for point in found] == [
        (reason, "context"),
        ("Use a file.", "decision"),
    ]


def test_what_a_person_wrote_is_all_worth_it_but_what_is_to_be_done():
    draft = Draft(
        "t",
        "c",
        (
            "Why a queue? -> Because workers die.",
            "We decided on a file because tables lock.",
            "Discovered that tables lock.",
            "Next step: drain it.",
        ),
        ("Keep the queue.",),
        (
            "Queues leak when nobody drains them.",
            "Planned: a queue is drained by hand.",
            "Found (edits followed): a queue stalls.",
        ),
        ("Never drain twice because of the lock.",),
    )
    found = find_points(replace(entry(0, draft=draft), session=""), None, "q")
    assert {(point.text, point.kind) for point in found} == {
        ("Why a queue? -> Because workers die.", "answer"),
        ("We decided on a file because tables lock.", "decision"),
        ("Discovered that tables lock.", "lesson"),
        ("Keep the queue.", "decision"),
        ("Queues leak when nobody drains them.", "lesson"),
    }
    assert {point.project for point in found} == {"q"}


@cased()
def test_a_point_names_what_it_is_about(text, name, names):
    (point,) = find_points(entry(0), extract(fact(text)), "p")
    assert point.names(name) is names


@given(st.text(st.characters(exclude_characters="[]&;"), max_size=200))
def test_a_mark_is_that_of_the_line_in_the_article(text):
    assert normalise_words(make_inert(text)) == normalise_words(text)


@cased()
def test_links_keep_their_bare_words(text):
    assert normalise_words(make_inert(text)) == normalise_words(text)


@cased()
def test_another_value_or_a_word_of_change_replaces_an_earlier_line(later, old, is_replaced):
    assert replaces(later, old) is is_replaced


@cased()
def test_a_name_is_found_in_all_its_spellings(text):
    assert "invoice ledger" in extract_names(text)
