"""The words of an entry: what its context says, and where its lines stand."""

from dataclasses import replace

import pytest
from cases import cased
from talk import bash, call, commit, edit, say, steps, transcript, turn

from memoria.capture.extract.observed import observe
from memoria.capture.extract.session_extract import extract
from memoria.capture.provenance.origins import strip_own_summary


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


def test_the_context_says_what_was_committed_beside_the_title():
    subjects = (
        "fix(worker): renew the lease in a timer",  # the title's
        "fix: lint",  # says how the work went
        "feat(broker): refuse a lease of an unknown worker",
        "test(broker): a lease of an unknown worker is refused",  # the same again
        "perf(queue): read the backlog in one query",
        "docs: how a broker is chosen",
        "feat(cli): print the age of each job",  # one too many
    )
    made = entry(
        turn("the lease", *(bash(f"git commit -m '{text}'", "[x 1] y") for text in subjects)),
        title="Renew the lease in a timer",
    )
    assert made.context == (
        "Branch `lease`; 7 commits, among them "
        '"feat(broker): refuse a lease of an unknown worker", '
        '"perf(queue): read the backlog in one query", "docs: how a broker is chosen".'
    )


def test_work_in_other_folders_is_told_as_theirs():
    tree, named = "/home/ana/shop__worktrees/token", "[token 1a2b3c4] y\n 1 file changed"
    work = turn(
        "the token",
        edit(f"{tree}/token.py"),
        bash(f"cd {tree} && make check", "ok"),
        bash(f"git -C {tree} commit -m 'Read it in UTC'", named),
        bash("cd ../wiki && git commit -m 'Say so'", "[lease 1a2b3c4] y\n 1 file changed"),
        branch="main",
    )
    asked = turn("who asks?", edit("/home/ana/shop/notes.md"), branch="main")
    seen = observe(replace(transcript(work, asked), agent="codex"))
    assert extract(seen).draft.context == (
        "Branch `token`; edited `token.py`, `notes.md`; 1 commit; "
        '1 commit in `wiki`: "Say so"; passing at the end: `make check`.'
    )


def test_a_drive_as_a_shell_of_windows_names_it_is_the_same_folder():
    made = commit("docs: x", command="cd /c/ana/shop && git commit -m 'docs: x'")
    assert entry(turn("tell", made), cwd="C:\\ana\\shop").context == "Branch `lease`; 1 commit."
    made = commit("docs: x", command="cd C:/ana/desk && git commit -m 'docs: x'")
    told = "Branch `lease`; 1 commit in `desk`."
    assert entry(turn("tell", made), cwd="C:\\ana\\shop").context == told


def test_of_many_worktrees_only_the_first_are_named():
    makers = [commit("docs: x", f"b{number}") for number in range(9)]
    made = entry(turn("all of them", *makers)).context
    told = "; ".join(f"1 commit on `b{number}`" for number in range(3))
    assert made == f"Branch `b8`; 1 commit; {told}; 5 commits elsewhere."
    assert strip_own_summary(made) == ""


@pytest.mark.parametrize(
    ("folder", "command", "path", "is_told"),
    [
        ("/home/ana/shop/tests", "make check", "/home/ana/shop/token.py", False),
        ("/home/ana/shop", "cd ../desk && make check", "/home/ana/desk/token.py", False),
        ("/home/ana/shop", 'cd "$ROOT" && make check', "/home/ana/shop/token.py", False),
        ("/home/ana/shop__worktrees/a", "make check", "/home/ana/shop/token.py", True),
    ],
)
def test_a_check_is_told_where_no_later_edit_is_of_its_worktree(folder, command, path, is_told):
    check = call("Bash", "ok", command=command, workdir=folder)
    assert ("passing" in entry(turn("the token", check, edit(path))).context) is is_told


def test_a_short_title_tells_no_commit_that_says_more():
    made = entry(
        turn(
            "the token check",
            bash("git commit -m 'Compare the token check in UTC, at last'", "[x 1] y"),
        ),
        title="Token check",
    )
    assert made.context == 'Branch `lease`; 1 commit: "Compare the token check in UTC, at last".'


@cased()
def test_a_check_is_told_by_its_last_run_after_the_last_edit(rows, told):
    made = entry(turn("make the worker renew its lease", *steps(*rows), DONE))
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


def test_a_rule_alone_makes_an_entry():
    made = entry(turn("always run `make lint` before you commit"))
    assert made.decisions == ("User: always run `make lint` before you commit",)
    assert made.worth_keeping


@cased()
def test_a_choice_that_nobody_answered_is_left_open(asked, is_open):
    said = turn("keep the lease", edit("/a/b.py"), say(f"Done. {asked}"))
    assert entry(said).actions == (f"Not answered: {asked}",) * is_open
    assert entry(said, turn("Postgres", say("Ok."))).actions == ()


def test_an_open_item_names_the_work_that_it_points_at():
    said = say("The lease of the PR is still missing a test, because the broker is never stopped.")
    steps = (edit(FILE), bash("gh pr create --title 'Keep leases'", "https://a.b/c/pull/7"), said)
    (item,) = entry(turn("why does the worker stop?", *steps)).actions
    assert item.endswith("never stopped (PR #7).")
