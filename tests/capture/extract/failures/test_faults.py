from datetime import UTC, datetime

import pytest

from memoria.agents.claude_code import tools
from memoria.capture.extract.failures.faults import faults

NOW = datetime(2031, 1, 2, 3, 4, 5, tzinfo=UTC)


def call(name, result, *, error=True, answered=True, **arguments):
    return tools.call("c1", name, tuple(arguments.items()), result, error, answered, NOW)


REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected. Stop."


@pytest.mark.parametrize(
    "one",
    [
        call("Edit", REFUSED, file_path="/a.py"),
        call("Bash", REFUSED, command="make test"),
        call("Grep", "<tool_use_error>Sibling tool call errored</tool_use_error>"),
        call("Bash", "<tool_use_error>Cancelled: parallel tool call Bash errored</tool_use_error>"),
        call("Bash", "[Request interrupted by user for tool use]"),
        call("Bash", "some output\n<error>Command was aborted before completion</error>"),
        call("Bash", "Exit code 130\n^C", command="npm start"),
        call("ExitPlanMode", "anything the person may say"),
        call("Bash", "Exit code 1", command="grep -rn nothing src"),
        call("Bash", "Exit code 1\n3c3\n< a\n---\n> b", command="diff a b"),
        call("Bash", "Exit code 1", command="test -f .env"),
        call("Bash", "Exit code 2", command="ls -d .env.local 2>/dev/null"),
        call("Bash", "Exit code 1", command="cat /srv/none.txt 2>/dev/null"),
        call("Bash", "Exit code 1\nWARNING: Package(s) not found: x", command="pip show x"),
        call("Bash", "Exit code 124", command="timeout 5 ./serve --port 1"),
        call("Bash", "", answered=False, command="make test"),
        call("Read", "fine", error=False, file_path="/a.py"),
        call("Bash", "all passed", error=False, command="pytest | tail"),
        call("Bash", "def FAIL(): pass", error=False, command="cat x.py | head"),
        call("Bash", "--- FAIL: TestA (0s)", error=False, command="go test ./..."),
        call("Bash", '+ t.Fatal("error: x")', error=False, command="git diff | head"),
    ],
)
def test_what_is_no_mistake(one):
    assert faults(one) == ()


@pytest.mark.parametrize(
    ("one", "kind", "masked"),
    [
        (call("Read", "File does not exist."), "not-found", "File does not exist"),
        (
            call("Read", "<tool_use_error>File does not exist. Did you mean b?</tool_use_error>"),
            "not-found",
            "File does not exist",
        ),
        (
            call("Edit", "<tool_use_error>String to replace not found in file.\nString: x"),
            "edit-mismatch",
            "String to replace not found in file",
        ),
        (
            call("Edit", "Found 3 matches of the string to replace, but replace_all is false. Or"),
            "edit-mismatch",
            "Found <n> matches of the string to replace, but replace_all is false",
        ),
        (call("Write", "File has not been read yet. Read it."), "not-read", None),
        (call("Edit", "File has been modified since read, by the user"), "stale", None),
        (call("Read", "EISDIR: illegal operation on a directory, read"), "directory", None),
        (call("Read", "Content (30000 tokens) exceeds maximum"), "too-large", None),
        (
            call("Edit", "InputValidationError: Edit failed\nThe required parameter `x` is not"),
            "invalid-input",
            "InputValidationError: Edit failed The required parameter <q> is not",
        ),
        (call("WebFetch", "Request failed with status code 403"), "http:403", None),
        (call("Write", "Permission to use Write has been denied."), "permission", None),
        (call("Skill", "Unknown skill: sing"), "not-found", None),
        (call("mcp__x__y", "something odd"), "error", "something odd"),
        (call("Bash", "Exit code 2\ngrep: x: No such file", command="grep a x"), "not-found", None),
        (call("Bash", "Exit code 1\nboom failed", command="make"), "exit", "boom failed"),
        (call("Bash", "Exit code 124", command="timeout 60 pytest"), "exit", "pytest"),
        (call("Bash", "Exit code 2\nls: cannot access '/x'", command="ls /x 2>/dev/null"),
         "not-found", "ls: cannot access <q>"),
        (
            call("Bash", "--- FAIL: TestA (0s)\n  a_test.go:3: got 1, want 2", error=False,
                 command="go test ./... 2>&1 | tail -5"),
            "test",
            "got <n>, want <n> (TestA)",
        ),
        (
            call("Bash", 'Traceback (most recent call last):\n  File "a", line 1\nOSError: no',
                 error=False, command="python a.py | head"),
            "exception:OSError",
            "no",
        ),
        (
            call("TaskOutput", "<status>failed</status><exit_code>1</exit_code>"
                 "<output>fatal: boom</output>", error=False),
            "exit",
            "fatal: boom",
        ),
    ],
)  # fmt: skip
def test_what_is_a_mistake(one, kind, masked):
    (fault,) = faults(one)
    assert fault.kind == kind
    assert masked in {None, fault.masked}
