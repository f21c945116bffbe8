"""The guards' hook as the client starts it: what it refuses, remembers, and lets pass."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import hooked
import pytest
from ruled import SHOP, approvals, made, stand_guard

from memoria import refresh
from memoria.cli import hook_records
from memoria.rules.guards.check import parse_check
from memoria.rules.model import text_hash

PUSH = parse_check({"occasion": {"command": ["git push"]}, "broken": {"with": ["--force"]}})
NEEDS = {"needs": {"command": ["pytest"]}, "since": {"path": ["*.py"]}}
TESTED = parse_check({"occasion": {"command": ["git commit"]}} | NEEDS)
RULE = made("Never push with --force", status="active", scope=(), check=PUSH)
TESTS = made("Run the tests before you commit", status="active", scope=(), check=TESTED)
FORCE = "git push --force"
# seconds: more than what two hooks of one reply are apart
THOUGHT = 60

pytestmark = pytest.mark.skipif(os.name == "nt", reason="looks at what POSIX alone tells")


class Post(hooked.Hooks):
    """A vault with rules that stand guard, and the hook on it."""

    calls = 0

    def stands(self, *rules, mode="bump"):
        for note in (self.place.vault / "knowledge" / "rules").glob("*.md"):
            note.unlink()
        stand_guard(self.place, *rules, mode=mode)

    def event(self, command=FORCE, **more):
        self.calls += 1
        return {
            "session_id": "s-1",
            "cwd": str(self.place.root),
            "prompt_id": "p-1",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": f"t-{self.calls}",
        } | more

    def fire(self, event, **environ):
        """Start the hook; give what it printed."""
        return self.run("pre_tool_use", event, **environ)

    def answer(self, command=FORCE, environment=None, **more):
        """Give the decision about a call, "note" for a text beside it, "" for nothing."""
        printed = self.fire(self.event(command, **more), **(environment or {}))
        if not printed:
            return ""
        value = json.loads(printed)["hookSpecificOutput"]
        return value.get("permissionDecision") or "note"

    def again(self, **more):
        self.was(-THOUGHT)
        return self.answer(**more)

    def was(self, seconds):
        """Move what the session's guards did in time, as if so much had passed."""
        path = self.state / "seen" / "s-1.guards"
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        for row in rows:
            if row[0] in {"fired", "passed"}:
                at, _, process = row[4].partition("-")
                row[4] = f"{float(at) + seconds:.3f}-{process}"
        path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")

    def decisions(self):
        hook_records.collect(self.place.work)
        return [one["decision"] for one in self.place.ledger("guard")]


@pytest.fixture
def post(place):
    found = Post(place)
    found.stands(RULE)
    return found


def test_a_bump_lets_the_same_call_pass_in_the_same_occasion_alone(post):
    assert post.answer() == "deny"
    assert post.again() == ""
    assert post.again(command=f"cd x && {FORCE}") == ""
    # other words, another prompt, another agent: occasions of their own
    assert post.answer(f"{FORCE} origin") == "deny"
    assert post.answer(prompt_id="p-2") == "deny"
    assert post.answer(agent_id="a-1") == "deny"
    assert post.again(agent_id="a-1") == ""
    assert post.decisions().count("refused") == 4
    assert post.decisions().count("passed") == 3


def test_two_equal_calls_of_one_reply_are_no_second_thought(post):
    assert post.answer() == "deny"
    post.was(THOUGHT)  # however long the second hook took to start, it is of the same moment
    assert post.answer() == "deny"
    assert post.decisions() == ["refused", "refused"]


def test_what_is_kept_of_a_call_has_none_of_its_words(post):
    assert post.answer(f"{FORCE} https://ana:hunter2@example.com") == "deny"
    assert post.decisions() == ["refused"]
    files = [path for path in post.state.rglob("*") if path.is_file()]
    assert not [path for path in files if b"hunter2" in path.read_bytes()]
    (record,) = post.place.ledger("guard")
    assert (record["about"], record["id"], record["mode"]) == ("t-1", RULE.id, "bump")


def test_what_keeps_the_rule_says_nothing_and_leaves_nothing(post):
    assert post.answer("git push && ls") == ""
    assert post.answer("ls", tool_name="Read") == ""
    assert not (post.state / "seen").exists()


def test_a_guard_that_fires_too_often_is_only_told(post):
    found = [post.answer(f"{FORCE} {number}") for number in range(7)]
    assert found == ["deny"] * 5 + ["note"] * 2
    assert post.decisions() == ["refused"] * 5 + ["turned_down"] * 2
    assert post.answer(session_id="s-2") == "deny"


def test_two_installations_decide_alike_and_tell_it_once(post):
    event = post.event()
    with ThreadPoolExecutor(4) as pool:
        printed = list(pool.map(post.fire, [event] * 4))
    assert all(b'"deny"' in one for one in printed)
    assert post.decisions() == ["refused"]


def test_hooks_side_by_side_do_not_tear_the_state(post):
    events = [post.event(f"{FORCE} {number % 4}") for number in range(12)]
    with ThreadPoolExecutor(6) as pool:
        printed = list(pool.map(post.fire, events))
    assert sum(bool(one) for one in printed) >= 4
    rows = (post.state / "seen" / "s-1.guards").read_text(encoding="utf-8").splitlines()
    assert len(rows) >= 4
    assert all(len(row.split("\t")) == 5 for row in rows)
    assert len(post.decisions()) == 12


def test_a_note_comes_once_in_an_occasion(post):
    post.stands(RULE, mode="note")
    assert post.answer() == "note"
    assert post.again() == ""
    assert post.decisions() == ["note", "passed"]


def test_ask_asks_where_somebody_is_there(post):
    post.stands(RULE, mode="ask")
    assert post.answer(environment={"CLAUDE_CODE_ENTRYPOINT": "cli"}) == "ask"
    assert post.again(environment={"CLAUDE_CODE_ENTRYPOINT": "cli"}) == "ask"
    headless = {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}
    assert post.answer(environment=headless, prompt_id="p-2") == "deny"
    assert post.again(environment=headless, prompt_id="p-2") == ""


def test_what_a_check_needs_is_remembered_over_calls(post):
    post.stands(TESTS)
    edit = {"tool_name": "Edit", "tool_input": {"file_path": str(post.place.root / "a.py")}}
    assert post.answer("git commit") == ""
    assert post.answer("", **edit) == ""
    assert post.answer("git commit") == "deny"
    assert post.answer("uv run pytest -q") == ""
    assert post.answer("git commit -a") == ""
    assert post.answer("", **edit) == ""
    assert post.answer("git commit -a") == "deny"
    assert post.answer("git commit -a", session_id="s-2") == ""


def test_the_strictest_of_several_answers_for_all(post):
    post.stands(RULE, TESTS)
    edit = {"tool_name": "Write", "tool_input": {"file_path": "a.py", "content": ""}}
    post.answer("", **edit)
    printed = post.fire(post.event(f"git commit && {FORCE}"))
    assert all(text.encode() in printed for text in (RULE.text, TESTS.text))
    assert post.decisions() == ["refused", "refused"]


def test_a_rule_of_another_project_is_none_here(post):
    post.stands(made(RULE.text, status="active", scope=(SHOP,), check=PUSH))
    assert post.answer() == ""
    git = post.place.root / "shop" / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text(f'[remote "origin"]\n\turl = https://{SHOP}.git\n')
    shop = {"CLAUDE_PROJECT_DIR": str(git.parent)}
    assert post.answer(environment=shop) == "deny"
    assert post.answer(environment={"CLAUDE_PROJECT_DIR": "/"}, prompt_id="p-2") == ""


def test_the_control_arm_is_guarded_by_walls_alone(post):
    given = post.state / "given"
    given.mkdir(exist_ok=True)
    (given / "s-1.json").write_text(json.dumps({"kind": "injection", "arm": "control"}))
    assert post.answer() == ""
    post.stands(RULE, mode="deny")
    assert post.answer() == "deny"


NO_EVENTS = (
    b"",
    b"{",
    b"[]",
    b'{"tool_name": "Bash"}',
    b'{"tool_name": "Bash", "session_id": "../../x", "tool_input": {"command": "git push"}}',
    b'{"tool_name": "Bash", "session_id": "s", "tool_input": {"command": 7}}',
    b'{"tool_name": "Bash", "session_id": "s", "tool_input": "git push --force"}',
)


def test_an_event_that_is_none_says_nothing(post):
    assert [post.fire(event) for event in NO_EVENTS] == [b""] * len(NO_EVENTS)


BROKEN = (
    b"",
    b"{",
    b"[]",
    b'{"tools": 1}',
    b'{"tools": {"Bash": {"git": [9]}}, "guards": []}',
    b'{"tools": {"Bash": {"git": [0]}}, "guards": ["{}"]}',
    b'{"tools": {"Bash": []}, "guards": []}',
)


def test_a_compiled_file_that_is_broken_says_nothing(post):
    for data in BROKEN:
        (post.state / "guards.compiled.json").write_bytes(data)
        assert post.answer() == "", data


def test_a_torn_or_hostile_file_of_the_session_is_survived(post):
    seen = post.state / "seen"
    seen.mkdir(exist_ok=True)
    (seen / "s-1.guards").write_bytes(
        b"fired\nseen\n\xff\xfe\tx\ty\nfired\twf\tp\tc\tnever\nfired\t"
    )
    assert post.answer() == "deny"


def test_where_nothing_can_be_written_the_call_is_made(post):
    seen = post.state / "seen"
    seen.write_text("a file where a folder belongs")
    assert post.answer() == ""
    assert "Error" in post.log()


def test_what_a_rule_said_when_it_was_switched_on_is_what_counts(post):
    (note,) = (post.place.vault / "knowledge" / "rules").glob("*.md")

    def edit(old, new):
        note.write_text(note.read_text().replace(old, new), encoding="utf-8")
        refresh.refresh(post.place.work)

    edit("git push", "git pull")
    assert post.answer() == post.answer("git pull --force") == ""
    edit("git pull", "git push")
    assert post.answer() == "deny"
    edit("status: active", "status: rejected")
    assert post.answer(prompt_id="p-3") == ""


def test_it_is_a_rule_in_force_that_stands_guard(post):
    assert approvals(post.place) == {RULE.id: text_hash(RULE.text)}
    (post.state / "approvals.json").write_text("{}")
    refresh.refresh(post.place.work)
    assert post.answer() == ""
