"""What is damaged, deleted or emptied: no session is lost by it, and doctor names it."""

import json
import os
import time

import pytest
from place import debugging, state_of
from spooled import spooled

RULE = "Always run the whole test suite before you push."
SESSION = "0790ea37-90df-4d30-8fdf-0bfe301b8f3e"
DAMAGES = {
    "empty": lambda path: path.write_bytes(b""),
    "zeroed": lambda path: path.write_bytes(b"\0" * path.stat().st_size),
    "torn": lambda path: path.write_bytes(path.read_bytes()[:40]),
    "another": lambda path: path.write_text("[1]"),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a full folder": lambda path: (path.unlink(), path.mkdir(), (path / "x").write_text("x")),
    "a link": lambda path: (path.unlink(), path.symlink_to("nowhere")),
    "gone": lambda path: path.unlink(),
}


def found(place, name="lost"):
    return [one["detail"] for one in place.json("doctor")["checks"] if one["name"] == name]


def job(place, suffix="json"):
    (path,) = (state_of(place.vault) / "spool/new").glob(f"*.{suffix}")
    return path


# a job that cannot be read is one way, whatever it holds: of what else is left three are enough
SOME = ("torn", "a link", "gone")
LEFT = [("both", how) for how in DAMAGES]
LEFT += [(left, how) for left in ("the transcript", "its link") for how in SOME]


@pytest.mark.parametrize(("left", "damage"), LEFT)
def test_the_session_of_a_damaged_job_is_captured(place, damage, left, monkeypatch):
    path = spooled(place, SESSION)
    DAMAGES[damage](job(place))
    if left == "its link":
        path.unlink()
    if left == "the transcript":
        job(place, "jsonl").unlink()
    if job_is_gone := not list((state_of(place.vault) / "spool/new").glob("*.json")):
        now = time.time()  # a hook may be between the link and the job
        monkeypatch.setattr(time, "time", lambda: now + 7200)
    else:
        assert any("takes its session up again" in line for line in found(place))
    sweep = ["--sweep"] if job_is_gone and left == "the transcript" else []
    if sweep:  # nothing of the job is left: it is a session that no hook told of
        (state_of(place.vault) / "installed.json").write_text(json.dumps({"since": 1}))
    assert place.run("flush", *sweep)[0] == 0
    assert place.log().count(f'"session": "{SESSION}"') == 1
    assert any(".damaged was a damaged job" in line for line in found(place)) == (not job_is_gone)
    assert place.run("flush")[0] == 0
    assert not list((state_of(place.vault) / "spool").rglob("*.jsonl"))


@pytest.mark.parametrize("damage", SOME)
def test_a_damaged_link_costs_nothing_while_the_transcript_is_there(place, damage):
    spooled(place, SESSION)
    link = job(place, "jsonl")
    data = link.read_bytes()
    link.unlink()  # its content is the transcript's own
    link.write_bytes(data)
    DAMAGES[damage](link)
    assert place.json("flush")["entries"] == 1
    assert place.run("flush")[0] == 0


@pytest.mark.parametrize("damage", SOME)
def test_a_session_of_which_nothing_is_left_is_named(place, damage):
    path = spooled(place, SESSION)
    DAMAGES[damage](job(place, "jsonl"))
    path.unlink()
    for _ in range(5):
        code, _, err = place.run("flush")
        assert SESSION in err
        assert code in {1, 4}
    assert any("1 session could not be captured" in line for line in found(place, "given up"))
    assert not place.work.vault.history().watermarks  # nothing says that it was captured


@pytest.mark.parametrize("hours", [0, 30])
def test_the_transcript_of_a_damaged_job_survives_the_tidy(place, hours, monkeypatch):
    path = spooled(place, SESSION)
    job(place).write_bytes(b"")
    path.unlink()
    monkeypatch.setenv("MEMORIA_ENGINE", "claude")  # there is no login: the job waits
    os.environ.pop("ANTHROPIC_API_KEY", None)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + hours * 3600)
    place.run("flush")
    monkeypatch.setenv("MEMORIA_ENGINE", "offline")
    place.run("flush")
    assert place.log().count(f'"session": "{SESSION}"') == 1


@pytest.fixture
def compiled(place):
    place.transcript("s-1", *debugging(rule=RULE))
    place.run("import")
    place.run("compile")
    assert found(place) == []
    return place


@pytest.mark.parametrize("what", ["daily/2026-03-02.md", "knowledge/rules/*.md"])
def test_what_is_deleted_or_emptied_is_named(compiled, what):
    (path,) = compiled.vault.glob(what)
    kept = path.read_bytes()
    for damage in ("empty", "zeroed", "gone", "a folder"):
        path.write_bytes(kept)
        DAMAGES[damage](path)
        said = found(compiled) + found(compiled, "notes") + found(compiled, "losses")
        assert any(path.name in line for line in said), (damage, said)
        assert compiled.run("doctor")[0] == 1


def test_a_rule_that_was_renamed_or_forgotten_is_no_loss(compiled):
    (note,) = (compiled.vault / "knowledge/rules").glob("*.md")
    note.rename(note.with_name("tests-first.md"))
    assert found(compiled) == []
    assert compiled.run("forget", "s-1", "--yes")[0] == 0
    assert found(compiled) == []


@pytest.mark.parametrize("how", ["no folder", "no spool", "a file"])
def test_a_spool_without_its_folder_is_named(place, how):
    spool = state_of(place.vault) / "spool"
    (spool / "new").rmdir()
    if how == "a file":
        (spool / "new").write_text("x")
    if how == "no spool":
        for path in sorted(spool.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        spool.rmdir()
    assert any("where hooks leave sessions, is no folder" in line for line in found(place))
