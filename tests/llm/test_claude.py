"""The Claude engine against a loopback server, through the real SDK and the real client."""

import json
import os
import stat
import sys

import pytest
from client import Room, find_client, hook, needs_client, until
from limits import HANGS
from loopback import Answer, Loopback, call, fails, say, structured

from memoria import errors
from memoria.llm.claude import INVOKED_BY, MAX_OUTPUT, MAX_TURNS, Claude, call_environment
from memoria.llm.port import Request

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(needs_client() != "", reason=needs_client())]

SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}},
    "required": ["title"],
    "additionalProperties": False,
}
FORM = {"title": "Login fixed"}


@pytest.fixture(scope="module")
def loop():
    with Loopback() as server:
        yield server
    assert server.strays == []


@pytest.fixture(scope="module")
def room(loop, tmp_path_factory):
    with Room(tmp_path_factory.mktemp("room"), loop.url) as room, room.as_environment():
        yield room


@pytest.fixture
def ask(loop, room):
    def ask(prompt="Fill in the form.", *, task="flush", **settings):
        given = {"cwd": room.root / "worker", "env": room.env, "home": room.home, **settings}
        given["max_seconds"] = settings.get("max_seconds", HANGS)
        ask.engine = Claude(**given)
        return ask.engine.ask(Request(task, prompt, SCHEMA, material=None))

    loop.script()
    yield ask
    assert loop.strays == []


def test_an_answer_comes_with_model_and_cost(loop, ask):
    loop.script(structured(FORM, input_tokens=7_000, output_tokens=500))
    reply = ask(models={"flush": "claude-haiku-4-5"})
    assert reply.value == FORM
    assert (reply.engine, reply.model) == ("claude", "claude-haiku-4-5")
    assert (reply.cost.input_tokens, reply.cost.output_tokens) == (7_000, 500)
    # its list price: $1 and $5 a million
    assert reply.cost.usd == pytest.approx(0.0070 + 0.0025)
    assert ask.engine.spent == reply.cost
    assert len(loop.bodies) == 1


def test_what_is_sent_is_the_prompt_and_the_form_and_little_else(loop, ask):
    loop.script(structured(FORM))
    ask("Notes on @/etc/hostname")
    body = loop.bodies[0]
    assert [tool["name"] for tool in body["tools"]] == ["StructuredOutput"]
    assert body["tools"][0]["input_schema"] == SCHEMA
    assert body["max_tokens"] == MAX_OUTPUT["flush"]
    assert body.get("thinking", {"type": "disabled"}) == {"type": "disabled"}
    assert "cache_control" not in json.dumps(body)
    # the client's own words on top of ours: 2,000 tokens are allowed for prompt and form
    assert len(json.dumps(body)) < 3_500


def test_the_persons_hooks_notes_and_transcripts_stay_out(loop, ask, room):
    worker = room.root / "hooked"
    worker.mkdir()
    marker = room.root / "fired"
    entry = hook(sys.executable, "-S", "-E", "-c", f"open({str(marker)!r}, 'w')")
    everywhere = dict.fromkeys(("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"), entry)
    room.install(everywhere)
    (worker / ".claude").mkdir()
    (worker / ".claude" / "settings.json").write_text(json.dumps({"hooks": everywhere}))
    (worker / "CLAUDE.md").write_text("sentinel-1187")
    (room.config / "CLAUDE.md").write_text("sentinel-1187")
    before = room.transcripts()
    loop.script(structured(FORM))
    ask(cwd=worker)
    assert not marker.exists()
    assert "sentinel-1187" not in json.dumps(loop.bodies)
    assert room.transcripts() == before
    room.settings().unlink()


def test_what_would_steer_the_client_does_not_reach_it(loop, ask, monkeypatch):
    steering = {
        "ANTHROPIC_MODEL": "opus",
        "ANTHROPIC_BETAS": "some-beta",
        "CLAUDECODE": "1",
        "CLAUDE_CODE_SESSION_ID": "0b0e7f2c-0000-4000-8000-000000000000",
        "CLAUDE_CODE_EXTRA_BODY": '{"steered": 1}',
        "CLAUDE_CODE_SIMPLE": "1",
        "MAX_THINKING_TOKENS": "9000",
    }
    for name, value in steering.items():
        monkeypatch.setenv(name, value)
    loop.script(structured(FORM))
    assert ask(env=dict(os.environ), models={"flush": "claude-haiku-4-5"}).value == FORM
    seen = loop.requests[0]
    assert "some-beta" not in seen.headers["anthropic-beta"]
    assert seen.headers["x-claude-code-session-id"] != steering["CLAUDE_CODE_SESSION_ID"]
    assert "steered" not in seen.body
    assert seen.body.get("thinking", {"type": "disabled"}) == {"type": "disabled"}


def test_a_key_helper_of_the_user_is_passed_on_and_a_projects_is_not(loop, ask, room):
    helper = room.root / "helper"
    told = room.root / "told"
    helper.write_text(f'#!/bin/sh\necho "$CLAUDE_INVOKED_BY" > {told}\necho helped\n')
    helper.chmod(0o700)
    worker = room.root / "helped"
    (worker / ".claude").mkdir(parents=True)
    evil = {"apiKeyHelper": f"touch {room.root / 'evil'}"}
    (worker / ".claude" / "settings.json").write_text(json.dumps(evil))
    room.settings().write_text(json.dumps({"apiKeyHelper": str(helper)}))
    env = room.env | {"ANTHROPIC_API_KEY": ""}
    loop.script(structured(FORM))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANTHROPIC_API_KEY", "")
        assert ask(env=env, cwd=worker).value == FORM
    assert loop.requests[0].headers["x-api-key"] == "helped"
    assert told.read_text().strip() == INVOKED_BY
    assert not (room.root / "evil").exists()
    room.settings().unlink()


LOW = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing."
LONG = "prompt is too long: 210000 tokens > 200000 maximum"
# Requests of one call: one retry for what may pass, and the client's own other ways to ask.
TRIES = {"401": 2, "429": 2, "529": 2, "404": 2, "too much text": 4}
# what the client makes of an answer; tests/llm/test_outcomes.py has the whole table
ERRORS = [
    ("no credit", fails(400, "invalid_request_error", LOW), errors.OutOfCredit, "credit"),
    ("401", fails(401, "authentication_error", "invalid x-api-key"), errors.NotLoggedIn, "log in"),
    ("404", fails(404, "not_found_error", "model: x"), errors.Unreachable, "model"),
    ("413", fails(413, "request_too_large", "too large"), errors.Truncated, "longer"),
    ("too long", fails(400, "invalid_request_error", LONG), errors.Truncated, "210000"),
    ("400", fails(400, "invalid_request_error", "messages: odd"), errors.BadReply, "odd"),
    ("429", fails(429, "rate_limit_error", "Too many tokens"), errors.RateLimited, "Too many"),
    ("529", fails(529, "overloaded_error", "Overloaded"), errors.Overloaded, "529"),
    ("cut", structured({"title": "x" * 9_000}, cut=True), errors.Unreachable, "ECONNRESET"),
    ("wrong shape", structured({"titel": 3}), errors.BadReply, "turns"),
    ("a tool", call("Bash", {"command": "touch ran"}), errors.BadReply, "turns"),
    ("refusal", Answer(stop="refusal"), errors.Refused, "declined"),
    ("too much text", say("and so on", stop="max_tokens"), errors.Truncated, "token"),
    ("a cut form", structured(FORM, stop="max_tokens"), errors.Truncated, "token"),
]


@pytest.mark.parametrize("case", ERRORS, ids=[name for name, *_ in ERRORS])
def test_errors_are_told_apart(loop, ask, room, case):
    name, answer, error, words = case
    loop.always(answer)
    with pytest.raises(error, match=words) as caught:
        ask()
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)
    assert 1 <= len(loop.bodies) <= TRIES.get(name, MAX_TURNS)
    assert not (room.root / "worker" / "ran").exists()


def test_what_a_failed_call_cost_is_not_lost(loop, ask):
    loop.always(structured({"titel": 3}, input_tokens=2_000, output_tokens=10))
    with pytest.raises(errors.BadReply):
        ask(models={"flush": "claude-haiku-4-5"})
    spent = ask.engine.spent
    assert (spent.input_tokens, spent.output_tokens) == (6_000, 30)
    assert spent.usd == pytest.approx(0.00615)


def test_not_logged_in(room, ask, loop):
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("ANTHROPIC_API_KEY")
        with pytest.raises(errors.NotLoggedIn, match="log in"):
            ask(env={name: value for name, value in room.env.items() if "KEY" not in name})
    assert loop.bodies == []


@pytest.mark.parametrize(
    "answer", [say("well", hang=True), structured(FORM, delay=30)], ids=["in a stream", "at once"]
)
def test_a_server_that_hangs(loop, room, ask, answer):
    loop.always(answer)
    with pytest.raises(errors.Unreachable, match=r"within 2 seconds|timed out"):
        ask(max_seconds=2, max_retries=0)
    client = str(find_client())
    until(lambda: not [p for p in room.processes().values() if client in p], "the child's end")


def test_the_workers_folder_is_made_and_private(loop, room, ask):
    loop.script(structured(FORM))
    ask(cwd=room.root / "deep" / "worker")
    assert stat.S_IMODE((room.root / "deep" / "worker").stat().st_mode) == 0o700


def test_login_and_route_are_kept_and_the_rest_is_blanked():
    env = {
        "ANTHROPIC_API_KEY": "k",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
        "AWS_PROFILE": "p",
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "CLAUDE_CODE_ENTRYPOINT": "cli",
        "CLAUDE_PROJECT_DIR": "/x",
        "DISABLE_COMPACT": "1",
        "PATH": "/bin",
    }
    found = {"ANTHROPIC_AUTH_TOKEN": "t"}
    assert call_environment(env, found) == {
        "CLAUDE_PROJECT_DIR": "",
        "DISABLE_COMPACT": "",
        "ANTHROPIC_AUTH_TOKEN": "t",
    }
