"""What `distill`, `list` and `stats` say of a notebook's entries."""

import json
from datetime import UTC, date, datetime

import pytest
import yaml
from cases import cased
from hypothesis import given, strategies as st
from place import debugging

from memoria.rules.insights.distill import distil, format_distillation
from memoria.rules.insights.notebook import Pattern, read_notebook
from memoria.vault.storage import clock
from memoria.vault.written.categories import CATEGORIES
from memoria.vault.written.written_entry import format_draft_mark

DAY = "2026-03-02"
ENTRY = """# Auth API

## The Goal

Log in.

## Improvements

### Architectural

- Always validate at the boundary

### Workflow

- Run the tests after every change
- [ ] ask Bo
"""
LESSON = "A local time is no UTC time"


def write(place, name=f"{DAY}-auth", text=ENTRY):
    path = place.vault / "daily" / f"{name}.md"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def captured(place):
    """Capture a session, and write a lesson into its block by hand."""
    place.transcript("s-1", *debugging())
    place.run("import")
    with (place.vault / "daily" / f"{DAY}.md").open("a", encoding="utf-8") as file:
        file.write(f"\n**Lessons Learned:**\n- {LESSON}\n")


def patterns(place, since=None):
    return read_notebook(place.work.vault, since).patterns


def test_insights_come_by_category(place):
    write(place)
    found = place.json("distill")
    assert list(found) == ["extracted_at", "entry_count", "patterns", "statistics"]
    assert found["entry_count"] == 1
    assert found["patterns"]["architectural"] == [
        {
            "insight": "Always validate at the boundary",
            "source": "2026-03-02-auth.md",
            "date": DAY,
            "context": "Auth API: Log in.",
            "origin": "written",
            "project": "",
        }
    ]
    assert found["patterns"]["tool_usage"] == []
    assert found["statistics"]["by_month"] == {"2026-03": 2}
    counts = {"architectural": 0, "workflow": 1, "tool_usage": 0, "domain_knowledge": 0}
    found = place.json("distill", "--category", "Workflows")
    assert found["statistics"]["by_category"] == counts


def test_a_captured_entry_counts_as_it_stands_and_its_draft_is_no_second_sighting(place):
    captured(place)
    mark = format_draft_mark("s-1", [LESSON, "another"])
    write(place, text=f"{ENTRY}- {LESSON}\n- another\n\n{mark}\n")
    found = [(each.insight, each.origin, each.entry) for each in patterns(place)]
    assert found.count((LESSON, "captured", "s-1")) == 1
    assert ("another", "captured", "s-1") in found
    assert {entry for _, origin, entry in found if origin == "written"} == {f"{DAY}-auth.md"}


def test_a_block_written_by_hand_is_one_sighting_wherever_it_is_copied(place):
    text = "### Session (10:00) - By hand\n\n**Lessons Learned:**\n- Look twice\n"
    for name, block in ((DAY, text), ("2026-03-09", text), ("2026-03-10", f"{text}- More\n")):
        write(place, name, block)
    first, second, *others = [each.entry for each in patterns(place)]
    assert first == second
    assert first not in others


@cased()
def test_a_file_is_written_whole(place, tmp_path, ending):
    secret = "ghp_" + "a1B2c3D4e5" * 4
    write(place, text=f"{ENTRY}- The key is {secret}, as `{secret}` says\n")
    target = tmp_path / f"patterns.{ending}"
    code, out, err = place.run("distill", "-o", str(target))
    assert (code, out) == (0, "")
    assert "3 insights of 1 entries" in err
    text = target.read_text(encoding="utf-8")
    read_back = json.loads(text) if ending == "json" else yaml.safe_load(text)
    assert read_back["statistics"]["total_patterns"] == 3
    assert "The key is [REDACTED:" in text
    assert secret not in text
    assert list(tmp_path.glob(".*")) == []


@cased()
def test_a_bad_target_is_refused_before_anything_is_written(place, tmp_path, name):
    (tmp_path / "a.json").mkdir()
    code, out, err = place.run("distill", "-o", str(tmp_path / name))
    assert (code, out) == (2, "")
    assert "-o" in err


def test_of_a_rule_under_a_heading_of_ones_own_the_words_say_the_category(place):
    write(place, text=ENTRY.replace("### Workflow", "### Team Habits"))
    (pattern,) = [one for one in patterns(place) if one.heading]
    assert (pattern.heading, pattern.category) == ("team_habits", "workflow")


def test_what_cannot_be_read_is_named_and_the_rest_is_distilled(place):
    for name, text in ((f"{DAY}-auth", ENTRY), ("2026-13-45-wrong", ENTRY)):
        write(place, name, text)
    for name in ("2026-03-03-bad", "2026-03-04"):
        write(place, name, b"\xff\xfe")
    code, out, err = place.run("distill")
    assert code == 1
    assert json.loads(out)["statistics"]["total_patterns"] == 2
    for part in ("2026-03-03-bad.md is not UTF-8", "2026-03-04.md is not", "2026-13-45-wrong.md"):
        assert part in " ".join(err.split())


def test_copies_are_one_sighting_and_the_template_holds_none(place):
    template = ENTRY.replace("- Run the tests after every change", "- What will you do again?")
    write(place, "_TEMPLATE", template)
    for day in (2, 3, 4):
        write(place, f"2026-03-0{day}-auth", f"{template}- Something new\n")
    found = patterns(place)
    assert [each.insight for each in found] == ["Something new"] * 3
    assert {each.entry for each in found} == {"2026-03-02-auth.md"}
    # also where the first one is before the days that are asked for
    assert {each.entry for each in patterns(place, date(2026, 3, 4))} == {"2026-03-02-auth.md"}


@given(st.lists(st.tuples(st.text(max_size=40), st.sampled_from(CATEGORIES)), max_size=4))
def test_both_formats_say_the_same(rows):
    name, day = f"{DAY}-auth.md", date.fromisoformat(DAY)
    given_patterns = [
        Pattern(text, category, name, day, "Auth", "written", name, "shop")
        for text, category in rows
    ]
    found = distil(given_patterns, len(rows), datetime(2026, 3, 9, 12, tzinfo=UTC))
    assert found["extracted_at"] == "2026-03-09T12:00:00+00:00"
    written = {ending: format_distillation(found, ending) for ending in (".yaml", ".json")}
    assert yaml.safe_load(written[".yaml"]) == json.loads(written[".json"]) == found


def test_list_has_the_newest_first(place):
    captured(place)
    write(place, "2026-03-09-forms", "# \x1b[2J\u202eevil\tx\n")
    write(place, "2026-03-01-auth")
    forms, block, auth = place.json("list")
    assert forms["path"] == "daily/2026-03-09-forms.md"
    assert auth == {
        "date": "2026-03-01",
        "time": "",
        "kind": "written",
        "title": "Auth API",
        "project": "",
        "improvements": 2,
        "path": "daily/2026-03-01-auth.md",
        "edited": False,
    }
    assert (block["kind"], block["time"], block["edited"]) == ("captured", "10:10", True)
    first, second, third = place.run("list")[1].splitlines()
    assert first == "2026-03-09       written   evil x (no insights)"
    assert second.startswith("2026-03-02 10:10 captured")
    assert third == "2026-03-01       written   Auth API (2 insights)"


def test_stats_count_and_say_what_is_lacking(place, monkeypatch):
    monkeypatch.setattr(clock, "now", lambda zone=None: datetime(2026, 3, 10, 12, tzinfo=UTC))
    captured(place)
    head = "# E\n\n## Improvements\n"
    texts = {
        "auth": ENTRY,
        "empty-1": f"{head}\n### Workflow\n\n- [ ] x\n",
        "empty-2": head,
        "forms": "---\n: [\n---\n# F\n\n## Improvements\n\n- a thing\n",
        "none": "# N\n",
        "own": f"{head}\n### Team\n\n- Talk\n",
        "prose": f"{head}\nWe were slow.\n",
    }
    for name, text in texts.items():
        write(place, f"2026-03-03-{name}", text)
    found = place.json("stats")
    entries, insights = found["entries"], found["insights"]
    assert (entries["total"], entries["written"], entries["captured"]) == (8, 7, 1)
    assert (entries["with_improvements"], entries["written_with_improvements"]) == (4, 3)
    assert entries["coverage_percent"] == 50.0
    assert insights["total"] == insights["written"] + insights["captured"]
    assert set(insights["by_category"]) == set(insights["percent"])
    assert sum(insights["percent"].values()) == pytest.approx(100, abs=0.3)
    assert found["warnings"][:3] == [
        "1 entry has no Improvements section",
        "2 entries have empty Improvements sections",
        "1 entry has Improvements without bullets: only bullets are distilled",
    ]
    assert found["warnings"][3].startswith("2026-03-03-forms.md: its frontmatter cannot be read")
    assert place.json("stats", "--since", "2026-03-04")["entries"]["total"] == 0
    code, _, err = place.run("stats", "--since", "soon")
    assert (code, "since" in err) == (2, True)


@pytest.mark.parametrize(("name", "said"), [("", "a folder"), ("no/x.md", "in no folder")])
def test_a_place_where_no_file_of_skills_can_be_is_wrong_use(place, tmp_path, name, said):
    code, _, err = place.run("skills", "-o", str(tmp_path / name))
    assert (code, f"{tmp_path / name}: {said}" in err) == (2, True)


def test_blind_spots_are_errors_that_came_back_and_that_no_rule_speaks_of(place, monkeypatch):
    for day in (1, 2, 3):
        place.transcript(f"s-{day}", *debugging(f"check {day}", 1440 * day))
    place.run("import")
    (spot,) = place.json("stats")["blind_spots"]["errors"]
    assert (spot["sessions"], "offset-naive" in spot["error"]) == (3, True)
    assert "  - 3 of 3 sessions" in place.run("stats")[1]
    assert "Blind spots" not in place.run("stats", "--since", "2027-01-01")[1]
    # since is a day of the person's clock: 10 in the morning of UTC is the next day there
    monkeypatch.setenv("MEMORIA_TIMEZONE", "Pacific/Kiritimati")
    (spot,) = place.json("stats", "--since", "2026-03-04")["blind_spots"]["errors"]
    assert spot["sessions"] == 3


def test_a_heading_of_ones_own_is_a_category(place):
    write(place, text=f"{ENTRY}\n### Accessibility\n\n- Labels come before icons\n")
    found = place.json("distill")
    assert [row["insight"] for row in found["patterns"]["accessibility"]] == [
        "Labels come before icons"
    ]
    assert found["statistics"]["by_category"]["accessibility"] == 1
    only = place.json("distill", "--category", "Accessibility")["statistics"]
    assert only["total_patterns"] == 1
    assert "accessibility" in place.err("distill", "--category", "style", code=2)
    assert place.json("stats")["insights"]["by_category"]["accessibility"] == 1


def test_a_block_that_a_person_wrote_into_a_log_is_written(place):
    block = f"### Session (10:10) - By hand\n\n**Lessons Learned:**\n- {LESSON}\n"
    write(place, DAY, f"# Daily Log: {DAY}\n\n## Sessions\n\n{block}")
    assert place.json("list")[0]["kind"] == "written"
    assert place.do("list").startswith(f"{DAY} 10:10 written ")
    entries = place.json("stats")["entries"]
    assert (entries["written"], entries["captured"]) == (1, 0)


@pytest.mark.parametrize("verb", ["distill", "stats", "list"])
def test_no_entries_since_a_day_are_not_none_at_all(place, verb):
    write(place)
    assert place.err(verb, "--since", "2030-01-01").endswith("No entries since 2030-01-01.\n")
    assert place.do("skills", "--format", "markdown", "--min-frequency", "9") == ""
