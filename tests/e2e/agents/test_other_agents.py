"""The real OpenCode, Gemini CLI and Copilot CLI: what each writes is read as it happened."""

import json
from collections import deque

import pytest
from loopback import say
from other_agents import PROGRAMS, OtherAgent, needs

RULE = "From now on always run the linter before you commit, because CI is slow."


@pytest.fixture(params=PROGRAMS, ids=lambda agent: agent.name)
def room(request, loop, tmp_path):
    if needs(request.param):
        pytest.skip(needs(request.param))
    with OtherAgent(tmp_path, loop) as room:
        room.join(request.param)
        yield room
    # what it looked for beside its models was refused, and is no matter of ours
    loop.strays.clear()


def only_in_talk(answers):
    """Give the answers in order to the requests that offer tools; titles get words."""
    left = deque(answers)
    return lambda body: left.popleft() if body.get("tools") and left else say("A title")


def test_a_session_is_read_as_it_happened(room, loop):
    loop.fallback = only_in_talk(room.work())
    room.talk("fix the lock")
    (part,) = room.sessions()
    assert (part.agent, part.cwd) == (room.agent.name, str(room.project))
    assert [turn.prompt for turn in part.turns] == ["fix the lock"]
    assert [(one.kind, one.name, one.status, one.is_error) for one in part.calls] == [
        ("shell", "Bash", 3, True),
        ("edit", "Write", None, False),
        ("edit", "Edit", None, False),
        ("read", "Read", None, True),
    ]
    shell, write, edit, _ = part.calls
    assert (shell.command, shell.result.strip()) == ("echo hi; exit 3", "hi")
    assert write.path == edit.path == str(room.project / "a.txt")
    assert [(one.old, one.new) for one in edit.hunks] == [("one", "two")]
    assert [one.text for one in part.turns[0].says] == ["All done."]
    assert (part.usage[0].input_tokens, part.usage[0].output_tokens) == (5_000, 500)
    assert dict(part.skipped) == {}


def test_it_is_imported_once_and_its_rule_told_in_claude_code(room, loop):
    loop.fallback = only_in_talk([say("I will.")])
    room.talk(RULE)
    for entries in (1, 0):
        done = room.memoria("import", "--agent", room.agent.name, "--json")
        assert json.loads(done.stdout)["entries"] == entries
    (record,) = room.ledger("session")
    assert record["agent"] == room.agent.name
    room.ask("ping")
    assert "Always run the linter before you commit" in str(loop.bodies[-1]["messages"])
