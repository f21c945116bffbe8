"""Which lines of an entry are worth a place in an article, and how they are recognised there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vaulted import entry, extract, fact

from memoria.compile.points import points
from memoria.text.markdown import inert, mark
from memoria.vault.entry import Draft


def texts(*facts):
    return [point.text for point in points(entry(0), extract(*facts))]


def test_the_best_come_first_and_each_once():
    low, high = fact("The queue stalls.", score=2.5), fact("The queue leaks.", score=5.0)
    assert texts(low, high, low) == ["The queue leaks.", "The queue stalls."]


@pytest.mark.parametrize(
    "text", ["This is why it stalls.", "It leaks.", "But the queue stalls.", "Which leaks."]
)
def test_a_line_that_leans_on_another_is_left_out(text):
    assert texts(fact(text)) == []


@pytest.mark.parametrize(
    ("text", "score", "kept"),
    [
        ("Moved the queue to a file.", 3.0, False),
        ("Moved the queue to a file, because the table locks.", 3.0, True),
        ("Use a file instead of a table.", 3.0, True),
        ("Move the queue to a file", 5.0, True),
    ],
)
def test_a_choice_needs_its_reason_unless_it_is_on_record(text, score, kept):
    assert bool(texts(fact(text, "decision", score))) is kept


def test_a_line_of_the_past_becomes_context():
    (point,) = points(entry(0), extract(fact("Previously the queue was a table.")))
    assert point.kind == "context"


def test_without_an_extract_the_lines_of_the_entry_are_the_points():
    draft = Draft("t", "c", ("Why? -> So.",), ("Keep the queue.",), ("Queues leak.",), ("Do it.",))
    found = points(entry(0, draft=draft), None, "b")
    assert {(point.text, point.kind) for point in found} == {
        ("Why? -> So.", "answer"),
        ("Keep the queue.", "decision"),
        ("Queues leak.", "lesson"),
    }
    assert {point.branch for point in found} == {"b"}


@pytest.mark.parametrize(
    ("text", "name", "speaks"),
    [
        ("the retry budget leaks", "retry budget", True),
        ("`RetryBudget` leaks", "retry budget", True),
        ("budgets of retries", "retry budget", False),
        ("two ledgers leak", "ledger", True),
        ("`ledger.py` leaks", "ledger", False),
        ("ledgering leaks", "ledger", False),
        ("a list of all the open ledgers", "list of all the open ledger", True),
    ],
)
def test_a_point_speaks_of_what_it_names(text, name, speaks):
    (point,) = points(entry(0), extract(fact(text)))
    assert point.speaks_of(name) is speaks


@given(st.text(st.characters(exclude_characters="[]&;"), max_size=200))
def test_a_mark_is_that_of_the_line_in_the_article(text):
    assert mark(inert(text)) == mark(text)


@pytest.mark.parametrize(
    "text",
    [
        "see [the notes](https://example.org/x) on <b>locks</b>",
        "![a picture](https://example.org/x.png) of [[concepts/y|locks]]",
        "`[[concepts/y]]` and [[concepts/y]] are %%hidden%%",
    ],
)
def test_links_keep_their_bare_words(text):
    assert mark(inert(text)) == mark(text)
