"""Which lines of an entry are worth a place in an article, and how they are recognised there."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vaulted import entry, extract, fact

from memoria.compile.points import points, takes_back
from memoria.compile.shelf import replaces
from memoria.text.markdown import inert, mark
from memoria.vault.entry import Draft


def texts(*facts):
    return [point.text for point in points(entry(0), extract(*facts), "p")]


def test_the_best_come_first_and_each_once():
    low = fact("A queue stalls because it is full.", score=3.0)
    high = fact("A queue leaks because nobody drains it.", score=5.0)
    assert texts(low, high, low) == [high.text, low.text]


@pytest.mark.parametrize(
    "text",
    [
        "This is why it stalls, because it is full.",
        "But the queue stalls because it is full.",
        "Option 2 is cleaner because it needs no lock.",
        "The failing test drains nothing, so it cannot fail.",
        "User: I feel that the queue is only full at night",
        "`TestQueueDrains` - verifies that it only drains once.",
        "Added a unit test so that the queue cannot leak.",
        "Does the queue leak because nobody drains it?",
        "Keep the queue in this table, because it is small.",
        "A queue is drained the same way because workers die.",
        "Line 32 stalls because the queue is full.",
        "FULL \u2192 EMPTY - only the worker drains it, because of the lock.",
        "Updated the docstring because the queue never stalls.",
        "User: the only way to drain this queue is by hand",
        "Moved the queue to a file.",
        "Returns the queue of the tenant",
        "The queue is full because nobody drains it.",
        "All 4 callers lock `queue.py`, so none waits.",
        "Are drained by hand, because nothing else does it.",
        "x" * 401,
    ],
)
def test_some_lines_say_nothing_next_month(text):
    assert texts(fact(text, score=3.0)) == []


@pytest.mark.parametrize(
    ("text", "score", "kept"),
    [
        ("Moved the queue to a file, because the table locks.", 3.0, True),
        ("Use a file instead of a table.", 3.0, True),
        ("A queue is a file per tenant.", 3.0, False),
        ("A queue is a file per tenant.", 3.5, True),
        ("A queue is only a file.", 2.5, False),
        ("User: keep my queue in a file", 5.0, True),
        ("User: can you look at the queue because it stalls", 5.0, False),
    ],
)
def test_a_line_without_a_reason_has_to_be_surer(text, score, kept):
    assert bool(texts(fact(text, "decision", score))) is kept


@pytest.mark.parametrize(
    ("text", "kind", "becomes"),
    [
        ("Previously the queue was only a table.", "lesson", "context"),
        ("Keep the queue's lock, otherwise two workers drain it.", "decision", "decision"),
        ("A queue doesn't have a lock because tables lock themselves.", "lesson", "lesson"),
    ],
)
def test_a_line_is_filed_by_what_it_says(text, kind, becomes):
    (point,) = points(entry(0), extract(fact(text, kind, 4.0)), "p")
    assert point.kind == becomes


@pytest.mark.parametrize(
    ("text", "bare", "kind"),
    [
        (
            "Found (edits followed): Currently the queue is only a table.",
            "Currently the queue is only a table.",
            "context",
        ),
        (
            "Reason for the change: A queue stalls if full.",
            "A queue stalls if full.",
            "context",
        ),
        (
            "Reason for the change: A queue must never be full.",
            "A queue must never be full.",
            "lesson",
        ),
    ],
)
def test_an_announced_line_is_of_the_state_before_unless_it_is_a_law(text, bare, kind):
    (point,) = points(entry(0), extract(fact(text, score=4.0)), "p")
    assert (point.text, point.kind) == (bare, kind)


def test_an_error_that_another_line_says_is_fixed_is_what_was_before():
    error = fact("A queue of a tenant leaks because nobody drains it.", score=4.0)
    fix = fact("Workers now drain the queue of each tenant, so that none is full.", score=4.0)
    found = points(entry(0), extract(error, fix), "p")
    assert {point.text: point.kind for point in found} == {
        error.text: "context",
        fix.text: "lesson",
    }
    (alone,) = points(entry(0), extract(error), "p")
    assert alone.kind == "lesson"


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
        ("Queues leak when nobody drains them.",),
        ("Never drain twice because of the lock.",),
    )
    found = points(replace(entry(0, draft=draft), session=""), None, "q")
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
    (point,) = points(entry(0), extract(fact(text)), "p")
    assert point.names(name) is names


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


OLD = "A lease lasts 30 seconds, so that workers renew it in time."
SAID = "A lease now lasts 90 seconds instead of 30, so that workers renew it."


@pytest.mark.parametrize(
    ("later", "old", "is_replaced"),
    [
        ("A lease lasts 90 seconds, so that workers renew it in time.", OLD, True),
        ("A lease no longer lasts 30 seconds, workers renew it in a minute's time.", OLD, True),
        ("Workers now renew a lease in time: it lasts a minute instead of 30 seconds.", OLD, True),
        ("FullSchema is back to its original state.", "FullSchema has all tables now.", True),
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


@pytest.mark.parametrize(
    ("later", "old", "is_so"),
    [
        ("FullSchema is now back to its original state.", "Added shares to FullSchema.", True),
        ("`lease_table` was reverted.", "Fill lease_table at noon.", True),
        ("Everything is back to its original state.", "Added shares to FullSchema.", False),
        ("FullSchema has shares.", "Added shares to FullSchema.", False),
    ],
)
def test_what_is_as_it_was_takes_back_what_was_told_of_it(later, old, is_so):
    assert takes_back(later, old) is is_so


def test_what_was_taken_back_or_put_off_in_the_session_is_no_point():
    told = fact("FullSchema gets a table of leases, because workers die.", score=4.0)
    back = fact("FullSchema is now back to its original state, since leases expire.", score=4.0)
    assert texts(told, back) == [back.text]
    later = fact("Lazy migration of leases writes keys, so that none is lost.", score=4.0)
    todo = fact("Committed: add todo for lazy migration of leases", score=4.0)
    assert later.text in texts(later)
    assert later.text not in texts(later, todo)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "Pull request 58 is open. A queue is a file, since tables lock.",
            "A queue is a file, since tables lock.",
        ),
        ("Memory updated: added a rule. Queues must never be full.", "Queues must never be full."),
        ("A queue must never be full. The current code ignores it.", "A queue must never be full."),
        (
            "A queue must never be full. Workers drain it.",
            "A queue must never be full. Workers drain it.",
        ),
    ],
)
def test_a_passage_is_kept_without_what_does_not_last(said, kept):
    assert texts(fact(said, score=4.0)) == [kept]


def test_a_passage_with_a_fact_from_outside_is_marked():
    inside = fact("Queues must never be full. (from a web page)", score=5.0)
    draft = Draft("t", "c", lessons=("Queues must never be full. Workers drain them.",))
    (point,) = points(entry(0, draft=draft), extract(inside), "p")
    assert point.is_marked


def test_lines_of_the_entry_join_what_its_facts_say():
    one, two = fact("A queue stalls.", score=4.0), fact("Nobody drains it, because it is full.")
    joined = f"{one.text} {two.text}"
    found = points(entry(0, draft=Draft("t", "c", lessons=(joined,))), extract(one, two), "p")
    assert [point.text for point in found] == [joined]
