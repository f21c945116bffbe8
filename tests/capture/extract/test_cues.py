"""Which words of a sentence tell what it is good for."""

import pytest

from memoria.capture.extract.cues import FAULTS, MERITS, is_chat, weigh


@pytest.mark.parametrize(
    ("sentence", "cue"),
    [
        ("The lease is lost because the clock jumps.", "cause"),
        ("The broker doesn't support fencing.", "cause"),
        ("Root cause: two workers share a token.", "diagnosis"),
        ("The fix is to compare the token.", "fix"),
        ("The worker now uses a token instead of a timestamp.", "decision"),
        ("A lease must be renewed unless it is dropped.", "gotcha"),
        ("The token is stored in the broker.", "mechanism"),
        ("Result: the queue is drained once.", "result"),
        ("Would you like me to add a retry?", "hypothesis"),
        ("It is probably the clock.", "hedge"),
        ("I will look at it.", "first-person"),
        ("All tests pass.", "status"),
        ("Both files have been updated successfully.", "status"),
        ("The code looks good.", "assurance"),
        ("This test verifies the lease.", "testing"),
        ("There are minor merge conflicts.", "passing"),
        ("The worker currently sleeps.", "before"),
        ("This breaks the queue.", "dangling"),
        ("`queue.py` - Added a retry.", "plain-change"),
        ("What should it be?", "question"),
        ("The reasons are:", "open"),
        ("no end", "torn"),
    ],
)
def test_a_cue_is_found(sentence, cue):
    assert cue in weigh(sentence)[0]


def test_a_plain_statement_has_no_cue():
    assert weigh("The broker listens on a socket.") == (frozenset(), 0)


def test_guesses_cost_more_than_causes_earn():
    assert weigh("Perhaps it fails because the clock jumps.")[1] < 0


def test_merits_add_and_faults_subtract():
    assert all(cue.weight > 0 for cue in MERITS)
    assert all(cue.weight < 0 for cue in FAULTS)
    names = [cue.name for cue in MERITS + FAULTS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "sentence",
    ["Let me look at the worker.", "Now fix the lease.", "Good.", "Here's the summary:",
     "Committed and pushed.", "The fix is straightforward.", "I'll check.",
     "Root cause confirmed."],
)  # fmt: skip
def test_narration_is_chat(sentence):
    assert is_chat(sentence)


@pytest.mark.parametrize(
    "sentence",
    ["Now uses a token.", "The fix is to compare the token in the broker.", "Goods are listed."],
)
def test_a_statement_is_not(sentence):
    assert not is_chat(sentence)


@pytest.mark.parametrize("piece", ["a", " ", "(", "`", "since a ", "no ", "replace x "])
def test_a_flood_is_weighed_in_linear_time(piece):
    weigh((piece * 100_000)[:100_000])
    is_chat(piece * 100_000)
