"""The vault on disk -> a snapshot: everything is read once, and nothing ends the reading."""

import json
import os
import sys
from unittest.mock import Mock

import pytest
from linted import article

from memoria.lint import store as edge
from memoria.lint.store import read_snapshot
from memoria.vault import setup

BAD_NAME = b"\xff\xfe.md"


@pytest.fixture
def vault(place):
    folder = place.vault / "knowledge" / "concepts"
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.md").write_text(article("", name), encoding="utf-8")
    return place.work.vault


def read(vault):
    return read_snapshot(vault)[0]


def test_a_snapshot_has_the_notes_and_all_files(vault):
    (vault.root / "picture.png").write_bytes(b"x")
    (vault.root / ".obsidian").mkdir()
    (vault.root / ".obsidian" / "x.md").write_text("x")
    found = read(vault)
    assert [note.path for note in found.notes] == [f"knowledge/concepts/{n}.md" for n in "ab"]
    assert {"picture.png", "AGENTS.md", "knowledge/index.md"} <= set(found.files)
    assert not [path for path in found.files if path.startswith(".")]
    assert found.index.startswith("# Knowledge Base Index")
    assert found.faults == ()


def test_only_what_changed_is_parsed_again(vault, monkeypatch):
    read(vault)
    (vault.knowledge / "concepts" / "a.md").write_text(article("", "New"), encoding="utf-8")
    spy = Mock(wraps=edge.read_note)
    monkeypatch.setattr(edge, "read_note", spy)
    assert [note.inner for note in read(vault).notes] == ["concepts/a", "concepts/b"]
    assert [call.args[0] for call in spy.call_args_list] == ["knowledge/concepts/a.md"]


@pytest.mark.parametrize("damage", ["", "no JSON" * 999, "[1]", "rows", "made", None])
def test_kept_notes_that_cannot_be_used_cost_only_time(vault, damage):
    first = read(vault)
    kept = vault.state.root / edge.CACHE
    value = json.loads(kept.read_text("utf-8"))
    changes = {"rows": {"notes": dict.fromkeys(value["notes"], 5)}, "made": {"made": "x"}}
    if damage is None:
        kept.unlink()
        kept.mkdir()
    else:
        text = json.dumps(value | changes[damage]) if damage in changes else damage
        kept.write_text(text, "utf-8")
    assert read(vault) == first
    assert read(vault) == first


def test_links_in_circles_and_to_elsewhere_are_not_followed(vault):
    folder = vault.knowledge / "concepts"
    (folder / "loop").symlink_to(vault.root, target_is_directory=True)
    (folder / "loop.md").symlink_to(folder / "loop.md")
    found = read(vault)
    assert [flaw.path for flaw in found.faults] == ["knowledge/concepts/loop.md"]
    assert len(found.notes) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="other systems allow no such names")
def test_a_name_that_is_no_text_is_a_flaw(vault):
    folder = os.fsencode(vault.knowledge / "concepts")
    with open(os.path.join(folder, BAD_NAME), "wb") as file:  # noqa: PTH118, PTH123 - bytes
        file.write(b"x")
    found = read(vault)
    assert [flaw.message for flaw in found.faults] == ["its name is not UTF-8; rename it"]
    found.faults[0].path.encode()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a folder we may not read")
def test_a_folder_that_may_not_be_read_is_a_flaw(vault):
    folder = vault.knowledge / "tools"
    folder.mkdir(mode=0)
    try:
        assert [flaw.path for flaw in read(vault).faults] == ["knowledge/tools"]
    finally:
        folder.chmod(0o700)


def test_a_clone_s_program_is_no_part_of_its_vault(vault, monkeypatch):
    inside = vault.root / "tests/golden/knowledge/concepts"
    inside.mkdir(parents=True)
    (inside / "a.md").write_text("# A\n")
    (vault.root / "knowledge/tests").mkdir(parents=True)
    (vault.root / "knowledge/tests/b.md").write_text("# B\n")
    assert "tests/golden/knowledge/concepts/a.md" in read(vault).files
    monkeypatch.setattr(setup, "is_clone", lambda root: root == vault.root)
    files = read(vault).files
    assert "tests/golden/knowledge/concepts/a.md" not in files
    assert "knowledge/tests/b.md" in files
