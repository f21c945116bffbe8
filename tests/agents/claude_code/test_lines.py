"""One line's bytes: what is skipped before parsing, and all that bytes can do wrong."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transcript_lines import assistant, encode, line, result, text, tool, user

from memoria.agents.claude_code.line_content import WANTED
from memoria.agents.claude_code.lines import NOISE, own_type, read_line
from memoria.agents.json_line import moment, whole
from memoria.agents.pieces import Answered, Called, Limits, Line, Place, Prompted, Said

LIMITS = Limits()


def packed(record):
    return json.dumps(record, separators=(",", ":")).encode()


def words(raw):
    found = read_line(raw, LIMITS)
    assert isinstance(found, Line), found
    return found.pieces[0].text


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"type":"api-request-blob","message":{"type":"user"}}', "api-request-blob"),
        (b'{"parentUuid":null,"cwd":"/a","type":"progress","data":{"type":"x"}}', "progress"),
        (b'{"cwd":"\\"type\\":\\"user\\"","type":"mode"}', "mode"),
        (b'{"message":{"type":"message"},"type":"assistant"}', None),
        (b'{"isSidechain":false,"attachment":{"type":"date"},"type":"attachment"}', "attachment"),
        (b'{"data":{"type":"progress"},"type":"user"}', None),
        (b'{"type": "user"}', None),
        (b'{"type":"', None),
        (b"", None),
    ],
)
def test_the_type_is_found_without_parsing_only_where_it_is_the_lines_own(raw, expected):
    assert own_type(raw) == expected


TYPES = st.sampled_from([*sorted(WANTED), "progress", "mode"])
KEYS = st.sampled_from(["type", "cwd", "message", "attachment", "data", "uuid"])
NESTED = st.recursive(TYPES, lambda inner: st.dictionaries(st.sampled_from(["type", "a"]), inner))


@given(st.lists(st.tuples(KEYS, NESTED)).map(dict))
def test_a_type_found_without_parsing_is_the_one_that_parsing_finds(record):
    # an attachment is told by its nested object: the client gives such a line no other type
    assert own_type(packed(record)) in (None, "attachment", record.get("type"))


@pytest.mark.parametrize("kind", sorted(NOISE))
def test_noise_is_passed_over_without_a_word(kind):
    assert read_line(encode(line(kind, message={"content": "fix it"})), LIMITS) == ""
    assert read_line(packed({"message": {"type": "x"}, "type": kind}), LIMITS) == ""


def test_an_unknown_type_is_named():
    assert read_line(b'{"type":"hologram"}', LIMITS) == "type hologram"
    assert read_line(b'{"a":{"type":"user"},"type":"hologram"}', LIMITS) == "type hologram"
    assert read_line(b'{"type":"' + b"x" * 500 + b'"}', LIMITS).startswith("type xxx")
    assert read_line(b'{"type":7}', LIMITS) == "no type"
    assert read_line(b'{"type":["user"]}', LIMITS) == "no type"


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
    assert read_line(raw, LIMITS) == reason


@pytest.mark.parametrize(
    "raw",
    [
        packed(user("fix it")),
        packed(user("fix it")) + b"\r\n",
        b"\xef\xbb\xbf" + packed(user("fix it")) + b"\n",
        b"\x00\x00\x00" + packed(user("fix it")) + b"\x00\n",
        json.dumps(user("fix it"), indent=1).replace("\n", " ").encode(),
    ],
)
def test_bytes_around_a_line_do_no_harm(raw):
    assert words(raw) == "fix it"


def test_line_separators_of_unicode_do_not_end_a_line():
    raw = json.dumps(user("a\u2028b\u2029c\x85d"), ensure_ascii=False).encode()
    assert words(raw) == "a\u2028b\u2029c\x85d"


def test_bytes_that_are_no_utf8_are_replaced_and_told():
    found = read_line(packed(user("caf#")).replace(b"#", b"\xe9"), LIMITS)
    assert found.pieces == (Prompted("caf\ufffd"),)
    assert found.damaged
    assert not read_line(packed(user("café")), LIMITS).damaged


@pytest.mark.parametrize("key", ["uuid", "cwd", "gitBranch", "version", "message"])
def test_lone_surrogates_never_reach_what_is_written(key):
    record = user("x")
    record[key] = {"content": "x\ud800"} if key == "message" else "x\ud800"
    repr(found := read_line(packed(record), LIMITS)).encode()
    assert "\ufffd" in repr(found)


def test_a_line_says_where_it_was_written():
    found = read_line(packed(user("a")), LIMITS)
    assert found.place == Place("s-1", "/home/ana/shop", "main", "2.1.30")
    assert found.at == datetime(2026, 3, 2, 10, tzinfo=UTC)
    wrong = user("a", sessionId="../../etc", cwd=7, gitBranch=[], version={}, uuid=3, timestamp={})
    found = read_line(packed(wrong), LIMITS)
    assert (found.place, found.uuid, found.at) == (Place("", "", "", ""), "", None)


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
    assert moment(value) == expected


def test_the_second_copy_of_a_result_is_not_parsed_where_it_is_the_lines_own():
    record = {**result("c", "ok"), "toolUseResult": {"stdout": "[" * 9}, "sandboxed": False}
    broken = packed(record).replace(b'"[[[', b"[[[")
    with pytest.raises(ValueError, match="delimiter"):
        json.loads(broken)
    assert read_line(broken, LIMITS).pieces == (Answered("c", "ok", is_error=False),)
    nested = user([{"type": "text", "toolUseResult": 1, "text": "fix it"}])
    assert words(packed(nested)) == "fix it"


def test_a_line_that_only_thinks_is_passed_over_and_no_other():
    thought = {"type": "thinking", "thinking": "hm", "signature": "x"}
    assert read_line(packed(assistant(thought)), LIMITS) == ""
    both = packed(assistant(thought, text("done")))
    assert read_line(both, LIMITS).pieces == (Said("done"),)
    called = packed(assistant(thought, tool("c1")))
    assert read_line(called, LIMITS).pieces == (Called("c1", "Bash", ()),)


def test_a_last_line_is_whole_only_to_its_very_end():
    raw = packed({**result("c", "ok"), "toolUseResult": {"stdout": "done"}})
    assert whole(raw)
    assert not any(whole(raw[:end]) for end in range(len(raw)))
    assert not whole(b"12")


@given(st.binary(max_size=300))
def test_no_bytes_crash(raw):
    read_line(raw, LIMITS)
