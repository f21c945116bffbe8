"""An agent in the real client, with a room: whatever it types, it decides nothing.

One session makes all the calls, one after the other; what a call starts in the background is waited
for by the call itself. Without an agent the same verbs do what they say
(tests/rules/test_propose.py).
"""

import json
import shutil
import sys

import pytest
from client import SCRIPTS
from keeper import FORCED, Keeper, answers
from loopback import call, results

RULE = "Never push with --force."
BASH = ("--allowedTools", "Bash")
NAMES = (
    "CLAUDECODE AI_AGENT CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID"
)
UNSET = " ".join(f"-u {name}" for name in (*NAMES.split(), "CLAUDE_PID"))


class Shell(Keeper):
    """A room with a rule that stands guard as a wall, and an agent that may run anything."""

    def __init__(self, root, loop):
        super().__init__(root, loop, "offline")
        self.rule, _ = self.guard(RULE, FORCED, "--mode", "deny")
        self.extra["PYTHONPATH"] = str(SCRIPTS)
        self.program = f"{sys.executable} -m memoria"
        self.count = 0

    def verb(self, words):
        verb, _, rest = words.partition(" ")
        return f"{self.program} {verb} --vault {self.vault} {rest}"

    def waited(self, command):
        """A command whose end is written down, and what waits for that."""
        self.count += 1
        end = self.root / f"end{self.count}"
        return f"({command}; touch {end})", f"until [ -e {end} ]; do sleep 0.1; done"

    def tries(self, *commands):
        """Let one session run these commands; give what each printed."""
        self.loop.script(*(call("Bash", {"command": one}) for one in commands))
        self.loop.fallback = answers
        done = self.ask("Do it.", *BASH, seconds=200)
        assert done.returncode == 0, done.stderr
        self.settle(60)
        return [text for text, _ in results(self.loop.bodies[-1])]


ROOM = Shell


def test_an_agent_decides_nothing(room):
    rules = [f"Always call the module Ledger{n} in docs, never Book{n}" for n in range(7)]
    teach = [room.verb(f"remember '{rule}' --global") for rule in rules]
    clean = f"env -i HOME={room.home} PATH=/usr/bin:/bin PYTHONPATH={SCRIPTS}"
    script = room.root / "orphan.sh"
    inner, wait = room.waited(teach[4])
    script.write_text(inner + "\n", encoding="utf-8")
    nohup, waits = room.waited(f"nohup {teach[5]}")
    behind, awaits = room.waited(teach[6])
    said = room.tries(
        f"CLAUDECODE=1 {teach[0]} < /dev/null",
        f'script -qc "{teach[1]}" /dev/null',
        f"env {UNSET} {teach[2]}",
        f"{clean} setsid {teach[3]}",
        # with no parent, no variable and a terminal
        f"{clean} setsid -f script -qc 'sh {script}' /dev/null > /dev/null 2>&1; {wait}",
        f"{nohup} & {waits}",
        f"( {behind} & ); {awaits}",
        f'script -qc "{room.verb(f"guard off {room.rule}")}" /dev/null',
        f'{clean} script -qc "{room.verb(f"promote {room.rule}")}" /dev/null',
        f'script -qc "{room.verb("forget --match force --yes")}" /dev/null',
        f'script -qc "{room.verb("undo")}" /dev/null',
        room.verb(f"retire {room.rule}"),
        f'yes a | head -n 200 | script -qc "{room.verb("review")}" /dev/null',
    )
    assert all("Proposed, not done" in one for one in said[:4] + said[7:12]), said
    assert "[a]pprove" not in said[12]
    # nothing of it is in force, and the wall stands
    assert list(json.loads((room.state / "approvals.json").read_text())) == [room.rule]
    assert json.loads((room.state / "guards.json").read_text())[room.rule]["mode"] == "deny"
    assert [one["status"] for one in room.ledger("rule")] == ["active"]
    assert len(list((room.vault / "knowledge" / "rules").glob("*.md"))) == 1
    assert not (room.project / "CLAUDE.md").exists()
    # all of it waits
    found = room.ledger("proposal")
    assert {one["text"] for one in found if one["verb"] == "remember"} == set(rules)
    commands = [one["command"] for one in found if one["verb"] == "command"]
    assert len(commands) == 5, commands


@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")
def test_an_agents_own_tmux_and_its_own_server_are_no_person(room):
    socket = room.root / "socket"
    teach = room.verb("remember 'Always call the module Ledger in docs' --global")
    typed, wait = room.waited(teach)
    script = room.root / "typed.sh"
    script.write_text(typed + "\n", encoding="utf-8")
    clean = f"env -i HOME={room.home} PATH=/usr/bin:/bin PYTHONPATH={SCRIPTS} TERM=xterm"
    client = room.root / "client.py"
    client.write_text(CLIENT, encoding="utf-8")
    _, asked = room.tries(
        f"{clean} tmux -S {socket} -f /dev/null new-session -d; "
        f"tmux -S {socket} send-keys 'sh {script}' Enter; {wait}; tmux -S {socket} kill-server",
        f"{sys.executable} {client} {room.rule} {room.verb('mcp')}",
    )
    assert "Proposed to promote" in asked or "nothing waits" in asked, asked
    assert "The user said yes" not in asked
    assert list(json.loads((room.state / "approvals.json").read_text())) == [room.rule]
    assert [one["verb"] for one in room.ledger("proposal")] == ["remember"]


# an MCP client that says yes to all that it is asked
CLIENT = """
import asyncio, sys
from mcp import types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
rule, *command = sys.argv[1:]
async def yes(_, asked):
    return types.ElicitResult(action="accept", content={"approve": True})
async def run():
    import os
    given = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with Client(stdio_client(given), mode="auto", elicitation_callback=yes) as client:
        found = await client.call_tool("memory_promote", {"ids": [rule]})
        print(found.content[0].text)
asyncio.run(run())
"""
