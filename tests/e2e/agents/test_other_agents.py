"""The real OpenCode, Gemini CLI and Copilot CLI: what each writes is read as it happened."""

import json
from collections import deque
from itertools import count

import pytest
from client import until
from keeper import FORCED, TALKS
from loopback import call, prompt_text, say
from other_agents import INPUTS, PROGRAMS, TOOLS, OtherAgent, find, needs

from memoria.agents.port import COPILOT, GEMINI

NAIVE, AWARE = "expiry=naive", "expiry=aware"
REMEDY = f"`- {NAIVE}` `+ {AWARE}`"
# fails until its first line says otherwise
CHECK = f"""#!/bin/sh
{NAIVE}
[ $expiry = aware ] && exec echo 3 passed
echo "ValueError: the expiry of a lease is $expiry" >&2
exit 1
"""
RULE = "From now on always run the linter before you commit, because CI is slow."


@pytest.fixture(params=PROGRAMS, ids=lambda agent: agent.name)
def room(request, loop, tmp_path):
    if needs(request.param):
        pytest.skip(needs(request.param))
    with OtherAgent(tmp_path, loop, "offline") as room:
        room.join(request.param)
        yield room
    # what it looked for beside its models was refused, and is no matter of ours
    loop.strays.clear()


def check(room):
    """Put the check that fails into the project."""
    path = room.project / "check"
    path.write_text(CHECK, encoding="utf-8")
    path.chmod(0o755)
    return path


def only_in_talk(answers):
    """Give the answers in order to the requests that offer tools; titles get words."""
    left = deque(answers)
    return lambda body: left.popleft() if body.get("tools") and left else say("A title")


def test_a_session_is_read_as_it_happened_and_imported_once(room, loop):
    loop.fallback = only_in_talk(room.work())
    room.talk(RULE)
    (part,) = room.sessions()
    assert (part.agent, part.cwd) == (room.agent.name, str(room.project))
    assert [turn.prompt for turn in part.turns] == [RULE]
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
    assert dict(part.skipped) == {}
    for entries in (1, 0):
        assert room.json("import", "--agent", room.agent.name)["entries"] == entries
    (record,) = room.ledger("session")
    assert record["agent"] == room.agent.name
    room.ask("ping")
    assert "Always run the linter before you commit" in str(loop.bodies[-1]["messages"])


def asked(loop):
    """Give the words of the last request that the agent made for an answer, of whatever form."""
    bodies = [seen.body for seen in loop.requests if seen.body.get("tools")]
    return json.dumps(bodies[-1], ensure_ascii=False)


def test_what_is_said_in_one_agent_is_told_in_the_other(room, loop):
    """Both ways, by the hooks alone: a rule at the start, a finding at the prompt that needs it."""
    question, finding = next(iter(TALKS.values()))
    again = "zebra-4471 still grows: where does the memory in `cache.py` go?"
    before = room.install()
    loop.fallback = only_in_talk([say(finding)])
    room.talk(f"{question} {RULE}")
    room.kept()
    (entry,) = room.texts()
    assert f'"agent": "{room.agent.name}"' in entry
    loop.fallback = lambda _: say("ok")
    room.ask("ping")
    assert "Always run the linter before you commit" in prompt_text(loop.bodies[-1])
    room.kept()
    room.ask(again)
    assert "`cache.py` never evicts an entry" in prompt_text(loop.bodies[-1])
    room.kept()
    room.talk(again)
    assert "Always run the linter before you commit" in asked(loop)
    assert "`cache.py` never evicts an entry" in asked(loop)
    room.kept()
    # what the hooks captured is all that there is, and only what a person typed
    assert room.json("import")["entries"] == 0
    typed = [turn.prompt for part in room.sessions() for turn in part.turns]
    assert {prompt.strip('"') for prompt in typed} == {f"{question} {RULE}", again}
    assert room.uninstall() == before


# what an interactive session is started with and shows; what cuts it short, and what it says then
COMPACTS = {
    COPILOT: (("--allow-all",), "\u276f", "/compact", "Compaction completed"),
    GEMINI: (
        ("--yolo", "--skip-trust", "-m", "gemini-2.5-pro"),
        "Type your message",
        "/compress",
        "compressed from",
    ),
}


def prompts(room):
    return [turn.prompt for part in room.sessions() for turn in part.turns]


def test_what_a_compaction_took_is_told_again(room, loop):
    if room.agent not in COMPACTS:
        pytest.skip("its interactive client draws nothing in tmux")
    words, ready, compact, done = COMPACTS[room.agent]
    trusted = {"trusted_folders": [str(room.project)]}
    folder = room.agent.settings(room.env, room.home)
    (folder / "config.json").write_text(json.dumps(trusted), encoding="utf-8")
    room.do("remember", RULE)
    room.install()
    # what repeats is taken for a loop, and there must be something to cut
    numbers = count()
    words200 = (
        say(" ".join(f"word{next(numbers)}" for _ in range(200)) + " over") for _ in count()
    )
    loop.fallback = lambda body: next(words200) if body.get("tools") else say("A summary.")
    with room.terminal(*words, program=find(room.agent), ready=ready) as terminal:
        for at, prompt in enumerate(("look at it", "look again"), 1):
            last = f"word{200 * at - 1} over"
            terminal.ask(prompt, lambda last=last: last in terminal.screen)
        terminal.ask(compact, lambda: done in terminal.screen)
        terminal.ask("what now", lambda: "what now" in asked(loop))
    assert "always run the linter before you commit" in asked(loop).lower()
    typed = ["look at it", "look again", "what now"]
    until(lambda: prompts(room) == typed, "all that was typed, and nothing else")


def test_what_fixed_a_command_in_one_agent_is_told_in_the_other_when_it_fails(room, loop):
    """Both ways: the fix of each, to the other's next request."""
    shell, _, edit, _ = TOOLS[room.agent]
    names, path = INPUTS[room.agent], check(room)
    change = {names["path"]: str(path), names["old"]: NAIVE, names["new"]: AWARE}
    fail = call(shell, {"command": "./check", "description": "Check"})
    read = call(TOOLS[room.agent][3], {names["path"]: str(path)})
    fix = call(edit, {**change, "instruction": "x"})
    room.install()
    loop.fallback = only_in_talk([fail, read, fix, fail, say("It passes.")])
    room.talk("Make the check pass.")
    room.kept()
    assert [one["change"] for one in room.ledger("mistake")] == [f"- {NAIVE}\n+ {AWARE}"]
    check(room)
    loop.fallback = lambda _: say("It fails.")
    loop.script(call("Bash", {"command": "./check"}))
    room.ask("Run the check.", "--allowedTools", "Bash")
    assert REMEDY in prompt_text(loop.bodies[-1])
    room.settle()
    loop.fallback = only_in_talk([fail, say("It fails.")])
    room.talk("Run the check.")
    assert REMEDY in asked(loop)
    room.kept()
    # what was told is none of what the command printed
    last = max(room.sessions(), key=lambda part: part.turns[-1].until).calls[-1]
    assert (last.status, last.is_error, "memoria" in last.result) == (1, True, False)
    assert {one["agent"] for one in room.ledger("session")} == {room.agent.name, "claude-code"}


def test_a_guard_refuses_a_call_and_the_agent_is_told_why(room, loop):
    room.guard("Never push with `--force`.", FORCED)
    room.install()
    shell = TOOLS[room.agent][0]
    push = call(shell, {"command": "git push --force", "description": "Push"})
    loop.fallback = only_in_talk([push, say("I will not.")])
    room.talk("push it")
    assert "it breaks a rule that the user keeps" in asked(loop)
    (part,) = room.sessions()
    assert part.calls[0].is_error


def test_a_repositorys_hooks_for_claude_code_do_no_harm_in_copilot(room, loop):
    """Copilot CLI reads them too, drops their arguments, and refuses a call whose hook fails."""
    if room.agent is not COPILOT:
        pytest.skip("the others read none")
    trusted = {"trusted_folders": [str(room.project)]}
    (room.home / ".copilot" / "config.json").write_text(json.dumps(trusted), encoding="utf-8")
    room.guard("Never push with `--force`.", FORCED)
    room.do("install")
    (room.project / ".claude").mkdir()
    (room.home / ".claude/settings.json").rename(room.project / ".claude/settings.json")
    # what a payload says is data: no shell may read it as a script
    run = [
        call("bash", {"command": f"echo {word}", "description": "$(touch pwned)"}) for word in "ab"
    ]
    loop.fallback = only_in_talk([*run, say("Done.")])
    room.talk("say `touch pwned` and $(touch pwned)")
    (part,) = room.sessions()
    assert [one.status for one in part.calls] == [0, 0]
    assert not list(room.project.rglob("pwned"))
    room.kept()
