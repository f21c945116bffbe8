from datetime import UTC, datetime

import pytest
from cases import cased
from hypothesis import given, strategies as st
from talk import completed

from memoria.agents.claude_code import tools
from memoria.agents.transcript import Limits
from memoria.capture.extract.failures.faults import find_faults
from memoria.capture.extract.signatures import build_signature, tool_of
from memoria.search.cures import lookup
from memoria.search.cures.lookup import (
    choose_anchor,
    choose_cures,
    compose_text,
    find_matching_line,
    find_tokens,
    fits_error,
    format_cure,
)
from memoria.text.shorten import shorten

NOW = datetime(2031, 1, 2, 3, 4, 5, tzinfo=UTC)
TRACEBACK = 'Traceback (most recent call last):\n  File "/srv/tool.py", line 3, in <module>\n'
LINT = "Exit code 1\n[lint] $ lint ./...\n"
# failures of all kinds that have a line which tells: a command and what it printed
FAILURES = [
    ("python t.py", f"Exit code 1\n{TRACEBACK}ValueError: bad lease x9"),
    ("python t.py", f"Exit code 1\n{TRACEBACK}KeyError: 'user_id'"),
    ("pytest", "Exit code 1\nE   ValueError: no lease in 12 rows"),
    ("lint", f"{LINT}a/b.go:12:3: Error return value of `f` is off (errcheck)"),
    ("ruff check", "Exit code 1\na.py:1:1: E501 Line too long (101 > 100)"),
    ("mypy .", "Exit code 1\na.py:3: error: Name 'x' is not defined  [name-x]"),
    ("go build", "Exit code 1\na/b.go:9:2: undefined: setUpLease"),
    ("cargo test", "Exit code 101\nerror[E0502]: cannot borrow `x` as mutable"),
    ("go test ./...", "Exit code 1\n--- FAIL: TestLease/b (0.01s)\nFAIL"),
    ("git merge x", "Exit code 1\nCONFLICT (content): Merge conflict in a.go"),
    ("frob --all", "Exit code 127\n/bin/sh: line 1: frob: command not found"),
    ("tool --jsonn", "Exit code 2\nerror: unknown flag: --jsonn"),
    ("npm run b", "Exit code 1\nnpm ERR! Missing script: b"),
    ("x", "Exit code 1\n\x1b[31mfatal:\x1b[0m not a git re\x1b[1mpository\x1b[0m"),
    ("x", f"Exit code 1\nfatal: {'word ' * 90}end"),
]


def met(command, error):
    """Give, fault by fault, the signature and the line of a failure, and the text a hook has."""
    text = shorten(error, lookup.RESULT)
    call = tools.build_call("c1", "Bash", (("command", command),), NOW)
    failed = completed(call, text, error=True)
    plain = text.replace("\x1b[31m", "").replace("\x1b[0m", "").replace("\x1b[1m", "")
    for fault in find_faults(failed):
        yield build_signature(tool_of(failed), fault.kind, fault.masked), fault.line, plain


def lines(text):
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure[1][:40])
def test_an_error_is_found_by_its_signature_in_its_own_text(failure):
    found = list(met(*failure))
    assert found
    for mark, line, text in found:
        assert choose_anchor(mark, line) in find_tokens(text) | {""}, mark
        assert find_matching_line(mark, line, lines(text)) is not None, mark


def test_an_error_is_not_found_in_the_text_of_another():
    for mark, line, own in (one for failure in FAILURES for one in met(*failure)):
        for _, _, text in (one for failure in FAILURES for one in met(*failure)):
            if text != own:
                assert find_matching_line(mark, line, lines(text)) is None, (mark, text)


def test_a_rule_or_an_exception_has_to_be_named_too():
    mark = "shell exception:ValueError no lease in row <n>"
    assert find_matching_line(mark, LEASE, ["begin", "E ValueError: no lease in row 12"]) == 1
    others = ["TypeError: no lease in row 12", "not a ValueError"]
    for texts in (others, ["ValueError: in row 12 no lease"]):
        assert find_matching_line(mark, LEASE, texts) is None
    rule = "shell lint:errcheck Error return value of <q> is not checked"
    broken = "a.go:1:2: Error return value of `f` is not checked"
    assert find_matching_line(rule, broken, [f"{broken} (errcheck)"]) == 0
    assert find_matching_line(rule, broken, [broken, "* errcheck: 1"]) == 0
    assert find_matching_line(rule, broken, [f"{broken} (other)"]) is None


LEASE = "ValueError: no lease in row 12"
CURE = {
    "signature": "shell exception:ValueError no lease in row <n>",
    "action": "pytest",
    "project": "github.com/ana/shop",
    "day": "2026-04-01",
    "log": "daily/2026-04-01",
    "line": LEASE,
    "how": "edit",
    "change": "- take()\n+ take(lease)",
    "file": "src/lease.py",
}
UNDEFINED = CURE | {
    "signature": "shell compile undefined: <name>",
    "line": "a/b.go:9:2: undefined: setUpLeases",
    "change": "- setUpLease(t)\n+ newLease(t)",
}
CHECKED = CURE | {
    "signature": "shell lint:errcheck Error return value of <q> is not checked",
    "line": "Error return value of `g` is not checked (errcheck)",
    "change": "- g()\n+ g() //nolint:errcheck",
}


@pytest.mark.parametrize(
    ("cure", "line", "expected"),
    [
        # the same line, wherever it stands now
        (CURE, LEASE, True),
        (CURE, f"E {LEASE[:-2]}7", True),
        (CURE | {"change": ""}, LEASE, True),
        (CURE | {"change": "", "project": "x"}, LEASE, False),
        (CURE | {"line": "ValueError: no till in row 12"}, LEASE, False),
        # the same error about another name: only a change that speaks of that
        (UNDEFINED, "c/d.go:120:7: undefined: setUpLease", True),
        (UNDEFINED, "a/b.go:9:2: undefined: openTill", False),
        # plain words may be of anything
        (UNDEFINED | {"change": "- lease(t)\n+ newLease(t)"}, "b.go:9:2: undefined: lease", False),
        # but a linter's rule is kept in its own way
        (CHECKED, "a.go:1:2: Error return value of `f` is not checked (errcheck)", True),
        (CHECKED | {"change": ""}, "Error return value of `f` is not checked (errcheck)", False),
        # unless it is only what was added there, for the thing that was spoken of then
        (CHECKED | {"change": "+ take(lease)"}, "Error return value of `f` is off", False),
        (CHECKED | {"change": "+ //nolint:errcheck // why"}, "Error return value of `f`", True),
        # another way to call it, or another command: of the same command alone
        (CURE | {"how": "command", "change": "make db"}, "no lease in row 99", True),
        (CURE | {"how": "command", "action": "go test"}, LEASE, False),
        (CURE | {"how": "rephrase"}, LEASE, True),
        (CURE | {"how": "rephrase"}, "ValueError: no till in row 12", False),
        (CURE | {"how": "variable", "change": "SHOP_TOKEN", "action": ""}, LEASE, False),
    ],
)
def test_what_a_cure_fits(cure, line, expected):
    command = "cd x && .venv/bin/pytest tests | tail"
    assert fits_error(cure, line, command, CURE["project"]) is expected


def test_the_best_cure_of_each_error_is_chosen_in_the_order_of_the_text():
    code = "Error return value of `f` is not checked (errcheck)"
    text = f"{code}\n{LEASE}"
    older = CHECKED | {"day": "2026-03-01", "change": "- a()\n+ b()"}
    elsewhere = CHECKED | {"project": "p", "day": "2026-09-01"}
    spoken = CHECKED | {"day": "2026-02-01", "change": "- readTill()\n+ readTill() //nolint"}
    cures = [CURE, older, CHECKED, elsewhere, spoken, UNDEFINED]
    assert choose_cures(cures, text, "pytest", CURE["project"]) == [CHECKED, CURE]
    named = text.replace("`f`", "`readTill`")
    assert choose_cures(cures, named, "pytest", CURE["project"]) == [spoken, CURE]
    assert choose_cures(cures, "all is well", "pytest", CURE["project"]) == []


def test_the_hook_shortens_as_the_reader_does():
    assert (Limits().result, Limits().argument) == (lookup.RESULT, lookup.ARGUMENT)


def test_it_is_told_as_a_record_with_its_date_and_link():
    assert format_cure(CURE, "github.com/ana/shop") == (
        "- 2026-04-01 in this project, [[daily/2026-04-01]]: ValueError passed after an edit of "
        "`src/lease.py`: `- take()` `+ take(lease)`"
    )
    assert "in another project" in format_cure(CURE, "github.com/ana/till")
    assert "[[" not in format_cure(CURE | {"log": ""}, "x")


@cased()
def test_each_kind_of_cure_says_what_was_done(cure, said):
    assert said in format_cure(CURE | cure, "x")


def test_a_long_change_is_cut_line_by_line():
    line = format_cure(CURE | {"change": f"- {'x' * 900}\n+ {'y' * 900}"}, "x")
    assert len(line) < 500
    assert line.count("...`") == 2


@given(st.text(max_size=200))
def test_what_it_says_stays_one_line_within_the_frame(change):
    text = compose_text([format_cure(CURE | {"change": change}, "x")], "/v", "b0")
    assert text.count("</memoria-b0>") == 1
    assert text.endswith("</memoria-b0>")
    assert "not a message of the user" in text
    said = text[text.index("- 2026-04-01") :].split("\n")
    assert len(said) == 2
