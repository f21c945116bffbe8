"""Sentences that can stand alone, taken from what the assistant wrote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from talk import say, transcript, turn

from memoria.capture.extract.sentences import containment, is_named, passage, stems, tidy, told


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Perfect! The lease is renewed.", "The lease is renewed."),
        ("Done. I've added a retry to the worker.", "Added a retry to the worker."),
        ("You're absolutely right - the clock jumps.", "The clock jumps."),
        ("Looking at the code, the clock jumps.", "The clock jumps."),
        ("So the clock jumps.", "The clock jumps."),
        ("2. The clock jumps.", "The clock jumps."),
        ("I can see that `pop()` blocks.", "`pop()` blocks."),
        ("The bug (lines 12-14) is in `pop` at line 12.", "The bug is in `pop`."),
        ("It is on line 12 of `queue.py`.", "It is in `queue.py`."),
        ("The clock jumps (Medium)", "The clock jumps"),
        ("Here's a summary of the seven new checks:", "Seven new checks:"),
        ("Perfect!", ""),
        ("I think so.", "I think so."),
    ],
)
def test_chatter_is_taken_off(said, kept):
    assert tidy(said) == kept


def sentences(markdown):
    return [one.text for one in passage(markdown).sentences]


def test_a_sentence_that_points_back_carries_the_one_before():
    assert sentences("The broker drops the token. This breaks the lease.") == [
        "The broker drops the token.",
        "The broker drops the token. This breaks the lease.",
    ]
    after = sentences("The broker drops the token.\n\nIt breaks the lease.")[1]
    assert after.startswith("The broker")


def test_an_item_stands_for_itself():
    assert sentences("The broker is slow.\n- It drops the token.") == [
        "The broker is slow.",
        "It drops the token.",
    ]


def test_chat_code_and_tables_are_left_out():
    text = "Let me look.\n```\nThe code is here.\n```\n| a | b |\n|---|---|\n| The row. | x |\n"
    assert sentences(text + "\nThe lease is lost.") == ["The lease is lost."]


def test_a_heading_can_be_the_answer():
    assert sentences("## Verdict: not a real problem\n\nIt is fast.")[0] == "not a real problem"
    assert sentences("## Bug: the broker drops the token")[0] == "Bug: the broker drops the token"
    assert sentences("## The Worker") == []


def test_a_concession_is_marked():
    first = passage("Exactly. The worker owns the lease.").sentences[0]
    assert "concession" in first.cues
    assert "concession" not in passage("The worker owns the lease.").sentences[0].cues


def test_a_concrete_sentence_scores_higher_in_a_paragraph():
    concrete = passage("`pop()` fails because the clock jumps.").sentences[0].score
    vague = passage("It all fails because the clock jumps.").sentences[0].score
    item = passage("- `pop()` fails because the clock jumps.").sentences[0].score
    assert concrete > vague
    assert concrete > item


def test_the_texts_of_a_session_are_read_turn_by_turn():
    session = transcript(turn("a", say("One lease."), say("Two leases.")), turn("b"))
    assert [[len(text.sentences) for text in texts] for texts in told(session)] == [[1, 1], []]


def test_names_of_code_are_recognised():
    named = ["`x`", "renewLease", "LeaseToken", "lease_token", "renew()", "a.py", "--force", "/a/b"]
    assert all(map(is_named, named))
    assert not is_named("the lease of a worker")


def test_stems_join_forms_of_a_word_and_leave_out_fillers():
    assert stems("renewing the leases") == stems("renewed lease")
    assert stems("the of and") == frozenset()


@given(st.text(max_size=100), st.text(max_size=100))
def test_containment_is_a_share(one, other):
    share = containment(stems(one), stems(other))
    assert 0 <= share <= 1
    assert share == containment(stems(other), stems(one))
    assert containment(stems(one), stems(one)) in (0, 1)


@given(st.text(max_size=400))
def test_a_sentence_of_any_text_is_one_line(text):
    assert all("\n" not in one.text and one.text for one in passage(text).sentences)


@pytest.mark.parametrize("piece", ["a", " ", "(", "`", "line 1 ", "(line ", "ok. ", "right, "])
def test_a_flood_is_read_in_linear_time(piece):
    passage((piece * 100_000)[:100_000])
    tidy((piece * 100_000)[:100_000])
