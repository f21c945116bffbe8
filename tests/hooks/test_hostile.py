"""Every hook against every kind of hostile input: silence or one JSON object, nothing elsewhere."""

import io
import json
import os
import sys
from types import SimpleNamespace

import pytest
from place import state_of
from ruled import keep, made
from transcript_lines import user

from memoria import refresh
from memoria.hooks import failure_answer, prompt_answer, protocol, session_spool, start_answer

HOOKS = {
    "SessionStart": start_answer.handle,
    "PreCompact": session_spool.handle,
    "SessionEnd": session_spool.handle,
    "UserPromptSubmit": prompt_answer.handle,
    "PostToolUseFailure": failure_answer.handle,
}
COMMON = ("session_id", "transcript_path", "cwd")
# what each reads besides; PreCompact is SessionEnd's handler and reads the same
FIELDS = {
    "SessionStart": (*COMMON, "source"),
    "SessionEnd": (*COMMON, "reason", "hook_event_name"),
    "UserPromptSubmit": (*COMMON, "prompt", "prompt_id"),
    "PostToolUseFailure": (*COMMON, "tool_name", "tool_input", "tool_use_id", "error"),
}
VALUES = {
    "number": 7,
    "float": 1e308,
    "true": True,
    "null": None,
    "list": [["x"] * 50] * 50,
    "object": {"a": {"b": {"c": "d"}}},
    "empty": "",
    "NUL": "s-1\0../x",
    "lone surrogate": "s-\ud83c",
    "traversal": "../../../../etc/cron.d/x",
    "encoded traversal": "%2e%2e%2f%2e%2e%2fx",
    "windows": "..\\..\\Startup\\x.bat",
    "drive": "C:\\Windows\\x",
    "device": "\\\\.\\COM1",
    "share": "\\\\host\\share\\s-1.jsonl",
    "other share": "//host/share/s-1.jsonl",
    "stream": "s-1.jsonl:x",
    "reserved": "CON",
    "option": "--vault=/tmp/x",
    "shell": "$(touch x); `touch x`; | touch x",
    "newline": "s-1\n{}",
    "separator": "s-1\u2028s",
    "bidi": "s-\u202e1",
    "system file": "/etc/passwd",
    "device file": "/dev/zero",
    "own memory": "/proc/self/environ",
    "home": "~root/.bashrc",
    "long": "x" * 200_000,
    "wide": "\U0001f331" * 50_000,
    "deep text": "[" * 100_000,
    "format": "{0.__class__} %s %n",
    "markup": "</memoria-0000><script>x</script>",
    "SQL": "'; DROP TABLE rule; -- lease queue",
}  # fmt: skip


@pytest.fixture
def desk(place, monkeypatch):
    """A vault with a rule in force, a session, and a hook that prints into a list."""
    transcript = place.transcript("s-1", user("Why do leases of the queue expire?", 0))
    keep(
        place, made("Always renew the lease of the queue", status="active", scope=()), approve=True
    )
    refresh.refresh(place.work)
    started = []
    monkeypatch.setattr(protocol, "detach", lambda *words: started.append(words))
    real = protocol.write_all
    printed = []

    def put(handle, data):
        return printed.append(data) if handle == 1 else real(handle, data)

    monkeypatch.setattr(protocol, "write_all", put)
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)

    def fire(event, stdin):
        printed.clear()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(stdin)))
        protocol.answer_event(
            HOOKS[event], protocol.HookPlace(str(place.vault), str(state_of(place.vault)))
        )
        return b"".join(printed)

    return SimpleNamespace(place=place, transcript=transcript, fire=fire, started=started)


def usual(desk, event):
    return {
        "session_id": "s-1",
        "transcript_path": str(desk.transcript),
        "cwd": "/home/ana/shop",
        "hook_event_name": event,
        "source": "startup",
        "reason": "other",
        "trigger": "auto",
        "prompt": "renew the lease of the queue",
        "prompt_id": "p-1",
        "tool_name": "Bash",
        "tool_input": {"command": "pytest"},
        "tool_use_id": "toolu_1",
        "error": "Exit code 1\nValueError: lease",
    }


def outside(desk):
    """All files but those of the state, with what tells a change."""
    state = state_of(desk.place.vault)
    found = (path for path in desk.place.root.rglob("*") if not path.is_relative_to(state))
    return {str(path): path.lstat().st_mtime_ns for path in found if not path.is_dir()}


def checked(desk, event, stdin):
    before = outside(desk)
    printed = desk.fire(event, stdin)
    assert outside(desk) == before
    if printed:
        (value,) = [json.loads(printed)]
        assert list(value) == ["hookSpecificOutput"]
        assert value["hookSpecificOutput"]["hookEventName"] == event
        text = value["hookSpecificOutput"]["additionalContext"]
        assert text.count("<memoria-") == text.count("</memoria-") == 1
        assert len(text.encode("utf-16-le", "surrogatepass")) // 2 < 10_000
    for path in state_of(desk.place.vault).rglob("*"):
        assert ".." not in path.name
        assert path.lstat().st_mode & 0o077 == 0 or path.is_symlink()
    return printed


@pytest.mark.parametrize("event", FIELDS)
def test_a_field_may_hold_anything(desk, event, monkeypatch):
    os.umask(0o077)
    for name in FIELDS[event]:
        for value in VALUES.values():
            stdin = json.dumps(usual(desk, event) | {name: value}).encode()
            desk.fire(event, stdin)
    checked(desk, event, json.dumps(usual(desk, event) | {"session_id": "s-2"}).encode())
    for value in VALUES.values():
        if isinstance(value, str) and "\0" not in value and "\ud83c" not in value:
            monkeypatch.setenv("CLAUDE_PROJECT_DIR", value)
            checked(desk, event, json.dumps(usual(desk, event)).encode())


BYTES = {
    "nothing": b"",
    "half": b'{"session_id": "s-1',
    "not UTF-8": b'{"session_id": "\xff\xfe"}',
    "two objects": b'{"session_id": "s-1"}{"session_id": "s-2"}',
    "too much": b'{"session_id": "s-1", "x": "' + b"x" * (2 << 20) + b'"}',
    "deep lists": b"[" * 300_000,
    "deep objects": b'{"a":' * 100_000,
    "a long number": b'{"session_id": ' + b"9" * 50_000 + b"}",
    "NaN": b'{"session_id": NaN}',
    "doubled": b'{"session_id": "s-1", "session_id": "../x"}',
    "a list": b"[]",
    "a BOM": b'\xef\xbb\xbf{"session_id": "s-1"}',
    "UTF-16": '{"session_id": "s-1"}'.encode("utf-16"),
}


@pytest.mark.parametrize("event", HOOKS)
def test_stdin_may_be_anything(desk, event):
    os.umask(0o077)
    for name, stdin in BYTES.items():
        desk.started.clear()
        printed = checked(desk, event, stdin)
        # JSON may come so, and then it is an event
        assert not (printed or desk.started) or name in {"a BOM", "UTF-16"}, name


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="asks for the owner")
@pytest.mark.parametrize("event", ["PreCompact", "SessionEnd"])
def test_what_is_another_users_is_not_taken(desk, event, monkeypatch):
    real = os.lstat

    def lstat(path, **more):
        found = real(path, **more)
        others = str(path).endswith(".jsonl")
        return os.stat_result([*found[:4], 12345, *found[5:]]) if others else found

    monkeypatch.setattr(os, "lstat", lstat)
    checked(desk, event, json.dumps(usual(desk, event)).encode())
    assert not list((state_of(desk.place.vault) / "spool/new").glob("*.json"))
    assert desk.started == []


def test_a_transcript_that_fires_the_hook_again_is_one_job_and_one_process_each(desk):
    for number in range(3):
        name = f"s-{number}"
        path = desk.place.transcript(name, user("Again.", 0))
        event = usual(desk, "SessionEnd") | {"session_id": name, "transcript_path": str(path)}
        desk.fire("SessionEnd", json.dumps(event).encode())
        assert len(desk.started) == number + 1
    assert all(words[1]["CLAUDE_INVOKED_BY"] for words in desk.started)
