"""What `skills` and `distill` list at a terminal."""

import sys

import pytest
from place import debugging


@pytest.fixture
def imported(place):
    place.transcript("s-1", *debugging())
    place.run("import")
    return place


def at_terminal(place, monkeypatch, verb):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    return place.run(verb)[1:]


def test_a_terminal_gets_insights_by_category_and_day(imported, monkeypatch):
    (imported.vault / "daily/2026-03-04-own.md").write_text(
        "# Own\n\n## Improvements\n\n### Workflow\n\n- Run the linter before each commit\n"
    )
    out, _ = at_terminal(imported, monkeypatch, "distill")
    assert "workflow (" in out
    assert "2026-03-04  Run the linter before each commit" in out
    assert "{" not in out


def test_a_terminal_gets_the_skills_that_are_worth_it_and_the_number_of_the_others(
    imported, monkeypatch
):
    out, err = at_terminal(imported, monkeypatch, "skills")
    total = imported.json("skills")["total_skills"]
    shown = sum(line[2:3] == "-" or line[4:5] == "-" for line in out.splitlines())
    assert f"{total - shown} line" in err
    assert "total_skills:" not in out
