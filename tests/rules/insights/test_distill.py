import json
from datetime import UTC, date, datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from place import debugging

from memoria.rules.insights.distill import as_text, distillation, read
from memoria.rules.insights.notebook import Pattern

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


def write(place, name="2026-03-02-auth", text=ENTRY):
    path = place.vault / "daily" / f"{name}.md"
    path.write_text(text, encoding="utf-8")
    return path


def patterns(place, since=None):
    return read(place.work, since).patterns


def test_insights_come_by_category(place):
    write(place)
    found = place.json("distill")
    assert list(found) == ["extracted_at", "entry_count", "patterns", "statistics"]
    assert json.loads(place.run("distill")[1])["statistics"] == found["statistics"]
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


def test_captured_entries_count_as_they_stand(place):
    place.transcript("s-1", *debugging())
    place.run("import")
    log = place.vault / "daily" / f"{DAY}.md"
    with log.open("a", encoding="utf-8") as file:
        file.write("\n**Lessons Learned:**\n- A local time is no UTC time\n")
    assert "A local time is no UTC time" in [one.insight for one in patterns(place)]
    assert {one.origin for one in patterns(place)} == {"captured"}
    assert {one.entry for one in patterns(place)} == {"s-1"}


@pytest.mark.parametrize("ending", ["json", "yaml", "yml", "YAML"])
def test_a_file_is_written_whole(place, tmp_path, ending):
    write(place)
    target = tmp_path / f"patterns.{ending}"
    code, out, err = place.run("distill", "-o", str(target))
    assert (code, out) == (0, "")
    assert "2 insights of 1 entries" in err
    text = target.read_text(encoding="utf-8")
    read_back = json.loads(text) if ending == "json" else yaml.safe_load(text)
    assert read_back["statistics"]["total_patterns"] == 2
    assert list(tmp_path.glob(".*")) == []
    # a second time replaces it
    assert place.run("distill", "-o", str(target))[0] == 0


def test_a_bad_target_is_refused_before_anything_is_written(place, tmp_path):
    (tmp_path / "folder.json").mkdir()
    for target in ("patterns.txt", "patterns", "no/such/folder.json", "folder.json"):
        code, out, err = place.run("distill", "-o", str(tmp_path / target))
        assert (code, out) == (2, ""), target
        assert "-o" in err
    assert [path.name for path in tmp_path.iterdir() if path.suffix in {".txt", ".json"}] == [
        "folder.json"
    ]


@pytest.mark.parametrize("name", ["workflow", "Workflows", "WORKFLOW"])
def test_only_one_category(place, name):
    write(place)
    found = place.json("distill", "--category", name)
    assert found["statistics"]["by_category"] == {
        "architectural": 0, "workflow": 1, "tool_usage": 0, "domain_knowledge": 0,
    }  # fmt: skip


def test_an_own_category_is_kept_and_reported(place):
    write(place, text=ENTRY.replace("### Workflow", "### Team Habits"))
    code, out, err = place.run("distill")
    assert code == 0
    assert len(json.loads(out)["patterns"]["team_habits"]) == 1
    assert "'team_habits' is none of the four" in err
    assert "2026-03-02-auth.md" in err
    assert place.json("distill", "--category", "team-habits")["statistics"]["total_patterns"] == 1
    code, _, err = place.run("distill", "--category", "worklow")
    assert code == 2
    assert "team_habits" in err


def test_what_cannot_be_read_is_named_and_the_rest_is_distilled(place):
    write(place)
    (place.vault / "daily" / "2026-03-03-bad.md").write_bytes(b"\xff\xfe")
    (place.vault / "daily" / "2026-03-04.md").write_bytes(b"\xff\xfe")
    write(place, "2026-13-45-wrong")
    code, out, err = place.run("distill")
    assert code == 1
    assert json.loads(out)["statistics"]["total_patterns"] == 2
    assert "2026-03-03-bad.md is not UTF-8" in " ".join(err.split())
    assert "2026-03-04.md is not UTF-8" in " ".join(err.split())
    assert "2026-13-45-wrong.md" in err


def test_a_secret_that_a_person_wrote_does_not_leave_the_vault(place, tmp_path):
    secret = "ghp_" + "a1B2c3D4e5" * 4
    write(place, text=f"{ENTRY}- The key is {secret}, as `{secret}` says\n")
    target = tmp_path / "patterns.yaml"
    place.run("distill", "-o", str(target))
    assert secret not in target.read_text(encoding="utf-8")
    assert secret not in place.run("distill")[1]
    assert "The key is [REDACTED:" in place.run("distill")[1]


def test_copies_are_one_sighting_in_three_sources(place):
    for name in ("2026-03-02-auth", "2026-03-03-auth", "2026-03-04-auth"):
        write(place, name)
    found = patterns(place)
    assert len({one.source for one in found}) == 3
    assert {one.entry for one in found} == {"2026-03-02-auth.md"}
    # also where the first one is before the days that are asked for
    assert {one.entry for one in patterns(place, date(2026, 3, 4))} == {"2026-03-02-auth.md"}


def test_what_the_template_holds_is_no_insight(place):
    template = ENTRY.replace("- Run the tests after every change", "- What will you do again?")
    write(place, "_TEMPLATE", template)
    write(place, text=template + "- Something new\n")
    assert [one.insight for one in patterns(place)] == ["Something new"]
    assert len(read(place.work).leaves) == 1


AT = datetime(2026, 3, 9, 12, tzinfo=UTC)


def pattern(insight="Run the tests", category="workflow"):
    name = f"{DAY}-auth.md"
    day = date.fromisoformat(DAY)
    return Pattern(insight, category, name, day, "Auth API: Log in.", "written", name, "shop")


@given(
    st.lists(
        st.builds(
            pattern,
            insight=st.text(max_size=40),
            category=st.sampled_from(
                ["workflow", "team", "no", "null", "1", "a b", "qualität", "测试"]
            ),
        ),
        max_size=4,
    )
)
def test_both_formats_say_the_same(given_patterns):
    found = distillation(given_patterns, len(given_patterns), AT)
    assert found["extracted_at"] == "2026-03-09T12:00:00+00:00"
    assert list(found["patterns"])[:4] == list(found["statistics"]["by_category"])[:4]
    read_back = yaml.safe_load(as_text(found, ".yaml"))
    assert read_back == json.loads(as_text(found, ".json")) == found
