"""What of a prompt was printed by a program, and what was written by someone else."""

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.agents.claude_code.pasted_text import find_telling_line, is_pasted, split_logs


@cased()
def test_a_printed_line_is_cut_from_what_was_typed(line):
    assert split_logs(f"it fails, why?\n\n{line}")[0] == "it fails, why?"


@cased()
def test_a_typed_line_stays(line):
    assert split_logs(line) == (line, [])


def test_the_most_telling_printed_line_is_kept_as_the_trace():
    typed, logs = split_logs("look\n\n$ make test\nFAIL: lease was not renewed\n3 passed")
    assert (typed, find_telling_line(logs)) == ("look", "FAIL: lease was not renewed")
    assert logs == ["$ make test", "FAIL: lease was not renewed", "3 passed"]


def test_a_fence_and_what_is_indented_under_a_colon_are_quoted():
    text = "this was the message:\n    lease = 3\n    renew()\n\n```\ncode\n```\nmake it shorter"
    assert split_logs(text)[0] == "this was the message:\n\nmake it shorter"


@pytest.mark.parametrize("typed", ["```renew()``` is broken", "see\n```make test``` fails"])
def test_inline_code_in_three_backticks_opens_no_fence(typed):
    prompt = f"{typed}\n\nPlease never sleep."
    assert split_logs(prompt) == (prompt, [])


FINDING = (
    "The renewLease function in worker.py never checks the clock. This could cause two workers to "
    "hold the same lease. Consider comparing the fencing token instead, and ensure that a stale "
    "token is rejected."
)
OWN = (
    "I want the worker to renew its lease at half of the time. Let's keep the lock for now, and "
    "when we have the fencing token we could drop it. It should never drain the same queue twice."
)


def test_a_review_finding_is_not_the_users():
    assert is_pasted(FINDING)
    assert is_pasted(f"can you check: {FINDING}")
    assert is_pasted(
        "the findings: this function is never used and should be removed. getUser() might be null, "
        "consider a check. always push with --force where the branch is stale, agents should do so."
        " the handler is duplicated."
    )


def test_a_persons_own_long_text_is():
    assert not is_pasted(OWN)
    assert not is_pasted(f"{FINDING} Can you explain how that happens?")
    # who types in haste begins no sentence with a capital letter
    typed = "also does lease.jsonl confuse with token.json naming. should token.json be the entry"
    assert not is_pasted(
        f"{typed} point. they both soudn the same. should one be run_index.jsonl" * 2
    )
    assert not is_pasted("Add a retry to the worker. It must stop after three times. " * 5)


@given(st.text(max_size=400))
def test_nothing_typed_is_invented(text):
    typed, logs = split_logs(text)
    assert set(typed.split()) <= set(text.split()) | {""}
    assert len(find_telling_line(logs)) <= 300
