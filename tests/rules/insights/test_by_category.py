import json
from datetime import UTC, date, datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memoria.rules.insights.by_category import as_text, distillation
from memoria.rules.insights.insight import Pattern

AT = datetime(2026, 3, 9, 12, tzinfo=UTC)


def pattern(insight="Run the tests", category="workflow", day=date(2026, 3, 2)):
    name = f"{day}-auth.md"
    return Pattern(insight, category, name, day, "Auth API: Log in.", "written", name, "shop")


def test_the_shape_is_that_of_buildlog():
    found = distillation([pattern(), pattern(day=date(2026, 4, 1))], 3, AT)
    assert found["extracted_at"] == "2026-03-09T12:00:00+00:00"
    assert found["entry_count"] == 3
    assert list(found["patterns"]) == [
        "architectural", "workflow", "tool_usage", "domain_knowledge",
    ]  # fmt: skip
    assert found["patterns"]["workflow"][0] == {
        "insight": "Run the tests",
        "source": "2026-03-02-auth.md",
        "date": "2026-03-02",
        "context": "Auth API: Log in.",
        "origin": "written",
        "project": "shop",
    }
    assert found["statistics"] == {
        "total_patterns": 2,
        "by_category": {
            "architectural": 0, "workflow": 2, "tool_usage": 0, "domain_knowledge": 0,
        },
        "by_month": {"2026-03": 1, "2026-04": 1},
    }  # fmt: skip


def test_own_categories_stand_behind_the_four():
    found = distillation([pattern(category="team"), pattern()], 1, AT)
    assert list(found["patterns"])[4:] == ["team"]
    assert found["statistics"]["by_category"]["team"] == 1


@pytest.mark.parametrize("ending", [".json", ".yaml", ".yml"])
def test_nothing_is_a_result_too(ending):
    found = distillation([], 0, AT)
    assert yaml.safe_load(as_text(found, ending)) == found


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
def test_both_formats_say_the_same(patterns):
    found = distillation(patterns, len(patterns), AT)
    read = yaml.safe_load(as_text(found, ".yaml"))
    assert read == json.loads(as_text(found, ".json")) == found
