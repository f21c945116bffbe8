import pytest

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
PYTEST = """============ test session starts ============
collected 3 items

tests/test_sum.py .F.                                    [100%]

    def test_adds_up():
>       assert total([1, 2]) == 4
E       assert 3 == 4
E        +  where 3 = total([1, 2])

tests/test_sum.py:4: AssertionError
=========== short test summary info ===========
FAILED tests/test_sum.py::test_adds_up - assert 3 == 4
========= 1 failed, 2 passed in 0.03s =========
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
TESTIFY = """--- FAIL: TestOrder (0.00s)
    order_test.go:20:
        \tError Trace:\t/srv/order_test.go:20
        \tError:      \tNot equal:
        \t            \texpected: 3
        \t            \tactual  : 4
        \tMessages:   \tthe basket is summed
FAIL
"""
GO_LOGS = """--- FAIL: TestSync (0.20s)
    sync_test.go:10: Phase 1: fill the store
    agent.go:155: Hook output: 2031/01/06 14:11:05 INFO start failed=false
    sync_test.go:31: got 2 records, want 3
FAIL
FAIL\texample.com/sync\t1.2s
"""
JEST = """  \u25cf cart \u203a adds an item

    expect(received).toBe(expected) // Object.is equality

    Expected: 2
    Received: 1
"""
CARGO = """running 1 test
test tests::sums ... FAILED

thread 'tests::sums' panicked at src/lib.rs:9:9:
assertion `left == right` failed
  left: 3
 right: 4
"""


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (
            GOLANGCI,
            [
                ("lint:errcheck", "Error return value of <q> is not checked"),
                ("lint:goconst", "string <q> has <n> occurrences, make it a"),
            ],
        ),
        ("a.py:3:1: F401 [*] `os` imported but unused", [("lint:F401", "<q> imported but unused")]),
        (
            'x.py:3: error: Incompatible types in assignment (is "int")  [assignment]',
            [("lint:assignment", "Incompatible types in assignment (is <q>)")],
        ),
        (
            "/srv/a.ts\n  3:5  error  'x' is assigned but never used  no-unused-vars\n",
            [("lint:no-unused-vars", "<q> is assigned but never used")],
        ),
        ("# example.com/x\n./a.go:3:5: undefined: helper", [("compile", "undefined: <name>")]),
        (
            "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
            [("compile:TS2322", "Type <q> is not assignable to type <q>.")],
        ),
        (
            "error[E0308]: mismatched types\n --> src/a.rs:1:2",
            [("compile:E0308", "mismatched types")],
        ),
        (PYTEST, [("test", "assert <n> == <n> (tests/test_sum.py::test_adds_up)")]),
        (
            TRACEBACK,
            [("exception:ValueError", "invalid literal for int() with base <n>: <q>")],
        ),
        (
            "E   ModuleNotFoundError: No module named 'x'\nFAILED t.py::test_a",
            [("exception:ModuleNotFoundError", "No module named <q>")],
        ),
        (GO_LOGS, [("test", "got <n> records, want <n> (TestSync)")]),
        (
            TESTIFY,
            [("test", "Error: Not equal: expected: <n> actual : <n> (TestOrder)")],
        ),
        (JEST, [("test", "expect(received).toBe(expected) // Object.is equality")]),
        (CARGO, [("panic", "assertion <q> failed")]),
        ("--- FAIL: TestAlone (0.01s)\nFAIL", [("test", "FAIL TestAlone")]),
        (
            "--- FAIL: TestX (0.0s)\npanic: runtime error: index out of range [5] with length 3",
            [("panic", "runtime error: index out of range [<n>] with length <n>")],
        ),
        (
            "Auto-merging a.py\nCONFLICT (content): Merge conflict in src/a.py\nAutomatic",
            [("conflict", "CONFLICT (content): Merge conflict in <path.py>")],
        ),
        ("bash: line 1: rgg: command not found", [("not-found", None)]),
        ("cat: /srv/x.txt: No such file or directory", [("not-found", None)]),
        ("mkdir: /srv: Permission denied", [("permission", None)]),
        ("error: unknown option '--fast'", [("usage", "error: unknown option <q>")]),
        ("curl: (6) Could not resolve host: example.com", [("network", None)]),
        ("Command timed out after 2m 0.0s", [("timeout", "Command timed out after <n> ...")]),
        ("fatal: refusing to merge unrelated histories", [("exit", None)]),
    ],
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


@pytest.mark.parametrize(
    "line",
    [
        "bash: line 3: TOKEN: unbound variable",
        "bash: /srv/data: Is a directory",
        "bash: line 9: 4242 Segmentation fault (core dumped) ./run",
        "psql: ERROR: insert violates a rule",
        "bind: address already in use",
    ],
)
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
