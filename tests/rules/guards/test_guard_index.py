"""Which guards a call breaks, and what is done about it."""

import pytest
from cases import cased

from memoria.rules.guards.act import build_act
from memoria.rules.guards.guard_index import (
    build_index,
    decide,
    find_breaches,
    find_guards,
    format_answer,
    is_headless,
)

PUSH = {"occasion": {"command": ["git push"]}, "broken": {"with": ["--force"]}, "instead": "ask"}
TESTED = {
    "occasion": {"command": ["git commit"]},
    "needs": {"command": ["pytest"]},
    "since": {"path": ["**/*.py"]},
    "why": "main was red",
}
SECRET = {"occasion": {"reads": [".env"]}}
PRINT = {"occasion": {"path": ["*.py"], "added": ["print("]}}
ANY = {"occasion": {"command": ["git*"]}, "broken": {"with": ["--force"]}}


def row(name, check, mode="bump", project=""):
    text = f"The rule {name}."
    return {"id": name, "text": text, "mode": mode, "project": project, "hash": "0", "check": check}


ROWS = [row("push", PUSH), row("test", TESTED), row("env", SECRET), row("print", PRINT)]


def bash(text):
    return build_act("Bash", {"command": text}, "/p")


@cased()
def test_of_many_guards_those_are_read_that_may_be_about_a_call(tool, inputs, ids):
    found = find_guards(build_index(ROWS), build_act(tool, inputs, "/p"))
    assert sorted(guard.id for guard in found) == ids


@pytest.mark.parametrize(
    ("check", "text"),
    [({"occasion": {"command": ["pip install"]}}, "pip3.11 install x"), (ANY, "ls")],
)
def test_a_program_of_a_version_and_one_that_is_a_glob_are_looked_at(check, text):
    assert len(find_guards(build_index([row("x", check)]), bash(text))) == 1


@cased()
def test_what_is_done_about_a_breach(mode, fired, repeated, headless, done):
    found = decide(mode, fired=fired, limit=5, repeated=repeated, headless=headless)
    assert found == done


@cased()
def test_where_nobody_can_be_asked(entrypoint, is_so):
    assert is_headless(entrypoint) is is_so


def breaches(*decisions):
    found = find_guards(build_index(ROWS[:2]), bash("git status"))
    broken = find_breaches(found, bash("git push --force; git commit"), {"test": ("/",)})
    assert [one.guard.id for one in broken] == ["push", "test"]
    for one, decision in zip(broken, decisions, strict=True):
        one.decision = decision
    return broken


@cased()
def test_the_strictest_decides_and_tells_all_reasons(decisions, verdict):
    answer = format_answer(breaches(*decisions))
    assert answer["permissionDecision"] == verdict
    told = answer["permissionDecisionReason"]
    assert ("The rule push." in told) is (decisions[0] != "passed")
    assert '- "The rule test." (test), broken by `git commit`. Why: main was red' in told


def test_a_note_is_beside_the_call_and_what_passed_says_nothing():
    answer = format_answer(breaches("note", "passed"))
    assert list(answer) == ["additionalContext"]
    assert "Instead: ask" in answer["additionalContext"]
    assert format_answer(breaches("passed", "passed")) == {}
    assert "once more" in format_answer(breaches("refused", "note"))["permissionDecisionReason"]
    said = format_answer(breaches("denied", "refused"))["permissionDecisionReason"]
    assert "ask the user" in said
    assert "once more" not in said
    broken = breaches("note", "passed")
    broken[0].turned_down = True
    assert "so often in this session" in format_answer(broken)["additionalContext"]


def test_a_long_command_does_not_make_a_long_reason():
    found = find_guards(build_index(ROWS[:1]), bash("git"))
    broken = find_breaches(found, bash(f"git push --force {'x' * 9_000}"), {})
    broken[0].decision = "refused"
    assert len(format_answer(broken)["permissionDecisionReason"]) < 600
