"""Sessions of a prompt or two: each leaves an entry or a line of its day."""

import json
from pathlib import Path

import pytest
from cases import cased, parts
from hypothesis import HealthCheck, given, settings, strategies as st
from place import debugging, state_of
from scripted import ScriptedModel
from spooled import spooled
from transcript_lines import made, say, user

from memoria.cli.flush import CaptureOutcome, Flush
from memoria.vault.daily_log import HEADING, find_short_sessions

NOTHING = {"worth_keeping": False, "title": "", "context": "", "statements": []} | {
    name: [] for name in ("exchanges", "decisions", "lessons", "actions")
}
_, SAID = parts(Path(__file__).parent)["test_a_rule_or_a_decision_makes_an_entry_however_short"]
ANSWERS = ("Noted.", "OK, understood.", "", "I will keep that in mind for this session.")


def kept(place, *prompts, name="short"):
    """Capture sessions of one prompt each; give the log."""
    for number, (prompt, answer) in enumerate(prompts):
        lines = [user(prompt, number), *([say(answer, number)] if answer else [])]
        place.transcript(f"{name}-{number}", *lines)
    assert place.run("import")[0] == 0
    return place.log()


@cased()
def test_a_rule_or_a_decision_makes_an_entry_however_short(place, said):
    log = kept(place, *((said, answer) for answer in ANSWERS))
    assert log.count("### Session") == len(ANSWERS)
    assert said.rstrip(".") in log
    assert HEADING not in log
    assert "Not finished" not in log


@pytest.mark.parametrize("said", ["always quote the css paths", "Never use tabs."])
def test_its_lasting_rule_is_in_force_once_it_is_compiled(place, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = (user(said, cwd=str(tmp_path)), say("Noted.", 1, cwd=str(tmp_path)))
    place.transcript("s-1", *lines)
    place.run("import")
    assert place.run("compile")[0] == 0
    (note,) = (place.vault / "knowledge/rules").glob("*.md")
    assert "status: active" in note.read_text()
    assert said.rstrip(".").lower() in place.json("doctor")["injection"].lower()


@cased()
def test_every_form_of_a_session_leaves_its_trace(place, rows):
    place.transcript("s-form", *made(*rows))
    assert place.run("import")[0] == 0
    assert place.log().count('"session": "s-form"') == 1
    before = place.files()
    assert place.run("import")[0] == 0
    assert place.files() == before


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.sampled_from(SAID) | st.text(min_size=1), min_size=1, max_size=4))
def test_whatever_is_typed_and_answered_leaves_its_trace(place, prompts):
    session = f"s-{abs(hash(tuple(prompts)))}"
    lines = [one for at, text in enumerate(prompts) for one in (user(text, at), say("ok", at))]
    place.transcript(session, *lines)
    place.run("import")
    texts = b"".join(place.files().values()).decode()
    captured = [one for one in place.ledger("session") if one["session"] == session]
    assert all(one["turns"] for one in captured)
    assert texts.count(f'"session": "{session}"') >= bool(captured)


def test_what_the_user_laid_down_is_kept_whatever_the_model_says(place):
    spooled(
        place, "s-1", user("We decided to use X for the cache because it is fast"), say("ok", 1)
    )
    spooled(place, "s-2", user("always quote the css paths", 2), say("ok", 3))
    spooled(place, "s-3", *debugging(at=10))
    with place.work.vault.state.lock("flush"):
        outcome = CaptureOutcome()
        model = ScriptedModel([NOTHING, NOTHING, NOTHING])
        Flush(place.work, model, outcome).drain(everything=True, sweep=False)
    assert (outcome.entries, outcome.skipped) == (2, 1)
    assert place.log().count('"engine": "offline"') == 2
    assert [one.session for one in find_short_sessions(place.log())] == ["s-3"]


def test_the_list_is_not_compiled_and_delivered_once_whatever_is_lost(place):
    place.transcript("s-1", *debugging())
    place.transcript("s-2", user("thanks", 20), say("You are welcome.", 21))
    place.run("import")
    place.run("compile")
    before, notes = place.log(), place.files()
    assert not any(b"welcome" in one for name, one in notes.items() if name.startswith("knowledge"))
    assert place.json("compile")["entries"] == 0
    (state_of(place.vault) / "ledger.jsonl").write_text("")
    place.run("import")
    assert place.log() == before


def test_what_a_person_wrote_on_the_line_stays(place):
    kept(place, ("hello", "Hi!"))
    path = place.vault / "daily/2026-03-02.md"
    path.write_text(path.read_text().replace("hello -> Hi!", "my first session"))
    kept(place, ("good morning", "Hi!"), ("Never use tabs.", "ok"), name="later")
    assert "my first session" in place.log()
    assert "hello" not in place.log()
    assert "good morning" in place.log()
    assert place.log().index("### Session") < place.log().index(HEADING)


@pytest.mark.parametrize("what", [("short-1",), ("--match", "quetzalnacht")])
def test_a_line_is_forgotten_with_its_session(place, what):
    kept(place, ("hello there", "Hi!"), ("the quetzalnacht", "Hm."))
    assert place.log().count('"session"') == 2
    assert place.run("forget", *what, "--yes")[0] == 0
    files = [*place.vault.rglob("*"), *state_of(place.vault).rglob("*")]
    for path in (one for one in files if one.is_file()):
        assert b"quetzalnacht" not in path.read_bytes(), path
    log = place.vault / "daily/2026-03-02.md"
    assert log.exists() == (what[0] != "--since")
    place.run("import")
    assert not log.exists() or "short-1" not in log.read_text()


def test_the_ledger_names_the_line(place):
    kept(place, ("hello", "Hi!"))
    (record,) = place.ledger("session")
    (line,) = find_short_sessions(place.log())
    assert (record["entry"], record["line"], record["session"]) == ("", line.part, line.session)
    assert json.loads(json.dumps(record)) == record
