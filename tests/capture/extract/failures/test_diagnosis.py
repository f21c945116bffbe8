import pytest
from cases import cased

from memoria.capture.extract.failures.diagnosis import diagnose

GOLANGCI = """Exit code 1
[lint] $ golangci-lint run ./...
pkg/store/read.go:12:3: Error return value of `f.Close` is not checked (errcheck)
\tf.Close()
\t^
pkg/store/read.go:40:9: string `north` has 3 occurrences, make it a constant (goconst)
2 issues:
* errcheck: 1
* goconst: 1
[lint] ERROR task failed
"""
TRACEBACK = """Traceback (most recent call last):
  File "/srv/tool.py", line 3, in <module>
    int("x")
KeyError: 'first'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/srv/tool.py", line 5, in <module>
ValueError: invalid literal for int() with base 10: 'x'
"""


@cased(
    (
        GOLANGCI,
        [
            ("lint:errcheck", "Error return value of <q> is not checked"),
            ("lint:goconst", "string <q> has <n> occurrences, make it a"),
        ],
    ),
    (TRACEBACK, [("exception:ValueError", "invalid literal for int() with base <n>: <q>")]),
)
def test_diagnose(output, expected):
    found = diagnose(output, "")
    assert [fault.kind for fault in found] == [kind for kind, _ in expected]
    for fault, (_, masked) in zip(found, expected, strict=True):
        assert masked in {None, fault.masked}
        assert fault.informative


@pytest.mark.parametrize("output", ["", "Exit code 1\n", "FAIL\nexit status 1\n", "just some text"])
def test_where_no_line_tells_the_action_names_the_failure(output):
    (fault,) = diagnose(output, "cd x && make deploy | tail")
    assert fault.masked == "make deploy"
    assert not fault.informative


def test_where_the_linter_and_the_compiler_point():
    first, second = diagnose(GOLANGCI, "")
    assert (first.place, first.source) == ("pkg/store/read.go", "f.Close()")
    assert second.place == "pkg/store/read.go"
    (broken,) = diagnose("src/cart.ts(3,7): error TS2304: Cannot find name 'x'.", "")
    assert (broken.place, broken.source) == ("src/cart.ts", "")
    (raised,) = diagnose(TRACEBACK, "")
    assert raised.place == ""


@cased()
def test_what_a_shell_says_is_told(line):
    (fault,) = diagnose(f"Exit code 1\nstarting\n{line}\n", "./run")
    assert fault.line == line
    assert fault.informative


def test_hostile_output_is_read_quickly():
    for piece in (
        "a:1:1: x ",
        "E  ",
        "  1:1  error  a  ",
        "FAILED a::b",
        "SC1234: ",
        "\n\t ",
        "a.b.",
    ):
        assert diagnose(piece * 20_000, "make")
