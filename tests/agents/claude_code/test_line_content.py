"""What one parsed line tells: tables of lines of old and new clients."""

import pytest
from transcript_lines import assistant, attached, line, queue, result, say, text, tool, user

from memoria.agents.claude_code.line_content import pieces, spent
from memoria.agents.pieces import (
    Answered,
    Called,
    Compacted,
    Interrupted,
    Limits,
    Linked,
    Prompted,
    Queued,
    Said,
    Steered,
    Titled,
)
from memoria.text.shorten import shorten

SMALL = Limits(result=20, argument=10, text=30)
IMAGE = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}


def found(record):
    return pieces(record, Limits())


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (user("fix it"), (Prompted("fix it"),)),
        (user([text("look"), IMAGE]), (Prompted("look\n[image]"),)),
        (user([IMAGE]), (Prompted("[image]"),)),
        (user("fix it", origin={"kind": "human"}), (Prompted("fix it"),)),
        (user("<command-name>/clear"), (Prompted("<command-name>/clear"),)),
        (user([text("[Request interrupted by user]")]), (Interrupted(),)),
        (user("[Request interrupted by user for tool use]"), (Interrupted(),)),
        (
            user([text("[Request interrupted by user]"), text("not that")]),
            (Interrupted(), Prompted("not that")),
        ),
        (
            user("what does [Request interrupted by user] mean?"),
            (Prompted("what does [Request interrupted by user] mean?"),),
        ),
        (user("the story so far", isCompactSummary=True), (Compacted("the story so far"),)),
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
        (result("c1", "ok"), (Answered("c1", "ok", is_error=False),)),
        (result("c1", "no", error=True), (Answered("c1", "no", is_error=True),)),
        (result("c1", "no", error="true"), (Answered("c1", "no", is_error=False),)),
        (result("c1", [text("a"), IMAGE]), (Answered("c1", "a\n[image]", is_error=False),)),
        (result("c1", None), (Answered("c1", "", is_error=False),)),
        (result(5, {"a": 1}), (Answered("", "", is_error=False),)),
        (
            user([*result("c1", "ok")["message"]["content"], text("and now the tests")]),
            # a program wrote there: nobody types into the message of a result
            (Answered("c1", "ok", is_error=False),),
        ),
        (
            result("c1", "ok", origin={"kind": "peer"}),
            (Answered("c1", "ok", is_error=False),),
        ),
    ],
)
def test_a_tools_result_is_no_prompt(record, expected):
    assert found(record) == expected


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (say("done"), (Said("done"),)),
        (line("assistant", message={"content": "done"}), (Said("done"),)),
        (assistant({"type": "thinking", "thinking": "hm", "signature": "x"}), ()),
        (say(" \n"), ()),
        (assistant(tool("c1", command="ls")), (Called("c1", "Bash", (("command", "ls"),)),)),
        (
            assistant(tool("c1", "Edit", all=True, n=3, edits=[{"old": "é"}], none=None)),
            (
                Called(
                    "c1",
                    "Edit",
                    (("all", "true"), ("n", "3"), ("edits", '[{"old": "é"}]'), ("none", "null")),
                ),
            ),
        ),
        (assistant({"type": "tool_use", "input": ["ls"]}), (Called("", "", ()),)),
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
        (attached("also this", origin={"kind": "human"}), (Steered("also this"),)),
        (attached([text("also"), IMAGE], commandMode="prompt"), (Steered("also\n[image]"),)),
        (
            attached("also", source_uuid="k", origin={"kind": "human"}),
            (Steered("also", "k"),),
        ),
        (attached("done", origin={"kind": "task-notification"}), (Steered("done", typed=False),)),
        (attached("x", origin={"kind": "human"}, isMeta=True), (Steered("x", typed=False),)),
        (
            attached("<task-notification>x</task-notification>"),
            (Steered("<task-notification>x</task-notification>", typed=False),),
        ),
        (line("attachment", attachment={"type": "date"}), ""),
        (line("attachment", attachment=3), ""),
        (queue("enqueue", "also"), (Queued("enqueue", "also", "", discarded=False),)),
        (
            queue("remove", "also", commandUuid="k"),
            (Queued("remove", "also", "k", discarded=False),),
        ),
        (
            queue("remove", "also", reason="cleared_on_cancel"),
            (Queued("remove", "also", "", discarded=True),),
        ),
        (
            queue("enqueue", "<task-notification>x</task-notification>"),
            (Queued("enqueue", "<task-notification>x</task-notification>", "", discarded=True),),
        ),
        ({"type": "summary", "summary": " Cart "}, (Titled(1, "Cart"),)),
        ({"type": "ai-title", "aiTitle": "Cart"}, (Titled(2, "Cart"),)),
        ({"type": "custom-title", "customTitle": "Cart"}, (Titled(3, "Cart"),)),
        ({"type": "custom-title", "customTitle": None}, ()),
        ({"type": "pr-link", "prUrl": "https://x.test/1"}, (Linked("https://x.test/1"),)),
        ({"type": "pr-link", "prNumber": 1}, ()),
    ],
)
def test_other_lines_that_tell_something(record, expected):
    assert found(record) == expected


def test_long_texts_keep_both_ends_each_within_its_bound():
    long = "a" * 40 + "b" * 40
    (answer,) = pieces(result("c", long), SMALL)
    # a word without an end: what the cut has broken of it, at most half, is left out as well
    assert answer.text == "a" * 5 + "\n[... 70 characters left out ...]\n" + "b" * 5
    (call,) = pieces(assistant(tool("c", command=long)), SMALL)
    assert call.arguments[0][1] == "aa\n[... 76 characters left out ...]\nbb"
    (prompt,) = pieces(user(long), SMALL)
    assert prompt.text.startswith("a" * 7 + "\n[... 66")
    assert shorten("x" * 20, 20) == "x" * 20


def test_a_call_with_very_many_arguments_keeps_the_first():
    (call,) = found(assistant(tool("c", **{f"a{n}": n for n in range(5000)})))
    assert len(call.arguments) == 64
    assert call.arguments[0] == ("a0", "0")


def test_lone_surrogates_are_replaced_and_pairs_are_kept():
    assert shorten("a\ud800b", 10) == "a\ufffdb"
    assert shorten("\U0001f600", 10) == "\U0001f600"


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"input_tokens": 5, "output_tokens": 6}, (5, 6, 0, 0)),
        ({"input_tokens": -5, "output_tokens": True}, (0, 0, 0, 0)),
        ({"input_tokens": 1e9, "cache_read_input_tokens": 10**30}, (0, 0, 0, 0)),
    ],
)
def test_tokens_that_are_no_counts_are_none(usage, tokens):
    assert spent(line("assistant", message={"id": "m", "usage": usage})).tokens == tokens


def test_a_line_without_usage_or_id_spends_nothing():
    assert spent(line("assistant", message={"usage": {"input_tokens": 1}})) is None
    assert spent(line("assistant", message={"id": "m", "usage": [1]})) is None
