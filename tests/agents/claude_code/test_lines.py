"""One line: what is skipped before parsing, all that bytes can do wrong, and what it tells."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st
from transcript_lines import (
    START,
    WRITTEN,
    assistant,
    attached,
    encode,
    line,
    queue,
    result,
    say,
    text,
    tool,
    user,
)

from memoria.agents.claude_code import tools
from memoria.agents.claude_code.lines import WANTED, own_type, read_line
from memoria.agents.json_line import parse_time
from memoria.agents.transcript import (
    AssistantText,
    Compaction,
    Interrupt,
    Limits,
    PromptEvent,
    PullRequestEvent,
    QueueEvent,
    ResultEvent,
    SteerEvent,
    TitleEvent,
    TranscriptLine,
)

LIMITS = Limits()


def packed(record):
    return json.dumps(record, separators=(",", ":")).encode()


def found(record, limits=LIMITS):
    line = read_line(encode(record), limits, WRITTEN)
    return line.pieces if isinstance(line, TranscriptLine) else line


def called(key, name, **arguments):
    return tools.build_call(key, name, tuple(arguments.items()), START)


def words(raw):
    return read_line(raw, LIMITS, WRITTEN).pieces[0].text


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

IMAGE = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (user("fix it"), (PromptEvent("fix it"),)),
        (user([text("look"), IMAGE]), (PromptEvent("look\n[image]"),)),
        (user([IMAGE]), (PromptEvent("[image]"),)),
        (user("fix it", origin={"kind": "human"}), (PromptEvent("fix it"),)),
        (user("<command-name>/clear"), (PromptEvent("<command-name>/clear"),)),
        (user([text("[Request interrupted by user]")]), (Interrupt(START),)),
        (user("[Request interrupted by user for tool use]"), (Interrupt(START),)),
        (
            user([text("[Request interrupted by user]"), text("not that")]),
            (Interrupt(START), PromptEvent("not that")),
        ),
        (
            user("what does [Request interrupted by user] mean?"),
            (PromptEvent("what does [Request interrupted by user] mean?"),),
        ),
        (user("the story so far", isCompactSummary=True), (Compaction("the story so far", START),)),
        (user("Caveat: ...", isMeta=True), "meta"),
        (user("shown only", isVisibleInTranscriptOnly=True), "meta"),
        (user("<task-notification>", origin={"kind": "task-notification"}), "not typed"),
        (user("wake up", scheduledTaskId="t-1"), "not typed"),
        (user("from a program", textNotTyped=True), "not typed"),
        (user("on a schedule", promptSource="system"), "not typed"),
        (user("a model wrote it", promptSource="suggestion_accepted"), "not typed"),
        (user("of a later client", promptSource="robot"), "not typed"),
        (user("<task-notification>\n</task-notification>\nRead the output"), "not typed"),
        (user("odd", origin="human"), "not typed"),
        (user("odd", origin={"kind": ["human"]}), "not typed"),
        (user("odd", promptSource={"typed": 1}), "not typed"),
        (user(""), ()),
        (user(" \n "), ()),
        (user([]), "no content"),
        (user(7), "no content"),
        (user([None, 3, "x"]), "no content"),
        (user([{"type": "text", "text": None}]), ()),
        (line("user", message=["fix it"]), "no content"),
        (line("user"), "no content"),
    ],
)
def test_a_user_line_tells_typed_words_from_all_others(record, expected):
    assert found(record) == expected


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (say("done"), (AssistantText("done", START),)),
        (line("assistant", message={"content": "done"}), (AssistantText("done", START),)),
        (assistant({"type": "thinking", "thinking": "hm", "signature": "x"}), ()),
        (say(" \n"), ()),
        (assistant(tool("c1", command="ls")), (called("c1", "Bash", command="ls"),)),
        (
            assistant(tool("c1", "Edit", all=True, n=3, edits=[{"old": "é"}], none=None)),
            (called("c1", "Edit", all="true", n="3", edits='[{"old": "é"}]', none="null"),),
        ),
        (assistant({"type": "tool_use", "input": ["ls"]}), (called("", ""),)),
        (say("overloaded", isApiErrorMessage=True), "API error"),
        (say("no response requested", model="<synthetic>"), "API error"),
        (line("assistant", message=None), ()),
    ],
)
def test_an_assistant_line_tells_texts_and_calls(record, expected):
    assert found(record) == expected


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (attached("also this", origin={"kind": "human"}), (SteerEvent("also this"),)),
        (attached([text("also"), IMAGE], commandMode="prompt"), (SteerEvent("also\n[image]"),)),
        (attached("also", source_uuid="k", origin={"kind": "human"}), (SteerEvent("also", "k"),)),
        (
            attached("done", origin={"kind": "task-notification"}),
            (SteerEvent("done", typed=False),),
        ),
        (attached("x", origin={"kind": "human"}, isMeta=True), (SteerEvent("x", typed=False),)),
        (
            attached("<task-notification>x</task-notification>"),
            (SteerEvent("<task-notification>x</task-notification>", typed=False),),
        ),
        (line("attachment", attachment={"type": "date"}), ""),
        (line("attachment", attachment=3), ""),
        (queue("enqueue", "also"), (QueueEvent("enqueue", "also", "", discarded=False),)),
        (
            queue("remove", "also", commandUuid="k"),
            (QueueEvent("remove", "also", "k", discarded=False),),
        ),
        (
            queue("remove", "also", reason="cleared_on_cancel"),
            (QueueEvent("remove", "also", "", discarded=True),),
        ),
        (
            queue("enqueue", "<task-notification>x</task-notification>"),
            (
                QueueEvent(
                    "enqueue", "<task-notification>x</task-notification>", "", discarded=True
                ),
            ),
        ),
        ({"type": "summary", "summary": " Cart "}, (TitleEvent(1, "Cart"),)),
        ({"type": "ai-title", "aiTitle": "Cart"}, (TitleEvent(2, "Cart"),)),
        ({"type": "custom-title", "customTitle": "Cart"}, (TitleEvent(3, "Cart"),)),
        ({"type": "custom-title", "customTitle": None}, ()),
        ({"type": "pr-link", "prUrl": "https://x.test/1"}, (PullRequestEvent("https://x.test/1"),)),
        ({"type": "pr-link", "prNumber": 1}, ()),
    ],
)
def test_other_lines_that_tell_something(record, expected):
    assert found(record) == expected
