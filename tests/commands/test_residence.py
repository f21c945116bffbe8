"""A vault whose state lies elsewhere: moved there, said in .env, known to hooks and commands."""

import json

import filelock
from place import debugging

from memoria.commands.doctor import examine
from memoria.commands.workspace import workspace
from memoria.settings import load


def handlers(place):
    path = place.home / ".claude" / "settings.json"
    return json.loads(path.read_text())["hooks"]["SessionEnd"][0]["hooks"]


def check(place, name):
    return {one.name: one for one in examine(workspace(load(str(place.vault))))}.get(name)


def test_the_state_moves_with_all_that_is_in_it(place):
    place.transcript("s-1", *debugging())
    place.run("import")
    before = place.ledger()
    code, out, _ = place.run("install", "--state", "~/state of mine")
    state = place.home / "state of mine"
    assert code == 0
    assert "--state" in out
    assert not (place.vault / ".memoria").exists()
    assert (place.vault / ".env").read_text() == "MEMORIA_STATE_DIR='~/state of mine'\n"
    assert handlers(place)[0]["args"][-2:] == ["--state", str(state)]
    lines = (state / "ledger.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == before
    # every later command finds it by the vault's .env, and installing again changes nothing
    assert place.json("install", "--quiet")["changed"] is False
    assert check(place, "hooks").ok
    assert not (place.vault / ".memoria").exists()
    assert place.run("import")[0] == 0


def test_other_lines_of_env_stay(place):
    (place.vault / ".env").write_text("MEMORIA_ENGINE=offline\nMEMORIA_STATE_DIR=/old\nB=1")
    place.run("init", "--state", "~/s")
    text = (place.vault / ".env").read_text()
    assert text == "MEMORIA_ENGINE=offline\nB=1\nMEMORIA_STATE_DIR='~/s'\n"


def test_a_dry_run_moves_nothing(place):
    code, out, _ = place.run("install", "--state", "~/s", "--dry-run")
    assert (code, "--state" in out) == (0, True)
    assert (place.vault / ".memoria").exists()
    assert not (place.vault / ".env").exists()
    assert not (place.home / "s").exists()


def test_places_that_will_not_do(place):
    (place.home / "full").mkdir()
    (place.home / "full" / "x").write_text("")
    for where, told in (
        ("~/full", "is not empty"),
        ("relative", "use a full path"),
        (str(place.vault / "state"), "lies in the vault"),
    ):
        code, _, err = place.run("install", "--state", where)
        assert (code, told in err) == (2, True), err
    assert (place.vault / ".memoria").exists()


def test_an_environment_that_says_another_place(place, monkeypatch):
    monkeypatch.setenv("MEMORIA_STATE_DIR", str(place.home / "one"))
    code, _, err = place.run("install", "--state", str(place.home / "two"))
    assert (code, "change it there" in err) == (2, True)


def test_a_state_that_is_at_work_stays(place):
    lock = place.vault / ".memoria" / "locks"
    lock.mkdir(exist_ok=True)
    with filelock.FileLock(lock / "flush"):
        code, _, err = place.run("install", "--state", "~/s")
    assert (code, "holds the flush lock" in err) == (3, True)
    assert (place.vault / ".memoria" / "hooks.json").exists()


def test_a_synced_vault_is_warned_about_until_its_state_is_elsewhere(place):
    (place.vault / ".stfolder").mkdir()
    for verb in ("init", "install", "start"):
        _, _, err = place.run(verb)
        assert "lies in a folder of Syncthing" in err
        assert "--state" in err
    assert not check(place, "place").ok
    _, _, err = place.run("install", "--state", "~/s")
    assert "Syncthing" not in err
    assert check(place, "place") is None


def test_hooks_and_commands_that_use_different_states_are_named(place):
    place.run("install")
    place.run("init", "--state", "~/s")
    found = check(place, "hooks")
    assert not found.ok
    assert str(place.home / "s") in found.detail
    place.run("install")
    assert check(place, "hooks").ok


def test_an_interpreter_of_the_flush_that_is_gone_is_named_and_mended(place):
    snapshot = place.vault / ".memoria" / "hooks.json"
    value = json.loads(snapshot.read_text())
    snapshot.write_text(json.dumps(value | {"command": ["/gone/python", "/gone/main"]}))
    assert "/gone/python" in check(place, "interpreter").detail
    place.run("install")
    assert check(place, "interpreter") is None


def test_a_second_vault_says_which_one_it_takes_over_from(place, tmp_path):
    place.run("install")
    code, _, err = place.run("install", "--vault", str(tmp_path / "other one"))
    assert code == 0
    assert f"until now sessions were captured into {place.vault}" in err
    assert f"memoria install --vault {place.vault}" in err
    _, _, err = place.run("install", "--vault", str(tmp_path / "other one"))
    assert "until now" not in err


def test_a_project_s_own_settings(place, tmp_path, monkeypatch):
    project = tmp_path / "shop"
    project.mkdir()
    monkeypatch.chdir(project)
    code, _, err = place.run("install", "--project")
    path = project / ".claude" / "settings.local.json"
    assert code == 0
    assert "only in sessions that are started in" in err
    assert "SessionEnd" in path.read_text()
    assert not (place.home / ".claude" / "settings.json").exists()
    assert check(place, "hooks").ok
    assert "serve every project" not in err
    place.run("install")
    _, _, err = place.run("install", "--project")
    assert "serve every project, this one too" in err
    assert place.run("uninstall", "--project")[0] == 0
    assert not path.exists()
    assert (place.home / ".claude" / "settings.json").exists()
    assert place.run("install", "--project", "--user")[0] == 2


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
