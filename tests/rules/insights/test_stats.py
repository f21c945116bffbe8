from datetime import UTC, date, datetime, timedelta

import pytest
from place import debugging

from memoria.vault.storage import clock

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
ENTRY = "# {0}\n\n## Improvements\n\n### Workflow\n\n- Run the tests of {0}\n"


@pytest.fixture(autouse=True)
def _on_one_day(monkeypatch):
    monkeypatch.setattr(clock, "now", lambda zone=None: NOW)


def write(place, day, slug="a", text=None):
    path = place.vault / "daily" / f"{day}-{slug}.md"
    path.write_text(ENTRY.format(f"{day} {slug}") if text is None else text, encoding="utf-8")


def test_an_empty_notebook(place):
    found = place.json("stats")
    assert found["entries"]["total"] == 0
    assert found["entries"]["coverage_percent"] == 0.0
    assert found["streak"] == {"current": 0, "longest": 0}
    code, out, _ = place.run("stats")
    assert code == 0
    assert "Entries:   0 total" in out


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
    assert entries["with_improvements"] == 5
    assert entries["coverage_percent"] == 83.3
    assert entries["by_month"] == {"2026-02": 1, "2026-03": 5}
    assert sum(entries["by_week"].values()) == 6
    assert insights["written"] == 4
    assert insights["total"] == insights["written"] + insights["captured"]
    assert set(insights["by_category"]) == set(insights["percent"])
    assert sum(insights["percent"].values()) == pytest.approx(100, abs=0.3)
    assert found["streak"] == {"current": 3, "longest": 3}
    assert found["warnings"] == ["1 entry has an empty Improvements section"]
    assert found["top_sources"][0]["source"] == "2026-03-02.md"


def test_since_a_day_counts_what_is_dated_on_or_after_it(place):
    for day in ("2026-02-01", "2026-03-08", "2026-03-09"):
        write(place, day)
    assert place.json("stats", "--since", "2026-03-08")["entries"]["total"] == 2
    code, _, err = place.run("stats", "--since", "soon")
    assert (code, "since" in err) == (2, True)


def test_the_terminal_shows_it_plainly(place):
    write(place, "2026-03-10")
    _, out, _ = place.run("stats")
    assert "Coverage:  100% with improvements" in out
    assert "Streak:    1 day now, 1 day longest" in out
    assert "  workflow:             1 (100%)" in out
    assert "per week" not in out
    _, out, _ = place.run("stats", "--detailed")
    assert "Entries per week (from Monday):\n  2026-03-09     1 ####" in out
    assert "Entries per month:\n  2026-03     1 ####" in out
    assert "Top sources:\n     1  2026-03-10-a.md" in out
    assert "  - no insight for 30 days on architectural, tool_usage, domain_knowledge" in out


def test_a_mistake_of_several_sessions_without_a_rule_is_a_blind_spot(place):
    for number in range(3):
        place.transcript(f"s-{number}", *debugging(f"check {number}", 20 * number))
    place.run("import")
    (spot,) = place.json("stats")["blind_spots"]["mistakes"]
    assert spot["sessions"] == 3
    assert "offset-naive" in spot["example"]
    _, out, _ = place.run("stats")
    assert "no rule speaks of an error of 3 sessions: " in out
    rule = "Never compare offset-naive and offset-aware datetimes: a ValueError follows"
    path = place.vault / "knowledge" / "rules" / "dk-0123456789.md"
    path.parent.mkdir(exist_ok=True)
    for status, spots in (("waiting", 0), ("rejected", 1)):
        front = f"id: dk-0123456789\nstatus: {status}\n"
        path.write_text(f"---\n{front}---\n\n# {rule}\n", encoding="utf-8")
        assert len(place.json("stats")["blind_spots"]["mistakes"]) == spots


def test_what_cannot_be_read_is_named(place):
    (place.vault / "daily" / "2026-03-03-bad.md").write_bytes(b"\xff\xfe")
    code, _, err = place.run("stats")
    assert code == 1
    assert "2026-03-03-bad.md" in err
