from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.agents.claude_code import tools
from memoria.agents.pieces import Limits
from memoria.capture.extract.failures.faults import faults
from memoria.capture.extract.signatures import LONGEST, mask, signature
from memoria.search.reminders import failure_match as remedy
from memoria.search.reminders.failure_match import (
    anchor,
    composed,
    fits,
    literals,
    may_fit,
    tokens,
    told,
)
from memoria.text.shorten import shorten

NOW = datetime(2031, 1, 2, 3, 4, 5, tzinfo=UTC)
TRACEBACK = 'Traceback (most recent call last):\n  File "/srv/tool.py", line 3, in <module>\n'
LINT = "Exit code 1\n[lint] $ lint ./...\n"
# what lies in the middle of so much is left out
MIDDLE = "Exit code 1\n" + "ok 1\n" * 4000 + "fatal: the end\n" + "1\n" * 4000
# failures of all kinds: tool, its inputs, what it printed
FAILURES = [
    ("Bash", {"command": "python t.py"}, f"Exit code 1\n{TRACEBACK}ValueError: bad lease x9"),
    ("Bash", {"command": "python t.py"}, f"Exit code 1\n{TRACEBACK}KeyError: 'user_id'"),
    ("Bash", {"command": "pytest"}, "Exit code 1\nE   ValueError: no lease in 12 rows"),
    (
        "Bash",
        {"command": "lint"},
        f"{LINT}a/b.go:12:3: Error return value of `f` is off (errcheck)",
    ),
    ("Bash", {"command": "ruff check"}, "Exit code 1\na.py:1:1: E501 Line too long (101 > 100)"),
    (
        "Bash",
        {"command": "mypy ."},
        "Exit code 1\na.py:3: error: Name 'x' is not defined  [name-x]",
    ),
    ("Bash", {"command": "go build"}, "Exit code 1\na/b.go:9:2: undefined: setUpLease"),
    (
        "Bash",
        {"command": "cargo test"},
        "Exit code 101\nerror[E0502]: cannot borrow `x` as mutable",
    ),
    ("Bash", {"command": "jest"}, "Exit code 1\n\u25cf shop keeps the lease\n\n  Expected: 3"),
    ("Bash", {"command": "go test ./..."}, "Exit code 1\n--- FAIL: TestLease/b (0.01s)\nFAIL"),
    ("Bash", {"command": "git merge x"}, "Exit code 1\nCONFLICT (content): Merge conflict in a.go"),
    ("Bash", {"command": "frob --all"}, "Exit code 127\n/bin/sh: line 1: frob: command not found"),
    ("Bash", {"command": "tool --jsonn"}, "Exit code 2\nerror: unknown flag: --jsonn"),
    ("Bash", {"command": "npm run b"}, "Exit code 1\nnpm ERR! Missing script: b"),
    ("Bash", {"command": "make ship"}, "Exit code 2"),
    (
        "Bash",
        {"command": "x"},
        "Exit code 1\n\x1b[31mfatal:\x1b[0m not a git re\x1b[1mpository\x1b[0m",
    ),
    ("Bash", {"command": "x"}, f"Exit code 1\nfatal: {'word ' * 90}end"),
    ("Bash", {"command": "x"}, MIDDLE),
    ("Read", {"file_path": "/srv/shop/a.py"}, "File does not exist."),
    ("Read", {"file_path": "/srv/shop"}, "EISDIR: illegal operation on a directory, read"),
    ("WebFetch", {"url": "https://x.test/a"}, "Request failed with status code 404"),
    ("mcp__kb__find", {"q": "lease", "n": 3}, "InputValidationError: n\nexpected a string"),
]


def call(name, inputs, error):
    given = tuple(
        (key, value if isinstance(value, str) else str(value)) for key, value in inputs.items()
    )
    return tools.call("c1", name, given, shorten(error, remedy.RESULT), True, True, NOW)


def met(name, inputs, error):
    """Give, fault by fault, the signature and the line of a failure, and the text a hook has."""
    text = shorten(error, remedy.RESULT) + "\n" + "\n".join(map(str, inputs.values()))
    plain = text.replace("\x1b[31m", "").replace("\x1b[0m", "").replace("\x1b[1m", "")
    for fault in faults(call(name, inputs, error)):
        yield signature(name, fault.kind, fault.masked), fault.line, plain


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure[2][:40])
def test_an_error_holds_the_literals_of_its_signature(failure):
    found = list(met(*failure))
    assert found
    for mark, line, text in found:
        assert literals(mark) <= tokens(text), mark
        assert anchor(mark, line) in tokens(text) | {""}


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure[2][:40])
@pytest.mark.parametrize(
    "change", ["- a\n+ b", "- lease = f(x)\n+ lease = set_up_lease(x)", "//nolint:errcheck"]
)
def test_words_never_say_no_to_a_remedy_that_fits(failure, change):
    for mark, line, text in met(*failure):
        for _, then, _ in (one for other in FAILURES for one in met(*other)):
            if fits(mark, line, then, change):
                assert may_fit(mark, then, change, text, tokens(text)), (mark, then)


@given(
    st.lists(
        st.sampled_from(
            [
                "lease",
                "x12",
                "E501",
                "<b>",
                "/srv/a.py:3",
                "12",
                "'q'",
                "Foo.bar",
                "0xfe",
                ",",
                "don't",
            ]
        )
        | st.text("abAB1_ .:/-", max_size=6),
        min_size=1,
        max_size=60,
    ).map(" ".join)
)
def test_what_a_signature_keeps_stands_in_the_line(line):
    for names in (False, True):
        mark = signature("Bash", "exit", mask(line, names=names))
        assert len(mark) <= LONGEST
        assert literals(mark) <= tokens(line)


LEASE = "ValueError: no lease in row 12"


@pytest.mark.parametrize(
    ("mark", "line", "then", "change", "expected"),
    [
        # the same line, wherever it stands now
        ("Bash exception:ValueError no lease in row <n>", LEASE, LEASE, "- a\n+ b", True),
        (
            "Bash exception:ValueError no lease in row <n>",
            LEASE,
            LEASE[:-2] + "7",
            "- a\n+ b",
            True,
        ),
        (
            "Bash compile undefined: <name>",
            "a/b.go:9:2: undefined: setUpLease",
            "c/d.go:120:7: undefined: setUpLease",
            "",
            True,
        ),
        # the same error about another name: only a change that speaks of that
        (
            "Bash compile undefined: <name>",
            "a/b.go:9:2: undefined: setUpLease",
            "a/b.go:9:2: undefined: openTill",
            "- openTill(t)\n+ newTill(t)",
            False,
        ),
        (
            "Bash compile undefined: <name>",
            "a/b.go:9:2: undefined: setUpLease",
            "a/b.go:9:2: undefined: setUpLeases",
            "- setUpLease(t)\n+ newLease(t)",
            True,
        ),
        # words of the signature itself are shared by all
        (
            "Bash exit fatal: lease <q> is held",
            "fatal: lease 'a' is held",
            "fatal: lease 'b' is held",
            "- lease\n+ held",
            False,
        ),
        # but a linter's rule is mended in its own way
        (
            "Bash lint:errcheck Error return value of <q> is not checked",
            "Error return value of `f` is not checked (errcheck)",
            "Error return value of `g` is not checked (errcheck)",
            "- g()\n+ g() //nolint:errcheck",
            True,
        ),
        # which file is all there is to it
        (
            "Read not-found File does not exist",
            "File does not exist. (/srv/shop/a.py)",
            "File does not exist. (/srv/shop/b.py)",
            "- /srv/shop/b.py\n+ /srv/shop/lib/b.py",
            False,
        ),
        (
            "Read not-found File does not exist",
            "File does not exist. (/srv/shop/b.py)",
            "File does not exist. (/srv/shop/b.py)",
            "- /srv/shop/b.py\n+ /srv/shop/lib/b.py",
            True,
        ),
    ],
)
def test_what_a_remedy_fits(mark, line, then, change, expected):
    assert fits(mark, line, then, change) is expected


def test_the_hook_shortens_as_the_reader_does():
    assert (Limits().result, Limits().argument) == (remedy.RESULT, remedy.ARGUMENT)


ROW = {
    "signature": "Bash exception:ValueError no lease",
    "project": "github.com/ana/shop",
    "day": "2026-04-01",
    "log": "daily/2026-04-01",
    "line": "ValueError: no lease",
    "change": "- take()\n+ take(`lease`)",
    "how": "edit",
}


def test_it_is_told_as_a_record_with_its_date_and_link():
    line = told(ROW, "github.com/ana/shop")
    assert line == (
        "- 2026-04-01 in this project, [[daily/2026-04-01]]: passed after an edit: "
        "`- take()` `+ take('lease')`"
    )
    assert "in another project" in told(ROW, "github.com/ana/till")
    assert "[[" not in told(ROW | {"log": ""}, "x")
    assert "passed when called otherwise: `b`" in told(
        ROW | {"how": "rephrase", "change": "b"}, "x"
    )


def test_a_long_change_is_cut_line_by_line():
    line = told(ROW | {"change": f"- {'x' * 900}\n+ {'y' * 900}"}, "x")
    assert len(line) < 500
    assert line.count("...`") == 2


@given(st.text(max_size=200))
def test_what_it_says_stays_one_line_within_the_frame(change):
    text = composed([told(ROW | {"change": change}, "x")], "/v", "b0")
    assert text.count("</memoria-b0>") == 1
    assert text.endswith("</memoria-b0>")
    assert "not a message of the user" in text
    said = text[text.index("- 2026-04-01") :].split("\n")
    assert len(said) == 2
