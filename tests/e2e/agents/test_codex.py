"""The real Codex client beside the real Claude Code: one vault, captured and told in both."""

import pytest
from codex import CodexKeeper, needs_codex
from keeper import FORCED, TALKS, answers
from loopback import call, prompt_text, response_text, say

from memoria.agents.port import CODEX

pytestmark = pytest.mark.skipif(bool(needs_codex()), reason=needs_codex())
ROOM = CodexKeeper
A, B, C, D = TALKS
RULE = "From now on always run the linter before you commit, because CI is slow."
FORCE = "git push --force"
AGAIN = "zebra-4471 still grows: where does the memory in `cache.py` go?"


def test_what_is_said_in_codex_is_told_in_claude_code(room, loop):
    """A rule at the start, a finding at the prompt that needs it."""
    room.join()
    loop.fallback = lambda _: say(TALKS[A][1])
    room.code(f"{TALKS[A][0]} {RULE}")
    room.kept()
    (entry,) = room.texts()
    assert '"agent": "codex"' in entry
    loop.fallback = answers
    room.ask(AGAIN)
    told = prompt_text(loop.bodies[-1])
    assert "Always run the linter before you commit" in told
    assert "`cache.py` never evicts an entry" in told


def test_what_is_said_in_claude_code_is_told_in_codex(room, loop):
    room.join()
    room.ask(f"{TALKS[A][0]} {RULE}")
    room.kept()
    loop.fallback = lambda _: say("ok")
    room.code(AGAIN)
    told = response_text(loop.responses[-1])
    assert "Always run the linter before you commit" in told
    assert "`cache.py` never evicts an entry" in told


def test_a_session_is_captured_once_however_often_it_goes_on(room, loop):
    room.join()
    loop.fallback = lambda _: say("Done.")
    room.code(TALKS[A][0])
    session = room.rollouts()[0].stem[-36:]
    room.kept()
    room.code(TALKS[B][0], "resume", session)
    room.kept()
    room.code(TALKS[C][0], "fork", session)
    room.kept()
    records = room.ledger("session")
    turns = [turn for record in records for turn in record["turns"]]
    assert (len(turns), len(set(turns))) == (3, 3)
    assert {record["agent"] for record in records} == {"codex"}
    assert len({record["session"] for record in records}) == 2
    # what the hooks captured is all that there is
    assert room.json("import")["entries"] == 0


def test_calls_end_as_the_client_says(room, loop):
    patch = "*** Begin Patch\n*** Add File: a.txt\n+a\n*** Add File: b.txt\n+b\n*** End Patch"
    loop.script(
        call("exec_command", {"cmd": "echo hi; exit 3"}),
        call("exec_command", {"cmd": "echo well"}),
        call("apply_patch", {"patch": patch}),
        say("Done."),
    )
    room.code("do it")
    (part,) = CODEX.read(room.rollouts()[0])
    assert [(one.name, one.status, one.is_error) for one in part.calls] == [
        ("Bash", 3, True),
        ("Bash", 0, False),
        ("Write", None, False),
        ("Write", None, False),
    ]
    assert [one.result for one in part.calls[:2]] == ["hi\n", "well\n"]
    assert [turn.prompt for turn in part.turns] == ["do it"]
    assert dict(part.skipped) == {}


def test_hooks_that_nobody_approved_do_not_run(room, loop):
    assert "approve" in room.do("install", "--agent", "codex")
    loop.fallback = lambda _: say("Done.")
    room.code(RULE)
    room.settle()
    assert (room.texts(), room.waiting()) == ([], [])
    codex = room.checks()[1]["Codex"]
    assert (codex["ok"], "not known here" in codex["detail"]) == (True, True)
    # the sweep needs no hook
    room.do("import", "--agent", "codex")
    assert len(room.texts()) == 1


def test_a_guard_refuses_a_call_and_codex_is_told_why(room, loop):
    room.guard("Never push with `--force`.", FORCED)
    room.join()
    loop.script(call("exec_command", {"cmd": FORCE}), say("I will not."))
    room.code("push it")
    told = response_text(loop.responses[-1])
    assert "it breaks a rule that the user keeps" in told
    (part,) = CODEX.read(room.rollouts()[0])
    assert part.calls[0].is_error
