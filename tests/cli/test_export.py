import json

import pytest
from place import debugging
from ruled import keep, made

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


def test_filters(filled):
    assert filled.run("export", "--since", "2031-01-01")[2] == "0 rules and 0 articles.\n"
    assert "2 rules and 1 articles" in filled.run("export", "--project", "shop")[2]
    assert "0 rules and 1 articles" in filled.run("export", "--project", "nothing-like-it")[2]
