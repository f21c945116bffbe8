"""An older vault -> this version: shown, copied first, and nothing of a person's is lost."""

import subprocess

import pytest
from place import state_of

from memoria.vault import package_files, setup

# the schema has to be there for anything to work
NEW = f"{package_files.read_agents_file()}one\ntwo\nthree\nfour\nfive\nsix, by this version\n"
BASE = NEW.replace(", by this version", "")
MINE = BASE.replace("one\n", "one, which I changed\n")


@pytest.fixture
def older(place, monkeypatch):
    """A vault whose AGENTS.md an older version wrote."""
    texts = setup.build_files(place.vault)

    def put(text, base=BASE):
        (place.vault / "AGENTS.md").write_text(text)
        if base is None:
            (state_of(place.vault) / "written" / "AGENTS.md").unlink()
        else:
            (state_of(place.vault) / "written" / "AGENTS.md").write_text(base)

    monkeypatch.setattr(setup, "build_files", lambda _: texts | {"AGENTS.md": NEW})
    return put


def text(place):
    return (place.vault / "AGENTS.md").read_text()


def test_a_new_vault_has_nothing_to_update(place):
    before = place.files()
    code, out, err = place.run("update")
    assert (code, out, "already" in err) == (0, "", True)
    assert place.files() == before
    assert not (place.home / ".claude" / "settings.json").exists()
    lines = (place.vault / ".gitattributes").read_text().splitlines()
    assert lines[1:] == [*("*.md -text", "daily/*.md merge=union", "knowledge/log.md merge=union")]


@pytest.mark.parametrize(
    ("mine", "base", "wanted"),
    [
        (BASE, BASE, NEW),
        (MINE, BASE, NEW.replace("one\n", "one, which I changed\n")),
        (NEW, BASE, NEW),
        (NEW, None, NEW),
        (MINE, NEW, MINE),
    ],
    ids=["untouched", "merged", "is-new", "is-new-unknown", "nothing-new"],
)
def test_what_becomes_of_a_file(place, older, mine, base, wanted):
    older(mine, base)
    out = place.do("update", "--dry-run")
    assert text(place) == mine
    assert ("six, by this version" in out) == (mine != wanted)
    code, shown, _ = place.run("update")
    assert (code, shown, text(place)) == (0, out, wanted)
    assert "already" in place.run("update")[2]
    if mine != wanted:
        place.run("undo")
        assert text(place) == mine


@pytest.mark.parametrize("base", [BASE, None], ids=["same-line", "unknown"])
def test_what_cannot_be_told_apart_is_left_alone_and_named_once(place, older, base):
    mine = BASE.replace("six\n", "six, by me\n")
    older(mine, base)
    assert "AGENTS.md was left alone" in place.err("update", "--dry-run", code=1)
    out = place.do("update", code=1)
    assert text(place) == mine
    assert "+six, by this version" in out
    assert place.run("update")[0] == 0
    assert text(place) == mine


def test_files_of_an_older_vault_that_it_did_not_have(place):
    (place.vault / ".gitattributes").unlink()
    (place.vault / "daily" / "_TEMPLATE.md").unlink()
    assert place.json("update")["files"] == [".gitattributes", "daily/_TEMPLATE.md"]
    assert "daily/*.md merge=union" in (place.vault / ".gitattributes").read_text()
    assert (place.vault / "daily" / "_TEMPLATE.md").exists()


@pytest.mark.parametrize("where", [".gitattributes", "vault.json"])
@pytest.mark.parametrize("verb", ["update", "init", "compile", "install"])
def test_a_newer_vault_is_refused(place, where, verb):
    path = (place.vault if where == ".gitattributes" else state_of(place.vault)) / where
    path.write_text(path.read_text().replace("format 1", "format 9").replace(": 1,", ": 9,"))
    before = place.files()
    assert "written by a newer Memoria (format 9" in place.err(verb, code=3)
    assert place.files() == before
    assert not (place.home / ".claude" / "settings.json").exists()


def test_a_clone_s_own_files_come_with_git(monkeypatch, place):
    monkeypatch.setattr(setup.package_files, "PACKAGE", place.vault / "scripts" / "memoria")
    assert setup.build_files(place.vault) == {}


def test_a_mark_that_cannot_be_read_is_no_reason_to_stop(place):
    (place.vault / ".gitattributes").unlink()
    (place.vault / ".gitattributes").symlink_to(place.vault / "AGENTS.md")
    (state_of(place.vault) / "vault.json").write_text("{")
    assert place.run("status")[0] == 0
    assert place.run("doctor")[1].startswith("ok  vault")


def test_git_on_windows_checks_the_notes_out_as_they_were_written(place):
    place.run("new", "plan")
    git = ["git", "-C", place.vault, "-c", "core.autocrlf=true", "-c", "core.safecrlf=false"]
    git += ["-c", "user.name=a", "-c", "user.email=a@b"]
    notes = {
        path: path.read_bytes() for path in place.vault.rglob("*.md") if path.name != "HOME.md"
    }
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *words], check=True)
    for path in notes:
        path.unlink()
    subprocess.run([*git, "checkout", "-q", "--", "."], check=True)
    assert {path: path.read_bytes() for path in notes} == notes
