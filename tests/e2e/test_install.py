"""Installed hooks in the real client: beside others, at odd places, and gone again."""

import json
import shutil

import pytest
from client import find_client
from keeper import TALKS, Keeper

A, B, C, D = TALKS


@pytest.fixture
def room(loop, tmp_path):
    with Keeper(tmp_path, loop, "offline", installed=False) as room:
        yield room


def checks(room):
    done = room.memoria("doctor", "--json")
    found = json.loads(done.stdout)["checks"]
    return done.returncode, {check["name"]: check for check in found}


def test_from_nothing_to_a_captured_session_and_back(room):
    room.settings().write_text('{"model": "haiku",\n  "env": {"X": "1"}}')
    room.record("SessionStart", "SessionEnd")
    before = room.settings().read_bytes()
    assert room.memoria("init").returncode == 0
    code, found = checks(room)
    assert (code, found["hooks"]["ok"]) == (1, False)
    assert "memoria install" in found["hooks"]["detail"]
    assert room.memoria("install", "--dry-run").returncode == 0
    assert room.settings().read_bytes() == before
    assert room.memoria("install").returncode == 0
    assert room.memoria("install").returncode == 0
    assert json.loads(room.settings().read_text())["env"] == {"X": "1"}
    room.ask(TALKS[A][0])
    room.kept()
    room.delivered_once(A, parts=1)
    assert len(room.events("SessionStart")) == len(room.events("SessionEnd")) == 1
    code, found = checks(room)
    assert (code, found["hooks"]["ok"], found["captured"]["ok"]) == (0, True, True)
    assert "project" in found["captures"]["detail"]
    assert room.memoria("uninstall").returncode == 0
    assert room.settings().read_bytes() == before
    room.ask(TALKS[B][0])
    room.kept()
    room.delivered_once(A, parts=1)


def test_places_with_spaces_and_other_letters(loop, tmp_path):
    with Keeper(tmp_path / "Ana's r\u00e4ume $HOME \u4e2d", loop, "offline") as room:
        room.ask(TALKS[A][0])
        room.kept()
        room.delivered_once(A, parts=1)


def test_the_clients_own_place_where_no_variable_names_it(loop, tmp_path):
    with Keeper(tmp_path, loop, "offline") as room:
        room.run("env", "-u", "CLAUDE_CONFIG_DIR", find_client(), "-p", TALKS[A][0])
        room.kept()
        room.delivered_once(A, parts=1)


def test_one_project_alone(room):
    """In the project's own settings; whoever starts in another folder is not captured."""
    assert room.memoria("install", "--project").returncode == 0
    other = room.root / "other"
    other.mkdir()
    room.ask(TALKS[B][0], cwd=other)
    room.ask(TALKS[A][0])
    room.kept()
    room.delivered_once(A, parts=1)
    assert not room.settings().exists()
    assert room.memoria("uninstall", "--project").returncode == 0
    assert not room.settings("local").exists()


def test_state_that_lies_elsewhere(loop, tmp_path):
    state = tmp_path / "state"
    with Keeper(tmp_path, loop, "offline", installed=False) as room:
        assert room.memoria("install", "--state", str(state)).returncode == 0
        room.ask(TALKS[A][0])
        room.settle()
        assert len(room.texts()) == 1
        assert (state / "ledger.jsonl").exists()
        assert room.state == state


@pytest.mark.parametrize("gone", ["interpreter", "script", "vault"])
def test_what_the_hooks_name_is_gone_and_sessions_go_on(room, gone):
    room.memoria("install")
    if gone == "vault":
        shutil.rmtree(room.vault)
    else:
        text = room.settings().read_text()
        name = "/session_end.py" if gone == "script" else "/python"
        assert name in text
        room.settings().write_text(text.replace(name, "/gone" + name))
        code, found = checks(room)
        assert (code, found["hooks"]["ok"]) == (1, False)
        assert "memoria install" in found["hooks"]["detail"]
    done = room.ask(TALKS[A][0])
    assert (done.returncode, done.stdout.strip()) == (0, TALKS[A][1])
    room.settle()
    assert room.texts() == []
    assert room.vault.exists() is (gone != "vault")


def test_an_event_whose_hook_was_taken_out(room):
    room.memoria("install")
    settings = json.loads(room.settings().read_text())
    del settings["hooks"]["SessionEnd"]
    room.settings().write_text(json.dumps(settings))
    code, found = checks(room)
    assert (code, found["hooks"]["ok"]) == (1, False)
    assert "SessionEnd" in found["hooks"]["detail"]


def test_folders_that_are_left_out(loop, tmp_path):
    with Keeper(tmp_path, loop, "offline", MEMORIA_EXCLUDE="*/secret-*") as room:
        hidden = room.root / "secret-plans"
        hidden.mkdir()
        room.ask(TALKS[A][0], cwd=hidden)
        room.ask(TALKS[B][0])
        room.kept()
        room.delivered_once(B, parts=1)
        room.idle(48 * 3600)
        code, found = checks(room)
        assert (code, found["captured"]["ok"]) == (0, True), found["captured"]
