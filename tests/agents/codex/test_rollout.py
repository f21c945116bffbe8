"""A Codex session as neutral values: the readers below need no other agent's tool names."""

import json

import pytest

from memoria.agents.codex.rollout_store import found, read
from memoria.agents.transcript import Call, Interrupt, Steer
from memoria.capture.extract.mistakes import mistakes
from memoria.capture.extract.observed import observe
from memoria.errors import TranscriptError

PATCH = """*** Begin Patch
*** Update File: /home/ana/shop/lease.go
@@
 func a() {
-\tx()
+\tchecked(x())
 }
*** Add File: /home/ana/shop/new.go
+package shop
*** End Patch
"""


def event(kind, **more):
    return {"type": "event_msg", "payload": {"type": kind, **more}}


def item(kind, **more):
    return {"type": "response_item", "payload": {"type": kind, **more}}


def ran(key, command, output, code=0):
    ended = (
        f"Process exited with code {code}"
        if code is not None
        else "Process running with session ID 7"
    )
    return [
        item(
            "function_call",
            name="exec_command",
            call_id=key,
            arguments=json.dumps({"cmd": command}),
        ),
        item(
            "function_call_output", call_id=key, output=f"Chunk ID: a\n{ended}\nOutput:\n{output}"
        ),
    ]


def said(text):
    return item("message", role="assistant", content=[{"type": "output_text", "text": text}])


@pytest.fixture
def session(tmp_path):
    lines = [
        {
            "type": "session_meta",
            "payload": {"id": "s-7", "cwd": "/home/ana/shop", "git": {"branch": "lease"}},
        },
        {"type": "session_meta", "payload": {"id": "parent", "cwd": "/elsewhere"}},
        event("task_started"),
        item(
            "message",
            role="user",
            content=[{"type": "input_text", "text": "# AGENTS.md instructions"}],
        ),
        event("user_message", message="fix the lease"),
        said("I run the linter."),
        event("agent_message", message="I run the linter."),
        *ran(
            "c1",
            "golangci-lint run",
            "lease.go:3:2: Error return value of `x` is not checked (errcheck)",
            1,
        ),
        item("custom_tool_call", name="apply_patch", call_id="c2", input=PATCH),
        item("custom_tool_call_output", call_id="c2", output="Exit code: 0\nOutput:\nSuccess."),
        *ran("c3", "golangci-lint run", "0 issues."),
        event("user_message", message="and the tests"),
        *ran("c4", "go test ./...", "", None),
        item("function_call", name="write_stdin", call_id="c5", arguments='{"session_id": 7}'),
        item(
            "function_call_output",
            call_id="c5",
            output="Process exited with code 1\nOutput:\nFAIL\tshop",
        ),
        *ran("c6", "git commit -m 'Check the lease'", "[lease 1a2b3c4] Check the lease"),
        event("task_complete"),
        event("task_started"),
        event("user_message", message="stop"),
        event("turn_aborted"),
    ]
    path = tmp_path / "2026/03/02/rollout-2026-03-02T10-00-00-s-7.jsonl"
    path.parent.mkdir(parents=True)
    text = "".join(
        json.dumps(line | {"timestamp": "2026-03-02T10:00:00Z"}) + "\n" for line in lines
    )
    path.write_text(text + '{"type": "event_msg", "payl')
    return path


def test_turns_hold_the_users_own_words_and_calls_by_kind(session):
    first, second = read(session).turns
    assert (first.prompt, second.prompt) == ("fix the lease", "stop")
    assert [step.text for step in first.steps if isinstance(step, Steer)] == ["and the tests"]
    assert isinstance(second.steps[-1], Interrupt)
    assert [(call.kind, call.status) for call in first.calls] == [
        ("shell", 1),
        ("edit", None),
        ("edit", None),
        ("shell", 0),
        ("shell", 1),
        ("shell", 0),
    ]
    edit, new = (call for call in first.calls if call.kind == "edit")
    assert edit.hunks[0].old == "func a() {\n\tx()\n}"
    assert new.path.endswith("new.go")
    waited = first.calls[4]
    assert (waited.command, waited.result) == ("go test ./...", "\nFAIL\tshop")


def test_the_detectors_below_need_nothing_more(session):
    transcript = read(session)
    seen = observe(transcript)
    assert (transcript.session, transcript.cwd, seen.branch) == ("s-7", "/home/ana/shop", "lease")
    assert seen.files == ("lease.go", "new.go")
    assert [commit.subject for commit in seen.commits] == ["Check the lease"]
    assert [(check.name, check.last) for check in seen.checks] == [
        ("golangci-lint", "passed"),
        ("go test", "failed"),
    ]
    lint = mistakes(seen)[0]
    assert lint.kind == "lint:errcheck"
    assert lint.resolution is not None
    assert lint.resolution.change == "- x()\n+ checked(x())"


def test_files_are_found_and_one_that_is_not_there_is_an_error(session):
    assert list(found(session.parents[3])) == [session]
    assert all(isinstance(call, Call) for call in read(session).calls)
    with pytest.raises(TranscriptError):
        read(session.with_name("none.jsonl"))
