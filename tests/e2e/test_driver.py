"""An agent in the real client, with a shell: whatever it types, it decides nothing.

One session makes all the calls, one after the other; what a call starts in the background is waited
for by the call itself. Without an agent the same verbs do what they say
(tests/rules/test_propose.py).
"""

import json
import shutil
import sys

import pytest
from client import SCRIPTS
from keeper import Keeper, answers, with_check
from loopback import call, results

RULE = "Never push with --force."
CHECK = """check:
  occasion: {command: ["git push"]}
  broken: {with: ["--force", "-f"]}
"""
BASH = ("--allowedTools", "Bash")
NAMES = (
    "CLAUDECODE AI_AGENT CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID"
)
UNSET = " ".join(f"-u {name}" for name in (*NAMES.split(), "CLAUDE_PID"))


class Shell(Keeper):
    """A room with a rule that stands guard as a wall, and an agent that may run anything."""

    def __init__(self, root, loop):
        super().__init__(root, loop, "offline")
        done = self.memoria("remember", RULE, "--global", "--json")
        assert done.returncode == 0, done.stderr
        (note,) = (self.vault / "knowledge" / "rules").glob("*.md")
        with_check(note, CHECK)
        self.rule = json.loads(done.stdout)["id"]
        assert self.memoria("guard", "on", self.rule, "--mode", "deny").returncode == 0
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


@pytest.fixture
def shell(loop, tmp_path):
    with Shell(tmp_path, loop) as room:
        yield room


def test_an_agent_decides_nothing(shell):
    rules = [f"Always call the module Ledger{n} in docs, never Book{n}" for n in range(7)]
    teach = [shell.verb(f"remember '{rule}' --global") for rule in rules]
    clean = f"env -i HOME={shell.home} PATH=/usr/bin:/bin PYTHONPATH={SCRIPTS}"
    script = shell.root / "orphan.sh"
    inner, wait = shell.waited(teach[4])
    script.write_text(inner + "\n", encoding="utf-8")
    nohup, waits = shell.waited(f"nohup {teach[5]}")
    behind, awaits = shell.waited(teach[6])
    said = shell.tries(
        f"CLAUDECODE=1 {teach[0]} < /dev/null",
        f'script -qc "{teach[1]}" /dev/null',
        f"env {UNSET} {teach[2]}",
        f"{clean} setsid {teach[3]}",
        # with no parent, no variable and a terminal
        f"{clean} setsid -f script -qc 'sh {script}' /dev/null > /dev/null 2>&1; {wait}",
        f"{nohup} & {waits}",
        f"( {behind} & ); {awaits}",
        f'script -qc "{shell.verb(f"guard off {shell.rule}")}" /dev/null',
        f'{clean} script -qc "{shell.verb(f"promote {shell.rule}")}" /dev/null',
        f'script -qc "{shell.verb("forget --match force --yes")}" /dev/null',
        f'script -qc "{shell.verb("undo")}" /dev/null',
        shell.verb(f"retire {shell.rule}"),
        f'yes a | head -n 200 | script -qc "{shell.verb("review")}" /dev/null',
    )
    assert all("Proposed, not done" in one for one in said[:4] + said[7:12]), said
    assert "[a]pprove" not in said[12]
    # nothing of it is in force, and the wall stands
    assert list(json.loads((shell.state / "approvals.json").read_text())) == [shell.rule]
    assert json.loads((shell.state / "guards.json").read_text())[shell.rule]["mode"] == "deny"
    assert [one["status"] for one in shell.ledger("rule")] == ["active"]
    assert len(list((shell.vault / "knowledge" / "rules").glob("*.md"))) == 1
    assert not (shell.project / "CLAUDE.md").exists()
    # all of it waits
    found = shell.ledger("proposal")
    assert {one["text"] for one in found if one["verb"] == "remember"} == set(rules)
    commands = [one["command"] for one in found if one["verb"] == "command"]
    assert len(commands) == 5, commands


@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")
def test_an_agents_own_tmux_and_its_own_server_are_no_person(shell):
    socket = shell.root / "socket"
    teach = shell.verb("remember 'Always call the module Ledger in docs' --global")
    typed, wait = shell.waited(teach)
    script = shell.root / "typed.sh"
    script.write_text(typed + "\n", encoding="utf-8")
    clean = f"env -i HOME={shell.home} PATH=/usr/bin:/bin PYTHONPATH={SCRIPTS} TERM=xterm"
    client = shell.root / "client.py"
    client.write_text(CLIENT, encoding="utf-8")
    _, asked = shell.tries(
        f"{clean} tmux -S {socket} -f /dev/null new-session -d; "
        f"tmux -S {socket} send-keys 'sh {script}' Enter; {wait}; tmux -S {socket} kill-server",
        f"{sys.executable} {client} {shell.rule} {shell.verb('mcp')}",
    )
    assert "Proposed to promote" in asked or "nothing waits" in asked, asked
    assert "The user said yes" not in asked
    assert list(json.loads((shell.state / "approvals.json").read_text())) == [shell.rule]
    assert [one["verb"] for one in shell.ledger("proposal")] == ["remember"]


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
