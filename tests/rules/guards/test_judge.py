"""Whether a call is a rule's occasion, and whether it breaks the rule."""

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.rules.guards.act import build_act
from memoria.rules.guards.check import parse_check
from memoria.rules.guards.judge import broken_by, find_refusal, judge_act, remember

PUSH = parse_check(
    {"occasion": {"command": ["git push"]}, "broken": {"with": ["--force", "-f", "+*"]}}
)
PIP = parse_check({"occasion": {"command": ["pip install"], "not_under": ["uv run"]}})
NO_EMIT = parse_check({"occasion": {"command": ["tsc"]}, "broken": {"without": ["--noEmit"]}})
TESTED = parse_check(
    {
        "occasion": {"command": ["git commit"]},
        "needs": {"command": ["pytest"]},
        "since": {"path": ["**/*.py", "!docs/**"]},
    }
)
READ = parse_check({"occasion": {"tools": ["Edit"]}, "needs": {"reads": ["{path}"]}})
PRINT = parse_check({"occasion": {"path": ["src/**/*.py", "!**/test_*.py"], "added": ["print("]}})
CREDIT = parse_check({"occasion": {"command": ["git commit"]}, "broken": {"with": ["*Co-Auth*"]}})
DELETE = parse_check(
    {"occasion": {"command": ["gh api", "curl"]}, "broken": {"with": ["-X DELETE"]}}
)
CHECKS = {"push": PUSH, "pip": PIP, "emit": NO_EMIT, "credit": CREDIT, "delete": DELETE}


def bash(text):
    return build_act("Bash", {"command": text}, "/p")


def edit(path, old="a", new="b"):
    inputs = {"file_path": f"/p/{path}", "old_string": old, "new_string": new}
    return build_act("Edit", inputs, "/p")


@cased()
def test_commands(check, text, is_so):
    assert judge_act(CHECKS[check], bash(text)) == is_so


@cased()
def test_edits(path, old, new, is_so):
    assert judge_act(PRINT, edit(path, old, new)) == is_so


def test_a_file_written_by_the_shell_counts():
    assert judge_act(PRINT, bash("cat <<'EOF' > src/a.py\nprint(1)\nEOF")) == "broken"


def through(check, *acts):
    """Give how each of the acts was judged, one after the other."""
    memory, found = (), []
    for one in acts:
        found.append(judge_act(check, one, memory))
        memory = remember(check, one, memory)
    return found


def test_what_is_needed_counts_since_the_last_change():
    commit, tests = bash("git commit"), bash("uv run pytest -q")
    # a session that changed nothing has nothing to test
    assert through(TESTED, commit, tests, commit, commit) == ["kept", "", "kept", "kept"]
    assert through(TESTED, edit("a.py"), commit, tests, commit)[1::2] == ["broken", "kept"]
    assert through(TESTED, tests, edit("a.py"), commit) == ["", "", "broken"]
    assert through(TESTED, tests, edit("a.md"), edit("docs/x.py"), commit)[-1] == "kept"
    assert through(TESTED, edit("a.py"), bash("pytest && git commit")) == ["", "kept"]
    late = through(TESTED, edit("a.py"), bash("git commit && pytest"), commit)
    assert late == ["", "broken", "kept"]
    assert through(TESTED, bash("pytest; echo > a.py"), commit)[-1] == "broken"


def test_a_file_is_read_before_that_file_is_edited():
    read = build_act("Read", {"file_path": "/p/a.py"}, "/p")
    results = through(READ, edit("a.py"), read, edit("a.py"), edit("b.py"))
    assert results == ["broken", "", "kept", "broken"]
    assert through(READ, bash("cat ./b.py"), edit("b.py"))[-1] == "kept"


def test_memory_stays_small():
    memory = ()
    for number in range(1_000):
        read = build_act("Read", {"file_path": f"/p/{number}"}, "/p")
        memory = remember(READ, read, memory)
    assert len(memory) == 400
    assert remember(PUSH, bash("git push"), ()) == ()


@cased()
def test_a_wall_is_refused(value):
    assert find_refusal(parse_check(value))


@pytest.mark.parametrize("check", [*CHECKS.values(), TESTED, READ, PRINT])
def test_what_leaves_a_way_on_is_not(check):
    assert find_refusal(check) == ""


CALLS = st.lists(
    st.sampled_from(["git commit", "pytest", "git push -f", "echo x > a.py", "ls"]).map(bash)
    | st.sampled_from(["a.py", "a.md", "src/b.py"]).map(edit),
    max_size=8,
)


@given(CALLS)
def test_a_needed_command_keeps_the_check_until_something_changes(acts):
    memory = ()
    for one in acts:
        memory = remember(TESTED, one, memory)
    after = remember(TESTED, bash("pytest"), memory)
    assert judge_act(TESTED, bash("git commit"), after) == "kept"
    changed = remember(TESTED, edit("x.py"), after)
    assert judge_act(TESTED, bash("git commit"), changed) == "broken"
    assert remember(TESTED, bash("ls"), after) == after


def test_what_breaks_it_is_told():
    text = "cd x && sudo git push -f && git push"
    assert broken_by(PUSH, bash(text)) == ("git push -f",)
    assert broken_by(PRINT, edit("src/a.py", "", "print(")) == ("src/a.py",)
    no_npm = parse_check({"occasion": {"tools": ["Bash"]}, "broken": {"command": ["npm"]}})
    assert broken_by(no_npm, bash("ls && npm i")) == ("npm i",)


@cased()
def test_a_file_of_the_project_is_known_in_whatever_letters_windows_names_it(path, root, expected):
    assert build_act("Edit", {"file_path": path}, root).path == expected
