"""One line: what is skipped before parsing, all that bytes can do wrong, and what it tells."""

import json
from datetime import UTC, datetime

import pytest
from cases import cased
from hypothesis import given, strategies as st
from transcript_lines import START, WRITTEN, assistant, encode, made, result, text, tool, user

from memoria.agents import transcript
from memoria.agents.claude_code import tools
from memoria.agents.claude_code.lines import WANTED, own_type, read_line
from memoria.agents.json_line import parse_time
from memoria.agents.transcript import AssistantText, Limits, ResultEvent, TranscriptLine

LIMITS = Limits()


def packed(record):
    return json.dumps(record, separators=(",", ":")).encode()


def found(record):
    record = record if isinstance(record, dict) else made(record)[0]
    line = read_line(encode(record), LIMITS, WRITTEN)
    return line.pieces if isinstance(line, TranscriptLine) else line


def called(key, name, **arguments):
    return tools.build_call(key, name, tuple(arguments.items()), START)


def words(raw):
    return read_line(raw, LIMITS, WRITTEN).pieces[0].text


@cased()
def test_the_type_is_found_without_parsing_only_where_it_is_the_lines_own(raw, expected):
    assert own_type(raw) == expected


TYPES = st.sampled_from([*sorted(WANTED), "progress", "mode"])
KEYS = st.sampled_from(["type", "cwd", "message", "attachment", "data", "uuid"])
NESTED = st.recursive(TYPES, lambda inner: st.dictionaries(st.sampled_from(["type", "a"]), inner))


@given(st.lists(st.tuples(KEYS, NESTED)).map(dict))
def test_a_type_found_without_parsing_is_the_one_that_parsing_finds(record):
    # an attachment is told by its nested object: the client gives such a line no other type
    assert own_type(packed(record)) in (None, "attachment", record.get("type"))


DEEP = b"[" * 200_000 + b"]" * 200_000


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"\n", ""),
        (b"\x00\x00\x00\n", ""),
        (b"not json\n", "no JSON"),
        (b'{"type":"user"\n', "no JSON"),
        (packed(user("a")) + packed(user("b")), "no JSON"),
        (b"[1,2]\n", "no object"),
        (b'"user"\n', "no object"),
        (b"null\n", "no object"),
        (b"1e999\n", "no object"),
        (b"9" * 5000, "no JSON"),
        (DEEP, "nested too deeply"),
        (b'{"message":' * 200_000 + b"1" + b"}" * 200_000, "nested too deeply"),
        (b'{"type":"user","message":{"content":' + DEEP[:100_000], "nested too deeply"),
        (b"[" + b"[]," * 300_000 + b"[]]", "too many values"),
    ],
    ids=range(14),
)
def test_what_is_no_line_of_a_transcript_is_refused_with_its_reason(raw, reason):
    assert read_line(raw, LIMITS, WRITTEN) == reason


@pytest.mark.parametrize("key", ["uuid", "cwd", "gitBranch", "message"])
def test_lone_surrogates_never_reach_what_is_written(key):
    record = user("x")
    record[key] = {"content": "x\ud800"} if key == "message" else "x\ud800"
    repr(found := read_line(packed(record), LIMITS, WRITTEN)).encode()
    assert "\ufffd" in repr(found)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-03-02T10:00:00.000Z", datetime(2026, 3, 2, 10, tzinfo=UTC)),
        ("2026-03-02T12:00:00+02:00", datetime(2026, 3, 2, 10, tzinfo=UTC)),
        ("2026-03-02T10:00:00", datetime(2026, 3, 2, 10, tzinfo=UTC)),
        ("0001-01-01T00:00:00+23:59", None),
        ("9999-12-31T23:59:59-23:59", None),
        ("1970-01-01T00:00:00Z", None),
        ("yesterday", None),
        ("", None),
        (1772445600, None),
        (None, None),
        ("2026" * 100, None),
    ],
)
def test_times(value, expected):
    assert parse_time(value) == expected


def test_the_second_copy_of_a_result_is_not_parsed_where_it_is_the_lines_own():
    record = {**result("c", "ok"), "toolUseResult": {"stdout": "[" * 9}, "sandboxed": False}
    broken = packed(record).replace(b'"[[[', b"[[[")
    with pytest.raises(ValueError, match="delimiter"):
        json.loads(broken)
    assert read_line(broken, LIMITS, WRITTEN).pieces == (ResultEvent("c", "ok", is_error=False),)
    nested = user([{"type": "text", "toolUseResult": 1, "text": "fix it"}])
    assert words(packed(nested)) == "fix it"


def test_a_line_that_only_thinks_is_passed_over_and_no_other():
    thought = {"type": "thinking", "thinking": "hm", "signature": "x"}
    assert read_line(packed(assistant(thought)), LIMITS, WRITTEN) == ""
    both = packed(assistant(thought, text("done")))
    assert read_line(both, LIMITS, WRITTEN).pieces == (AssistantText("done", START),)
    assert found(assistant(thought, tool("c1"))) == (called("c1", "Bash"),)


# What a parsed line tells, of old and new clients


@cased()
def test_what_a_line_tells(record, expected):
    """Typed words are told from all others that stand in a user line."""
    assert found(record) == (expected if isinstance(expected, str) else tuple(pieces(expected)))


def pieces(rows):
    """Make the pieces of a case in a file: each is the name of its type and its values."""
    for name, *values in rows:
        more = values.pop() if values and isinstance(values[-1], dict) else {}
        kind = getattr(transcript, name, None)
        at = (START,) if kind and "at" in kind.__annotations__ else ()
        yield kind(*values, *at, **more) if kind else called(*values, **more)
