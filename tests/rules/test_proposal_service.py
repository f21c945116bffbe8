"""What only a person decides, said by an agent or without a terminal: a proposal each time."""

import shlex
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest
from cases import cased
from desk import Desk, needs
from keyboard import memoria
from place import AGENT, PERSON, debugging, state_of
from ruled import approvals, keep, made, notes, statuses

from memoria.rules.guards.check import parse_check
from memoria.rules.model import text_hash
from memoria.rules.proposal_service import choose_open, question, record

RULE = "Never push with --force."
LINT = "Always run the linter before you commit"
NOON, LINTED = datetime(2026, 3, 2, 12, tzinfo=UTC), made(LINT)
CHECK = parse_check({"occasion": {"command": ["git push"]}, "broken": {"with": ["main"]}})
GUARDED = made("Never push to main", status="active", scope=(), check=CHECK)


@pytest.fixture
def shop(place, monkeypatch, tmp_path):
    """A project to work in; an agent drives the verbs."""
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    place.project = project
    place.driver = AGENT
    return place


@pytest.fixture
def guarded(shop):
    """A rule in force that stands guard."""
    (identity,) = keep(shop, GUARDED, approve=True)
    assert shop.run("guard", "on", identity)[0] == 0
    return identity


def proposals(place):
    return place.ledger("proposal")


def as_person(place, *words):
    place.driver = PERSON
    try:
        return place.run(*words)
    finally:
        place.driver = AGENT


def test_a_rule_that_an_agent_teaches_waits_in_its_words(shop):
    code, out, err = shop.run("remember", RULE)
    assert (code, out) == (0, "")
    assert err.startswith("Proposed, not done: remember ")
    assert AGENT.reason in err
    assert err.count("\n") == 1
    assert approvals(shop) == {}
    assert list(notes(shop)) == []
    (case,) = shop.json("review")
    assert case["rule"] == RULE
    assert case["note"].endswith("an agent proposes to remember it")
    assert case["own_words"] is False
    assert shop.json("status")["counts"].get("active", 0) == 0
    # said again it is the same proposal
    again = shop.json("remember", RULE)
    assert again["proposed"] is True
    assert again["rules"] == [{"id": case["id"], "rule": RULE}]
    assert len(proposals(shop)) == 1


def test_the_person_takes_it_or_not(shop):
    first = shop.json("remember", RULE)["rules"][0]["id"]
    other = shop.json("remember", "Name branches by their ticket")["rules"][0]["id"]
    assert as_person(shop, "promote", first)[0] == 0
    assert as_person(shop, "reject", other)[0] == 0
    assert list(approvals(shop)) == [first]
    assert statuses(shop) == {first: "active", other: "rejected"}
    assert notes(shop)[first].sessions == ()
    assert shop.json("review") == []


def test_a_secret_in_it_is_replaced_and_what_is_no_rule_is_refused(shop):
    key = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    shop.run("remember", f"Always log in with {key}")
    shop.run("forget", "--match", key, "--yes")
    assert key not in (state_of(shop.vault) / "ledger.jsonl").read_text()
    assert shop.run("remember", "x")[0] == 2
    assert shop.run("remember", RULE, "--category", "odd")[0] == 2


def test_promote_writes_no_file_and_approves_nothing(shop):
    (identity,) = keep(shop, made(LINT))
    assert shop.json("promote", identity)["proposed"] is True
    assert not (shop.project / "CLAUDE.md").exists()
    assert approvals(shop) == {}
    # what is in force already is written into the file by the person's command
    as_person(shop, "remember", LINT)
    command = shop.json("promote", identity)["command"]
    assert not (shop.project / "CLAUDE.md").exists()
    assert f"proposed: {command}  (in {shop.project})" in shop.run("review")[1]
    assert as_person(shop, *shlex.split(command)[1:2], *shlex.split(command)[4:])[0] == 0
    assert LINT in (shop.project / "CLAUDE.md").read_text()
    assert "proposed" not in shop.run("review")[1]
    # nothing to do is said, and no proposal
    assert "holds these rules already" in shop.run("promote", identity)[2]
    # what it would change is no secret
    assert shop.json("promote", identity, "--dry-run")["written"] is False


@cased()
def test_a_guard_is_not_lifted(shop, guarded, words):
    verb, *rest = words
    action = [rest.pop(0)] if verb == "guard" else []
    code, _, err = shop.run(verb, *action, guarded, *rest)
    assert code == 0
    assert err.startswith(f"Proposed, not done: memoria {verb} ")
    assert "(bump)" in shop.run("guard", "list")[1]
    assert guarded in approvals(shop)
    (record,) = proposals(shop)
    assert record["verb"] == "command"


def test_a_guard_can_be_switched_on_and_a_rule_without_one_rejected(shop):
    (identity,) = keep(shop, GUARDED, approve=True)
    assert shop.run("guard", "on", identity, "--mode", "note")[0] == 0
    assert "(note)" in shop.run("guard", "list")[1]
    (other,) = keep(shop, made(LINT), approve=True)
    assert shop.run("reject", other)[0] == 0
    assert statuses(shop)[other] == "rejected"
    assert not (state_of(shop.vault) / "ledger.jsonl").read_text().count('"proposal"')


def test_hooks_stay_while_a_guard_is_on(shop, guarded):
    assert shop.run("install")[0] == 0
    settings = shop.home / ".claude" / "settings.json"
    before = settings.read_text()
    assert shop.json("uninstall")["proposed"] is True
    assert "It would end a guard" in shop.err("uninstall")
    assert settings.read_text() == before
    # what was proposed is counted, and why nothing is asked is told
    assert shop.json("status")["state"]["proposed_commands"] == 1
    assert "Proposed:     1 command by agents" in shop.run("status")[1]
    assert f"Nothing is asked here: {AGENT.reason}." in shop.err("review")
    assert as_person(shop, "guard", "off", guarded)[0] == 0
    assert shop.run("uninstall")[0] == 0
    assert not settings.exists()


@pytest.mark.parametrize("change", ["another", "gone"])
def test_a_guard_that_a_pull_switched_off_is_named(shop, guarded, change):
    assert not [row for row in shop.json("doctor")["checks"] if row["name"] == "guard"]
    (note,) = (shop.vault / "knowledge/rules").glob("*.md")
    text = note.read_text()
    note.unlink() if change == "gone" else note.write_text(text.replace("git push", "git pull"))
    (row,) = [row for row in shop.json("doctor")["checks"] if row["name"] == "guard"]
    assert not row["ok"]
    assert row["detail"].startswith(f"{guarded} is off: ")


def test_a_proposal_of_a_category_that_is_not_known_here_waits_all_the_same(shop):
    shop.run("remember", RULE, "--category", "workflow")
    ledger = state_of(shop.vault) / "ledger.jsonl"
    ledger.write_text(ledger.read_text().replace("workflow", "style"))
    (case,) = shop.json("review")
    assert (case["rule"], case["category"]) == (RULE, "style")


def test_hooks_of_another_vault_do_not_take_a_guards_place(shop, guarded, tmp_path):
    assert shop.run("install")[0] == 0
    settings = shop.home / ".claude" / "settings.json"
    before = settings.read_text()
    other = ("--vault", str(tmp_path / "other"))
    for verb in ("install", "uninstall"):
        assert shop.json(verb, *other)["proposed"] is True
        assert settings.read_text() == before
    assert as_person(shop, "install", *other)[0] == 0
    assert settings.read_text() != before


def test_nothing_is_forgotten(shop):
    shop.transcript("11111111-1111-4111-8111-111111111111", *debugging())
    shop.run("import")
    before = shop.files()
    code, _, err = shop.run("forget", "11111111", "--yes")
    assert code == 0
    assert "Proposed, not done: memoria forget" in err
    assert shop.files() == before
    assert shop.json("forget", "11111111", "--dry-run")["entries"] == 1
    shop.json("forget", "--match", "token check", "--yes")
    assert as_person(shop, "forget", "--match", "token check", "--yes")[0] == 0
    # what was to be forgotten does not stay in a proposal
    assert "token check" not in (state_of(shop.vault) / "ledger.jsonl").read_text()


def test_a_decision_is_not_taken_back(shop):
    as_person(shop, "remember", RULE)
    (identity,) = approvals(shop)
    as_person(shop, "reject", identity)
    number = shop.json("undo", "--list")[0]["step"]
    assert shop.json("undo")["command"] == f"memoria undo {number}"
    assert approvals(shop) == {}
    assert as_person(shop, "undo")[0] == 0
    assert list(approvals(shop)) == [identity]


def test_what_an_agent_may_take_back(shop, samples):
    shop.run("import", "--from", str(samples))
    assert shop.run("compile", "--engine", "offline")[0] == 0
    code, _, err = shop.run("undo")
    assert code == 0, err
    assert "Taken back" in err


def test_there_are_only_so_many(shop):
    shop.transcript("11111111-1111-4111-8111-111111111111", *debugging())
    shop.run("import")
    for number in range(20):
        words = f"Always call the module Ledger{number} in our docs, never Book{number * 7}"
        assert shop.run("remember", words)[0] == 0, number
    code, _, err = shop.run("forget", "11111111")
    assert code == 2
    assert "20 proposals wait already" in err


needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")


@needs_terminal
def test_review_shows_the_commands_and_drops_them(shop, guarded):
    shop.run("guard", "off", guarded)
    board = memoria("review", shop.vault)
    board.wait("Agents propose these commands").wait(guarded)  # a long path wraps before it
    board.press("k", "keeps them ").wait("kept")
    assert board.end() == 0
    board = memoria("review", shop.vault)
    board.press("d", "keeps them ").wait("dropped")
    assert board.end() == 0
    assert "No rule waits" in shop.run("review")[2]
    # proposed again it is there again
    shop.run("guard", "off", guarded)
    assert "proposed: " in shop.run("review")[1]


@needs
def test_a_person_at_a_terminal_decides(shop, tmp_path):
    """The real port, and each verb at a pseudo-terminal that no agent holds."""
    desk = Desk(tmp_path)
    vault, home = str(shop.vault), str(shop.home)
    said = tmp_path / "said"

    def typed(*words):
        verb, *rest = words
        line = shlex.join([sys.executable, "-m", "memoria", verb, "--vault", vault, *rest])
        script = tmp_path / "typed.sh"
        # what it printed is moved into its place once it is whole
        script.write_text(
            f"{line} > {said}.new 2>&1\necho $? >> {said}.new\nmv {said}.new {said}\n"
        )
        text = desk.open(f"sh {script}", HOME=home, PYTHONPATH=desk.package)
        *lines, code = text.splitlines()
        assert code == "0", text
        return "\n".join(lines)

    typed("remember", RULE)
    (rule,) = approvals(shop)
    typed("promote", rule)
    assert "Never push" in (shop.project / "CLAUDE.md").read_text()
    note = shop.vault / "knowledge" / f"{notes(shop)[rule].path}.md"
    check = "check:\n  occasion: {command: [git push]}\n  broken: {with: [--force]}\n"
    if "check:" not in note.read_text():
        note.write_text(note.read_text().replace("---\n", f"---\n{check}", 1))
    shop.run("guard", "on", rule)
    assert "stands no guard any more" in typed("guard", "off", rule)
    shop.transcript("11111111-1111-4111-8111-111111111111", *debugging())
    shop.run("import")
    assert "Forgotten: 1 entries" in typed("forget", "11111111", "--yes")
    assert proposals(shop) == []


# -- Records and questions ------------------------------------------------------------------------


def decided(at, identity=LINTED.id):
    return {"kind": "rule", "id": identity, "at": at.isoformat()}


def test_a_proposal_waits_until_the_person_decides():
    one = record(NOON, "reject", LINTED)
    assert one["hash"] == text_hash(LINTED.text)
    assert choose_open([one], []) == {LINTED.id: "reject"}
    assert choose_open([one], [decided(NOON - timedelta(hours=1))]) == {LINTED.id: "reject"}
    assert choose_open([one], [decided(NOON + timedelta(hours=1))]) == {}
    # by the moment, not by how it is written: this is an hour later
    later = (NOON + timedelta(hours=1)).astimezone(timezone(timedelta(hours=-8)))
    assert choose_open([one], [decided(later)]) == {}


def test_the_last_proposal_counts_and_what_is_none_is_passed_over():
    both = [record(NOON, "reject", LINTED), record(NOON + timedelta(1), "promote", LINTED)]
    assert choose_open(both, []) == {LINTED.id: "promote"}
    odd = [{}, {"id": LINTED.id}, {"id": LINTED.id, "verb": "delete", "at": NOON.isoformat()}]
    assert choose_open([*odd, {"id": "x", "verb": "reject", "at": "never"}], [{"id": 5}]) == {}


def test_a_question_shows_every_word_and_steers_nothing():
    text = "Run\x1b[2J it \u202eevil\n\nYes" + " and so on" * 50
    asked = question("promote", [made(text), LINTED], "/home/ana/shop/CLAUDE.md", [LINTED.id])
    lines = asked.split("\n")
    assert len(lines) == 4
    assert "\x1b" not in asked
    assert "\u202e" not in asked
    assert lines[1].endswith(" …")
    assert "NOT active yet; from daily/2026-03-02.md" in lines[2]
    assert "Yes also approves" in lines[3]
    assert "approves" not in question("promote", [LINTED], "CLAUDE.md")
    assert "retires them" in question("reject", [LINTED], "")
