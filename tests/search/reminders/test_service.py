"""What a flush, a compile and a decision leave for the prompt hook and the failure hook."""

import json
from datetime import date

import pytest
from place import state_of
from transcript_lines import assistant, result, tool, user

from memoria import refresh as snapshot
from memoria.hooks.protocol import Place as State
from memoria.hooks.reminder_reader import Lookup
from memoria.search.reminders import prompt_match as recall
from memoria.search.reminders import service as reminders
from memoria.vault.article import compose, render, with_body

SHOP = "/home/ana/shop"
ASKS = recall.asked("Why does a webhook retry lose its lease when the queue restarts?")


def lookup(place, project=SHOP):
    return Lookup(State(str(place.vault), str(state_of(place.vault))), project)


def write(place, title, *lines, path="concepts/webhook-queue", **meta):
    about = {"title": title, "updated": date(2026, 3, 2)} | meta
    note = with_body(
        compose(path, "concept", about, title, "It is."), "Key Points", "\n".join(lines), ()
    )
    file = place.vault / "knowledge" / f"{path}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(render(note), encoding="utf-8")


def found(place):
    return [text for *_, text in lookup(place).passages(ASKS)]


def test_an_article_is_there_with_the_next_snapshot(place):
    write(place, "Webhook queue", "- A retry takes the lease anew.")
    snapshot.refresh(place.work)
    assert found(place) == []
    place.adopt()
    assert found(place) == ["- A retry takes the lease anew."]
    write(place, "Webhook queue", "- A retry keeps the lease.")
    place.adopt()
    assert found(place) == ["- A retry keeps the lease."]


def test_a_secret_that_a_person_wrote_into_a_note_stays_there(place, monkeypatch):
    monkeypatch.setenv("QUEUE_PASSWORD", "correct-horse-battery")
    write(place, "Webhook queue", "- A retry takes the lease anew with correct-horse-battery.")
    place.adopt()
    (text,) = found(place)
    assert text.startswith("- A retry takes the lease anew with [REDACTED")
    assert b"horse" not in (state_of(place.vault) / reminders.NAME).read_bytes()


def test_a_decision_is_there_at_once(place):
    place.run("remember", "Restart the webhook queue through systemd.", "--global")
    asks = recall.asked("The webhook queue hangs: restart it through systemd please.")
    ((name, _, text, _),) = lookup(place).rules(asks)
    assert text == "Restart the webhook queue through systemd."
    assert [row[0] for row in lookup(place).fresh(0.0)] == [name]
    place.run("reject", name)
    assert lookup(place).rules(asks) == lookup(place).fresh(0.0) == []


def test_only_what_a_person_decided_on_is_new():
    rows = [
        {"id": "wf-1", "at": "2026-03-02T10:00:00+00:00", "by": "compile", "hash": "a"},
        {"id": "wf-2", "at": "2026-03-02T10:00:00+00:00", "by": "remember", "hash": "a"},
        {"id": "wf-2", "at": "2026-03-02T12:00:00+02:00", "by": "promote", "hash": "b"},
        {"id": "wf-3", "at": "2026-03-02T10:00:00+00:00", "by": "remember", "hash": "old"},
        {"id": "wf-4", "at": "yesterday", "by": "remember", "hash": "b"},
        {"id": "wf-5", "at": None, "by": None, "hash": None},
    ]
    rows = [{"status": "active"} | row for row in rows]
    rows.append(rows[1] | {"status": "rejected", "at": "2026-03-03T10:00:00+00:00", "hash": "b"})
    hashes = dict.fromkeys(["wf-1", "wf-2", "wf-3", "wf-4", "wf-5"], "b") | {"wf-1": "a"}
    moments = reminders.decided(rows, hashes)
    assert moments == {"wf-2": 1772445600.0}


def test_an_error_and_what_mended_it_are_there_after_an_import(place):
    check = {"command": "pytest"}
    edit = {
        "file_path": "/home/ana/shop/a.py",
        "old_string": "expiry = 1",
        "new_string": "expiry = 2",
    }
    place.transcript(
        "s-1",
        user("Why?", 0),
        assistant(tool("t1", **check), at=1),
        result("t1", "Exit code 1\nE   ValueError: no expiry", 2, error=True),
        assistant(tool("t2", "Edit", **edit), at=3),
        result("t2", "The file was updated.", 4),
        assistant(tool("t3", **check), at=5),
        result("t3", "1 passed", 6),
    )
    place.run("import", "--from", str(place.projects), "--engine", "offline")
    (row,) = lookup(place).remedies("Bash", "Exit code 1\nE   ValueError: no expiry\npytest")
    assert row == {
        "signature": "Bash exception:ValueError no expiry",
        "project": SHOP,
        "day": "2026-03-02",
        "log": "daily/2026-03-02",
        "line": "ValueError: no expiry",
        "change": "- expiry = 1\n+ expiry = 2",
        "how": "edit",
    }
    assert lookup(place).remedies("Read", "Exit code 1\nE   ValueError: no expiry") == []


def test_a_database_that_cannot_be_written_is_said_and_keeps_nothing_back(place):
    path = state_of(place.vault) / reminders.NAME
    path.unlink(missing_ok=True)
    path.mkdir()
    code, _, err = place.run("remember", "Restart the webhook queue through systemd.", "--global")
    assert code == 1  # the rule is taught; what the hooks read could not all be brought up to date
    assert "the prompt and failure hooks do without" in " ".join(err.split())
    assert json.loads((state_of(place.vault) / "inject" / "default.json").read_bytes())["rules"]


@pytest.mark.parametrize("text", ["", "x", "- " + "lease " * 40_000])
def test_notes_of_any_length_are_taken(place, text):
    write(place, "Webhook queue", text)
    snapshot.refresh(place.work)
    assert (state_of(place.vault) / reminders.NAME).stat().st_size < 2 << 20
