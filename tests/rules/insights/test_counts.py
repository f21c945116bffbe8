from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.capture.recurring_errors import RecurringError
from memoria.rules.insights.counts import Streak, streak, tally
from memoria.rules.insights.notebook import Leaf, page

TODAY = date(2026, 3, 31)
ENTRY = "# A\n\n## Improvements\n\n### Workflow\n\n- Run the tests\n"


def days(*numbers):
    return [date(2026, 3, number) for number in numbers]


def leaf(day=TODAY, text=ENTRY, slug="a"):
    return page(f"{day}-{slug}.md", day, slug, text)


def captured(day=TODAY, project="github.com/ana/shop", patterns=()):
    return Leaf(day, "10:00", "captured", "T", project, f"{day}.md", "s-1", patterns)


def count(*leaves, recurring=(), rules=(), today=TODAY):
    return tally(leaves, today, recurring, rules)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        ([], Streak(0, 0)),
        (days(31), Streak(1, 1)),
        (days(29, 30), Streak(2, 2)),
        (days(28, 29), Streak(0, 2)),
        (days(1, 2, 3, 10, 30, 31, 31), Streak(2, 3)),
        ([date(2026, 4, 5)], Streak(0, 1)),
    ],
)
def test_streaks(found, wanted):
    assert streak(found, TODAY) == wanted


@given(st.sets(st.dates(date(2026, 1, 1), date(2026, 3, 31))))
def test_a_streak_is_no_longer_than_the_longest_and_the_days(found):
    counted = streak(found, TODAY)
    assert 0 <= counted.current <= counted.longest <= len(found)
    assert (counted.longest > 0) == bool(found)


def test_an_empty_notebook():
    found = count()
    assert (found.total, found.coverage, found.weeks, found.months) == (0, 0.0, (), ())
    assert found.quiet_categories == ()
    assert found.warnings == ()


def test_entries_are_counted_by_kind():
    found = count(leaf(), leaf(slug="b", text="# B\n"), captured())
    assert (found.total, found.written, found.captured) == (3, 2, 1)
    assert (found.covered, found.written_covered) == (1, 1)
    assert found.coverage == pytest.approx(100 / 3)
    assert (found.insights, found.written_insights) == (1, 1)
    assert dict(found.by_category)["workflow"] == 1
    assert found.top_sources == (("2026-03-31-a.md", 1),)


def test_weeks_and_months_have_no_gap():
    found = count(leaf(date(2025, 12, 30)), leaf())
    assert [month for month, _ in found.months] == ["2025-12", "2026-01", "2026-02", "2026-03"]
    assert [n for _, n in found.months] == [1, 0, 0, 1]
    mondays = [date.fromisoformat(week) for week, _ in found.weeks]
    assert mondays[0] == date(2025, 12, 29)
    assert {later - day for day, later in pairwise(mondays)} == {timedelta(days=7)}
    assert sum(n for _, n in found.weeks) == 2


def test_days_at_the_ends_of_time_are_counted():
    assert count(leaf(date.max)).months[-1] == ("9999-12", 1)
    assert count(leaf(date(1900, 1, 1))).months[0] == ("1900-01", 1)


def test_blind_spots():
    quiet = [captured(TODAY - timedelta(days=n)) for n in range(3)]
    found = count(leaf(), leaf(date(2025, 1, 1), ENTRY.replace("Workflow", "Tool Usage")), *quiet)
    assert found.quiet_categories == ("architectural", "tool_usage", "domain_knowledge")
    assert found.quiet_projects == ("shop",)
    assert count(*quiet[:2]).quiet_projects == ()


def test_a_mistake_that_no_rule_speaks_of():
    line = "RuntimeError: TEST_DATABASE_URL is not set"
    mistake = RecurringError("s", line, "Bash", "exit", 5, 4, 9, "", None, "", 4)
    assert count(recurring=[mistake]).unruled == (mistake,)
    assert count(recurring=[mistake], rules=["Never commit to main"]).unruled == (mistake,)
    rule = "Run tests with `make test`: it sets TEST_DATABASE_URL, or a RuntimeError follows"
    assert count(recurring=[mistake], rules=[rule]).unruled == ()


def test_warnings_say_how_many():
    empty = [leaf(slug=f"e{n}", text=f"# E{n}\n\n## Improvements\n") for n in range(3)]
    prose = leaf(slug="p", text="# P\n\n## Improvements\n\nWe were slow.\n")
    own = leaf(slug="o", text=ENTRY.replace("Workflow", "Team"))
    broken = leaf(slug="f", text="---\n: [\n---\n" + ENTRY)
    warned = count(*empty, prose, own, broken, leaf(slug="n", text="# N\n")).warnings
    assert "3 entries have empty Improvements sections" in warned
    assert "1 entry has no Improvements section" in warned
    assert "1 entry has Improvements without bullets: only bullets are distilled" in warned
    assert "2026-03-31-o.md: own categories: team" in warned
    assert any(
        line.startswith("2026-03-31-f.md: its frontmatter cannot be read") for line in warned
    )


def test_copies_are_warned_of():
    from memoria.rules.insights.notebook import notebook

    found = notebook([leaf(), leaf(slug="b"), leaf(slug="c")])
    assert count(*found).warnings == (
        "3 files are copies of 2026-03-31-a.md: they count as one entry in confidence",
    )


def test_the_time_of_day_plays_no_part():
    assert count(leaf(), today=datetime(2026, 3, 31, 23, tzinfo=UTC).date()).streak.current == 1
