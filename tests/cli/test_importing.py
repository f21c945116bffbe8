import os
import time
from dataclasses import replace

import pytest
from cases import cased
from place import AGENT, debugging, state_of
from ruled import approvals, notes
from transcript_lines import say, user

from memoria.cli import flush


def test_a_session_becomes_an_entry_of_the_day_it_was_on(place, tmp_path, monkeypatch):
    assert "No session fits" in place.err("import")
    # it stays offline though a login is there
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-" + "dummy-dummy")
    place.transcript("s-1", *debugging())
    err = place.err("import")
    assert err.startswith(f"Vault: {place.vault}\n1 session: 1 new entry on 1 day (offline ")
    assert "Next: `memoria compile` makes articles" in err
    log = place.log()
    assert log.startswith("# Daily Log: 2026-03-02\n\n## Sessions\n\n### Session (10:10) - ")
    assert "The root cause: `tokens.py` compared a local time with a UTC expiry" in log
    assert '"engine": "offline"' in log
    # twice brings nothing new, nor does a copy of the transcripts elsewhere
    assert place.run("import")[2] == f"Vault: {place.vault}\n1 session: no new entries.\n"
    before = place.files()
    result = place.json("import")
    assert (result["sessions"], result["entries"], result["days"]) == (1, 0, [])
    copy = tmp_path / "backup" / "-home-ana-shop"
    copy.mkdir(parents=True)
    (copy / "s-1.jsonl").write_bytes((place.projects / "-home-ana-shop/s-1.jsonl").read_bytes())
    assert place.json("import", "--from", str(tmp_path / "backup"))["entries"] == 0
    assert place.files() == before


def test_transcripts_that_lie_in_one_folder(place, tmp_path):
    path = place.transcript("s-1", *debugging())
    flat = tmp_path / "flat"
    flat.mkdir()
    path.rename(flat / path.name)
    found = place.json("import", "--from", str(flat))
    assert (found["sessions"], found["entries"], found["engine"]) == (1, 1, "offline")
    assert set(found) >= {"skipped", "waiting"}
    assert found["days"] == ["2026-03-02"]


@cased()
def test_which_sessions(place, options, sessions):
    place.transcript("s-1", *debugging())
    place.transcript(
        "s-2",
        *(one | {"cwd": "/home/ana/cli"} for one in debugging("the parser", 2000)),
        project="-home-ana-cli",
    )
    assert place.json("import", *options)["sessions"] == sessions


@cased()
def test_since_is_a_day_of_the_persons_clock(place, monkeypatch, zone, since, sessions):
    monkeypatch.setenv("MEMORIA_TIMEZONE", zone)
    place.transcript("s-1", *debugging())
    assert place.json("import", "--since", since)["sessions"] == sessions


def test_an_excluded_project_leaves_no_trace(place, monkeypatch):
    monkeypatch.setenv("MEMORIA_EXCLUDE", "/home/ana/*")
    place.transcript("s-1", *debugging("the secret project"))
    assert place.json("import")["entries"] == 0
    assert not any(b"secret project" in path.read_bytes() for path in _all(place.vault))


def test_what_a_pulled_file_excludes_is_said(place, monkeypatch):
    """A pulled .env could stop capture, and nobody would see it."""
    dotenv = place.vault / ".env"
    dotenv.write_text("MEMORIA_EXCLUDE=/**\n")
    for number in range(3):
        place.transcript(f"s-{number}", *debugging(at=number * 60))
    assert place.run("import")[2].splitlines()[1:] == [
        "3 sessions: no new entries.",
        f"3 sessions excluded by MEMORIA_EXCLUDE in line 1 of {dotenv}.",
    ]
    assert place.json("import")["left_out"]["excluded"] == 3
    monkeypatch.delenv("MEMORIA_TIMEZONE", raising=False)
    dotenv.write_text("MEMORIA_TIMEZONE=Nope/x\n")
    where = f"it stands in line 1 of {dotenv}"
    said = f"memoria: MEMORIA_TIMEZONE='Nope/x' is not a time zone; {where}\n"
    assert place.err("import", code=2) == said


def test_private_spans_and_secrets_leave_no_trace(place, monkeypatch):
    word = "correct-horse-" + "battery"
    monkeypatch.setenv("SHOP_DB_PASSWORD", word)
    key = "ghp_" + "a1B2" * 9
    place.transcript(
        "s-1",
        *debugging(),
        user(f"<private>my salary is 1234567</private> Why is {word} refused with {key}?", 20),
        say(f"Because `{key}` lacks the scope and {word} is the password of the test base.", 21),
    )
    assert place.json("import")["entries"] == 1
    everything = b"".join(path.read_bytes() for path in _all(place.vault))
    for secret in (word, key, "1234567"):
        assert secret.encode() not in everything


def test_a_session_that_cannot_be_read_is_named_and_the_others_come_in(place):
    place.transcript("s-1", *debugging())
    broken = place.projects / "-home-ana-shop" / "s-0.jsonl"
    broken.mkdir()
    place.transcript("s-2", {"type": "user"}, *debugging("the cookie check", 100))
    assert place.run("import")[0] == 0
    assert place.log().count("### Session") == 2
    texts = {"empty": "", "torn": '{"type": "user", "mess', "foreign": "<html>\n</html>\n"}
    for name, text in texts.items():
        path = place.projects / "-home-ana-shop" / f"{name}.jsonl"
        path.write_text(text)
        os.utime(path, (time.time() - 7200,) * 2)
    err = place.err("import", code=1)
    named = [line for line in err.splitlines() if line.endswith("holds no line that can be read")]
    assert len(named) == 3
    lost = [row["detail"] for row in place.json("doctor")["checks"] if row["name"] == "lost"]
    assert sorted(line.partition(".jsonl")[0].rpartition("/")[2] for line in lost) == sorted(texts)


def test_a_fault_in_one_session_does_not_end_the_import(place, monkeypatch):
    from memoria.capture.service import CaptureService

    for session in ("s-1", "s-2", "s-3"):
        place.transcript(session, *debugging())
    parts = CaptureService.parts

    def faulty(capture, file):
        if file.stem == "s-2":
            raise IndexError("nobody foresaw this")
        return parts(capture, file)

    monkeypatch.setattr(CaptureService, "parts", faulty)
    assert "s-2.jsonl: IndexError: nobody foresaw this" in place.err("import", code=1)
    assert place.log().count("### Session") == 2


@cased()
def test_wrong_use_is_one_line_and_exit_code_2(place, options, said):
    code, out, err = place.run("import", *options)
    assert code == 2
    assert said in err
    assert out == ""


def test_an_interrupted_import_goes_on(place, monkeypatch):
    for number in range(20):
        place.transcript(f"s-{number}", *debugging(f"check number {number}", number * 20))
    from memoria.cli import importing as import_

    read, seen = import_._capture_file, []

    def interrupted(capture, file, outcome):
        seen.append(file)
        if len(seen) == 12:
            raise KeyboardInterrupt
        return read(capture, file, outcome)

    monkeypatch.setattr(import_, "_capture_file", interrupted)
    assert "goes on from there" in place.err("import", code=130)
    taken = len(place.ledger("session"))
    assert 0 < taken < 12
    monkeypatch.setattr(import_, "_capture_file", read)
    assert place.json("import")["entries"] == 20 - taken
    assert place.log().count("### Session") == 20


def _all(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


STATED = "From now on always run the smoke tests before each commit."


def stated(place, folder=""):
    """Write a session in which a rule was said, where the client would or in another folder."""
    path = place.transcript("s-1", *debugging(rule=STATED))
    if folder:
        target = folder / "-home-ana-shop" / path.name
        target.parent.mkdir(parents=True)
        path.rename(target)
    return replace(place, driver=AGENT)


@pytest.mark.parametrize("verb", ["import", "start"])
def test_an_agent_makes_no_rule_active_by_a_folder_of_transcripts(place, tmp_path, verb):
    """Anybody can write such a folder, whoever made a repository that was cloned say."""
    other = tmp_path / "repo"
    err = stated(place, other).err(verb, "--from", str(other))
    assert f"{other} is no folder of a client's own: rules said there wait" in err
    place.run("compile")
    assert not approvals(place)
    assert [rule.status for rule in notes(place).values()] == ["waiting"]


@pytest.mark.parametrize("words", [("import",), ("flush", "--sweep")])
def test_an_agent_names_no_folder_of_the_clients_by_its_environment(
    place, tmp_path, monkeypatch, words
):
    other = tmp_path / "repo"
    agent = stated(place, other / "projects")
    (state_of(place.vault) / "installed.json").write_text("{}")
    path = other / "projects/-home-ana-shop/s-1.jsonl"
    os.utime(path, (1, 1))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(other))
    assert agent.json(*words)["entries"] == 1
    assert not approvals(place)
    assert len(notes(place)) == 1


def test_the_clients_own_folder_is_the_persons_words_whoever_imports_it(place):
    agent = stated(place)
    assert agent.run("import")[0] == 0
    assert len(approvals(place)) == 1


def test_a_person_vouches_for_a_folder_of_transcripts(place, tmp_path):
    other = tmp_path / "backup"
    stated(place, other)
    assert place.run("import", "--from", str(other))[0] == 0
    assert len(approvals(place)) == 1


def test_an_import_that_finds_nothing_derives_again_only_what_was_edited(place, monkeypatch):
    place.transcript("s-1", *debugging("the token check", 1))
    assert place.run("import")[0] == 0
    derived = []
    monkeypatch.setattr(flush, "refresh_derived", derived.append)
    assert place.run("import")[0] == 0
    assert derived == []
    index = place.vault / "knowledge/index.md"
    index.write_text(index.read_text() + "\nMine.\n")
    assert place.run("import")[0] == 0
    assert len(derived) == 1
    monkeypatch.undo()
    assert place.run("import")[0] == 0
    monkeypatch.setattr(flush, "refresh_derived", derived.append)
    index.unlink()  # of what is gone the folder alone has a time, in ticks of some milliseconds
    later = time.time() + 1
    os.utime(index.parent, (later, later))
    assert place.run("import")[0] == 0
    assert len(derived) == 2
