"""What is known by its form: commits, plans, refusals, answers, compactions, mended errors."""

import pytest
from talk import AT, call, commit, edit, refused, transcript, turn

from memoria.agents.transcript import Compaction
from memoria.capture.extract.findings import findings, plan_context
from memoria.capture.extract.work import work
from memoria.vault.entry import Mistake, Resolution


def found(*turns, mistakes=()):
    session = transcript(*turns)
    return [(one.kind, one.origin, one.text) for one in findings(session, work(session), mistakes)]


def test_a_commit_is_a_decision_and_its_body_the_reason():
    body = (
        "The lease was lost because the clock of the broker jumps.\n"
        "\n- Use a fencing token instead of the timestamp of the broker.\n- Short."
    )
    assert found(turn("go", commit(f"keep the lease\n\n{body}"))) == [
        ("decision", "assistant", "Committed: Keep the lease"),
        ("lesson", "assistant", "The lease was lost because the clock of the broker jumps."),
        ("decision", "assistant", "Use a fencing token instead of the timestamp of the broker."),
    ]


def test_housekeeping_is_a_change_and_no_decision():
    assert [kind for kind, _, _ in found(turn("go", commit("Merge main"), commit("fix lint")))] == [
        "change",
        "change",
    ]


PLAN = """# Plan: renew leases

## Context

The worker currently sleeps until its lease ends.
The broker drops the token because its clock jumps.

## Decisions

- Use a fencing token instead of the broker's timestamp in `pop()`.
"""


def test_a_plan_has_a_past_a_cause_and_a_choice_if_work_followed():
    prompt = f"Implement the following plan:\n\n{PLAN}"
    context = (
        "The worker currently sleeps until its lease ends. The broker drops the token because its "
        "clock jumps."
    )
    cause = ("lesson", "user", "The broker drops the token because its clock jumps.")
    choice = "Use a fencing token instead of the broker's timestamp in `pop()`."
    assert found(turn(prompt)) == [("context", "user", context), cause]
    assert found(turn(prompt, edit("/home/ana/shop/x.py")))[2] == ("decision", "user", choice)


def test_the_context_of_a_plan_takes_its_list_along():
    plan = "# A\n\n## Problem\n\nTwo bugs:\n- one lease.\n- two leases\n\n## Plan\n\nText."
    assert plan_context(plan) == "Two bugs: one lease; two leases"
    assert plan_context("# A\n\nA paragraph that is long enough to say what it is for.") == (
        "A paragraph that is long enough to say what it is for."
    )
    assert plan_context("# A") == ""


@pytest.mark.parametrize(
    ("step", "line"),
    [
        (
            refused("Edit", "not there\nmore", file_path="C:\\shop\\queue.py"),
            "User, refusing an edit of `queue.py`: not there",
        ),
        (
            refused("Bash", "too slow", command="cd app && make e2e | tail"),
            "User, refusing `make e2e`: too slow",
        ),
        (refused("ExitPlanMode", "use a token", plan="x"), "User, on the plan: use a token"),
        (refused("WebFetch", "no network", url="x"), "User, refusing a step: no network"),
    ],
)
def test_a_refusal_says_what_was_refused(step, line):
    assert found(turn("go", step)) == [("decision", "user", line)]


def test_who_takes_over_decides_nothing():
    assert found(turn("go", refused("Bash", "i'll do it myself", command="make"))) == []


def test_an_answer_is_a_decision_unless_it_is_about_the_next_step():
    labels = '[{"options": [{"label": "Lease"}, {"label": "Push"}]}]'
    result = '"Which lock?"="Lease", "Ready to push?"="Push", "And then?"="a token, please"'
    assert found(turn("go", call("AskUserQuestion", result, questions=labels))) == [
        ("decision", "user", "Which lock? -> Lease"),
        ("decision", "user", "User: a token, please"),
    ]


def test_lines_added_for_agents_are_kept():
    step = edit(
        "/home/ana/shop/CLAUDE.md",
        old="- Old rule about the `queue.py` of the shop stays here.",
        new="- Old rule about the `queue.py` of the shop stays here.\n"
        "- Never drain the queue in `tests/`, it is shared.\n- short",
    )
    assert found(turn("go", step)) == [
        ("lesson", "assistant", "Never drain the queue in `tests/`, it is shared.")
    ]


SUMMARY = """Analysis: x

Summary:
1. Primary Request:
   - The user wants a worker that never stops because of leases.

4. Errors and fixes:
   - The lease was lost because `renew()` compared the wrong clock.
   - Fixed by comparing the token instead of the clock in `renew()`.
"""


def test_a_compact_summary_gives_its_errors():
    assert found(turn("go", Compaction(SUMMARY, AT))) == [
        ("lesson", "assistant", "The lease was lost because `renew()` compared the wrong clock.")
    ]


def mistake(change, how="edit", tool="Bash", kind="test", turn=0):
    line = "worker.py:12: lease was lost"
    return Mistake("s", tool, kind, line, "c", turn, AT, Resolution(how, change, AT))


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ("- a = 1\n+ a = 2", "`a = 1` became `a = 2`"),
        ("+ renew()", "added `renew()`"),
        ("- sleep()", "removed `sleep()`"),
        ("- `a`\n+ `b`", "`'a'` became `'b'`"),
    ],
)
def test_an_error_is_paired_with_its_mend(change, shown):
    assert found(mistakes=[mistake(change)]) == [
        ("fix", "tool", f"worker.py: lease was lost -> {shown}")
    ]


def test_what_was_not_mended_by_an_edit_of_the_project_is_left_out():
    none = [
        mistake("+ x", how="retry"),
        mistake("+ x", tool="Edit"),
        mistake("+ x", turn=-1),
        mistake(""),
        mistake("+ " + "x" * 400),
        Mistake("s", "Bash", "test", "a long enough line of an error", "c", 0, AT),
    ]
    assert found(mistakes=none) == []
    assert len(found(mistakes=[mistake("+ x"), mistake("+ x")])) == 1
