from talk import bash, transcript, turn

from memoria.stages.trial import MOST, trials

BAD = "Exit code 1\nE   ValueError: bad value\n1 failed"


def names(*steps):
    return [(one.name, one.passed) for one in trials(transcript(turn("go", *steps)))]


def test_the_last_run_counts():
    assert names(bash("pytest", BAD, error=True), bash("pytest", "1 passed")) == [("pytest", True)]
    assert names(bash("pytest", "1 passed"), bash("pytest", BAD, error=True)) == [("pytest", False)]


def test_a_failure_is_dropped_where_the_tests_passed_in_another_way():
    found = names(bash("uv run pytest a", BAD, error=True), bash("make test", "72 passed"))
    assert found == [("make test", True)]


def test_a_failed_test_is_not_hidden_by_a_linter():
    found = names(bash("pytest", BAD, error=True), bash("ruff check", "All checks passed!"))
    assert found == [("pytest", False), ("ruff check", True)]


def test_a_line_of_several_checks_runs_each():
    found = names(bash("ruff check", "ok"), bash("ruff check && pytest", "1 passed"))
    assert found == [("ruff check && pytest", True)]


def test_a_check_that_failed_behind_a_pipe_has_failed():
    assert names(bash("pytest 2>&1 | tail -3", "E   ValueError: bad\n1 failed")) == [
        ("pytest", False)
    ]


def test_what_was_printed_is_shown():
    (one,) = trials(transcript(turn("go", bash("cd /x && pytest -q 2>&1 | tail", "72 passed"))))
    assert one.shown == "```console\n$ pytest -q\n72 passed\n```"
    (one,) = trials(transcript(turn("go", bash("go vet ./...", ""))))
    assert "(no output)" in one.shown


def test_programs_stand_in_where_nothing_was_checked():
    assert names(bash("python a.py", "42"), bash("ls", "a.py")) == [("python", True)]
    assert names(bash("python a.py", "42"), bash("pytest", "1 passed")) == [("pytest", True)]


def test_what_is_no_run():
    assert names(bash("pytest", "Command running in the background with ID: 1")) == []
    assert names(bash("pytest " + "x" * 700, "1 passed")) == []
    assert names(bash("ls", "a")) == []


def test_there_are_not_too_many():
    runs = [bash(f"make test-{name}", "ok") for name in "abcdefgh"]
    assert len(names(*runs)) == MOST
