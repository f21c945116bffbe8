"""The hooks as Codex starts them: its payloads, its fields, and nothing that it does not know."""

import json
import os
import subprocess

import hooked
import pytest
from hooks.test_agents import KNOWN
from ruled import keep, made, stand_guard
from transcript_lines import (
    OWN,
    YOUNG,
    asked,
    encode_session,
    meta,
    rollout,
    said,
    say,
    started,
    user,
)

from memoria import refresh
from memoria.agents import session_file_store
from memoria.agents.client_hooks import CODEX
from memoria.rules.guards.check import parse_check

SAID = "From now on always run the linter before you commit, because CI is slow."

pytestmark = pytest.mark.skipif(os.name == "nt", reason="looks at what POSIX alone tells")


class Room(hooked.Hooks):
    """A vault, Codex's folder and one session in it."""

    def __init__(self, place):
        super().__init__(place)
        self.codex = place.home / ".codex"
        self.transcript = rollout(self.codex, [meta(), started(), asked(SAID), said("I will.")])
        refresh.refresh(place.work, settle=True)

    def fire(self, event, script="", *, agent=("--agent", "codex"), **more):
        """Start an event's program with what Codex gives it; give what it printed."""
        scripts = {name: program for name, program, _ in CODEX.events}
        value = {
            "session_id": OWN,
            "transcript_path": str(self.transcript),
            "cwd": str(self.place.root),
            "hook_event_name": event,
            "model": "m",
            "permission_mode": "default",
        }
        script = (script or scripts[event]).removesuffix(".py")
        out = self.run(script, value | more, *agent)
        if not out:
            return {}
        printed = json.loads(out)
        answer = printed.pop("hookSpecificOutput")
        assert (printed, set(answer) <= KNOWN, answer["hookEventName"]) == ({}, True, event)
        return answer


@pytest.fixture
def room(place):
    return Room(place)


def test_a_turns_end_waits_and_the_sessions_end_takes_its_place(room):
    for _ in range(2):
        assert room.fire("Stop", turn_id=YOUNG, stop_hook_active=False) == {}
    (job,) = room.jobs()
    assert json.loads(job.read_text())["transcript"] == str(room.transcript)
    assert room.place.work.vault.logs() == []  # nothing was started
    assert room.fire("SessionEnd", reason="other") == {}
    assert room.place.run("flush")[0] == 0
    (log,) = room.place.work.vault.logs()
    entry = room.place.log(str(log))
    assert '"agent": "codex"' in entry
    assert "Session in Codex." in entry
    assert [one["agent"] for one in room.place.ledger("session")] == ["codex"]


def test_a_flush_leaves_a_session_that_is_being_worked_in(room):
    room.fire("Stop", turn_id=YOUNG, stop_hook_active=False)
    room.place.run("flush", "--detached")
    assert room.place.work.vault.logs() == []
    long_ago = room.transcript.stat().st_mtime - 3600
    os.utime(room.transcript, (long_ago, long_ago))
    (job,) = room.jobs()
    hooked.amend(job, not_before=0)
    assert room.place.run("flush", "--detached")[0] == 0
    assert len(room.place.work.vault.logs()) == 1


@pytest.mark.parametrize("given", [None, ""])
def test_a_session_without_a_path_is_found_by_its_id(room, given):
    # an id of version 7 tells the day
    room.transcript.parent.rename(room.codex / "sessions" / "moved")
    day = room.codex / "sessions" / "2026/06/18"
    day.mkdir(parents=True)
    (room.codex / "sessions" / "moved" / room.transcript.name).rename(day / room.transcript.name)
    room.fire("PreCompact", transcript_path=given, turn_id=YOUNG, trigger="manual")
    (job,) = room.jobs()
    assert json.loads(job.read_text())["transcript"] == str(day / room.transcript.name)


def test_what_one_agent_was_told_the_other_knows(room):
    """One vault, one repository: a rule said in Codex is told in Claude Code, and back."""
    place, shop = room.place, room.place.root / "shop"
    shop.mkdir()
    subprocess.run(["git", "init", "-q", shop], check=True)
    rollout(room.codex, [meta(cwd=str(shop)), started(), asked(SAID), said("I will.")])
    words = "Never edit the lock file by hand, from now on: it is made by uv."
    lines = [user(words, cwd=str(shop)), say("I will not.", cwd=str(shop))]
    place.transcript("claude-1", *lines)
    code, out, _ = place.run("import", "--json")
    assert (code, json.loads(out)["entries"]) == (0, 2)
    assert {one["agent"] for one in place.ledger("session")} == {"codex", "claude-code"}
    for agent, session in ((("--agent", "codex"), "s-8"), ((), "s-9")):
        told = room.fire(
            "SessionStart", agent=agent, source="startup", session_id=session, cwd=str(shop)
        )
        assert "Always run the linter before you commit" in told["additionalContext"], agent
        assert "Never edit the lock file" in told["additionalContext"], agent
    assert json.loads(place.run("import", "--json")[1])["entries"] == 0


def test_guards_refuse_a_command_and_a_patch_and_never_ask(room):
    push = {"occasion": {"command": ["git push"]}, "broken": {"with": ["--force"]}}
    lock = {"occasion": {"path": ["*.lock"]}}
    log = {"occasion": {"path": ["*.ts"]}, "broken": {"added": ["console.log"]}}
    checks = {"Never push with --force": push, "Never edit a lock file": lock, "Never log": log}
    rules = [
        made(text, status="active", scope=(), check=parse_check(check))
        for text, check in checks.items()
    ]
    stand_guard(room.place, *rules, mode="ask")
    patch = "*** Begin Patch\n*** Add File: a.txt\n+a\n*** Update File: uv.lock\n@@\n-a\n+b\n"
    # in the second piece of a file's patch
    log_patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n@@\n-c\n+console.log(c)\n"
    calls = [("Bash", "git push --force"), ("apply_patch", f"{patch}*** End Patch")]
    calls.append(("apply_patch", f"{log_patch}*** End Patch"))
    for number, (tool, command) in enumerate(calls):
        answer = room.fire(
            "PreToolUse",
            "pre_tool_use",
            turn_id=YOUNG,
            tool_name=tool,
            tool_input={"command": command},
            tool_use_id=f"call_{number}",
        )
        assert answer["permissionDecision"] == "deny", tool
    matcher = CODEX.hooks("/py", "/h", "/v", "/s", "Bash|Edit|Write")[-1].matcher
    assert matcher == "^(Bash|apply_patch)$"


def test_what_cursor_sends_is_harmless(room):
    """From its documentation alone: other names, no transcript, no folder."""
    value = {"conversation_id": "c-1", "cursor_version": "2.0", "workspace_roots": ["/x"]}
    value |= {"session_id": OWN, "cwd": str(room.place.root)}
    for script in ("session_start", "user_prompt_submit", "session_end", "pre_tool_use"):
        for event in ({**value, "hook_event_name": "sessionStart"}, value | {"prompt": "hi"}):
            assert room.run(script, event | {"transcript_path": None}) == b""
    assert room.jobs() == []


def test_claude_desktops_agent_mode_is_one_more_root(room):
    """From issues and documentation alone: its folder has one of Claude Code's a task."""
    task = room.place.home / ".config/Claude/local-agent-mode-sessions/o/a/local_t/.claude"
    (task / "projects" / "-sessions-x").mkdir(parents=True)
    session = task / "projects" / "-sessions-x" / "s-9.jsonl"
    session.write_bytes(encode_session("s-9", [user(SAID), say("I will.")]))
    code, _, told = room.place.run("import", "--agent", "claude-code")
    assert (code, room.place.ledger("session")[0]["session"]) == (0, "s-9"), told


def test_a_rule_that_agents_md_says_is_not_told_again_and_status_names_the_file(room):
    rule = made("Never edit the lock file", status="active", scope=())
    keep(room.place, rule, approve=True)
    refresh.refresh(room.place.work, settle=True)
    assert "Never edit the lock file" in str(room.fire("SessionStart", source="startup"))
    file = room.codex / "AGENTS.md"
    file.write_text("- never edit the lock file.\n")
    again = room.fire("SessionStart", source="startup", session_id=YOUNG)
    assert "Never edit the lock file" not in str(again)
    assert f"{file} says it, which Codex loads by itself" in room.place.run("status")[2]


def test_the_doctor_says_that_approval_is_not_known_here(room, monkeypatch):
    def look():
        return next(one for one in room.place.json("doctor")["checks"] if one["name"] == "Codex")

    assert "no hooks for this vault" in look()["detail"]
    packed = room.transcript.with_name("rollout-2026-01-01T10-00-00-x.jsonl.zst")
    packed.write_bytes(b"")
    monkeypatch.setattr(session_file_store, "find_unpacker", lambda: None)
    assert "not read without the program zstd: 1 compressed" in look()["detail"]
    assert "1 session of Codex compressed (.jsonl.zst)" in room.place.run("import")[2]
    assert ".zst" not in room.place.run("import", "--agent", "claude-code")[2]
    room.place.run("install", "--agent", "codex")
    assert (look()["ok"], "whether you have is not known here" in look()["detail"]) == (True, True)
    (room.codex / "config.toml").write_text("[features]\nhooks = false\n")
    assert (look()["ok"], "switches hooks off" in look()["detail"]) == (False, True)


def test_install_names_the_agents_that_are_there(room):
    told = room.place.run("install")[2]
    assert "Codex: no entries from its sessions; no hooks for this vault" in told
    assert "install --agent codex" in told
    assert "Codex: " in room.place.run("status")[2]
    assert "Codex keeps its hooks" not in room.place.run("uninstall")[2]
    room.place.run("install", "--agent", "codex")
    assert "Codex keeps its hooks" in room.place.run("uninstall")[2]
