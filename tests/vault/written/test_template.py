from datetime import date

import pytest

from memoria.text.outline import outline
from memoria.vault import package_files as resource
from memoria.vault.written.template import blank, filled
from memoria.vault.written.written_entry import written

SECTIONS = [
    "The Goal", "What We Built", "The Journey", "Test Results", "Code Samples", "Improvements",
]  # fmt: skip
OURS = resource.text("templates/_TEMPLATE.md")
BODIES = [("The Goal", "To log in.\n\n### Not a section"), ("Test Results", "```\n## x\n```")]


def entry(template=OURS, **more):
    return blank(template, **{"title": "Auth API", "day": date(2026, 3, 2), "slug": "auth", **more})


def test_the_packaged_template_has_the_six_sections_and_no_insight():
    heads = [block for block in outline(entry()).blocks if block.level]
    assert [one.text for one in heads if one.level == 2] == SECTIONS
    assert [one.text for one in heads if one.level == 3] == [
        "Architectural", "Workflow", "Tool Usage", "Domain Knowledge",
    ]  # fmt: skip
    found = written(entry())
    assert (found.title, found.improvements, found.lacks) == ("Auth API", (), "insights")
    assert "2026-03-02" in entry()


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{title}} {{ DATE }} {{slug}}", "Auth API 2026-03-02 auth\n"),
        ("{{other}} {title}\r\n", "{{other}} {title}\n"),
        ("", "\n"),
        ("\ufeff# {{title}}\n", "# Auth API\n"),
    ],
)
def test_names_in_the_template(template, text):
    assert entry(template) == text


def test_a_draft_fills_its_sections_and_leaves_the_rest():
    text = filled(
        entry(), BODIES, [("workflow", "run it"), ("workflow", "twice")], {"session": "s"}
    )
    assert text.startswith("---\nsession: s\n---\n\n# Auth API\n")
    assert "## The Goal\n\nTo log in.\n\n### Not a section\n\n## What We Built\n\n<!--" in text
    assert "## Test Results\n\n```\n## x\n```\n\n## Code Samples" in text
    assert "### Workflow\n\n- run it\n- twice\n\n### Tool Usage\n\n-\n" in text
    found = written(text)
    assert [(one.category, one.text) for one in found.improvements] == [
        ("workflow", "run it"),
        ("workflow", "twice"),
    ]


def test_a_changed_template_keeps_its_shape():
    template = (
        "---\ntags: [log]\n---\n\n# THE GOAL #\n\nold\n\n"
        "# Improvements\n\nHow?\n\n## Tools usage\n\n-\n\n# Mine\n\nkeep\n"
    )
    text = filled(
        entry(template), BODIES, [("tool_usage", "a"), ("workflow", "b")], {"session": "s"}
    )
    assert text.startswith("---\ntags: [log]\nsession: s\n---\n\n# THE GOAL #\n\nTo log in.\n")
    assert "old" not in text
    assert "How?\n\n## Tools usage\n\n- a\n\n# Mine\n\nkeep\n" in text
    # what has no heading in the template comes with its own
    assert "\n## Test Results\n\n```\n## x\n```\n" in text
    assert "\n### Workflow\n\n- b\n" in text


def test_an_unreadable_frontmatter_is_left_as_it_is():
    text = filled("---\n: [\n---\n\n# A\n", [], [], {"session": "s"})
    assert text == "---\n: [\n---\n\n# A\n"
