"""What a person decides about rules at the terminal: remember, status, diff, reject."""

import json

import keyboard
import pytest
from place import state_of
from ruled import approvals

ALWAYS = "Always run the linter before you commit"
NEVER = "Never run the linter before you commit"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Work in a folder that is no repository."""
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return str(folder)


@pytest.fixture
def vault(place):
    place.run("init")
    return place


def injected(place, project=""):
    folder = state_of(place.vault) / "inject"
    found = [json.loads(path.read_text()) for path in folder.glob("*.json")]
    (snapshot,) = [one for one in found if one.get("project") == project]
    return snapshot


def test_a_rule_that_is_taught_is_in_force_at_once(vault, elsewhere):
    code, _, err = vault.run("remember", ALWAYS)
    assert code == 0
    (rule,) = vault.json("status")["rules"]
    assert f"active: {rule['id']} {ALWAYS} (in {elsewhere})" in err
    assert rule["in_force"]
    assert rule["scope"] == [elsewhere]
    assert list(approvals(vault)) == [rule["id"]]
    assert ALWAYS in json.dumps(injected(vault, elsewhere)["rules"])
    assert injected(vault)["rules"] == []
    index = (vault.vault / "knowledge/index.md").read_text()
    assert "[[rules/always-run-the-linter-before-you-commit]]" in index
    assert vault.ledger("rule")[0]["by"] == "remember"


def test_the_opposite_closes_what_was_in_force(vault):
    vault.run("remember", ALWAYS)
    _, _, err = vault.run("remember", NEVER)
    assert "says the opposite" in err
    rules = {rule["rule"]: rule for rule in vault.json("status")["rules"]}
    assert rules[NEVER]["in_force"]
    assert not rules[ALWAYS]["in_force"]
    assert rules[ALWAYS]["superseded_by"] == rules[NEVER]["id"]
    # what is over contradicts nothing, also where it is written again
    page = vault.vault / "daily/2026-03-01-shop.md"
    page.write_text(f"# Shop\n\n## Improvements\n\n### Workflow\n\n- {ALWAYS}\n")
    compiled = vault.json("compile")
    assert (len(compiled["rules"]), compiled["contradictions"]) == (1, [])
    vault.run("remember", ALWAYS)
    rules = {rule["rule"]: rule for rule in vault.json("status")["rules"]}
    assert (rules[ALWAYS]["in_force"], rules[ALWAYS]["superseded_by"]) == (True, None)


def test_what_is_no_rule_is_refused_and_a_secret_in_one_replaced(vault):
    for text in ("no", "x" * 301):
        assert "a rule has 8 to 300 characters" in vault.err("remember", text, code=2)
    said = vault.err("remember", ALWAYS, "--category", "cooking", code=2)
    assert "--category 'cooking': use one of architectural" in said
    assert vault.json("status")["rules"] == []
    key = "sk-ant-" + "api03-" + "a1B2" * 20
    _, _, err = vault.run("remember", f"Always call the service with {key}")
    assert "secret" in err
    assert not any(key.encode() in data for data in vault.files().values())


@pytest.mark.parametrize(("verb", "status"), [("reject", "rejected"), ("retire", "retired")])
def test_a_rule_is_taken_out_of_force(vault, elsewhere, verb, status):
    vault.run("remember", ALWAYS)
    (rule,) = vault.json("status")["rules"]
    # the start of an id is enough
    code, _, err = vault.run(verb, rule["id"][:7])
    assert (code, status in err) == (0, True)
    (after,) = vault.json("status")["rules"]
    assert (after["status"], after["in_force"]) == (status, False)
    assert approvals(vault) == {}
    assert injected(vault, elsewhere)["rules"] == []
    # and comes back when it is taught again
    vault.run("remember", ALWAYS)
    assert vault.json("status")["rules"][0]["in_force"]


def test_a_written_entry_s_improvements_are_rules_once(vault):
    page = vault.vault / "daily/2026-03-01-shop.md"
    text = (
        "# Shop\n\n## Improvements\n\n### Workflow\n\n- Always write the test first\n"
        "- Use small commits\n\n### Performance\n\n- Measure before you optimise\n"
    )
    page.write_text(text)
    assert keyboard.memoria("compile", vault.vault).press("y", "[y/N] ").end() == 0
    assert len(vault.json("status")["rules"]) == 3
    rules = {rule["rule"]: rule for rule in vault.json("status")["rules"]}
    # what the words call lasting is in force where the person says it is theirs, the rest waits
    assert rules["Always write the test first"]["in_force"]
    assert rules["Use small commits"]["status"] == "waiting"
    assert vault.json("compile")["rules"] == []
    # a copy of the entry is no second sighting
    (vault.vault / "daily/2026-03-05-copy.md").write_text(text)
    vault.run("compile")
    assert {rule["frequency"] for rule in vault.json("status")["rules"]} == {1}
    # another entry is
    (vault.vault / "daily/2026-03-06-till.md").write_text(
        "# Till\n\n## Improvements\n\n### Workflow\n\n- Use small commits\n"
    )
    vault.run("compile")
    rules = {rule["rule"]: rule for rule in vault.json("status")["rules"]}
    assert rules["Use small commits"]["frequency"] == 2
    assert rules["Use small commits"]["status"] == "waiting"


PAGE = "# Shop\n\n## Improvements\n\n### Workflow\n\n{}"
BULLETS = ("- Redis keys expire after {} minutes\n", "- Always write the test first\n")


def _rules_after(vault, how, verb, *options):
    """Compile an entry, change or take away its file, run a verb; give the rules and the vault."""
    page = vault.vault / "daily/2026-03-01-shop.md"
    page.write_text(PAGE.format("".join(BULLETS).format(10)))
    vault.do("compile")
    (rule,) = [rule for rule in vault.json("status")["rules"] if rule["rule"] in BULLETS[1]]
    vault.do("promote", rule["id"])
    if how == "corrected":
        page.write_text(PAGE.format("".join(BULLETS).format(20)))
    elif how == "renamed":
        page.rename(page.with_name("2026-03-01-store.md"))
    else:
        page.unlink()
    vault.run(verb, *options)
    return {rule["rule"]: rule["status"] for rule in vault.json("status")["rules"]}


@pytest.mark.parametrize(
    ("how", "minutes"), [("corrected", [20]), ("renamed", [10]), ("deleted", [])]
)
def test_a_waiting_rule_follows_the_bullet_that_it_came_from(vault, how, minutes):
    waiting = {BULLETS[0].format(n)[2:-1]: "waiting" for n in minutes}
    assert _rules_after(vault, how, "compile") == waiting | {BULLETS[1][2:-1]: "active"}
    assert "Nothing new" in vault.err("compile")
    assert "lost" not in {row["name"] for row in vault.json("doctor")["checks"]}
    assert vault.json("lint", "--structural-only")["counts"]["error"] == (how == "deleted")
    # an approved rule stays, and loses but the link that leads nowhere
    vault.do("lint", "--structural-only", "--fix")
    assert any(rule["in_force"] for rule in vault.json("status")["rules"])


def test_lint_takes_out_a_waiting_rule_whose_entry_is_gone_and_undo_brings_it_back(vault):
    rules = _rules_after(vault, "deleted", "lint", "--structural-only", "--fix")
    assert rules == {BULLETS[1][2:-1]: "active"}
    vault.do("undo")
    assert len(vault.json("status")["rules"]) == 2
    findings = vault.json("lint", "--structural-only")["findings"]
    assert all("--fix" in row["message"] for row in findings if row["severity"] == "error")
    # an entry that comes back is a new one
    vault.do("lint", "--structural-only", "--fix")
    (vault.vault / "daily/2026-03-01-shop.md").write_text(PAGE.format("".join(BULLETS).format(10)))
    vault.do("compile")
    assert len(vault.json("status")["rules"]) == 2


def test_a_rule_that_was_said_in_no_session_is_not_said_in_one_and_retired_once(vault):
    vault.do("remember", ALWAYS)
    assert "said in" not in vault.do("status", "--rules")
    (rule,) = vault.json("status")["rules"]
    assert vault.err("retire", rule["id"]).startswith("retired: ")
    assert vault.err("retire", rule["id"]) == f"{rule['id']} is retired already\n"
