import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.capture.extract.signatures import LONGEST, mask, signature


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("open /home/ann/app/conf.yaml: no such file", "open <path.yaml>: no such file"),
        (r"cannot read C:\Users\ann\x.json", "cannot read <path.json>"),
        ("src/lib.rs:12:7: mismatched types", "<path.rs>: mismatched types"),
        ("job 1f0c9e0a-6f1b-4c1e-9a77-0d5a5b5c9f11 lost", "job <uuid> lost"),
        ("at 2031-05-06T07:08:09.123Z died", "at <time> died"),
        ("GET https://example.com/a?b=1 gave 502", "GET <url> gave <n>"),
        ("connect to 10.0.0.1:5432 refused", "connect to <ip> refused"),
        ("bad object 9fceb02d0ae598e95dc970b74767f19372d61af8", "bad object <hex>"),
        ("took 3.5s, limit 200ms", "took <n>, limit <n>"),
        ("No module named 'yaml'", "No module named <q>"),
        ("it doesn't match and we can't go on", "it doesn't match and we can't go on"),
        ("\x1b[31merror\x1b[0m: boom", "error: boom"),
        ("TestParse_Empty/case_2 failed", "<test> failed"),
        ("tests/a_test.py::test_sum[1-2] failed", "<test> failed"),
        ("tests/a_test.py::TestSum::test_one failed", "<test> failed"),
        ("tests/a_test.py::TestSum failed", "<test> failed"),
        ("no version 1.20.3-rc1 of it", "no version <n> of it"),
        ("no answer from db.example.com:5432", "no answer from <host>"),
        ("no answer from localhost:80 yet", "no answer from <host> yet"),
        ("app.config.dev is not set", "app.config.dev is not set"),
        ("org.example.Store not loaded", "org.example.Store not loaded"),
        ("a, 1, 2, 3 and 4", "a, <n> ..."),
        ("read/write and/or 1.5", "read/write and/or <n>"),
        ("rule E501 of ruff, TS2322 of tsc", "rule E501 of ruff, TS2322 of tsc"),
        ("HTTP 404 from server", "HTTP <n> from server"),
    ],
)
def test_mask(line, expected):
    assert mask(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("undefined: parseAll", "undefined: <name>"),
        ("undefined: errors", "undefined: <name>"),
        ("x.Close undefined (type *Conn has no method Close)", None),
        ("cannot find symbol my_function", "cannot find symbol <name>"),
    ],
)
def test_names_of_code_are_masked_on_request(line, expected):
    masked = mask(line, names=True)
    assert "parseAll" not in masked
    assert masked == (expected or "<name> undefined (type *Conn has no method <name>)")


# A masked line is a fixed point but for its own marks, so a stored signature can be masked again.
@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="<>"), max_size=300))
def test_masking_is_bounded_and_has_no_line_break(line):
    masked = mask(line)
    assert "\n" not in masked
    assert len(signature("Bash", "exit", masked)) <= LONGEST


def test_the_same_error_in_another_place_has_the_same_mask():
    first = "/tmp/a1/main.py:10: error 3 in 'x' at 10:11:12"
    second = "/home/b/other.py:999: error 47 in 'a longer one' at 23:00:01"
    assert mask(first) == mask(second)


def test_long_hostile_lines_are_masked_quickly():
    for piece in ("a.", "/a", "'", "0x", "1,", "<n> ", "::a", "@a.", "-a_", "`", "a.b/c "):
        assert len(mask(piece * 60_000)) <= LONGEST * 5 * 3
