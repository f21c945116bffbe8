import pytest
from transcript_lines import assistant, fold, result, say, tool, user

from memoria.rules.guards.check import parsed
from memoria.rules.guards.from_text import derive
from memoria.rules.guards.replay_service import Rehearsal, Tried, objection, verdicts

FORCE = derive("never push with --force")
TESTED = parsed(
    {
        "occasion": {"command": ["git commit"]},
        "needs": {"command": ["pytest"]},
        "since": {"path": ["*.py"]},
    }
)


def part(*lines, start=0, session="s-1"):
    return fold([one | {"sessionId": session} for one in lines], start=start)[-1]


def ran(key, command, at, *, error=None, content="done"):
    return (
        assistant(tool(key, command=command), at=at),
        result(key, content, at + 1, error=error),
    )


def edited(key, at, path="/home/ana/shop/a.py"):
    given = {"file_path": path, "old_string": "a", "new_string": "b"}
    return assistant(tool(key, "Edit", **given), at=at), result(key, "updated", at + 1)


def tried(check, *parts):
    rehearsal = Rehearsal({"r": check})
    for one in parts:
        rehearsal.take(one)
    return rehearsal.tried["r"]


def test_what_a_check_would_have_said():
    found = tried(
        FORCE,
        part(user("push it"), *ran("a", "git push", 1), *ran("b", "cd x && git push -f", 3)),
        part(user("push it"), *ran("c", "git push origin fix", 1), session="s-2"),
        part(user("look"), *ran("d", "git log", 1), session="s-3"),
    )
    assert (found.kept, found.broken, found.harmless) == (2, 1, 1)
    assert (found.came, found.fired, found.minded) == ({"s-1", "s-2"}, {"s-1"}, set())
    (passage,) = found.passages
    assert (passage.session, passage.call, passage.minded) == ("s-1", "git push -f", "")


@pytest.mark.parametrize(
    ("lines", "minded"),
    [
        (ran("a", "git push -f", 1, error=True, content="Exit code 1\nrejected"), "failed"),
        (
            (*ran("a", "git push -f", 1), say("I pushed the branch by force.", 3),
             user("No, that was wrong, never push by force", 5)),
            "corrected",
        ),
        ((*ran("a", "git push -f", 1), say("Pushed.", 3), user("Thanks. Now add a test", 5)), ""),
    ],
)  # fmt: skip
def test_whether_somebody_minded(lines, minded):
    found = tried(FORCE, part(user("push it"), *lines))
    assert [one.minded for one in found.passages] == [minded]
    assert found.harmless == (not minded)


def test_what_was_refused_did_not_happen():
    refused = "The user doesn't want to proceed with this tool use."
    lines = [
        user("go"),
        *edited("e", 1),
        *ran("a", "pytest", 3, error=True, content=refused),
        *ran("b", "git commit -m x", 5),
    ]
    assert tried(TESTED, part(*lines)).broken == 1
    forced = part(user("push"), *ran("a", "git push -f", 1, error=True, content=refused))
    assert tried(FORCE, forced).occasions == 0


def test_parts_of_a_session_belong_together():
    first = part(user("go"), *edited("e", 1), *ran("a", "pytest", 3))
    then = part(user("commit"), *ran("b", "git commit -m x", 9), start=500)
    assert tried(TESTED, first, then).broken == 0
    lone = part(user("go"), *edited("e", 1), *ran("b", "git commit -m x", 9))
    assert tried(TESTED, lone).broken == 1


def test_a_breach_that_a_guard_stopped():
    stopped = "PreToolUse:Bash hook error: never push by force"
    lines = part(user("go"), *ran("a", "git push -f", 1, error=True, content=stopped))
    ((_, verdict),) = verdicts(lines, {"r": FORCE})
    assert (verdict.is_broken, verdict.is_stopped) == (True, True)


@pytest.mark.parametrize(
    ("kept", "harmless", "why"),
    [
        (0, 0, ""),
        (0, 3, ""),  # too few to tell, whatever their share
        (12, 4, ""),
        (11, 4, "it would have objected to 4 of 15 occasions"),
    ],
)
def test_what_is_not_offered(kept, harmless, why):
    reason = objection(Tried(kept=kept, broken=harmless, harmless=harmless))
    assert reason.startswith(why)
    assert bool(reason) == bool(why)


READ = parsed({"occasion": {"tools": ["Edit"]}, "needs": {"reads": ["{path}"]}})


def test_the_rest_of_a_session_does_not_know_what_was_read():
    rest = part(user("go on"), *edited("e", 1), start=500)
    assert list(verdicts(rest, {"r": READ})) == []
    whole = part(user("go on"), *edited("e", 1))
    assert [one.is_broken for _, one in verdicts(whole, {"r": READ})] == [True]


def test_only_tools_that_matter_are_read_and_calls_without_answer_are_not():
    check = parsed({"occasion": {"command": ["ls"]}})
    lines = part(user("go"), assistant(tool("a", command="ls"), at=1))
    assert list(verdicts(lines, {"r": check})) == []
