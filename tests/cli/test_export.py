import json

import pytest
from place import debugging
from ruled import SHOP, keep, made

from memoria.cli.export import article_wanted, lowered, markdown, rows, wanted
from memoria.vault.article import parse

LINT = made("Run the linter before you commit", status="active", frequency=3)
KEY = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def filled(place):
    place.transcript("11111111-1111-4111-8111-111111111111", *debugging())
    assert place.run("import")[0] == 0
    assert place.run("compile")[0] == 0
    keep(place, LINT, approve=True)
    keep(place, made("Keep the port at 5433"), made("No rule at all", status="rejected"))
    note = place.vault / "knowledge/concepts/tokens.md"
    note.parent.mkdir(exist_ok=True)
    note.write_text(f'---\ntitle: "Tokens"\nupdated: 2026-04-01\n---\n\n# Tokens\n\nKey {KEY}.\n')
    return place


def test_markdown_on_standard_output(filled):
    code, out, err = filled.run("export")
    assert code == 0
    assert out.startswith("# Memoria\n\n## Rules\n")
    assert LINT.text in out
    assert "No rule at all" not in out
    assert "### Tokens" in out
    assert KEY not in out
    assert err == "2 rules and 1 articles.\n"
    assert filled.run("export")[1] == out
    assert "## Articles" not in filled.run("export", "--rules")[1]
    assert "## Rules" not in filled.run("export", "--articles")[1]


@pytest.mark.parametrize(("name", "options"), [("o.jsonl", ()), ("o.x", ("--format", "jsonl"))])
def test_json_lines_into_a_file(filled, name, options):
    path = filled.root / name
    code, out, _ = filled.run("export", "-o", str(path), *options)
    assert (code, out) == (0, "")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["type"] for row in rows] == ["rule", "rule", "article"]
    assert rows[0]["in_force"]
    assert rows == filled.json("export") == filled.json("export", "-o", str(path), *options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--rules", "--articles"), "each leave the other out"),
        (("-o", "/nowhere/at/all.md"), "there is no folder"),
        (("--since", "soon"), "use a date"),
    ],
)
def test_wrong_use(filled, options, said):
    code, out, err = filled.run("export", *options)
    assert (code, out) == (2, "")
    assert said in err


def test_filters_of_the_command_line(filled):
    assert filled.run("export", "--since", "2031-01-01")[2] == "0 rules and 0 articles.\n"
    assert "2 rules and 1 articles" in filled.run("export", "--project", "shop")[2]
    assert "0 rules and 1 articles" in filled.run("export", "--project", "nothing-like-it")[2]


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
