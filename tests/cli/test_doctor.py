import json
import os
import re
import shlex
import shutil
import sys
import time

import pytest
from place import debugging, state_of

from memoria.cli.main import main
from memoria.cli.setup.install import HOOKS
from memoria.vault.storage import registry


def checks(place):
    return {check["name"]: check for check in place.json("doctor")["checks"]}


def test_after_install_all_is_well(place, monkeypatch):
    assert place.run("install")[0] == 0
    place.transcript("s-1", *debugging())
    place.run("import")
    found = checks(place)
    assert [name for name, check in found.items() if not check["ok"]] == []
    assert "PreCompact, SessionEnd, SessionStart" in found["hooks"]["detail"]
    assert "the last of 2026-03-02 10:10 in shop" in found["captures"]["detail"]
    assert "Claude login: none found" in found["engine"]["detail"]
    monkeypatch.setenv("MEMORIA_ENGINE", "claude")
    assert not checks(place)["engine"]["ok"]
    wanted = {"session_start.py", "session_end.py", "pre_compact.py"}
    assert {path.name for path in HOOKS.glob("*.py")} >= wanted


@pytest.mark.parametrize("state", ["gone", "broken"])
def test_an_interpreter_that_hooks_cannot_use_any_more_is_named(place, state):
    place.run("install")
    python = place.root / "python"
    if state != "gone":
        python.write_text("#!/bin/sh\necho libpython is gone >&2; exit 1\n")
        python.chmod(0o755)
    path = place.home / ".claude/settings.json"
    path.write_text(path.read_text().replace(sys.executable, str(python)))
    check = checks(place)["hooks"]
    assert not check["ok"]
    why = f"{python} is gone" if state == "gone" else f"{python} is of no use any more (libpython"
    assert check["detail"].startswith(why)
    assert check["detail"].endswith(f"`memoria install --vault {place.vault}` fixes it")
    assert place.run("install")[0] == 0
    assert checks(place)["hooks"]["ok"]


def test_what_flushes_run_in_is_started(place):
    place.run("install")
    snapshot = place.work.vault.state.snapshot
    known = json.loads(snapshot.read_bytes())
    assert "interpreter" not in checks(place)
    for command, why in (
        (["/gone/python", known["command"][1]], "/gone/python, which flushes run in, is gone"),
        ([sys.executable, "/gone/__main__.py"], "/gone/__main__.py, which flushes run in, is gone"),
        (["/bin/false"], "/bin/false, which flushes run in, does not start (it ends with code 1)"),
    ):
        snapshot.write_text(json.dumps(known | {"command": command}))
        check = checks(place)["interpreter"]
        assert not check["ok"]
        assert check["detail"].startswith(why)
    place.run("install")
    assert "interpreter" not in checks(place)


def test_hooks_that_are_switched_off_capture_nothing(place, monkeypatch):
    place.run("install")
    assert "switched off" not in checks(place)
    monkeypatch.setenv("MEMORIA_DISABLE", "1")
    assert not checks(place)["switched off"]["ok"]
    monkeypatch.setenv("MEMORIA_DISABLE", "0")
    path = place.home / ".claude/settings.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"disableAllHooks": True}))
    assert "disableAllHooks" in checks(place)["switched off"]["detail"]


def test_the_vault_that_the_hooks_name_is_looked_at(place, capsys, monkeypatch):
    """Not ~/memoria, where nobody has made one, nor the folder that one happens to be in."""
    place.run("install")
    monkeypatch.chdir(place.root)
    assert main(["doctor"]) == 0
    assert f"ok  vault: {place.vault}\n" in capsys.readouterr().out
    monkeypatch.setenv("MEMORIA_VAULT", str(place.root / "other"))
    assert main(["doctor"]) == 1
    assert f"NO  vault: no vault at {place.root / 'other'}" in capsys.readouterr().out


def test_the_vault_that_one_stands_in_comes_before_that_of_the_hooks(place, capsys, monkeypatch):
    place.run("install")
    other = place.root / "other"
    main(["init", str(other)])
    monkeypatch.chdir(other / "daily")
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert f"ok  vault: {other}\n" in out
    assert f"(there are some for {place.vault})" in " ".join(out.split())


def test_a_clone_of_a_vault_has_the_entries_of_another_machine(place, capsys):
    place.transcript("s-1", *debugging())
    place.run("import")
    clone = place.root / "clone"
    shutil.copytree(place.vault, clone)
    main(["init", str(clone)])
    main(["doctor", "--vault", str(clone)])
    main(["status", "--vault", str(clone)])
    out = " ".join(capsys.readouterr().out.split())
    assert "captures: the vault has 1 entry, none captured on this machine" in out
    assert "Last session: none on this machine" in out
    assert "Log: 1 entry of sessions, none captured on this machine" in out


def test_a_misspelt_name_in_ones_own_settings_is_told(place):
    folder = registry.config_home()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".env").write_text("MEMORIA_ENGIN=offline\nOTHER=1\n")
    check = checks(place)["settings"]
    assert (check["ok"], "(did you mean MEMORIA_ENGINE?)" in check["detail"]) == (False, True)
    assert "sets MEMORIA_ENGIN, which is no setting" in " ".join(place.err("status").split())


def test_a_vault_or_a_state_that_is_gone_is_told_with_what_mends_it(place, capsys):
    place.run("install")
    shutil.rmtree(place.vault / "daily")
    shutil.rmtree(place.vault / "knowledge")
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert f"NO  vault: {place.vault} is not there (moved or deleted?); put it back, or" in out
    assert "`memoria install --vault FOLDER` for where it is now" in out
    assert "ok  hooks:" in out
    place.run("init")
    shutil.rmtree(place.work.vault.state.root)
    assert main(["doctor"]) == 1
    assert "is gone, so nothing is captured; `memoria install --vault" in capsys.readouterr().out
    place.run("install")
    assert main(["doctor"]) == 0


def test_a_command_that_is_proposed_can_be_pasted(place, tmp_path):
    vault = tmp_path / "my vault's"
    out = place.do("doctor", "--vault", str(vault), code=1)
    (command,) = re.findall(r"no vault at .*: `(.*)` makes one", out)
    assert shlex.split(command) == ["memoria", "init", str(vault)]
    place.run("init", "--vault", str(vault))
    _, out, _ = place.run("doctor", "--vault", str(vault))
    (command,) = re.findall(r"none for this vault; `(.*)` captures", out)
    assert shlex.split(command) == ["memoria", "install", "--vault", str(vault)]


def test_waiting_sessions_are_counted_with_the_reason(place):
    job = {"session": "s-1", "transcript": "/x.jsonl", "at": time.time(), "error": "no login"}
    (state_of(place.vault) / "spool/new/1-1-s-1.json").write_text(json.dumps(job))
    check = checks(place)["waiting"]
    assert not check["ok"]
    assert check["detail"] == "1 captured session waits: no login"


def captured(place):
    check = checks(place)["captured"]
    return check["ok"], check["detail"].partition("; `memoria")[0]


@pytest.fixture
def _since_ever(place):
    state = place.work.vault.state
    (state.root / "installed.json").write_text(json.dumps({"since": 0}))


@pytest.mark.usefixtures("_since_ever")
def test_what_is_open_or_waits_is_not_called_captured(place):
    place.transcript("open", *debugging())
    waits = place.transcript("waits", *debugging(at=20))
    os.utime(waits, (time.time() - 7200,) * 2)
    place.work.spool.add(waits, "waits", "SessionEnd")
    said = "0 of 2 sessions since the installation, 2 still open or waiting"
    assert captured(place) == (True, said)


@pytest.mark.usefixtures("_since_ever")
def test_each_session_that_is_not_captured_has_its_reason(place):
    grown = place.transcript("grown", *debugging())
    place.transcript("whole", *debugging(at=20))
    place.run("import")
    place.transcript("grown", *debugging(), *debugging(at=40))
    dead = place.transcript("dead", *debugging(at=60))
    spool = place.work.vault.state.spool
    (spool / "dead").mkdir()
    job = {"session": "dead", "transcript": str(dead), "at": time.time(), "error": "no disk"}
    (spool / "dead" / "1-1-dead.json").write_text(json.dumps(job))
    for path in (grown, dead):
        os.utime(path, (time.time() - 7200,) * 2)
    is_well, said = captured(place)
    assert not is_well
    assert said.startswith("1 of 3 sessions since the installation; these are not: shop ")
    assert said.count("(it went on after its capture)") == 1
    assert said.count("(given up: no disk)") == 1
    given_up = checks(place)["given up"]["detail"]
    assert f"`memoria flush --vault {place.vault}` tries them again" in given_up
    assert place.run("flush", "--sweep")[0] == 0
    assert captured(place) == (True, "3 of 3 sessions since the installation")


@pytest.mark.usefixtures("_since_ever")
def test_what_is_not_to_be_captured_is_not_counted(place, monkeypatch):
    path = place.transcript("s-1", *debugging())
    os.utime(path, (time.time() - 7200,) * 2)
    monkeypatch.setenv("MEMORIA_EXCLUDE", "/home/ana/*")
    by = "MEMORIA_EXCLUDE in the environment"
    text = f"no session since the installation, 1 session excluded by {by}"
    assert captured(place) == (True, text)
    detail = checks(place)["captures"]["detail"]
    assert detail == f"the vault has no entry yet; {by} leaves sessions out"


def test_a_damaged_ledger_and_a_broken_note_are_named_and_left(place):
    with (state_of(place.vault) / "ledger.jsonl").open("a") as file:
        file.write("torn {\n")
    note = place.vault / "knowledge/concepts/x.md"
    note.parent.mkdir()
    note.write_text("no frontmatter")
    (place.vault / "daily/2026-03-09.md").write_bytes(b"\xff\xfe")  # nothing was captured into it
    (state_of(place.vault) / "logs").mkdir(exist_ok=True)
    (state_of(place.vault) / "logs/hooks.log").write_text("1772442000 'no transcript'\n")
    found = checks(place)
    assert "lost" not in found
    assert "2026-03-09.md is not UTF-8" in found["notes"]["detail"]
    assert re.search(r": 2026-03-02 \d\d:\d\d 'no transcript'", found["hooks.log"]["detail"])
    assert found["ledger"]["detail"] == "1 lines of it are no records"
    assert "knowledge/concepts/x.md has no frontmatter" in found["notes"]["detail"]
    assert note.read_text() == "no frontmatter"


def test_a_rule_whose_text_was_changed_by_hand_is_named(place):
    place.transcript("s-1", *debugging(rule="Always run the tests before you commit."))
    place.run("import")
    place.run("compile")
    (note,) = (place.vault / "knowledge/rules").glob("*.md")
    note.write_text(note.read_text().replace("# Always run", "# Never run"))
    check = checks(place)["rules"]
    assert not check["ok"]
    assert re.search(r"id: (.*)", note.read_text())[1] in check["detail"]


def test_what_a_session_would_get_is_shown(place, monkeypatch, tmp_path):
    rule = "Always run the tests before you commit, because CI is slow."
    folder = tmp_path / "shop"
    folder.mkdir()
    lines = [one | {"cwd": str(folder)} for one in debugging(rule=rule)]
    place.transcript("s-1", *lines)
    place.run("import")
    place.run("compile")
    monkeypatch.chdir(folder)
    text = place.json("doctor")["injection"]
    assert "run the tests before you commit" in text
