"""Of two rules in force that contradict each other a start tells one; status names the other."""

import json
import subprocess
import sys
from pathlib import Path

from place import state_of
from ruled import keep, made

import memoria
from memoria.refresh import refresh

HOOK = Path(memoria.__file__).parent / "hooks" / "session_start.py"
LINT = "Run the linter before you commit"
PUSH, NO_PUSH = "Always push to main", "Never push to main"


def active(text, day, **changes):
    return made(text, status="active", scope=(), updated=day, **changes)


def start(place):
    """Run the session-start hook as a program; give what it says."""
    event = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "s-1"}
    event |= {"cwd": str(place.root), "transcript_path": ""}
    words = ["--vault", str(place.vault), "--state", str(state_of(place.vault))]
    done = subprocess.run(
        [sys.executable, "-S", "-E", HOOK, *words],
        input=json.dumps(event),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


def prepared(place, *rules):
    """Bring rules in force; give what a start says and what status says is left out."""
    keep(place, *rules, approve=True)
    refresh(place.work)
    return start(place), place.json("status")["left_out"]


def test_the_newer_of_two_opposites_is_told_and_status_names_the_other(place):
    older, newer = active(PUSH, "2026-03-02"), active(NO_PUSH, "2026-03-05")
    text, left_out = prepared(place, older, newer, active(LINT, "2026-03-03"))
    title = "## Standing rules of the user for this project (active since the day behind each)"
    assert title in text
    assert f"- {NO_PUSH} ({newer.id}, 2026-03-05)" in text
    assert LINT in text
    assert PUSH not in text
    assert left_out == {older.id: f"{newer.id} is newer and says the opposite"}
    assert f"{older.id}  {PUSH}" in place.run("status")[2]


def test_a_pinned_rule_is_told_beside_no_newer_opposite(place):
    older, newer = active(PUSH, "2026-03-02", pinned=True), active(NO_PUSH, "2026-03-05")
    text, left_out = prepared(place, older, newer)
    assert f"- {PUSH} ({older.id}, 2026-03-02)" in text
    assert NO_PUSH not in text
    assert left_out == {newer.id: f"{older.id} is pinned and says the opposite"}


def test_all_of_one_day_have_it_in_the_heading(place):
    text, left_out = prepared(place, active(LINT, "2026-03-02"))
    assert "## Standing rules of the user for this project (active since 2026-03-02)" in text
    assert left_out == {}


def test_what_beta_thompson_believes_is_told_as_a_share_of_sessions(place, monkeypatch):
    monkeypatch.setenv("MEMORIA_POLICY", "beta-thompson")
    assert place.run("remember", PUSH, "--global")[0] == 0
    name = place.ledger("rule")[-1]["id"]
    _, _, err = place.run("reward", name, "1")
    assert "put at 67% of its sessions go well (uncertain by 24%)" in err
    assert "none is 0" not in err + place.run("rewards")[1]
