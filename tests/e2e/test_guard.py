"""A rule that stands guard over the real client's tool calls, in each mode."""

import json
import re

import pytest
from client import until
from keeper import Keeper, answers
from loopback import call, prompt_text, results, say

from memoria import refresh as snapshot, settings
from memoria.cli import hook_records
from memoria.workspace import workspace

PUSH = "git push --force"
RULE = "Never push with --force."
INSTEAD = "git push --force-with-lease"
CHECK = f"""check:
  occasion: {{command: ["git push"]}}
  broken: {{with: ["--force", "-f"]}}
  instead: {INSTEAD}
  why: it throws away what others pushed
"""
BASH = ("--allowedTools", "Bash")
# longer than two calls of one reply are apart, and shorter than any model thinks
THOUGHT = {"delay": 0.8}
# instead of git: says that it ran
GIT = "#!/bin/sh\necho ran git $*\n"


class Watched(Keeper):
    """A room with a rule that has a check, and a git that only says that it ran."""

    def __init__(self, root, loop, **extra):
        super().__init__(root, loop, "offline", **extra)
        self.programs = root / "programs"
        self.programs.mkdir()
        git = self.programs / "git"
        git.write_text(GIT, encoding="utf-8")
        git.chmod(0o755)
        self.extra["PATH"] = f"{self.programs}:{self.env['PATH']}"
        self.rule, told = self.guard(RULE, CHECK)
        assert str(self.settings()) in told

    def set_mode(self, mode):
        """Set the mode as a person does in a terminal (tests/cli/test_guard.py)."""
        path = self.state / "guards.json"
        value = json.loads(path.read_text())
        value[self.rule]["mode"] = mode
        path.write_text(json.dumps(value), encoding="utf-8")
        snapshot.refresh(self.work)

    @property
    def work(self):
        with self.as_environment():
            return workspace(settings.load(str(self.vault)), quiet=True)

    def tries(self, *commands):
        """Let a session make these calls one after the other; give their results."""
        self.loop.script(*(call("Bash", {"command": one}, **THOUGHT) for one in commands))
        self.loop.fallback = answers
        done = self.ask("Push it.", *BASH)
        assert done.returncode == 0, done.stderr
        self.settle()
        return results(self.loop.bodies[-1])

    def decisions(self):
        """Give what the guards did, as the ledger has it; each is told once."""
        hook_records.collect(self.work)
        found = [one["decision"] for one in self.ledger("guard")]
        seen, self.seen = getattr(self, "seen", 0), len(found)
        return found[seen:]


def added(body):
    """Give what the guards' hook has added to a request."""
    text = prompt_text(body)
    return re.findall(r"PreToolUse:\w+ hook additional context: [^\n]*\n[^\n]*", text)


@pytest.fixture(scope="module")
def watched(server, tmp_path_factory):
    server.script()
    with Watched(tmp_path_factory.mktemp("guarded"), server) as room:
        yield room


@pytest.fixture
def room(watched, loop):
    loop.fallback = answers
    yield watched
    watched.settle()


def test_bump_refuses_once_and_lets_the_repetition_pass(room):
    room.set_mode("bump")
    wrapped = f'FOO=1 timeout 5 bash -c "cd . && {PUSH} origin"'
    good = f"{INSTEAD} && echo '{PUSH}'"
    first, second, third, kept = room.tries(PUSH, f"cd . && {PUSH}", wrapped, good)
    assert first[1]
    for told in (RULE, room.rule, f"`{PUSH}`", INSTEAD, "Why: it throws away", "once more"):
        assert told in first[0]
    assert second == (f"ran {PUSH}", False)
    # another call is another occasion, and seen through what is wrapped around it
    assert third[1]
    assert f"`{PUSH} origin`" in third[0]
    assert kept == (f"ran {INSTEAD}\n{PUSH}", False)
    assert room.decisions() == ["refused", "passed", "refused"]


def test_deny_denies_each_time(room):
    room.set_mode("deny")
    found = room.tries(PUSH, PUSH)
    assert [is_error for _, is_error in found] == [True, True]
    assert "the user has forbidden it" in found[1][0]
    assert room.decisions() == ["denied", "denied"]


def test_ask_opens_the_dialog(room, loop):
    room.set_mode("ask")
    with room.terminal(*BASH) as terminal:
        loop.script(call("Bash", {"command": PUSH}), say("pushed it"))
        terminal.type("Push it.")
        screen = terminal.shows("Do you want to proceed?")
        assert RULE in screen
        # a key that comes before the dialog takes any is lost
        until(lambda: terminal.press("Enter") or "pushed it" in terminal.screen, "the answer")
    assert results(loop.bodies[-1]) == [(f"ran {PUSH}", False)]
    room.settle()
    assert room.decisions() == ["asked"]


def test_a_subagent_is_guarded_too(room, loop):
    room.set_mode("bump")
    asks = {"description": "push", "prompt": "Push it hard.", "subagent_type": "general-purpose"}
    loop.script(
        call("Agent", asks | {"run_in_background": False}),
        call("Bash", {"command": PUSH}, **THOUGHT),
        call("Bash", {"command": PUSH}, **THOUGHT),
        say("done by the agent"),
        say("done"),
    )
    room.ask("Let an agent push it.", *BASH, "Agent")
    inside = [found for body in loop.bodies if (found := results(body)) and len(found) > 1]
    assert [is_error for _, is_error in inside[0]] == [True, False]
    room.settle()
    assert room.decisions() == ["refused", "passed"]
    agents = {one["agent"] for one in room.ledger("guard")[-2:]}
    assert len(agents) == 1
    assert "" not in agents
