"""Which tool's memory a folder is, told by its files."""

import os

import pytest

from memoria.edges.foreign import foreign
from memoria.errors import UsageError


def write(root, *names):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("names", "kind", "read"),
    [
        (
            ("daily/2026-04-01.md", "knowledge/concepts/a.md", "knowledge/index.md", "README.md"),
            "compiler",
            ["daily/2026-04-01.md", "knowledge/concepts/a.md"],
        ),
        (
            ("buildlog/2026-04-01-a.md", "buildlog/.buildlog/promoted.json", "CLAUDE.md"),
            "buildlog",
            ["2026-04-01-a.md", ".buildlog/promoted.json"],
        ),
        (("2026-04-01-a.md", ".buildlog/rejected.json"), "buildlog", None),
        (("buildlog/2026-04-01-a.md",), "buildlog", ["2026-04-01-a.md"]),
        (("MEMORY.md", "style.md", "a.txt"), "auto-memory", ["MEMORY.md", "style.md"]),
        (("memory/MEMORY.md",), "auto-memory", ["MEMORY.md"]),
        (("session.jsonl",), None, []),
        (("knowledge/concepts/a.md",), None, []),
    ],
)
def test_a_folder_is_what_its_files_say(tmp_path, names, kind, read):
    write(tmp_path, *names)
    found = foreign(tmp_path)
    assert (found and found.kind) == kind
    if found and read:
        assert list(found.texts) == read


def test_a_file_that_is_named_is_just_that_file(tmp_path):
    write(tmp_path, "CLAUDE.md", "buildlog/2026-04-01-a.md")
    found = foreign(tmp_path / "CLAUDE.md")
    assert found.kind == "instructions"
    assert list(found.texts) == ["CLAUDE.md"]


def test_what_is_no_markdown_is_refused(tmp_path):
    write(tmp_path, "notes.txt")
    with pytest.raises(UsageError, match=r"notes\.txt is no Markdown"):
        foreign(tmp_path / "notes.txt")


def test_a_link_and_what_cannot_be_read_are_named_and_left(tmp_path):
    write(tmp_path, "MEMORY.md", "huge.md")
    (tmp_path / "latin.md").write_bytes("Grüße".encode("latin-1"))
    (tmp_path / "passwd.md").symlink_to("/etc/passwd")
    os.truncate(tmp_path / "huge.md", 5 * 1024 * 1024)
    found = foreign(tmp_path)
    assert list(found.texts) == ["MEMORY.md"]
    assert [line.split(":")[0] for line in found.left] == ["huge.md", "latin.md", "passwd.md"]
