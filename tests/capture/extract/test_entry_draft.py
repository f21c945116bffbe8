"""The words of an entry: what its context says, and where its lines stand."""

import pytest
from talk import bash, commit, edit, refused, say, stop, transcript, turn

from memoria.capture.extract.observed import observe
from memoria.capture.extract.session_extract import extract


def extracted(made):
    return extract(observe(made))


FILE = "/home/ana/shop/app/worker.py"
CAUSE = say("The worker stops because the lease is never renewed in `loop()`.")
DONE = say("Replaced the sleep in `loop()` with a timer that renews the lease.")


def entry(*turns, **session):
    return extracted(transcript(*turns, **session)).draft


def lines(made):
    return made.exchanges + made.decisions + made.lessons + made.actions


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


def test_what_was_not_seen_is_not_told():
    made = entry(turn("make the worker renew its lease", edit(FILE), DONE))
    assert made.context == "Branch `lease`; edited `worker.py`."
    assert entry(turn("why?", branch="HEAD")).context == ""


def test_a_selection_that_failed_last_is_told_and_one_that_passed_is_not():
    failed = bash("make test args=tests/test_a.py", "Exit code 1\n1 failed in 2s", error=True)
    passed = bash("make test args=tests/test_a.py", "1 passed in 2s")
    for calls, told in (
        ((failed,), "; failing when last run: `make test`."),
        ((failed, bash("make lint", "ok")), "; passing at the end: `make lint`."),
        ((passed,), "."),
    ):
        context = entry(turn("make the worker renew its lease", edit(FILE), *calls, DONE)).context
        assert context == f"Branch `lease`; edited `worker.py`{told}"


def test_the_context_holds_nothing_that_was_typed():
    prompt = (
        "Implement the following plan:\n\n# Leases\n\n## Context\n\nThe worker sleeps too long."
    )
    assert entry(turn(prompt, edit(FILE), DONE)).context == "Branch `lease`; edited `worker.py`."
    assert entry(turn("make the worker renew its lease", CAUSE)).context == "Branch `lease`."


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ((edit(FILE), bash("make test", "ok")), "; passing at the end: `make test`"),
        # what was edited since then, or only partly run, is not known
        ((bash("make test", "ok"), edit(FILE)), ""),
        ((bash("make lint", "Exit code 1\nw.py:3: E1 bad", error=True), edit(FILE)), ""),
        ((edit(FILE), bash("go test -c ./...", "ok")), ""),
        ((edit(FILE), bash("go test ./app", "ok  app 1s")), ""),
        ((edit(FILE), bash("go test ./...", "ok  app 1s")), "; passing at the end: `go test`"),
    ],
)
def test_a_check_is_told_by_its_last_run_after_the_last_edit(steps, told):
    made = entry(turn("make the worker renew its lease", *steps, DONE))
    assert made.context == f"Branch `lease`; edited `worker.py`{told}."


def test_an_exchange_stands_only_where_the_answer_answers():
    answered = entry(turn("why does the worker stop?", CAUSE))
    assert answered.exchanges == (f"Why does the worker stop? -> {CAUSE.text}",)
    assert answered.lessons == ()
    beside = entry(turn("is it that slow?", CAUSE))
    assert beside.exchanges == ()
    assert beside.lessons == (CAUSE.text,)
    # something was done: it is no answer
    assert entry(turn("why does the worker stop?", edit(FILE), CAUSE)).exchanges == ()


def test_two_lines_never_say_the_same():
    made = entry(turn("why does the worker stop?", CAUSE), turn("why, again?", CAUSE))
    assert len(lines(made)) == 1


def test_a_refusal_is_a_decision_and_shown():
    made = entry(turn("make it so", refused("Bash", "not now, too slow", command="make e2e")))
    assert made.decisions == ("User, refusing `make e2e`: not now, too slow",)


def test_lines_stand_in_the_order_of_time():
    made = entry(
        turn(
            "a",
            commit("lease\n\nThe lease of each worker is a token, because tokens never expire."),
        ),
        turn("b", commit("lock\n\nThe lock of the broker is gone because nobody ever takes it.")),
        title="Leases and locks",
    )
    assert [line.split(" of ")[0] for line in made.lessons] == ["The lease", "The lock"]


def test_there_are_at_most_eight_lines():
    words = [
        "queue",
        "lease",
        "token",
        "clock",
        "broker",
        "shelf",
        "index",
        "worker",
        "timer",
        "lock",
        "pier",
        "hull",
        "mast",
    ]
    causes = [
        say(f"`{a}_{b}()` never wakes the {b} and the {c}, because {c}_{a} has no {b}{c}.")
        for a, b, c in zip(words, words[3:] + words[:3], words[7:] + words[:7], strict=True)
    ]
    made = entry(*(turn(f"why does part {n} stop?", one) for n, one in enumerate(causes)))
    assert 2 < len(lines(made)) <= 8


OPEN = "The lock of the broker still needs a timeout, because `take()` blocks without one."


def test_what_its_own_words_leave_open_is_an_action():
    made = entry(turn("keep the lease", edit(FILE), say(OPEN)))
    assert made.actions == (OPEN,)
    assert made.lessons == ()


@pytest.mark.parametrize(
    "last",
    [
        turn("make the worker renew"),
        turn("make it faster", say("Let me look."), stop()),
        turn("why?", say("It sleeps. Would you like me to replace the sleep by a timer?")),
        turn("why?", say("It sleeps. Would you like me to commit this?")),
        turn("yes"),
    ],
)
def test_nothing_is_called_open_that_nobody_called_so(last):
    assert entry(turn("why does the worker stop?", CAUSE), last).actions == ()


def test_a_trivial_session_is_not_worth_keeping():
    assert not entry(turn("hello", say("Hello!"))).worth_keeping
    assert not entry().worth_keeping
    assert entry(turn("why does the worker stop?", CAUSE)).worth_keeping
    assert entry(turn("make it so", edit(FILE))).worth_keeping


def test_a_rule_alone_makes_an_entry():
    made = entry(turn("always run `make lint` before you commit"))
    assert made.decisions == ("User: always run `make lint` before you commit",)
    assert made.worth_keeping


@pytest.mark.parametrize(
    ("asked", "is_open"),
    [
        ("Which of the two stores should keep the lease?", True),
        ("Should I keep the lease in Redis or in Postgres?", True),
        ("Which approach do you prefer?", False),
        ("Would you like me to keep the lease in Redis or in Postgres?", False),
        ("Shall I commit the lease of the worker?", False),
        ("The lease is kept in Postgres.", False),
    ],
)
def test_a_choice_that_nobody_answered_is_left_open(asked, is_open):
    said = turn("keep the lease", edit("/a/b.py"), say(f"Done. {asked}"))
    assert entry(said).actions == (f"Not answered: {asked}",) * is_open
    assert entry(said, turn("Postgres", say("Ok."))).actions == ()
