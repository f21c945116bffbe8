"""The hooks of every other agent as its client starts them: by the line that an install wrote.

The payloads are those that the real clients were seen to send; OpenCode's come from our bridge.
"""

import json
import os
from pathlib import Path

import hooked
import pytest
from agents.written_sessions import (
    SESSION,
    CopilotSession,
    GeminiSession,
    NewCodexSession,
    OpenCodeSession,
    made,
)
from cases import cased
from hooks.test_recall import CHECK, ERROR, MENDED, SHOP
from ruled import keep, made as rule
from transcript_lines import YOUNG

from memoria.agents.client_hooks import CLIENTS
from memoria.agents.port import agent_named

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the lines are a POSIX shell's")
SAID = "From now on always run the linter before you commit, because CI is slow."
FOUND = "The root cause of zebra-4471: `cache.py` never evicts an entry, so the table grows."
TURNS = [(f"Why does zebra-4471 grow? {SAID}", [("say", FOUND)])]
WAYS = {
    "codex": NewCodexSession,
    "copilot": CopilotSession,
    "gemini": GeminiSession,
    "opencode": OpenCodeSession,
}
# the fields that Codex 0.169 knows in an answer: an unknown one voids it all
KNOWN = {"hookEventName", "additionalContext", "permissionDecision", "permissionDecisionReason"}
# what each event has beside session, folder and event
TOLD = "<hook_context>Rules: &lt;none&gt;</hook_context>\n\n"
STARTS = {"copilot": {"source": "new", "initial_prompt": "ping"}}
PROMPTS = {"codex": {"turn_id": YOUNG}}
BEFORE = {"gemini": TOLD}
ENDS = {"copilot": {"reason": "complete"}, "gemini": {"reason": "exit"}}
# a file of the person's, written as no program would; None: there is none
MINE = {
    "codex": json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}),
    "copilot": json.dumps({"version": 1, "hooks": {"Stop": [{"hooks": [{}]}]}}, indent="\t") + "\n",
    "gemini": '{"ui":{"theme":"x"},"hooks":{"BeforeAgent":[{"hooks":[]}]}}\r\n',
    "opencode": None,
}


class Room(hooked.Hooks):
    """A vault and a client's folder with one session; the hooks are installed by the verb."""

    def __init__(self, place, name):
        super().__init__(place)
        self.agent, self.client = agent_named(name), CLIENTS[name]
        environ = place.work.settings.environment
        self.sessions = self.agent.folder(environ, place.home)
        self.sessions.mkdir(parents=True)
        self.file = self.agent.settings(environ, place.home) / self.client.file
        self.session = made(WAYS[name], self.sessions, TURNS)

    def install(self):
        done = self.place.run("install", "--agent", self.agent.name)
        assert done[0] == 0, done[2]

    def fire(self, event, /, **more):
        """Run an event's installed line with what the client gives it; give what it is told."""
        name = self.client.names.get(event, event)
        value = {"session_id": self.session.path.name, "cwd": "/home/ana/shop"}
        if self.agent.name in {"codex", "copilot", "gemini"}:
            value["session_id"] = SESSION
        if self.agent.name in {"codex", "gemini"}:
            value["transcript_path"] = str(self.session.path)
        value |= {"hook_event_name": name} | more
        code, out, err = hooked.run(hooked.installed(self.file, name), value, self.environment)
        assert (code, err) == (0, b"")
        printed = json.loads(out or b"{}")
        if self.agent.name == "copilot" and printed:
            assert list(printed) == ["additionalContext"]
            return printed["additionalContext"]
        assert set(printed) <= {"hookSpecificOutput"}
        answer = printed.get("hookSpecificOutput", {})
        assert set(answer) <= KNOWN
        return answer.get("additionalContext", "")

    def files(self):
        """Give all that lies in the folder of the client's settings."""
        top = self.file.parent
        return {path: path.read_bytes() for path in top.rglob("*") if path.is_file()}


@pytest.fixture(params=CLIENTS)
def room(request, place):
    return Room(place, request.param)


def test_a_start_and_a_prompt_are_told_and_the_end_is_captured(room):
    name, place = room.agent.name, room.place
    keep(place, rule("Never edit the lock file", status="active", scope=()), approve=True)
    room.install()
    started = room.fire("SessionStart", **{"source": "startup"} | STARTS.get(name, {}))
    assert "Never edit the lock file" in started
    assert place.run("remember", "Ask before a force push.")[0] == 0
    # what is remembered here is of this folder's project
    prompt = {"prompt": f"{BEFORE.get(name, '')}push it", "cwd": str(Path.cwd())}
    prompt |= PROMPTS.get(name, {})
    assert "Ask before a force push" in room.fire("UserPromptSubmit", **prompt)
    assert room.fire("UserPromptSubmit", **prompt) == ""
    assert room.fire("SessionEnd", **{"reason": "other"} | ENDS.get(name, {})) == ""
    assert place.run("flush")[0] == 0
    (record,) = place.ledger("session")
    assert (record["agent"], len(record["turns"])) == (name, 1)
    (log,) = place.work.vault.logs()
    assert f"Session in {room.agent.label}." in place.log(str(log))
    checks = {check["name"]: check["detail"] for check in place.json("doctor")["checks"]}
    assert "1 entry from its sessions" in checks[room.agent.label]
    assert json.loads(place.run("import", "--json")[1])["entries"] == 0


@pytest.mark.parametrize("name", ["copilot", "gemini"])
def test_what_a_compaction_took_is_told_once_more_at_the_next_prompt(place, name):
    """OpenCode's bridge and Codex itself start a session anew then."""
    room = Room(place, name)
    keep(place, rule("Never edit the lock file", status="active", scope=()), approve=True)
    room.install()
    said = {"prompt": f"{BEFORE.get(name, '')}go on", "cwd": str(Path.cwd())}
    assert "Never edit the lock file" in room.fire("SessionStart", source="startup")
    assert room.fire("UserPromptSubmit", **said) == ""
    assert room.fire("PreCompact", trigger="manual") == ""
    assert len(room.jobs()) == 1
    assert "Never edit the lock file" in room.fire("UserPromptSubmit", **said)
    assert room.fire("UserPromptSubmit", **said) == ""


@cased()
def test_a_promoted_rule_is_told_to_those_that_do_not_load_its_file(place, words, told):
    shop = place.root / "shop"
    (shop / ".git").mkdir(parents=True)
    given = rule("Use `uv`, never pip", status="active", scope=())
    keep(place, given, approve=True)
    rooms = [Room(place, name) for name in CLIENTS]
    for one in rooms:
        one.install()
    if words:
        where = () if "--global" in words else ("--dir", str(shop))
        assert place.run("promote", given.id, *words, *where)[0] == 0
    start = {"session_id": "s-claude", "source": "startup", "cwd": str(shop)}
    seen = set()
    for one in rooms:
        mine = start | {"session_id": f"s-{one.agent.name}"}
        seen |= {one.agent.name} if "never pip" in one.fire("SessionStart", **mine) else set()
    *shell, line = hooked.installed(rooms[0].file, "SessionStart")
    claude = [*shell, line.replace("--agent codex", "")]
    _, out, _ = hooked.run(claude, start, rooms[0].environment)
    assert seen | ({""} if b"never pip" in out else set()) == told


# how each client tells of a command that printed something and ended with a code
TELLS = {
    "copilot": lambda text, code: {
        "tool_result": {
            "text_result_for_llm": f"{text}\n<shellId: 0 completed with exit code {code}>"
        }
    },
    "gemini": lambda text, code: {
        "tool_response": {
            "llmContent": f"<untrusted_context>\nOutput: {text}"
            + (f"\nExit Code: {code}" if code else "")
            + "\nProcess Group PGID: 7\n</untrusted_context>"
        }
    },
    # the bridge asks for failed commands alone
    "opencode": lambda text, code: {"error": text} if code else {},
}


def test_a_command_that_failed_is_told_what_fixed_it_before(room):
    if room.agent.name not in TELLS:
        pytest.skip("Codex tells a hook what a command printed, and not how it ended")
    place = room.place
    place.transcript("claude-1", *MENDED)
    assert place.run("import", "--agent", "claude-code")[0] == 0
    room.install()
    called = {"tool_name": "Bash", "tool_input": CHECK, "cwd": SHOP}
    printed = TELLS[room.agent.name]
    text = ERROR.removeprefix("Exit code 1\n")
    assert room.fire("PostToolUseFailure", **called, **printed(text, 0)) == ""
    told = room.fire("PostToolUseFailure", **called, **printed(text, 1))
    assert "`+ expiry = datetime.now(UTC)`" in told
    assert room.fire("PostToolUseFailure", **called, **printed(text, 1)) == ""


def test_what_one_agent_decided_reaches_the_prompt_in_each_other(place):
    """One vault and one repository: the newest decision, in whichever client it is asked for."""
    rooms = [Room(place, name) for name in CLIENTS]
    for one in rooms:
        one.install()
    assert place.run("import", "--agent", "gemini")[0] == 0
    for one in rooms:
        prompt = f"{BEFORE.get(one.agent.name, '')}zebra-4471 grows: what about `cache.py`?"
        told = one.fire("UserPromptSubmit", prompt=prompt, session_id=f"s-{one.agent.name}")
        assert "`cache.py` never evicts an entry" in told, one.agent.name


@pytest.mark.parametrize("is_there", [True, False])
def test_the_persons_file_is_merged_and_comes_back_to_the_byte(room, is_there):
    text = MINE[room.agent.name] if is_there else None
    room.file.parent.mkdir(parents=True, exist_ok=True)
    if text is not None:
        room.file.write_bytes(text.encode())
    before = room.files()
    words = ("install", "--agent", room.agent.name)
    code, out, _ = room.place.run(*words, "--dry-run")
    assert (code, f"uninstall --agent {room.agent.name}" in out) == (0, True)
    assert room.files() == before
    room.install()
    hooks = json.loads(room.file.read_text())["hooks"]
    wanted = {room.client.names.get(event, event) for event, _, _ in room.client.events}
    assert wanted <= set(hooks)
    if text is not None:
        for event, groups in json.loads(text)["hooks"].items():
            assert hooks[event][: len(groups)] == groups
    assert room.client.bridge == "" or (room.file.parent / room.client.bridge).is_file()
    after = room.files()
    assert "nothing to do" in room.place.run(*words)[2]
    assert room.files() == after
    assert room.place.run("uninstall", "--agent", room.agent.name)[0] == 0
    assert room.files() == before


def test_an_edit_of_the_persons_after_the_install_stays(room):
    room.install()
    hooked.amend(room.file, mine=1)
    assert "left to the byte" in room.place.run("uninstall", "--agent", room.agent.name)[2]
    assert json.loads(room.file.read_text()) == {"mine": 1}


def test_the_doctor_says_which_hooks_serve_the_vault_and_what_is_gone(room):
    def look():
        checks = room.place.json("doctor")["checks"]
        return next(one for one in checks if one["name"] == room.agent.label)

    assert "no hooks for this vault" in look()["detail"]
    room.install()
    assert str(room.file) in look()["detail"]
    assert "SessionStart" in look()["detail"]
    text = room.file.read_text()
    room.file.write_text(text.replace("/memoria/hooks/session_s", "/gone/memoria/hooks/session_s"))
    assert (look()["ok"], "is gone; `memoria install" in look()["detail"]) == (False, True)


def test_a_path_outside_of_the_clients_folder_is_not_taken(room):
    room.install()
    elsewhere = room.place.root / "events.jsonl"
    elsewhere.write_bytes(b"{}\n")
    room.fire("SessionEnd", session_id="../elsewhere", transcript_path=str(elsewhere))
    room.fire("SessionEnd", session_id="none-1", transcript_path=str(elsewhere))
    known = {str(room.session.path.parent / "none-1")}  # a database tells what is in it later
    assert {json.loads(job.read_text())["transcript"] for job in room.jobs()} <= known


def test_a_program_that_is_not_ours_stays_in_its_place(place):
    room = Room(place, "opencode")
    theirs = room.file.parent / room.client.bridge
    theirs.parent.mkdir(parents=True)
    theirs.write_text("export const Mine = async () => ({});\n")
    before = room.files()
    code, _, told = place.run("install", "--agent", "opencode")
    assert (code != 0, "is not Memoria's" in told) == (True, True)
    place.run("uninstall", "--agent", "opencode")
    assert room.files() == before


def test_what_keeps_hooks_from_running_is_said(place):
    room = Room(place, "gemini")
    room.file.write_text('{"hooksConfig": {"enabled": false}}')
    assert '"hooksConfig": no hook runs' in place.run("install", "--agent", "gemini")[2]
    room.file.write_text('{\n  // mine\n  "ui": {}\n}')
    assert "take them out" in place.run("install", "--agent", "gemini")[2]
    room = Room(place, "opencode")
    room.install()
    (room.file.parent / room.client.bridge).write_text("// Memoria's bridge, of old\n")
    assert "of another version" in place.run("status")[2]
    room.install()
    assert "of another version" not in place.run("status")[2]


def test_a_client_that_was_never_started_is_named(place):
    for name in CLIENTS:
        code, _, told = place.run("install", "--agent", name)
        assert (code != 0, "is not there: start" in told) == (True, True)
