"""`memoria import --from`: another tool's memory, brought in once, and nothing in force by it."""

import json

import pytest
from place import state_of


@pytest.fixture
def made(place):
    place.run("init")
    return place


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(root)


LOG = (
    "# Daily Log: 2026-04-01\n\n## Sessions\n\n### Session (09:00) - Login\n\n- Tokens end early\n"
)
ARTICLE = (
    '---\ntitle: "Session tokens"\naliases: []\ntags: [auth]\nsources:\n  - "daily/2026-04-01.md"\n'
    "created: 2026-04-01\nupdated: 2026-04-01\n---\n\n# Session tokens\n\nThey end.\n\n"
    "## Key Points\n\n- They end after an hour ([[daily/2026-04-01]])\n\n"
    "## Details\n\nLong.\n\n## Sources\n\n- [[daily/2026-04-01]]\n"
)


def compiler(tmp_path, **more):
    files = {
        "daily/2026-04-01.md": LOG,
        "daily/2026-04-02.md": LOG.replace("04-01", "04-02").replace("Tokens", "Clocks"),
        "knowledge/index.md": "# Knowledge Base Index\n",
        "knowledge/concepts/session-tokens.md": ARTICLE,
        "scripts/state.json": json.dumps({"ingested": {"2026-04-01.md": {"hash": "x"}}}),
    }
    return write(tmp_path / "old", files | more)


def test_a_compiler_s_vault_comes_in_whole(made, tmp_path):
    source = compiler(tmp_path)
    found = made.json("import", "--from", source)
    assert found["logs"] == ["daily/2026-04-01.md", "daily/2026-04-02.md"]
    assert found["articles"] == ["knowledge/concepts/session-tokens.md"]
    assert made.log("2026-04-01") == LOG
    index = (made.vault / "knowledge" / "index.md").read_text()
    assert "[[concepts/session-tokens]]" in index
    # the first day has its article; the second one is left to compile
    assert [one["log"] for one in made.ledger("compile")] == ["daily/2026-04-01.md"]
    made.run("compile")
    assert [one["log"] for one in made.ledger("compile")][1:] == ["daily/2026-04-02.md"]
    code, out, _ = made.run("lint", "--structural-only")
    assert code == 0, out


def test_the_same_again_changes_nothing(made, tmp_path):
    source = compiler(tmp_path)
    made.run("import", "--from", source)
    before = made.files()
    again = made.json("import", "--from", source)
    assert again["known"] == 3
    assert again["logs"] == again["articles"] == []
    assert made.files() == before


def test_an_article_of_another_text_gets_a_name_of_its_own(made, tmp_path):
    made.run("import", "--from", compiler(tmp_path))
    other = {"knowledge/concepts/session-tokens.md": ARTICLE.replace("They end.", "They do end.")}
    found = made.json("import", "--from", compiler(tmp_path, **other))
    assert found["articles"] == ["knowledge/concepts/session-tokens-2.md"]


def test_what_no_kind_allows_is_named_and_left(made, tmp_path):
    strange = {"knowledge/recipes/soup.md": ARTICLE, "knowledge/concepts/x.md": "---\na: [\n---\n"}
    code, _, err = made.run("import", "--from", compiler(tmp_path, **strange))
    assert code == 1
    assert "recipes/soup.md" in err
    assert "concepts/x.md" in err


ENTRY = "# Auth\n\n## Improvements\n\n### Workflow\n- Always write a failing test first\n"
OTHER = ENTRY.replace("Always write a failing test first", "Never log a raw token")


def buildlog(tmp_path):
    state = {"promoted": [], "rejected": []}
    files = {
        f".buildlog/{name}.json": json.dumps({"skill_ids": ids}) for name, ids in state.items()
    }
    files |= {"2026-01-15-auth.md": ENTRY, "2026-01-20-log.md": OTHER}
    return write(tmp_path / "buildlog", files)


def test_a_buildlog_brings_entries_and_decisions_but_no_approval(made, tmp_path):
    from memoria.stages.rule import rule_id

    kept = rule_id("workflow", "Always write a failing test first")
    out = rule_id("workflow", "Never log a raw token")
    folder = buildlog(tmp_path)
    for name, one in (("promoted", kept), ("rejected", out)):
        path = tmp_path / "buildlog" / ".buildlog" / f"{name}.json"
        path.write_text(json.dumps({"skill_ids": [one, "wf-0000000000"]}))
    found = made.json("import", "--from", folder)
    assert found["entries"] == ["2026-01-15-import-auth", "2026-01-20-import-log"]
    assert found["asked"] == [kept]
    assert found["rejected"] == [out]
    assert found["lost"] == 1
    rules = {one["id"]: one for one in made.json("status")["rules"]}
    assert not rules[kept]["in_force"]
    assert rules[out]["status"] == "rejected"
    assert not (state_of(made.vault) / "approvals.json").exists() or kept not in (
        (state_of(made.vault) / "approvals.json").read_text()
    )
    assert kept in {one["id"] for one in made.json("diff")["pending"]}


def test_compiling_brings_nothing_of_it_in_force(made, tmp_path):
    made.run("import", "--from", buildlog(tmp_path))
    claude = write(tmp_path / "shop", {"CLAUDE.md": "- Always deploy on Fridays at noon\n"})
    found = made.json("import", "--from", f"{claude}/CLAUDE.md")
    assert found["lines"] == 1
    made.run("compile")
    assert not any(one["in_force"] for one in made.json("status")["rules"])
    pending = {one["rule"] for one in made.json("diff")["pending"]}
    assert "Always deploy on Fridays at noon" in pending


def test_claude_s_own_memory_becomes_entries(made, tmp_path):
    files = {
        "memory/MEMORY.md": "- [Style](style.md)\n",
        "memory/style.md": "Use tabs.\n\n- No ORM here\n",
    }
    found = made.json("import", "--from", write(tmp_path / "-home-me-shop", files))
    assert sorted(name[11:] for name in found["entries"]) == ["import-memory", "import-style"]
    assert "origin: auto-memory" in (made.vault / "daily" / f"{found['entries'][1]}.md").read_text()


def test_a_secret_stays_behind(made, tmp_path):
    key = "ghp_" + "aB3dE5fG7h" * 3 + "Kl9mNo"
    source = write(tmp_path / "shop", {"CLAUDE.md": f"- Push with the token {key} in the URL\n"})
    made.run("import", "--from", f"{source}/CLAUDE.md")
    assert not any(key.encode() in data for data in made.files().values())


@pytest.mark.parametrize(("name", "data"), [("a.txt", b"x"), ("a.md", b"\xff\xfe\x00")])
def test_a_file_that_is_none_is_told(made, tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    code, _, err = made.run("import", "--from", str(path))
    assert code in {1, 2}
    assert name in err


def test_it_can_be_taken_back_as_one_step(made, tmp_path):
    before = made.files()
    made.run("import", "--from", compiler(tmp_path))
    code, _, err = made.run("undo", "--yes")
    assert code == 0, err
    after = made.files()
    assert {name for name in after if after[name] != before.get(name)} <= {
        "knowledge/log.md",
        "knowledge/index.md",
    }
