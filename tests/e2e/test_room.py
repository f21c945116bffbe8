"""The clean room itself: the real client in it does what the other tests rely on."""

import json
import os
import sys

import pytest
from client import hook, until
from loopback import fails, replies, say, task_of

EVENTS = ("SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd")


def kinds(room):
    detail = ("source", "trigger", "reason")
    seen = [one["event"] for one in room.events()]
    names = [(one["hook_event_name"], *(one[key] for key in detail if key in one)) for one in seen]
    return [name for name in names if name[0] not in ("UserPromptSubmit", "Stop")]


def test_a_run_from_start_to_end(room, loop):
    loop.script(say("pong"))
    room.record(*EVENTS)
    done = room.ask("ping")
    assert (done.returncode, done.stdout) == (0, "pong\n"), done.stderr
    assert kinds(room) == [("SessionStart", "startup"), ("SessionEnd", "other")]
    (path,) = room.transcripts()
    assert "ping" in path.read_text()
    ended = room.events("SessionEnd")[0]
    assert ended["event"]["transcript_path"] == str(path)
    assert ended["env"]["HOME"] == str(room.home)
    assert len(loop.bodies) == 1


def test_nothing_of_this_machines_environment_gets_in(room, loop, monkeypatch):
    monkeypatch.setenv("SENTINEL", "of this machine")
    room.record("SessionEnd")
    room.ask("ping")
    assert "SENTINEL" not in room.events()[0]["env"]


def test_a_session_in_a_terminal(room, loop):
    loop.fallback = replies("pong-pong")
    room.record(*EVENTS)
    with room.terminal() as terminal:
        terminal.type("ping")
        terminal.shows("pong-pong")
        terminal.type("/compact")
        until(lambda: ("SessionStart", "compact") in kinds(room), "the compaction")
        terminal.shows("Compacted")
        terminal.type("/clear")
        until(lambda: ("SessionStart", "clear") in kinds(room), "the new session")
        terminal.type("/exit")
        terminal.ended()
    assert kinds(room) == [
        ("SessionStart", "startup"),
        ("PreCompact", "manual"),
        ("SessionStart", "compact"),
        ("SessionEnd", "clear"),
        ("SessionStart", "clear"),
        ("SessionEnd", "prompt_input_exit"),
    ]


def test_a_session_whose_terminal_closes(room, loop):
    room.record("SessionEnd")
    with room.terminal() as terminal:
        terminal.type("ping")
        until(lambda: loop.bodies, "the question")
    until(lambda: room.events("SessionEnd"), "the session's end")
    assert kinds(room) == [("SessionEnd", "other")]


@pytest.mark.parametrize("where", ["user", "project", "local"])
def test_hooks_of_all_three_settings_fire(room, where):
    room.record("SessionStart", where=where)
    room.ask("ping")
    assert kinds(room) == [("SessionStart", "startup")]


def test_what_a_hook_says_reaches_the_model(room, loop):
    said = {"hookEventName": "SessionStart", "additionalContext": "sentinel-4471"}
    code = f"print({json.dumps(json.dumps({'hookSpecificOutput': said}))})"
    room.install({"SessionStart": hook(sys.executable, "-S", "-E", "-c", code)})
    room.ask("ping")
    assert "sentinel-4471" in json.dumps(loop.bodies[0])


def test_detached_programs_are_seen_and_waited_for(room):
    code = (
        "import os, time\nwhile not os.path.exists('go'):\n    time.sleep(0.01)\nopen('done', 'w')"
    )
    spawn = (
        "import subprocess, sys; n = subprocess.DEVNULL;"
        f"subprocess.Popen([sys.executable, '-c', {code!r}],"
        " stdin=n, stdout=n, stderr=n, start_new_session=True)"
    )
    room.run(sys.executable, "-c", spawn)
    assert len(room.processes()) == 1
    (room.project / "go").touch()
    room.settle()
    assert (room.project / "done").exists()


def test_what_is_left_running_is_ended(room):
    room.run(
        sys.executable,
        "-c",
        "import os, time; os.fork() or (os.close(1), os.close(2), time.sleep(600))",
    )
    (number,) = room.processes()
    room.close()
    until(lambda: not room.processes(), "its end")
    assert number != os.getpid()


def test_the_server_answers_sessions_and_forms_at_once(room, loop):
    loop.fallback = replies(
        "pong", flush={"worth_keeping": False}, compile=fails(529, "overloaded_error", "x")
    )
    code = """
import asyncio, json, sys
from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query
schema = {"type": "object", "properties": {"worth_keeping": {"type": "boolean"}}}
async def main():
    form = {"type": "json_schema", "schema": schema}
    options = ClaudeAgentOptions(tools=[], output_format=form)
    async for message in query(prompt="x", options=options):
        if isinstance(message, ResultMessage):
            print(json.dumps(message.structured_output))
asyncio.run(main())
"""
    assert json.loads(room.python(code).stdout) == {"worth_keeping": False}
    assert room.ask("ping").stdout == "pong\n"
    assert [task_of(body) for body in loop.bodies] == ["flush", ""]


def test_what_would_go_elsewhere_is_refused_and_seen(room, loop):
    code = """
import urllib.request
try:
    urllib.request.urlopen("http://elsewhere.example/x", timeout=300)
except OSError as error:
    print(error.code)
"""
    assert room.python(code).stdout == "404\n"
    assert loop.strays == ["http://elsewhere.example/x"]
    loop.strays.clear()
