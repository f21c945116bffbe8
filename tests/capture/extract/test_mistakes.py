from datetime import UTC, datetime, timedelta

from talk import completed

from memoria.agents.claude_code import tools
from memoria.agents.transcript import AssistantText, Steer, Transcript, Turn
from memoria.capture.extract.mistakes import find_mistakes
from memoria.capture.extract.observed import observe

START = datetime(2031, 1, 2, 3, 4, 5, tzinfo=UTC)
LINT = "Exit code 1\nstore/a.go:3:1: Error return value of `x` is not checked (errcheck)\n1 issues:"
FAILING = "Exit code 1\n--- FAIL: TestA (0.0s)\n    a_test.go:3: the basket is empty, want 3 items"


def at(index):
    return START + timedelta(minutes=index)


def bash(index, command, result="", *, error=False):
    made = tools.build_call(f"c{index}", "Bash", (("command", command),), at(index))
    return completed(made, result, error=error)


def session(*turns, subagents=(), prompts=()):
    made = tuple(
        Turn(
            f"u{number}", START, at(50 + number),
            prompts[number] if prompts else "do it", "main", tuple(steps),
        )
        for number, steps in enumerate(turns)
    )  # fmt: skip
    return Transcript("s", "/srv", "", made, 0, 1, subagents=tuple(subagents))


def missteps(transcript):
    return find_mistakes(observe(transcript))


def test_a_linter_run_is_resolved_rule_by_rule_and_a_test_run_as_a_whole():
    other = LINT.replace("errcheck", "gosec").replace("Error return value of", "G304: file from")
    first, second = missteps(
        session([bash(1, "make lint", LINT, error=True), bash(2, "make lint", other, error=True)])
    )
    assert first.resolution is not None
    assert second.resolution is None
    elsewhere = FAILING.replace("basket", "till")
    still, last = missteps(
        session(
            [bash(1, "go test", FAILING, error=True), bash(2, "go test", elsewhere, error=True)]
        )
    )
    assert (still.resolution, last.resolution) == (None, None)


def test_a_failure_that_was_announced_or_greeted_is_none():
    red = bash(1, "go test ./...", FAILING, error=True)
    before = AssistantText("Now run it to confirm that the test fails.", at(0))
    after = AssistantText("It fails as expected. Now the fix.", at(2))
    assert missteps(session([before, red])) == ()
    assert missteps(session([red, after])) == ()
    assert len(missteps(session([AssistantText("Run the tests.", at(0)), red]))) == 1
    # what was to fail by assertion and does not compile is a mistake all the same
    broken = bash(1, "go test ./...", "Exit code 1\na_test.go:3:1: undefined: helper", error=True)
    assert len(missteps(session([before, broken]))) == 1
    # announcing does not excuse what is no test
    listing = bash(1, "ls /nowhere", "Exit code 2\nls: /nowhere: No such file", error=True)
    assert len(missteps(session([before, listing]))) == 1


def test_a_filtered_failure_counts_only_if_it_says_what_failed():
    hidden = bash(1, "go test ./... | tail -1", "FAIL\texample.com/x\t1.2s")
    assert missteps(session([hidden])) == ()
    shown = bash(2, "go test ./... | tail -9", FAILING)
    assert [one.kind for one in missteps(session([hidden, shown]))] == ["test"]


def test_subagents_show_mistakes_of_no_turn():
    read = tools.build_call("r", "Read", (("file_path", "/x.py"),), START)
    read = completed(read, "File does not exist.", error=True)
    (one,) = missteps(session([bash(1, "ls")], subagents=[read]))
    assert (one.turn, one.signature) == (-1, "read not-found File does not exist")


def edited(index, old, new, file="cart.py"):
    inputs = (("file_path", f"/srv/{file}"), ("old_string", old), ("new_string", new))
    return completed(tools.build_call(f"c{index}", "Edit", inputs, at(index)), "ok")


def test_a_correction_is_a_mistake_among_the_others_in_the_order_of_time():
    failed = bash(1, "make lint", LINT, error=True)
    found = missteps(
        session(
            [edited(0, "a", "b"), failed, Steer("no, don't lint the old code", at(2))],
            [edited(3, "basket.total", "basket.sum"), AssistantText("Mended.", at(4))],
            [bash(5, "ls")],
            prompts=[
                "show the sum",
                "the total of the basket is wrong, that is not right",
                "thanks",
            ],
        )
    )
    assert [one.tool for one in found] == ["shell", "user", "user"]
    steer, wrong = found[1:]
    assert steer.signature == "user correction code lint not"
    assert (wrong.kind, wrong.turn, wrong.call) == ("correction", 1, "")
    assert wrong.line == "the total of the basket is wrong, that is not right"
    assert wrong.resolution is not None
    assert wrong.resolution.how == "edit"
    assert wrong.resolution.change == "- basket.total\n+ basket.sum"
    assert wrong.resolution.at == at(51)


def test_a_check_that_passes_ends_the_report_that_it_fails():
    def reported(*work):
        done = [edited(0, "a", "b"), AssistantText("All tests pass.", at(1))]
        (one,) = (
            one
            for one in missteps(session(done, work, prompts=["add it", "make e2e still fails"]))
            if one.tool == "user"
        )
        assert one.signature == "user correction:failing e2e"
        return one.resolution

    mended = [edited(2, "wait(1)", "wait(9)"), bash(3, "make e2e", "ok")]
    assert reported(*mended).at == at(3)
    assert reported(*mended[:1]) is None
    assert reported(bash(2, "make e2e", FAILING, error=True)) is None


def test_the_same_correction_in_two_sessions_is_a_repeat():
    told = ["I told you not to commit to main", "Stop committing to main, don't!"]
    done = [edited(0, "a", "b"), AssistantText("Committed.", at(1))]
    history = [missteps(session(done, [], prompts=["add it", one])) for one in told]
    marks = [found.signature for missed in history for found in missed]
    assert marks == ["user correction commit main not"] * 2


def test_a_pipe_that_says_nothing_is_no_success():
    failed = bash(1, "gh pr diff 7 -- a.go", "Exit code 1\naccepts at most 1 arg(s)", error=True)
    mute = bash(2, "gh pr diff 7 -- a.go 2>/dev/null | head -5", "")
    assert missteps(session([failed, mute]))[0].resolution is None
    heard = bash(2, "gh pr diff 7 | head -5", "diff --git a.go")
    assert missteps(session([failed, heard]))[0].resolution is not None


UNSET = "Exit code 1\nRuntimeError: TEST_DATABASE_URL is not set"


def test_a_check_that_lacked_a_variable_is_helped_by_the_other_way_to_run_it():
    failed = bash(1, "uv run pytest tests/test_a.py", UNSET, error=True)
    (one,) = missteps(session([failed, bash(2, "cat .env"), bash(3, "make test", "2 passed")]))
    assert one.resolution is not None
    assert (one.resolution.how, one.resolution.change) == ("command", "make test")
    assert one.resolution.at == at(3)
    edit = completed(tools.build_call("c2", "Edit", (("file_path", "/srv/a.py"),), at(2)), "ok")
    (one,) = missteps(session([failed, edit, bash(3, "make test", "2 passed")]))
    assert one.resolution is None
    other = bash(1, "uv run pytest tests/test_a.py", "E  AssertionError: 1 == 2", error=True)
    (one,) = missteps(session([other, bash(3, "make lint", "fine")]))
    assert one.resolution is None


def test_what_brought_another_fault_was_no_fix():
    code = "store/a.go:3:1: Error return value of `x` is not checked (errcheck)\n\tx()\n\t^"
    other = "store/a.go:3:5: explain it (nolintlint)\n\tx() //nolint:errcheck\n\t^"
    file, closed = "store/a.go", "x() //nolint:errcheck // it is closed anyway"

    first, second = missteps(
        session(
            [
                bash(1, "make lint", f"Exit code 1\n{code}", error=True),
                edited(2, "x()", "x() //nolint:errcheck", file),
                bash(3, "make lint", f"Exit code 1\n{other}", error=True),
                edited(4, "x() //nolint:errcheck", closed, file),
                bash(5, "make lint", "ok"),
            ]
        )
    )
    assert first.resolution.at == at(5)
    assert first.resolution.change.endswith("// it is closed anyway")
    assert first.resolution.file == "store/a.go"
    assert second.kind == "lint:nolintlint"
