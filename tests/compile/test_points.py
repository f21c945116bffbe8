"""Which lines of an entry are worth a place in an article, and how they are recognised there."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from vaulted import entry, extract, fact

from memoria.compile.points import find_points
from memoria.compile.shelf import replaces
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


@pytest.mark.parametrize(
    ("text", "kind", "becomes"),
    [
        ("A queue is a file per tenant.", "lesson", "decision"),
        ("Keep the queue's lock, otherwise two workers drain it.", "decision", "decision"),
        ("A queue has a lock because tables lock themselves.", "lesson", "lesson"),
    ],
)
def test_a_lesson_says_why_and_what_does_not_is_what_was_done(text, kind, becomes):
    (point,) = find_points(entry(0), extract(fact(text, kind, 4.0)), "p")
    assert point.kind == becomes


def test_only_what_held_when_the_session_ended_is_a_point():
    early = fact("A queue leaks because nobody drains it.")
    found = replace(extract(fact("Workers drain a queue now.")), facts=(early,))
    assert [point.text for point in find_points(entry(0), found, "p")] == [
        "Workers drain a queue now."
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


@pytest.mark.parametrize(
    ("text", "name", "names"),
    [
        ("a retry budget leaks because", "retry budget", True),
        ("`RetryBudget` leaks because", "retry budget", True),
        ("budgets of retries leak because", "retry budget", False),
        ("two ledgers leak because", "ledger", True),
        ("`ledger.py` leaks because", "ledger", False),
        ("ledgering leaks because", "ledger", False),
        (f"a queue leaks because {'of all that came before ' * 4} the ledger", "ledger", False),
    ],
)
def test_a_point_names_what_it_is_about(text, name, names):
    (point,) = find_points(entry(0), extract(fact(text)), "p")
    assert point.names(name) is names


@given(st.text(st.characters(exclude_characters="[]&;"), max_size=200))
def test_a_mark_is_that_of_the_line_in_the_article(text):
    assert normalise_words(make_inert(text)) == normalise_words(text)


@pytest.mark.parametrize(
    "text",
    [
        "see [the notes](https://example.org/x) on <b>locks</b>",
        "![a picture](https://example.org/x.png) of [[concepts/y|locks]]",
        "`[[concepts/y]]` and [[concepts/y]] are %%hidden%%",
    ],
)
def test_links_keep_their_bare_words(text):
    assert normalise_words(make_inert(text)) == normalise_words(text)


OLD = "A lease lasts 30 seconds, so that workers renew it in time."
SAID = "A lease now lasts 90 seconds instead of 30, so that workers renew it."


@pytest.mark.parametrize(
    ("later", "old", "is_replaced"),
    [
        ("A lease lasts 90 seconds, so that workers renew it in time.", OLD, True),
        ("A lease no longer lasts 30 seconds, workers renew it in a minute's time.", OLD, True),
        ("Workers now renew a lease in time: it lasts a minute instead of 30 seconds.", OLD, True),
        ("FullSchema is back to its original state.", "FullSchema has all tables now.", True),
        ("`lease_table` was reverted.", "Fill lease_table at noon.", True),
        ("All is back to its original state.", "FullSchema has all tables now.", False),
        (OLD, OLD, False),
        ("A lease lasts 30 seconds, so that workers renew it in time and never early.", OLD, False),
        ("A lease of a boat now lasts 90 days, since the harbour bills it monthly.", OLD, False),
        ("Workers now drain queues in order.", OLD, False),
        ("It now lasts 90 seconds.", OLD, False),
        ("Now a lease lasts 90 seconds instead of 30, so that workers can renew it.", SAID, False),
    ],
)
def test_another_value_or_a_word_of_change_replaces_an_earlier_line(later, old, is_replaced):
    assert replaces(later, old) is is_replaced
