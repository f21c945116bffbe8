"""The dozen lines that an entry shows."""

import pytest
from talk import bash, commit, edit, refused, say, stop, transcript, turn

from memoria.capture.extract.session_extract import extract

FILE = "/home/ana/shop/app/worker.py"
CAUSE = say("The worker stops because the lease is never renewed in `loop()`.")
DONE = say("Replaced the sleep in `loop()` with a timer that renews the lease.")


def entry(*turns, **session):
    return extract(transcript(*turns, **session), ()).draft


def test_the_context_says_where_one_can_go_on():
    context = entry(
        turn(
            "make the worker renew its lease",
            edit(FILE),
            edit("/home/ana/shop/lib/worker.py"),
            bash("make test", "ok"),
            bash("make lint", "Exit code 1\nworker.py:3: E1 bad", error=True),
            commit("keep the lease"),
            DONE,
        ),
        pull_requests=("https://github.com/a/b/pull/7",),
    ).context
    assert context == (
        "Branch `lease`; edited `app/worker.py`, `lib/worker.py`; 1 commit; PR #7; "
        "passing at the end: `make test`; failing when last run: `make lint`."
    )


def test_a_failure_before_a_later_pass_is_told_only_if_the_last_words_tell_it():
    steps = (
        bash("make lint", "Exit code 1\nworker.py:3: E1 bad", error=True),
        bash("make test", "ok"),
    )
    fine = entry(turn("make it so", edit(FILE), *steps, DONE)).context
    sad = entry(
        turn("make it so", edit(FILE), *steps, say("The linter tests are failing."))
    ).context
    assert "failing" not in fine
    assert "failing when last run: `make lint`" in sad


def test_a_plan_gives_its_purpose_as_context():
    prompt = (
        "Implement the following plan:\n\n# Leases\n\n## Context\n\nThe worker sleeps until its"
    )
    prompt += " lease ends, and then it is late."
    assert entry(turn(prompt, edit(FILE), DONE)).context.startswith(
        "The worker sleeps until its lease ends, and then it is late. Branch `lease`; edited"
    )


def test_two_lines_never_say_the_same():
    made = entry(turn("why does the worker stop?", CAUSE), turn("why, again?", CAUSE))
    assert len(made.exchanges) == 1
    assert made.lessons == ()


def test_a_refusal_is_a_decision_and_shown():
    made = entry(turn("make it so", refused("Bash", "too slow, skip it", command="make e2e")))
    assert made.decisions == ("User, refusing `make e2e`: too slow, skip it",)


def test_lines_stand_in_the_order_of_time():
    made = entry(
        turn("add a fencing token to the worker"),
        turn("a", commit("keep the lease of each worker")),
        turn("b", commit("drop the lock of the broker")),
    )
    assert made.decisions == (
        "Committed: Keep the lease of each worker",
        "Committed: Drop the lock of the broker",
    )


def test_there_are_at_most_twelve_lines():
    causes = [
        say(f"The part number {n} of the {word} stops because `{word}_{n}()` is never called.")
        for n, word in enumerate(("queue", "lease", "token", "clock", "broker", "shelf", "index"))
    ]
    turns = [turn(f"why does part {n} stop at all?", one) for n, one in enumerate(causes)]
    turns += [
        turn("x", commit(f"rewrite the {word}")) for word in ("queue", "clock", "shelf", "pier")
    ]
    made = entry(*turns)
    assert 0 < len(made.exchanges + made.decisions + made.lessons + made.actions) <= 12


CUT = "Not finished when the session ended: "
SLEEPS = "It sleeps. Would you like me to replace the sleep by a timer?"
WAYS = "**Option 1: A timer** in `loop()`\n\n**Option 2: A thread**\n\nWhich one do you prefer?"


@pytest.mark.parametrize(
    ("last", "action"),
    [
        (turn("make the worker renew"), f"{CUT}Make the worker renew"),
        (turn("make it faster", say("Let me look."), stop()), f"{CUT}Make it faster"),
        (turn("make it faster", say("Let me edit it."), edit(FILE)), f"{CUT}Make it faster"),
        (turn("why?", say(SLEEPS)), "Offered, not answered: “replace the sleep by a timer”"),
        (turn("how?", say(WAYS)), "Undecided: “A timer in `loop()`”; or “A thread”"),
        (
            turn("how?", say("Would you like me to:\n1. Add a timer\n2. Add a thread?\n")),
            "Undecided: “Add a timer”; or “Add a thread”",
        ),
    ],
)  # fmt: skip
def test_what_is_open_is_an_action(last, action):
    assert entry(turn("why does the worker stop?", CAUSE), last).actions == (action,)


@pytest.mark.parametrize(
    "last",
    [
        turn("make the worker faster", edit(FILE), DONE),
        turn("make it so", say("Let me run it."), bash("make test", "ok")),
        turn("yes"),
        turn("why?", say("It sleeps. Would you like me to commit this?")),
    ],
)
def test_what_is_done_is_not(last):
    assert entry(turn("why does the worker stop?", CAUSE), last).actions == ()


def test_a_trivial_session_is_not_worth_keeping():
    assert not entry(turn("hello", say("Hello!"))).worth_keeping
    assert not entry(
        turn("write a file about geese", edit(FILE), say("Created `geese.md`."))
    ).worth_keeping
    assert not entry().worth_keeping
    assert entry(turn("why does the worker stop?", CAUSE)).worth_keeping
