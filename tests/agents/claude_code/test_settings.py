import json
import shlex

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.agents.claude_code import settings as client_settings
from memoria.agents.claude_code.settings import (
    Hook,
    build_guard_hook,
    build_hook,
    list_obstacles,
    merge_hooks,
    parse_hooks,
    remove_hooks,
)
from memoria.errors import SettingsError

HERE = "/home/me/.claude/settings.json"
PYTHON = "/opt/memoria/bin/python"
HOOKS = "/opt/memoria/lib/memoria/hooks"
STATE = "/home/me/.local/state/memoria/1a2b"


def ours(python=PYTHON, folder=HOOKS, vault="/home/me/memoria", *, optional=True):
    scripts = (*client_settings.SCRIPTS, *(client_settings.OPTIONAL if optional else ()))
    return tuple(
        build_hook(event, python, f"{folder}/{script}", vault, STATE) for event, script in scripts
    )


def load(text):
    return json.loads(text.removeprefix("\ufeff"))


FRESH = """\
{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": LINE,
            "timeout": 10
          }
        ]
      }
    ],
"""
OTHER = {"type": "command", "command": "echo hello", "timeout": 3}


def test_a_first_install_in_an_empty_place():
    new = merge_hooks("", ours(), HERE)
    line = load(new)["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    assert new.startswith(FRESH.replace("LINE", json.dumps(line)))
    words = shlex.split(line)
    assert [*words[:2], *words[3:]] == [
        *("/bin/sh", "-c", "/opt/memoria/bin/python"),
        "/opt/memoria/lib/memoria/hooks/session_start.py",
        *("--vault", "/home/me/memoria", "--state", "/home/me/.local/state/memoria/1a2b"),
        *("||", "exit", "0"),
    ]
    assert new.endswith("}\n")
    assert list(load(new)["hooks"]) == [
        *("SessionStart", "PreCompact", "SessionEnd"),
        *("UserPromptSubmit", "PostToolUseFailure"),
    ]
    assert parse_hooks(new, HERE) == ours()


COMMANDS = st.sampled_from(
    [
        OTHER,
        {"type": "command", "command": "uv", "args": ["run", "hooks/session_start.py"]},
        {"type": "command", "command": "python3 /x/memoria/hooks/session_start.py --vault /v"},
        {"type": "command", "command": "python3", "args": ["/x/memoria/hooks/check.py"]},
        {"type": "command", "command": "p", "args": ["hooks/format.py", "--vault", "/v"]},
        {"type": "command", "command": "p", "args": "memoria/hooks/x.py --vault /v"},
        {"type": "prompt", "prompt": "x"},
        {"command": 7, "args": [1]},
        "nothing",
        None,
    ]
)
GROUPS = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.lists(COMMANDS, max_size=2)}, optional={"matcher": st.just("startup")}
    )
    | st.sampled_from([None, [], {}, {"hooks": {}}, "x"]),
    min_size=1,
    max_size=2,
)
EVENTS = st.dictionaries(
    st.sampled_from(["SessionStart", "SessionEnd", "Stop", "NewEvent"]), GROUPS, min_size=1
)
SETTINGS = st.fixed_dictionaries(
    {"model": st.text()},
    optional={"hooks": EVENTS, "env": st.dictionaries(st.text(), st.text(), max_size=2)},
)


@st.composite
def settings_texts(draw, settings=SETTINGS):
    indent = draw(st.sampled_from([None, 2, 4, "\t", 0]))
    text = json.dumps(draw(settings), indent=indent, ensure_ascii=draw(st.booleans()))
    text = draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", "\n"]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


@given(settings_texts())
def test_an_install_adds_our_groups_and_nothing_else(old):
    new = merge_hooks(old, ours(), HERE)
    expected = load(old)
    events = expected.setdefault("hooks", {})
    fresh = load(merge_hooks("", ours(), HERE))["hooks"]
    for event, groups in fresh.items():
        events[event] = events.get(event, []) + groups
    assert load(new) == expected
    assert list(load(new)) == list(expected)
    assert list(load(new)["hooks"]) == list(expected["hooks"])


@given(settings_texts())
def test_taking_ours_out_gives_the_bytes_back(old):
    assert remove_hooks(merge_hooks(old, ours(), HERE), HERE) == old


@given(settings_texts())
def test_an_older_install_is_replaced_in_its_place(old):
    older = merge_hooks(old, ours("/old/python", "/old/memoria/hooks", "/old/vault"), HERE)
    assert merge_hooks(older, ours(), HERE) == merge_hooks(old, ours(), HERE)


def test_another_persons_handler_in_our_group_stays():
    text = merge_hooks("", ours(), HERE)
    value = load(text)
    value["hooks"]["SessionEnd"][0]["hooks"].insert(0, OTHER)
    assert load(remove_hooks(json.dumps(value), HERE)) == {
        "hooks": {"SessionEnd": [{"hooks": [OTHER]}]}
    }


@cased()
def test_our_entries_are_known_by_script_and_vault(words, expected):
    assert Hook("SessionStart", "python", tuple(words)).ours is expected


def test_windows_paths():
    python, folder = "C:\\Users\\\u00e9 b\\Scripts\\python.exe", "C:\\lib\\memoria\\hooks"
    hooks = tuple(
        build_hook(event, python, f"{folder}\\{script}", "C:\\Users\\\u00e9 b\\memoria", "C:\\s")
        for event, script in client_settings.SCRIPTS
    )
    text = merge_hooks('{\r\n  "a": 1\r\n}\r\n', hooks, HERE)
    assert '"command": "C:\\\\Users\\\\\u00e9 b\\\\Scripts\\\\python.exe"' in text
    assert parse_hooks(text, HERE) == hooks
    assert parse_hooks(text, HERE)[0].vault == "C:\\Users\\\u00e9 b\\memoria"
    assert remove_hooks(text, HERE) == '{\r\n  "a": 1\r\n}\r\n'


@cased(('{"a": ' + "9" * 5000 + "}", "not valid JSON"), ("[" * 100_000, "not valid JSON"))
@pytest.mark.parametrize(
    "act",
    [
        lambda text: merge_hooks(text, ours(), HERE),
        lambda text: parse_hooks(text, HERE),
        lambda text: remove_hooks(text, HERE),
        lambda text: list_obstacles(text, HERE),
    ],
)
def test_what_the_client_would_not_read_is_refused_with_its_place(text, said, act):
    with pytest.raises(SettingsError) as refused:
        act(text)
    assert str(refused.value).startswith(HERE)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_keeps_hooks_from_running_is_said():
    assert list_obstacles('{"disableAllHooks": false}', HERE) == ()
    assert "disableAllHooks" in list_obstacles('\ufeff{"disableAllHooks": true}', HERE)[0]


def test_a_state_that_was_moved_is_named_anew():
    plain = build_hook("SessionEnd", PYTHON, f"{HOOKS}/session_end.py", "/v", STATE)
    found = build_hook("SessionEnd", PYTHON, f"{HOOKS}/session_end.py", "/v", "/s")
    assert found.args == (*plain.args[:-1], "/s")
    assert (found.vault, found.state, found.python) == ("/v", "/s", PYTHON)
    assert (found.script, found.ours) == (plain.script, True)
    text = merge_hooks("", (plain,), HERE)
    assert parse_hooks(merge_hooks(text, (found,), HERE), HERE) == (found,)
    assert merge_hooks(merge_hooks(text, (found,), HERE), (plain,), HERE) == text
    assert remove_hooks(merge_hooks("{}", (found,), HERE), HERE) == "{}"


# -- The hook of the guards ------------------------------------------------------------------------


@cased()
def test_the_guards_hook_is_that_of_the_same_install(script, own):
    found = build_guard_hook(build_hook("SessionStart", "python", script, "/v", "/state"), "Bash")
    assert (found.event, found.script, found.vault, found.state) == (
        "PreToolUse",
        own,
        "/v",
        "/state",
    )
    assert (found.python, found.timeout, found.ours) == ("python", 5, True)


def test_it_comes_and_goes_and_its_matcher_changes_while_all_else_stays():
    mine = '{"hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": []}]}, "a": 1}\n'
    start = build_hook("SessionStart", "python", "/lib/memoria/hooks/session_start.py", "/v", STATE)
    without = merge_hooks(mine, (start,), HERE)
    bash, edit = (
        merge_hooks(without, (start, build_guard_hook(start, tools)), HERE)
        for tools in ("Bash", "E")
    )
    assert parse_hooks(bash, HERE)[0].matcher == "Bash"
    assert merge_hooks(bash, (start, build_guard_hook(start, "E")), HERE) == edit
    assert merge_hooks(bash, (start, build_guard_hook(start, "Bash")), HERE) == bash
    assert merge_hooks(edit, (start,), HERE) == without
    assert remove_hooks(bash, HERE) == mine
