from dataclasses import replace
from datetime import timedelta

from talk import AT, bash, call, edit, transcript, turn

from memoria.stages.detour import detours, told
from memoria.stages.mistake import mistakes

ERROR = "Exit code 1\nE   ValueError: can't compare naive and aware datetimes\n1 failed"

DOWN = "Exit code 7\ncurl: (7) Failed to connect"


def at(step, minutes):
    return replace(step, at=AT + timedelta(minutes=minutes))


def found(*steps):
    timed = [at(step, minutes) for minutes, step in enumerate(steps)]
    session = transcript(turn("why?", *timed))
    return list(detours(session, mistakes(session)).values())


def test_a_failure_with_the_small_change_that_mended_it():
    fix = edit("/home/ana/shop/a.py", "expiry = naive()", "expiry = aware(datetimes)")
    (one,) = found(bash("pytest", ERROR, error=True), fix, bash("pytest", "1 passed"))
    blocks = told(one)
    assert blocks[0] == "**Wrong turn.**"
    assert blocks[1].startswith("```console\n$ pytest\nE   ValueError: can't compare")
    assert blocks[2:] == [
        "What resolved it:",
        "```diff\n- expiry = naive()\n+ expiry = aware(datetimes)\n```",
    ]


def test_a_failure_that_other_edits_ended():
    fix = edit("/home/ana/shop/a.py", "x", "y")
    (one,) = found(bash("pytest", ERROR, error=True), fix, bash("pytest", "1 passed"))
    assert told(one, ["a.py"])[-1] == "It passed after edits to `a.py`."
    assert told(one)[-1] == "Called in another way, it passed."
    (one,) = found(bash("curl http://a", DOWN, error=True), bash("curl http://a", "fine"))
    assert told(one)[-1] == "It passed when it was run again."


def test_a_command_that_another_took_the_place_of():
    (one,) = found(
        bash("gh pr diff 3 --paths", "Exit code 1\nunknown flag: --paths", error=True),
        bash("gh pr diff 3 --name-only", "a.py"),
    )
    assert told(one)[-1] == "What worked instead: `gh pr diff 3 --name-only`"


def test_a_check_that_never_passed_and_a_command_that_was_given_up():
    (check,) = found(bash("pytest", ERROR, error=True))
    assert told(check)[-1] == "In this form it never passed."
    (given_up,) = found(bash("pip install x", "Exit code 1\nerror: externally-managed", error=True))
    assert told(given_up)[-1].startswith("```console")


def test_a_slip_is_one_line():
    (one,) = found(
        call("Edit", "String to replace not found in file.", error=True, file_path="a.py",
             old_string="a", new_string="b"),
        call("Read", "a", file_path="a.py"),
        edit("a.py", "aa", "b"),
    )  # fmt: skip
    assert one.is_slip
    (line,) = told(one)
    assert line.startswith("*Slip:* `Edit a.py` failed: String to replace not found in file")
    assert line.endswith("What helped: more context in old_string.")


def test_the_findings_of_one_run_are_one_detour():
    printed = "a.go:1:2: bad (errcheck)\nb.go:3:4: worse (gosec)\n2 issues:"
    (one,) = found(bash("golangci-lint run", f"Exit code 1\n{printed}", error=True))
    assert len(one.signatures) == 2
    assert sum("bad (errcheck)" in line for line in one.printed) == 1


def test_a_failure_that_printed_nothing_says_so():
    (one,) = found(bash("make x 2>/dev/null", "Exit code 2", error=True))
    assert one.printed
    assert all(line.strip() for line in one.printed)


def test_a_session_that_went_well_has_none():
    assert found(bash("pytest", "1 passed")) == []
