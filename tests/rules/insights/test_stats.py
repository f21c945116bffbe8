from datetime import UTC, date, datetime, timedelta

import pytest
from place import debugging

from memoria.rules.insights.notebook import page
from memoria.rules.insights.stats import tally
from memoria.vault.storage import clock

TODAY = date(2026, 3, 31)
ENTRY = "# A\n\n## Improvements\n\n### Workflow\n\n- Run the tests\n"


def leaf(day=TODAY, text=ENTRY, slug="a"):
    return page(f"{day}-{slug}.md", day, slug, text)


def count(*leaves):
    return tally(leaves, TODAY)


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


# -- The verb -------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _on_one_day(monkeypatch):
    now = datetime(2026, 3, 10, 12, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda zone=None: now)


def write(place, day, slug="a", text=""):
    path = place.vault / "daily" / f"{day}-{slug}.md"
    own = ENTRY.replace("# A", f"# {day}").replace("Run", f"Run on {day}")
    path.write_text(text or own, encoding="utf-8")


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
