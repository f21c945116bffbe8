import json
import signal
import sys
import time
from pathlib import Path

import pytest
from keyboard import memoria
from limits import HANGS, spent
from place import state_of
from ruled import approvals, keep, made, notes, statuses

from memoria.rules.model import text_hash

SCRIPTS = Path(__file__).resolve().parents[3] / "scripts"
LINT, PUSH = "Run the linter before you commit", "Never push to main"
PORT = "Keep the port in the settings"
PROMPT = "[?] "


def three(place):
    """Three rules, the first one the strongest."""
    return keep(place, made(LINT, frequency=3), made(PUSH, frequency=2), made(PORT))


@pytest.fixture
def person(place, monkeypatch):
    """Start `memoria review` on a terminal of its own."""
    if sys.platform == "win32":
        pytest.skip("a pseudo-terminal is POSIX's")

    def start(*options, **more):
        path = [str(SCRIPTS), *(part for part in sys.path if part.endswith("site"))]
        env = {"PYTHONPATH": ":".join(path), "NO_COLOR": "1"}
        return memoria("review", place.vault, *options, env=env, **more)

    return start


# -- Without a terminal ----------------------------------------------------------------------------


def test_without_a_terminal_the_list_is_printed_and_nothing_is_asked(place):
    first, second, third = three(place)
    before = place.files()
    code, out, err = place.run("review")
    assert code == 0
    lines = [line for line in out.splitlines() if not line.startswith(" ")]
    assert [line.split()[0] for line in lines] == [first, second, third]
    assert max(map(len, out.splitlines())) <= 80
    said = " ".join(out.split())
    assert f"{LINT} workflow, seen 3x, " in said
    assert f'"{LINT}." (daily/2026-03-02)' in said
    assert "`memoria promote ID`" in err
    assert "`memoria reject ID`" in err
    assert place.files() == before


def test_the_list_as_json(place):
    three(place)
    keep(place, made("Use tabs", status="active", scope=()))
    found = place.json("review")
    assert [one["rule"] for one in found][:2] == [LINT, PUSH]
    assert found[0] | {"path": ""} == {
        "id": made(LINT).id,
        "rule": LINT,
        "category": "workflow",
        "status": "waiting",
        "why": "undecided",
        "note": "waits: said in 3 sessions, and not that it lasts",
        "turn": None,
        "own_words": True,
        "standing": False,
        "frequency": 3,
        "confidence": "medium",  # its last sighting is long ago
        "scope": ["github.com/ana/shop"],
        "sources": ["daily/2026-03-02.md"],
        "evidence": [{"quote": f"{LINT}.", "where": "daily/2026-03-02"}],
        "opposites": [],
        "path": "",
        "check": None,
    }
    whys = {one["rule"]: one["why"] for one in place.json("review")}
    assert whys["Use tabs"] == "request"


def test_an_approval_out_of_a_note_and_a_changed_text_say_why_they_wait(place):
    keep(place, made(LINT, status="active"))
    (changed,) = keep(place, made(PUSH, status="active", pinned=True), approve=True)
    path = next((place.vault / "knowledge/rules").glob("never-push*"))
    path.write_text(path.read_text().replace(f"# {PUSH}", "# Always push to main"))
    _, out, _ = place.run("review")
    assert "active in its note, approved by whom is not known: confirm?" in out
    assert "its words were changed since it was approved here: confirm?" in out
    whys = {one["id"]: one["why"] for one in place.json("review")}
    assert whys == {made(LINT).id: "request", changed: "changed"}


# -- With one --------------------------------------------------------------------------------------


def test_one_key_a_rule(place, person):
    first, second, third = three(place)
    (rest,) = keep(place, made("Use tabs in Makefiles", confidence="low"))
    one = person().wait("1 of 4")
    one.press("a").press("p").press("r").press("q")
    assert one.end() == 0
    known = {first: "active", second: "active", third: "rejected", rest: "waiting"}
    assert statuses(place) == known
    assert approvals(place) == {first: text_hash(LINT), second: text_hash(PUSH)}
    records = place.ledger("rule")
    assert {record["by"] for record in records} == {"review"}
    decided = [(record["id"], record["status"]) for record in records]
    assert decided == [(first, "active"), (second, "active"), (third, "rejected")]
    assert place.files()["knowledge/log.md"].count(b"] review | ") == 3
    assert "2 active, 1 rejected; 1 wait." in one.plain
    assert [found["id"] for found in place.json("review")] == [rest]
    index = (place.vault / "knowledge/index.md").read_text()
    assert index.count("[[rules/") == 2  # what waits or was rejected has no row
    # what is in force is injected from now on, in its project
    snapshot = (state_of(place.vault) / "inject/default.json").read_text()
    assert "rules" in json.loads(snapshot)


def test_editing_approves_the_new_words(place, person):
    secret = "ghp_" + "b7Kq" * 9
    first, second, third = three(place)
    one = person()
    one.press("e").press(" and push\n", f"> {LINT}")
    one.press("e").press(f" with {secret}\n", f"> {PUSH}")
    one.press("e").press("\x15\n", f"> {PORT}").wait("left as it was")
    one.press("e").press("\x15short\n", f"> {PORT}").wait("8 to 300 characters, this has 5")
    one.press("q")
    assert one.end() == 0
    found = notes(place)
    assert (found[first].text, found[first].status) == (f"{LINT} and push", "active")
    assert LINT in found[first].aliases
    assert found[second].text.startswith(f"{PUSH} with [REDACTED:")
    assert (found[third].text, found[third].status) == (PORT, "waiting")
    words = {identity: text_hash(found[identity].text) for identity in (first, second)}
    assert approvals(place) == words
    assert not any(secret.encode() in data for data in place.files().values())


# -- Keys, and what may go wrong -------------------------------------------------------------------


def test_ctrl_c_leaves_what_was_decided(place, person):
    first, second, third = three(place)
    one = person()
    one.press("a").press("\x03")
    assert one.end() == 130
    assert statuses(place) == {first: "active", second: "waiting", third: "waiting"}
    assert "interrupted; what was done stays" in one.plain
    assert first in approvals(place)


def test_killed_in_the_middle_nothing_that_was_decided_is_lost(place, person):
    first, second, _ = three(place)
    one = person()
    one.press("a").press("r").wait("3 of 3")
    end = time.monotonic() + HANGS
    while statuses(place)[second] != "rejected" and time.monotonic() < end:
        time.sleep(0.05)
    one.send(signal.SIGKILL)
    assert one.end() == -signal.SIGKILL
    assert statuses(place)[first] == "active"
    assert statuses(place)[second] == "rejected"
    assert set(approvals(place)) == {first}
    assert len(place.json("review")) == 1


def test_a_rule_is_shown_with_what_it_rests_on_and_without_codes(place, person):
    nasty = "Run \x1b[31mthe\x1b]0;owned\x07 li\u202enter\u200b before\x07 you commit"
    keep(place, made(f"Never {LINT.lower()}", status="active"), approve=True)
    said = (f'- "{nasty}" ([[daily/2026-03-02]])',)
    keep(place, made(LINT, frequency=3, status="active", quotes=said))
    path = next((place.vault / "knowledge/rules").glob("run-the*"))
    path.write_text(path.read_text().replace(f"# {LINT}", f"# {nasty} [red]x[/red]"))
    one = person()
    one.press("q")
    one.end()
    assert f"1 of 1  {made(LINT).id}" in one.plain
    assert f"{LINT} [red]x[/red]" in one.plain
    assert "seen 3x" in one.plain
    assert "in github.com/ana/shop; daily/2026-03-02.md" in one.plain
    assert "active in its note, approved by whom is not known: confirm?" in one.plain
    assert f'"{LINT}" (daily/2026-03-02)' in one.plain
    _, out, _ = place.run("review")
    for code in ("\x1b[31m", "\x1b]0", "\u202e", "\u200b", "\x07"):
        assert code not in one.shown
        assert code not in out


def test_a_rule_that_changed_while_it_was_shown_is_not_approved(place, person):
    first, second, third = three(place)
    folder = place.vault / "knowledge/rules"
    changed = next(folder.glob("run-the*"))
    one = person()
    one.wait(PROMPT)
    changed.write_text(changed.read_text().replace(f"# {LINT}", "# Always push to main"))
    one.type("a").wait("look at it again").wait(PROMPT)
    next(folder.glob("never-push*")).unlink()
    one.type("a").wait("there is no rule").press("a")
    one.wait("Always push to main").press("q")
    assert one.end() == 0
    assert approvals(place) == {third: text_hash(PORT)}
    assert statuses(place) == {first: "waiting", third: "active"}
    assert second not in statuses(place)


def test_a_backlog_is_a_matter_of_seconds(place, person):
    keep(place, *(made(f"Check the {number}th gate before you start it") for number in range(20)))
    one = person()
    start = spent()
    for _ in range(20):
        one.press("a")
    assert one.end() == 0
    assert spent() - start < 10
    assert set(statuses(place).values()) == {"active"}
    assert len(approvals(place)) == 20


def test_what_the_hooks_inject_is_renewed_at_the_end_also_when_the_window_is_closed(place, person):
    (identity,) = keep(place, made(LINT, status="active", scope=()), approve=True)
    place.work.vault.require()
    path = next((place.vault / "knowledge/rules").glob("*.md"))
    path.write_text(path.read_text().replace("status: active", "status: waiting"))
    keep(place, made(PORT, frequency=1))
    one = person()
    one.press("a").wait(PROMPT).send(signal.SIGHUP)
    one.end()
    text = "".join(path.read_text() for path in (state_of(place.vault) / "inject").iterdir())
    assert identity in approvals(place)
    # the first of the two that waited; the other one is offered only if Memoria wrote its note
    assert PORT in text
