"""`memoria import --from` of a buildlog: brought in once, and nothing in force by it."""

import json

import pytest
from place import AGENT, PERSON, state_of

from memoria.cli import buildlog as arrival
from memoria.rules.model import rule_id
from memoria.vault.written.written_entry import parse_written_entry


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(root)


LOG = (
    "# Daily Log: 2026-04-01\n\n## Sessions\n\n### Session (09:00) - Login\n\n- Tokens end early\n"
)
ENTRY = "# Auth\n\n## Improvements\n\n### Workflow\n- Always write a failing test first\n"
OTHER = ENTRY.replace("Always write a failing test first", "Never log a raw token")


def buildlog(tmp_path, promoted=(), rejected=()):
    ids = {"promoted": promoted, "rejected": rejected}
    files = {f".buildlog/{name}.json": json.dumps({"skill_ids": ids[name]}) for name in ids}
    files |= {"2026-01-15-auth.md": ENTRY, "2026-01-20-log.md": OTHER}
    return write(tmp_path / "buildlog", files)


def test_a_buildlog_brings_entries_and_decisions_but_no_approval(place, tmp_path):
    kept = rule_id("workflow", "Always write a failing test first")
    out = rule_id("workflow", "Never log a raw token")
    folder = buildlog(tmp_path, [kept, "wf-0000000000"], [out, "wf-0000000000"])
    found = place.json("import", "--from", folder)
    assert found["entries"] == ["2026-01-15-import-auth", "2026-01-20-import-log"]
    assert found["asked"] == [kept]
    assert found["rejected"] == [out]
    rules = {one["id"]: one for one in place.json("status")["rules"]}
    assert not rules[kept]["in_force"]
    assert rules[out]["status"] == "rejected"
    assert not (state_of(place.vault) / "approvals.json").exists() or kept not in (
        (state_of(place.vault) / "approvals.json").read_text()
    )
    place.run("compile")
    assert not any(one["in_force"] for one in place.json("status")["rules"])
    assert kept in {one["id"] for one in place.json("diff")["pending"]}


def test_an_agent_brings_no_decision_of_a_buildlog(place, tmp_path):
    out = rule_id("workflow", "Never log a raw token")
    folder = buildlog(tmp_path, rejected=[out])
    place.driver = AGENT
    found = json.loads(place.do("import", "--from", folder, "--json", code=1))
    assert (len(found["entries"]), found["rejected"]) == (2, [])
    assert found["problems"] == [
        "1 rejected rule: import again at a terminal of your own to reject here"
    ]
    assert [row["status"] for row in place.json("status")["rules"]] == ["waiting", "waiting"]
    place.driver = PERSON
    assert place.json("import", "--from", folder)["rejected"] == [out]


def test_the_same_again_changes_nothing(place, tmp_path):
    source = buildlog(tmp_path)
    place.run("import", "--from", source)
    before = place.files()
    assert place.json("import", "--from", source)["entries"] == []
    assert place.files() == before


def test_a_folder_that_is_a_vault_is_taken_as_it_is(place, tmp_path):
    """What a compiler of the same layout wrote is registered, not copied, and then checked."""
    other = write(tmp_path / "old", {"daily/2026-04-01.md": LOG, "knowledge/concepts/a.md": "# A"})
    assert f"memoria init {other}" in place.err("import", "--from", other, code=2)
    assert place.run("init", "--vault", other)[0] == 0
    assert (tmp_path / "old/daily/2026-04-01.md").read_text() == LOG
    assert "concepts/a" in place.do("lint", "--structural-only", "--vault", other, code=1)


def test_a_file_that_cannot_be_read_is_named_and_left(place, tmp_path):
    folder = buildlog(tmp_path)
    (tmp_path / "buildlog" / "2026-01-15-auth.md").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "buildlog" / "2026-01-21-link.md").symlink_to("2026-01-20-log.md")
    key = "ghp_" + "aB3dE5fG7h" * 3 + "Kl9mNo"
    (tmp_path / "buildlog" / "2026-01-22-key.md").write_text(f"{ENTRY}- Push with {key} in it\n")
    err = place.err("import", "--from", folder, code=1)
    assert "2026-01-15-auth.md" in err
    assert "2026-01-21-link.md: a link" in err
    assert not any(key.encode() in data for data in place.files().values())


@pytest.mark.parametrize(
    "front", ["---\ntitle: A\nsession: mine\norigin: hand\n---\n", "", "---\n: [broken\n---\n"]
)
def test_a_buildlog_entry_keeps_its_text_and_cannot_say_whose_it_is(front):
    entry = arrival.format_entry(
        f"{front}# A\n\n## Improvements\n\n### Workflow\n- Test first, always\n"
    )
    assert parse_written_entry(entry).origin == "buildlog"
    assert entry.endswith("# A\n\n## Improvements\n\n### Workflow\n- Test first, always\n")
    assert [one.drafted for one in parse_written_entry(entry).improvements] == [True]


@pytest.mark.parametrize("text", ["", "[broken", '["x"]', '{"skill_ids": 3}', "[" * 100_000])
def test_a_file_of_decisions_that_is_none_holds_no_id(text):
    assert arrival.parse_skill_ids(text) == ()
