"""A state that the person wants elsewhere: moved there, registered, named by the hooks."""

import json
import os

import pytest
from place import debugging, state_of

from memoria.cli.doctor import examine
from memoria.settings import load
from memoria.workspace import workspace


def handlers(place):
    path = place.home / ".claude" / "settings.json"
    return json.loads(path.read_text())["hooks"]["SessionEnd"][0]["hooks"]


def check(place, name):
    return {one.name: one for one in examine(workspace(load(str(place.vault))))}.get(name)


def test_a_state_that_the_person_moved_is_named(place):
    place.transcript("s-1", *debugging())
    place.run("import")
    before, old = place.ledger(), state_of(place.vault)
    state = place.home / "state of mine"
    assert f"its state lies in {old}: move that folder to {state}" in place.err(
        "init", "--state", "~/state of mine", code=2
    )
    old.rename(state)
    assert place.run("init", "--state", "~/state of mine")[0] == 0
    assert place.run("install")[0] == 0
    assert state_of(place.vault) == state
    assert not (place.vault / ".env").exists()
    assert handlers(place)[0]["command"].endswith(f" --state '{state}' || exit 0")
    lines = (state / "ledger.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == before
    # every later command finds it by the registry, and installing again changes nothing
    assert place.json("install", "--quiet")["changed"] is False
    assert check(place, "hooks").ok
    # a step of before can still be taken back
    place.run("remember", "Run the linter before each commit")
    state.rename(place.home / "third")
    assert place.run("init", "--state", "~/third")[0] == 0
    assert place.run("undo")[0] == 0


def test_a_state_whose_registry_was_lost_is_taken_up_again_by_name(place):
    state = state_of(place.vault)
    (state.parent / "registry.json").unlink()
    assert place.run("status")[0] == 3
    assert place.run("init", "--state", str(state))[0] == 0
    assert state_of(place.vault) == state
    # but never that of another vault
    assert "is not empty" in place.err(
        "init", "--vault", str(place.root / "other"), "--state", str(state), code=2
    )


def test_places_that_will_not_do(place):
    (place.home / "full").mkdir()
    (place.home / "full" / "x").write_text("")
    (place.home / "project" / ".git").mkdir(parents=True)
    assert "name a folder of its own" in place.err("init", "--vault", str(place.home), code=2)
    vault = ("--vault", str(place.root / "new"))
    for where, told in (
        ("~/full", "is not empty"),
        ("relative", "use a full path"),
        (str(place.vault / "state"), "lies in the vault"),
        ("~/project/state", "lies in the git work tree"),
    ):
        assert told in place.err("init", *vault, "--state", where, code=2)
    assert not (place.root / "new").exists()


def test_the_environment_can_only_confirm_the_state(place, monkeypatch):
    monkeypatch.setenv("MEMORIA_STATE_DIR", str(place.home / "one"))
    for verb in ("status", "install"):
        assert "is not the state registered" in place.err(verb, code=2)
    monkeypatch.setenv("MEMORIA_STATE_DIR", str(state_of(place.vault)))
    assert place.run("status")[0] == 0


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_a_state_that_others_can_use_is_refused(place):
    state_of(place.vault).chmod(0o755)
    assert "chmod 700" in place.err("status", code=3)


def test_hooks_and_commands_that_use_different_states_are_named(place):
    place.run("install")
    state_of(place.vault).rename(place.home / "s")
    place.run("init", "--state", "~/s")
    found = check(place, "hooks")
    assert not found.ok
    assert str(place.home / "s") in found.detail
    place.run("install")
    assert check(place, "hooks").ok


def test_the_plugin_is_seen(place):
    path = place.home / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"enabledPlugins": {"memoria@memoria": true, "other@memoria": true}}')
    assert check(place, "hooks").ok
    assert "those of the plugin" in check(place, "hooks").detail
    _, _, err = place.run("install")
    assert "either is enough" in err
    assert "the plugin's as well" in check(place, "hooks").detail
    place.run("uninstall")
    path.write_text('{"enabledPlugins": {"memoria@memoria": false, "memoriax@y": true}}')
    assert not check(place, "hooks").ok
