from datetime import UTC, date, datetime, timedelta

import pytest
from place import debugging

from memoria.capture.recurring_errors import RecurringError
from memoria.rules.insights.notebook import notebook, page
from memoria.rules.insights.stats import tally
from memoria.vault.storage import clock

TODAY = date(2026, 3, 31)
ENTRY = "# A\n\n## Improvements\n\n### Workflow\n\n- Run the tests\n"


def leaf(day=TODAY, text=ENTRY, slug="a"):
    return page(f"{day}-{slug}.md", day, slug, text)


def count(*leaves, recurring=(), rules=()):
    return tally(leaves, TODAY, recurring, rules)


def test_a_category_that_brought_nothing_of_late_is_a_blind_spot():
    tools = leaf(date(2025, 1, 1), ENTRY.replace("Workflow", "Tool Usage"))
    spots = count(leaf(), tools)["blind_spots"]
    assert spots["categories"] == ["architectural", "tool_usage", "domain_knowledge"]


def test_a_mistake_that_no_rule_speaks_of():
    line = "RuntimeError: TEST_DATABASE_URL is not set"
    mistake = RecurringError("s", line, "Bash", "exit", 5, 4, 9, "", None, "", 4)
    rule = "Run tests with `make test`: it sets TEST_DATABASE_URL, or a RuntimeError follows"
    for rules, named in ([], 1), (["Never commit to main"], 1), ([rule], 0):
        spots = count(recurring=[mistake], rules=rules)["blind_spots"]["mistakes"]
        assert spots == [{"example": line, "count": 5, "sessions": 4}][:named]


def test_warnings_say_how_many():
    empty = [leaf(slug=f"e{n}", text=f"# E{n}\n\n## Improvements\n") for n in range(3)]
    prose = leaf(slug="p", text="# P\n\n## Improvements\n\nWe were slow.\n")
    own = leaf(slug="o", text=ENTRY.replace("Workflow", "Team"))
    broken = leaf(slug="f", text="---\n: [\n---\n" + ENTRY)
    warned = count(*empty, prose, own, broken, leaf(slug="n", text="# N\n"))["warnings"]
    assert warned[:3] == [
        "1 entry has no Improvements section",
        "3 entries have empty Improvements sections",
        "1 entry has Improvements without bullets: only bullets are distilled",
    ]
    assert warned[3] == "2026-03-31-o.md: own categories: team"
    assert warned[4].startswith("2026-03-31-f.md: its frontmatter cannot be read")
    assert count(*notebook([leaf(), leaf(slug="b"), leaf(slug="c")]))["warnings"] == [
        "3 files are copies of 2026-03-31-a.md: they count as one entry in confidence",
    ]


# -- The verb -------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _on_one_day(monkeypatch):
    now = datetime(2026, 3, 10, 12, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda zone=None: now)


def write(place, day, slug="a", text=""):
    path = place.vault / "daily" / f"{day}-{slug}.md"
    own = ENTRY.replace("# A", f"# {day}").replace("Run", f"Run on {day}")
    path.write_text(text or own, encoding="utf-8")


def test_an_empty_notebook(place):
    found = place.json("stats")
    assert found["entries"]["total"] == 0
    assert found["entries"]["coverage_percent"] == 0.0
    assert found["blind_spots"]["categories"] == found["warnings"] == []
    code, out, _ = place.run("stats")
    assert (code, "Entries:   0 total" in out) == (0, True)


def test_the_numbers(place):
    place.transcript("s-1", *debugging())
    place.run("import")
    log = place.vault / "daily" / "2026-03-02.md"
    lessons = "".join(f"- The table of part {n} is locked\n" for n in range(3))
    log.write_text(f"{log.read_text()}\n**Lessons Learned:**\n{lessons}", encoding="utf-8")
    for back in (0, 1, 2, 5):
        write(place, date(2026, 3, 10) - timedelta(days=back))
    write(place, "2026-02-01", "empty", "# E\n\n## Improvements\n\n### Workflow\n\n- [ ] x\n")
    found = place.json("stats")
    entries, insights = found["entries"], found["insights"]
    assert (entries["total"], entries["written"], entries["captured"]) == (6, 5, 1)
    assert (entries["with_improvements"], entries["written_with_improvements"]) == (5, 4)
    assert entries["coverage_percent"] == 83.3
    assert insights["written"] == 4
    assert insights["total"] == insights["written"] + insights["captured"]
    assert set(insights["by_category"]) == set(insights["percent"])
    assert sum(insights["percent"].values()) == pytest.approx(100, abs=0.3)
    assert found["warnings"] == ["1 entry has an empty Improvements section"]
    assert place.json("stats", "--since", "2026-03-08")["entries"]["total"] == 3
    code, _, err = place.run("stats", "--since", "soon")
    assert (code, "since" in err) == (2, True)


def test_the_terminal_shows_it_plainly(place):
    write(place, "2026-03-10")
    _, out, _ = place.run("stats")
    assert "Coverage:  100% with improvements" in out
    assert "  workflow:             1 (100%)" in out
    assert "  - no insight for 30 days on architectural, tool_usage, domain_knowledge" in out


def test_a_mistake_of_several_sessions_without_a_rule_is_a_blind_spot(place):
    for number in range(3):
        place.transcript(f"s-{number}", *debugging(f"check {number}", 20 * number))
    place.run("import")
    (spot,) = place.json("stats")["blind_spots"]["mistakes"]
    assert spot["sessions"] == 3
    assert "offset-naive" in spot["example"]
    assert "no rule speaks of an error of 3 sessions: " in place.run("stats")[1]
    rule = "Never compare offset-naive and offset-aware datetimes: a ValueError follows"
    path = place.vault / "knowledge" / "rules" / "dk-0123456789.md"
    path.parent.mkdir(exist_ok=True)
    for status, spots in (("waiting", 0), ("rejected", 1)):
        front = f"id: dk-0123456789\nstatus: {status}\n"
        path.write_text(f"---\n{front}---\n\n# {rule}\n", encoding="utf-8")
        assert len(place.json("stats")["blind_spots"]["mistakes"]) == spots
