from cases import cased

from memoria.text.shell.actions import (
    describe_action,
    hides_status,
    is_check,
    is_question,
    runs_program,
)


@cased()
def test_action(text, expected):
    assert describe_action(text) == expected


def test_programs_that_run_each_other_without_end_are_read():
    assert describe_action("nice " * 3000 + "pytest") == "pytest"


@cased()
def test_is_check(text, expected):
    assert is_check(text) is expected


@cased()
def test_hides_status(text, expected):
    assert hides_status(text) is expected


@cased()
def test_is_question(text, printed, expected):
    assert is_question(text, has_output=printed) is expected


def test_runs_program():
    assert runs_program("cd x && python tool.py --all | head")
    assert not runs_program("cat tool.py")
