"""What a person decides in a review, without the terminal around it."""

import pytest
from ruled import approvals, keep, made, notes

from memoria.rules.model import text_hash
from memoria.rules.review.decide import Sitting
from memoria.rules.rulebook import Ruling, decide

LINT, PUSH = "Run the linter before you commit", "Never push to main"
PORT = "Keep the port in the settings"
ENTRY = "# Auth\n\n## Improvements\n\n### Workflow\n\n- Rotate the signing key every month\n"


@pytest.fixture
def shop(place, tmp_path, monkeypatch):
    """A vault, and a project to work in."""
    monkeypatch.chdir(tmp_path)
    return place


def note(place, beginning):
    return next((place.vault / "knowledge/rules").glob(f"{beginning}*"))


def rules_of(files):
    return {name: data for name, data in files.items() if "/rules/" in name}


def test_other_words_keep_the_old_ones_as_another_wording(shop):
    (number,) = keep(shop, made(LINT))
    for words, others in (("Lint first", (LINT,)), (LINT, ("Lint first",))):
        decide(shop.work, [Ruling(number, "active", "review", text=words)])
        rule = notes(shop)[number]
        assert (rule.text, rule.aliases) == (words, others)


def test_a_decision_makes_the_note_of_a_rule_without_one(shop):
    (shop.vault / "daily/2026-03-02-auth.md").write_text(ENTRY)
    sitting = Sitting(shop.work)
    assert sitting.decide(sitting.cases[0], "active") == ""
    (rule,) = notes(shop).values()
    assert (rule.text, rule.status) == ("Rotate the signing key every month", "active")
    assert approvals(shop) == {rule.id: text_hash(rule.text)}


def test_a_person_s_own_line_in_a_note_survives_a_decision(shop):
    keep(shop, made(LINT))
    path = note(shop, "run-the")
    path.write_text(path.read_text() + "\n## Notes\n\nMine.\n")
    sitting = Sitting(shop.work)
    sitting.decide(sitting.cases[0], "active", pinned=True)
    assert path.read_text().endswith("\n## Notes\n\nMine.\n")
    assert notes(shop)[made(LINT).id].pinned


def test_a_rejected_rule_leaves_the_file_that_it_was_promoted_to(shop, tmp_path):
    (identity,) = keep(shop, made(LINT, status="active"), approve=True)
    assert shop.run("promote", identity, "--dir", str(tmp_path))[0] == 0
    assert LINT in (tmp_path / "CLAUDE.md").read_text()
    path = note(shop, "run-the")
    path.write_text(path.read_text().replace("status: active", "status: waiting"))
    sitting = Sitting(shop.work)
    sitting.decide(sitting.cases[0], "rejected")
    assert sitting.close() == []
    assert not (tmp_path / "CLAUDE.md").exists()


def test_an_opposite_is_found_from_both_sides(shop):
    texts = ["Run the linter before you commit", "Never run the linter before you commit"]
    first, second = keep(shop, *map(made, texts))
    sitting = Sitting(shop.work)
    for mine, other in ((first, second), (second, first)):
        (opposite,) = sitting.opposites(sitting.rules[mine])
        assert (opposite.id, opposite.id in sitting.in_force) == (other, False)
