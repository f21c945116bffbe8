"""How calls and the checks in them ended: by status where it is theirs, else by closing lines."""

import pytest
from talk import bash, call, refused

from memoria.capture.extract.observing.call_outcomes import check_outcomes, outcome

OK, BAD = "ok  \texample.org/shop\t0.4s", "FAIL\texample.org/shop\t0.4s\nFAIL"


def states(command, result, status=0):
    told = f"Exit code {status}\n{result}" if status else result
    found = check_outcomes(bash(command, told, error=bool(status)))
    return [(" ".join(command.words[:2]), ended.state) for command, ended in found]


@pytest.mark.parametrize(
    ("command", "result", "status", "state"),
    [
        ("go test ./...", BAD, 0, "passed"),  # the status is the test's own
        ("go test ./...", OK, 1, "failed"),
        ("cd x && go test ./...", OK, 0, "passed"),
        ("go test ./... | tail -3", BAD, 0, "failed"),
        ("go test ./... | tail -3", OK, 0, "passed"),
        ("go test ./... | grep Lease", "", 0, "unknown"),
        ("go test ./... | head -1", OK, 0, "unknown"),  # what follows is cut
        ("go test ./... | head -20", OK, 0, "passed"),
        ("set -o pipefail; go test ./... | tail -3", "", 0, "passed"),
        ("go test ./... || true", BAD, 0, "failed"),
        ("go test ./...; git status", BAD, 0, "failed"),
        ("go test ./...; git status", "clean", 0, "unknown"),
        ("go test ./... > log.txt; true", "", 0, "unknown"),
        ('go test -c; echo "exit: $?"', "exit: 1", 0, "failed"),
        ('go test -c; echo "exit: $?"', "exit: 0", 0, "passed"),
        ('go test -c | tail; echo "exit: $?"', "exit: 0", 0, "unknown"),
        ("go test -c && echo FINE || echo BROKEN", "FINE", 0, "passed"),
        ("go test -c && echo FINE || echo BROKEN", "BROKEN", 0, "failed"),
        ("go vet ./... 2>&1 | head", "", 0, "passed"),  # silent where it finds nothing
        ("go vet ./... > out 2>&1 | head", "", 0, "unknown"),
        ("pnpm lint 2>&1 | tail -5", "> eslint .", 0, "passed"),
        ("pnpm lint 2>&1 | tail -5", " ELIFECYCLE  Command failed", 0, "failed"),
        ("npm test --silent | tail -5", "> x", 0, "unknown"),
        ("for i in 1 2; do go test ./...; done", OK, 0, "passed"),
        ("(cd a && go test ./...)", OK, 0, "passed"),
        ("# first look\ngo test ./... | tail", OK, 0, "passed"),
        ("git commit -qm x", "", 0, "passed"),
        ("git commit -qm x | cat", "", 0, "unknown"),
        ("git add . && git commit -m x | tail -1", "[main 1a2b3c4] x", 0, "passed"),
        ("git commit -m x 2>&1 | tail", "husky - pre-commit script failed (code 1)", 0, "failed"),
    ],
)
def test_a_check_ended_as_its_status_or_its_closing_line_says(command, result, status, state):
    ((_, found),) = states(command, result, status)
    assert found == state


@pytest.mark.parametrize(
    ("command", "result", "expected"),
    [
        # it ran, so what stands before it had passed
        ("go build ./... && go test ./...", BAD, [("go build", "passed"), ("go test", "failed")]),
        # the first one failed, the second never ran
        ("golangci-lint run && go test ./...", "1 issues:", [("golangci-lint run", "failed")]),
        (
            "ruff check && mypy",
            "All checks passed!",
            [("ruff check", "passed"), ("mypy", "failed")],
        ),
        # nothing tells which of them
        (
            "nx build && nx lint",
            "?",
            [("nx build", "unknown"), ("nx lint", "unknown")],
        ),
        # the runner writes which script it began
        (
            "mise run lint && mise run test",
            "[lint] $ golangci-lint run\n1 issues:\n[lint] ERROR task failed",
            [("mise run", "failed")],
        ),
    ],
)
def test_of_a_list_that_failed_the_one_that_failed_is_found(command, result, expected):
    assert states(command, result, 1) == expected


def test_what_went_on_or_was_refused_has_no_outcome():
    background = bash("go test ./... | tail", "Command running in background with ID: b1")
    assert outcome(background).state == "unknown"
    assert check_outcomes(background)[0][1].state == "unknown"
    assert outcome(refused("Bash", "no", command="go test")).state == "unknown"
    assert check_outcomes(refused("Bash", "no", command="go test")) == ()
    assert outcome(call("Bash", answered=False, command="ls")).state == "unknown"


def test_other_calls_end_as_their_client_says():
    assert outcome(call("Read", "x", file_path="a")).state == "passed"
    assert (
        outcome(call("Read", "File does not exist.", error=True, file_path="a")).state == "failed"
    )
    assert outcome(bash("grep -rn x", "Exit code 1", error=True)).state == "passed"
    task = "<status>completed</status><exit_code>1</exit_code>"
    assert outcome(call("TaskOutput", task, task_id="b1")).state == "failed"
