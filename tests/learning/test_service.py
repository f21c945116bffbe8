"""Of two rules in force that contradict each other a start tells one; status names the other."""

import hooked
from ruled import keep, made

from memoria.refresh import refresh

LINT = "Run the linter before you commit"
PUSH, NO_PUSH = "Always push to main", "Never push to main"


def active(text, day, **changes):
    return made(text, status="active", scope=(), updated=day, **changes)


def prepared(place, *rules):
    """Bring rules in force; give what a start says and what status says is left out."""
    keep(place, *rules, approve=True)
    refresh(place.work)
    started = hooked.context(hooked.Hooks(place).start(place.root))
    return started, place.json("status")["left_out"]


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
