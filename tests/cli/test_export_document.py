import pytest
from ruled import SHOP, made

from memoria.cli.export import article_wanted, lowered, markdown, rows, wanted
from memoria.vault.article import parse

LINT = made("Run the linter before you commit", status="active", frequency=3)
PORT = made("Keep the port at 5433", updated="2026-05-01")
TEXT = """---
title: "Tokens"
projects: ["github.com/ana/shop"]
updated: 2026-04-01
---

# Tokens

An hour.

## Details

```sh
# no heading
```
"""
ARTICLE = parse("concepts/tokens", "concept", TEXT)


def exported(rules=(LINT, PORT), **more):
    return list(rows(rules, [ARTICLE], lambda one: one is LINT, **more))


def test_what_stands_is_exported_and_what_was_put_aside_is_not():
    gone = [
        made("Never was a rule", status="rejected"),
        made("Had its time", status="retired"),
        made("Was overruled", superseded_by=LINT.id),
    ]
    found = exported((*gone, PORT, LINT))
    assert [row.get("rule") or row["title"] for row in found] == [LINT.text, PORT.text, "Tokens"]
    assert [row.get("in_force") for row in found] == [True, False, None]
    assert "---" not in found[2]["text"]


@pytest.mark.parametrize(
    ("project", "since", "rules", "articles"),
    [
        ("", "", 2, True),
        ("shop", "", 2, True),
        ("blog", "", 0, False),
        ("", "2026-04-15", 1, False),
        ("", "2026-04-01", 1, True),
    ],
)
def test_filters(project, since, rules, articles):
    assert sum(wanted(one, project, since) for one in (LINT, PORT)) == rules
    assert article_wanted(ARTICLE, project, since) is articles


def test_what_holds_everywhere_is_in_every_project_s_export():
    assert wanted(made("Rule of all", scope=()), "blog", "")
    assert wanted(made("Rule of two", scope=(SHOP, "github.com/ana/app")), "blog", "")


def test_one_file_with_one_outline():
    lines = list(markdown(exported()))
    assert [line for line in lines if line.startswith("#")] == [
        "# Memoria",
        "## Rules",
        "### Workflow",
        "## Articles",
        "### Tokens",
        "#### Details",
        "# no heading",
    ]
    rule = next(at for at, line in enumerate(lines) if LINT.text in line)
    assert f"(`{LINT.id}`, active, high confidence, {SHOP})" in lines[rule]
    assert lines[rule + 1] == f'  - "{LINT.text}." ([[daily/2026-03-02]])'
    assert list(markdown([])) == ["# Memoria"]


def test_headings_end_at_the_sixth_level():
    assert list(lowered("##### A\n###### B\n#hash")) == ["###### A", "###### B", "#hash"]
