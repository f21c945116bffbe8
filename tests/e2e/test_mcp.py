"""The real client with Memoria's server: set up by its own verbs, called by a scripted model."""

import json
import sys
import time

import loopback
import pytest
from client import SCRIPTS, find_client, until
from keeper import Keeper
from loopback import call, say

from memoria.mcp.tools import TOOLS
from memoria.rules.model import rule_id

NOTE = """---
title: "Session tokens"
updated: 2026-03-02
---

# Session tokens

Session tokens last an hour, says amber-77.
"""
RULE = "Keep the port at 5433, says dogwood-4"


@pytest.fixture
def room(loop, tmp_path):
    """A room with a vault of one note and one rule that waits, no hooks."""
    with Keeper(tmp_path, loop, "offline", installed=False) as room:
        room.do("init")
        concepts, rules = room.vault / "knowledge/concepts", room.vault / "knowledge/rules"
        concepts.mkdir(exist_ok=True)
        rules.mkdir(exist_ok=True)
        (concepts / "session-tokens.md").write_text(NOTE)
        front = f"id: {rule_id('workflow', RULE)}\ntitle: {json.dumps(RULE)}\nstatus: waiting"
        (rules / "port.md").write_text(f"---\n{front}\n---\n\n# {RULE}\n")
        yield room


def program(room):
    return [sys.executable, str(SCRIPTS / "mcp_.py"), "--vault", str(room.vault)]


def plays(loop, *calls):
    """Let the model load these tools and call them one after the other, then say that it is done.

    The client offers tools of servers by their names alone; a model asks for their schemas first.
    """
    names = ",".join(dict.fromkeys(f"mcp__memoria__{name}" for name, _ in calls))
    left = [("ToolSearch", {"query": f"select:{names}"})]
    left += [(f"mcp__memoria__{name}", arguments) for name, arguments in calls]

    def play(body):
        if not body.get("tools"):
            return say("ok")
        return call(*left.pop(0)) if left else say("done")

    loop.script()
    loop.fallback = play


def results(loop):
    """Give the text and the error mark of each tool's result that the model was shown."""
    last = [body for body in loop.bodies if body.get("tools")][-1]
    return loopback.results(last)[1:]  # the first is ToolSearch's


def test_set_up_with_the_client_s_verb_then_searched_read_and_proposed(room, loop):
    """A line of set-up, and a model that searches, reads, proposes and is told of errors."""
    added = room.run(
        find_client(), "mcp", "add", "--scope", "user", "memoria", "--", *program(room)
    )
    assert added.returncode == 0, added.stdout + added.stderr
    listed = room.run(find_client(), "mcp", "list")
    assert "memoria" in listed.stdout
    assert "Connected" in listed.stdout, listed.stdout + listed.stderr
    number = rule_id("workflow", RULE)
    plays(
        loop,
        ("memory_search", {"query": "session tokens"}),
        ("memory_read", {"id": "concepts/session-tokens"}),
        ("memory_read", {"id": "../../.env"}),
        ("memory_promote", {"ids": [number]}),
        ("memory_log_reward", {"skill_id": number, "reward": 1}),
    )
    done = room.ask("How long do tokens last?", "--allowedTools", "mcp__memoria")
    assert done.stdout.strip() == "done", done.stdout + done.stderr
    offered = json.dumps(loop.bodies)
    assert all(f"mcp__memoria__{name}" in offered for name in TOOLS)
    # what the client tells every session of the server
    assert "memory_search, then memory_read what fits" in offered
    found, text, wrong, asked, noted = results(loop)
    assert "concepts/session-tokens" in found[0]
    assert "amber-77" in text[0]
    assert text[0].startswith("<memoria-")
    # a client that connected late adds the tool's schema to the error
    assert wrong[0].startswith("there is no page '../../.env'; memory_search gives ids")
    assert wrong[1] is True
    # without somebody at a terminal nobody said yes
    assert "nothing has changed yet" in asked[0]
    assert [one["verb"] for one in room.ledger("proposal")] == ["promote"]
    assert "not counted" in noted[0]
    assert not (room.project / "CLAUDE.md").exists()
    assert "status: active" not in room.note("knowledge/rules/port.md")
    room.settle()  # the server has ended with the client


def entered(terminal):
    """Press Enter; the form does not take a key that comes at once after another one."""
    terminal.press("Enter")
    time.sleep(0.8)
    return "\u25cf done" in terminal.screen


def test_in_a_terminal_the_person_is_asked_and_their_yes_counts(room, loop):
    """Set up by the project's file; the question shows the rule and the file, and waits."""
    command, *arguments = program(room)
    server = {"command": command, "args": arguments}
    (room.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"memoria": server}}))
    path = room.settings("local")
    path.parent.mkdir(parents=True, exist_ok=True)
    allowed = {"enabledMcpjsonServers": ["memoria"], "permissions": {"allow": ["mcp__memoria"]}}
    path.write_text(json.dumps(allowed))
    number = rule_id("workflow", RULE)
    plays(loop, ("memory_promote", {"ids": [number]}))
    with room.terminal() as terminal:
        terminal.type("promote it")
        screen = terminal.shows("Accept")
        assert RULE in screen
        assert "NOT active yet" in screen
        assert not (room.project / "CLAUDE.md").exists()
        terminal.press("Space")
        terminal.shows("\u2612")
        terminal.press("Down")
        terminal.shows("\u276f Accept")
        until(lambda: entered(terminal), "the end of the call")
    ((text, wrong),) = results(loop)
    assert not wrong
    assert "The user said yes" in text
    assert RULE in (room.project / "CLAUDE.md").read_text()
    assert "status: active" in room.note("knowledge/rules/port.md")
