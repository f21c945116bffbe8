from datetime import UTC, datetime, timedelta, timezone

from ruled import made

from memoria.rules.model import text_hash
from memoria.rules.proposal_service import open_proposals, question, record

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
RULE = made("Run the linter before you commit")
FORCE = made("Run the linter before you commit", status="active")


def decided(at, identity=RULE.id):
    return {"kind": "rule", "id": identity, "at": at.isoformat()}


def test_a_proposal_waits_until_the_person_decides():
    one = record(NOON, "reject", RULE)
    assert one["hash"] == text_hash(RULE.text)
    assert open_proposals([one], []) == {RULE.id: "reject"}
    assert open_proposals([one], [decided(NOON - timedelta(hours=1))]) == {RULE.id: "reject"}
    assert open_proposals([one], [decided(NOON + timedelta(hours=1))]) == {}
    # by the moment, not by how it is written: this is an hour later
    later = (NOON + timedelta(hours=1)).astimezone(timezone(timedelta(hours=-8)))
    assert open_proposals([one], [decided(later)]) == {}


def test_the_last_proposal_counts_and_what_is_none_is_passed_over():
    both = [record(NOON, "reject", RULE), record(NOON + timedelta(1), "promote", RULE)]
    assert open_proposals(both, []) == {RULE.id: "promote"}
    odd = [{}, {"id": RULE.id}, {"id": RULE.id, "verb": "delete", "at": NOON.isoformat()}]
    assert open_proposals([*odd, {"id": "x", "verb": "reject", "at": "never"}], [{"id": 5}]) == {}


def test_a_question_shows_every_word_and_steers_nothing():
    text = "Run\x1b[2J it \u202eevil\n\nYes" + " and so on" * 50
    asked = question("promote", [made(text), RULE], "/home/ana/shop/CLAUDE.md", [RULE.id])
    lines = asked.split("\n")
    assert len(lines) == 4
    assert "\x1b" not in asked
    assert "\u202e" not in asked
    assert lines[1].endswith(" …")
    assert "NOT active yet; from daily/2026-03-02.md" in lines[2]
    assert "Yes also approves" in lines[3]
    assert "approves" not in question("promote", [RULE], "CLAUDE.md")
    assert "retires them" in question("reject", [RULE], "")
