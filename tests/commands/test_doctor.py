import json
import os
import re
import time

import pytest
from place import debugging, state_of

from memoria.commands.install import HOOKS


def checks(place):
    return {check["name"]: check for check in place.json("doctor")["checks"]}


def test_a_fresh_vault_lacks_its_hooks_and_says_how_to_get_them(place):
    code, out, _ = place.run("doctor")
    assert code == 1
    assert "NO  hooks: none for this vault; `memoria install` captures every project" in out
    assert "A session started in this folder would get:" in out


def test_after_install_all_is_well(place):
    assert place.run("install")[0] == 0
    place.transcript("s-1", *debugging())
    place.run("import")
    found = checks(place)
    assert [name for name, check in found.items() if not check["ok"]] == []
    assert "PreCompact, SessionEnd, SessionStart" in found["hooks"]["detail"]
    assert "last of each project: shop 2026-03-02 10:10" in found["captures"]["detail"]


def test_hooks_of_one_project_are_told_as_such(place, monkeypatch):
    monkeypatch.chdir(place.root)
    place.run("install", "--project")
    detail = checks(place)["hooks"]["detail"]
    assert f"in {place.root / '.claude/settings.local.json'} (for sessions started" in detail
    assert str(place.home / ".claude") not in detail


def test_hooks_of_another_vault_are_not_this_one_s(place, tmp_path):
    place.run("install")
    place.run("init", "--vault", str(tmp_path / "other"))
    code, out, _ = place.run("doctor", "--vault", str(tmp_path / "other"))
    assert code == 1
    assert f"there are some for {place.vault}" in out


def test_an_interpreter_that_is_gone_is_named(place):
    place.run("install")
    path = place.home / ".claude/settings.json"
    settings = json.loads(path.read_text())
    for groups in settings["hooks"].values():
        groups[0]["hooks"][0]["command"] = "/gone/python"
    path.write_text(json.dumps(settings))
    assert "is gone; `memoria install` mends it" in checks(place)["hooks"]["detail"]


def test_waiting_sessions_are_counted_with_the_reason(place):
    job = {"session": "s-1", "transcript": "/x.jsonl", "at": time.time(), "error": "no login"}
    (state_of(place.vault) / "spool/new/1-1-s-1.json").write_text(json.dumps(job))
    check = checks(place)["waiting"]
    assert not check["ok"]
    assert check["detail"] == "1 captured sessions wait: no login"


def test_a_session_that_nobody_captured_is_seen(place):
    (state_of(place.vault) / "installed.json").write_text(json.dumps({"since": 0}))
    path = place.transcript("s-1", *debugging())
    os.utime(path, (time.time() - 2 * 86400,) * 2)
    check = checks(place)["captured"]
    assert not check["ok"]
    assert "1 sessions are not captured; `memoria flush --sweep`" in check["detail"]
    place.run("flush", "--sweep")
    assert checks(place)["captured"]["ok"]


def test_a_damaged_ledger_and_a_broken_note_are_named_and_left(place):
    with (state_of(place.vault) / "ledger.jsonl").open("a") as file:
        file.write("torn {\n")
    note = place.vault / "knowledge/concepts/x.md"
    note.parent.mkdir()
    note.write_text("no frontmatter")
    found = checks(place)
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
    assert "compared a local time with a UTC expiry" in text


@pytest.mark.parametrize("engine", ["offline", "claude"])
def test_the_engine_and_the_login_are_named(place, engine, monkeypatch):
    monkeypatch.setenv("MEMORIA_ENGINE", engine)
    check = checks(place)["engine"]
    assert check["ok"] == (engine == "offline")
    assert "Claude login: none found" in check["detail"]


def test_the_hooks_that_install_names_are_there():
    assert {path.name for path in HOOKS.glob("*.py")} >= {
        "session_start.py",
        "session_end.py",
        "pre_compact.py",
    }
