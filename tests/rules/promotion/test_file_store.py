import os
import stat
import subprocess
import sys

import pytest
from cases import cased

from memoria.errors import UsageError
from memoria.rules.promotion.file_store import resolve_target, write
from memoria.vault.storage.foreign_file import read_to_write as read


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def tree(root):
    return {str(path.relative_to(root)) for path in root.rglob("*")}


def test_links_are_followed_within_the_project(tmp_path):
    root = tmp_path / "repo"
    (root / "docs").mkdir(parents=True)
    assert resolve_target(root, "CLAUDE.md", root) == root / "CLAUDE.md"
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    assert resolve_target(root, "CLAUDE.md", root) == root / "AGENTS.md"
    (root / ".claude").symlink_to("docs")
    assert resolve_target(root, ".claude/rules/x.md", root) == root / "docs/rules/x.md"
    (tmp_path / "again").symlink_to(root)
    assert resolve_target(tmp_path / "again", "docs/x.md", tmp_path / "again") == root / "docs/x.md"


@cased()
def test_links_that_are_refused(tmp_path, name, leads_to, reason):
    root = tmp_path / "repo"
    root.mkdir()
    (root / name).symlink_to(leads_to)
    inner = name if name.endswith(".md") else f"{name}/rules/memoria.md"
    with pytest.raises(UsageError, match=reason):
        resolve_target(root, inner, root)


def test_modes_are_kept_and_new_files_are_as_open_as_their_folder(tmp_path):
    tmp_path.chmod(0o755)
    path = tmp_path / "a.md"
    path.write_text("mine")
    path.chmod(0o640)
    write(path, read(path), "ours", tmp_path)
    assert (path.read_text(), mode(path)) == ("ours", 0o640)
    old = os.umask(0o077)
    try:
        new = tmp_path / ".claude" / "rules" / "memoria.md"
        write(new, read(new), "ours\r\n", tmp_path)
    finally:
        os.umask(old)
    assert (new.read_bytes(), mode(new), mode(new.parent)) == (b"ours\r\n", 0o644, 0o755)
    tmp_path.chmod(0o700)
    write(tmp_path / "b.md", read(tmp_path / "b.md"), "ours", tmp_path)
    assert mode(tmp_path / "b.md") == 0o600


def test_a_removed_file_takes_its_empty_folders_along(tmp_path):
    root = tmp_path / "repo"
    path = root / ".claude" / "skills" / "x" / "SKILL.md"
    write(path, read(path), "ours", root if root.exists() else tmp_path)
    (root / ".claude" / "settings.json").write_text("{}")
    write(path, read(path), None, root)
    assert tree(root) == {".claude", ".claude/settings.json"}
    alone = root / "CLAUDE.md"
    (root / ".claude" / "settings.json").unlink()
    (root / ".claude").rmdir()
    write(alone, read(alone), "ours", root)
    write(alone, read(alone), None, root)
    assert root.is_dir()


@pytest.mark.parametrize("text", ["ours", None])
def test_what_somebody_else_wrote_meanwhile_stays(tmp_path, text):
    path = tmp_path / "a.md"
    path.write_text("mine")
    path.write_text("newer")
    with pytest.raises(UsageError, match="run this again"):
        write(path, "mine", text, tmp_path)
    assert path.read_text() == "newer"
    path.unlink()
    path.symlink_to("elsewhere.md")
    for act in (read, lambda _: write(path, "mine", text, tmp_path)):
        with pytest.raises(UsageError, match="a link"):
            act(path)
    assert tree(tmp_path) == {"a.md"}


def test_a_kill_at_any_moment_leaves_the_old_or_the_new(tmp_path):
    """The writer is killed at each of its calls to the system; no reader sees half a file."""
    path = tmp_path / "a.md"
    code = (
        "import os, sys, pathlib\n"
        "from memoria.vault.storage import disk, foreign_file\n"
        "from memoria.rules.promotion import file_store\n"
        "step = int(sys.argv[2])\n"
        "names = ['write', 'rename', 'sync_folder']\n"
        "def dying(name):\n"
        "    real = getattr(disk, name)\n"
        "    def call(*arguments):\n"
        "        if step == 2 * names.index(name): os._exit(9)\n"
        "        real(*arguments)\n"
        "        if step == 2 * names.index(name) + 1: os._exit(9)\n"
        "    setattr(disk, name, call)\n"
        "for name in names: dying(name)\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "file_store.write(path, foreign_file.read(path), 'ours' * 1000, path.parent)\n"
    )
    seen = []
    for step in range(6):
        path.write_text("mine")
        done = subprocess.run(
            [sys.executable, "-c", code, str(path), str(step)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=False,
        )
        assert done.returncode == 9
        seen.append(path.read_text() == "ours" * 1000)
        assert seen[-1] or path.read_text() == "mine"
    assert seen == [False, False, False, True, True, True]
