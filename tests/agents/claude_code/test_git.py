import os
import shutil
import subprocess
from pathlib import Path

import pytest
from cases import cased

from memoria.agents.claude_code.git import project_key

REMOTE = "git@example.com:acme/shop.git"
KEY = "example.com/acme/shop"


def git(folder: Path, *words: str) -> None:
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main")
    allow = ("-c", "protocol.file.allow=always")
    command = ["git", "-C", str(folder), *who, *allow, *words]
    subprocess.run(command, check=True, capture_output=True, env=clean)


def repository(folder: Path, remote: str = REMOTE) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "first")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


def test_a_repository_and_its_folders(tmp_path):
    repo = repository(tmp_path / "shop")
    (repo / "src" / "deep").mkdir(parents=True)
    assert project_key(str(repo)) == KEY
    assert project_key(str(repo / "src" / "deep")) == KEY
    assert project_key(str(repo / "src" / "gone" / "for" / "long")) == KEY


@pytest.mark.parametrize("remote", [REMOTE, ""])
@pytest.mark.parametrize("place", ["../beside", ".worktrees/fix", ".claude/worktrees/fix"])
def test_worktrees_are_the_repository(tmp_path, place, remote):
    repo = repository(tmp_path / "shop", remote)
    git(repo, "worktree", "add", "-b", "fix", place)
    (repo / place / "src").mkdir()
    assert project_key(str(repo / place / "src")) == project_key(str(repo))
    assert project_key(str(repo)) == (KEY if remote else str(repo))


def test_a_worktree_whose_repository_has_moved_counts_as_what_is_around_it(tmp_path):
    repo = repository(tmp_path / "shop")
    git(repo, "worktree", "add", "-b", "fix", ".worktrees/fix")
    shutil.rmtree(repo / ".git" / "worktrees")
    assert project_key(str(repo / ".worktrees" / "fix")) == KEY


@pytest.mark.parametrize("bare", [".bare", ".git", "shop.git"])
def test_worktrees_of_a_bare_repository(tmp_path, bare):
    source = repository(tmp_path / "source")
    home = tmp_path / "home"
    home.mkdir()
    git(home, "clone", "--bare", str(source), bare)
    git(home / bare, "remote", "remove", "origin")
    git(home / bare, "worktree", "add", str(home / "main"), "main")
    expected = home / "shop" if bare == "shop.git" else home
    assert project_key(str(home / "main")) == str(expected)


def test_a_submodule_is_a_project_of_its_own(tmp_path):
    library = repository(tmp_path / "library", "")
    repo = repository(tmp_path / "shop")
    git(repo, "submodule", "add", str(library), "vendor/library")
    assert project_key(str(repo / "vendor" / "library")) == str(library)
    git(repo / "vendor" / "library", "remote", "remove", "origin")
    assert project_key(str(repo / "vendor" / "library")) == str(repo / "vendor" / "library")


def test_a_git_folder_elsewhere(tmp_path):
    (tmp_path / "work").mkdir()
    git(tmp_path / "work", "init", "--separate-git-dir", str(tmp_path / "store"))
    assert project_key(str(tmp_path / "work")) == str(tmp_path / "work")
    git(tmp_path / "work", "remote", "add", "origin", REMOTE)
    assert project_key(str(tmp_path / "work")) == KEY


def test_a_link_to_a_repository_is_the_repository(tmp_path):
    repo = repository(tmp_path / "shop", "")
    (tmp_path / "link").symlink_to(repo)
    git(repo, "worktree", "add", "-b", "fix", "../fix")
    assert project_key(str(tmp_path / "link")) == project_key(str(tmp_path / "fix")) == str(repo)


@cased(("/" + "a" * 5000, "/" + "a" * 5000))
@pytest.mark.skipif(os.name == "nt", reason="the paths are foreign ones for POSIX")
def test_a_path_that_cannot_be_looked_at_is_itself(cwd, key):
    assert project_key(cwd) == key


@pytest.mark.parametrize(
    "content",
    ["", "gitdir: nowhere", "gitdir:", "gitdir: //evil.example/share", "gitdir: \\\\evil\\s", "x"],
)
def test_a_broken_pointer_is_no_repository(tmp_path, content):
    (tmp_path / ".git").write_text(content) if content else os.mkfifo(tmp_path / ".git")
    assert project_key(str(tmp_path)) == str(tmp_path)


def test_a_config_that_never_ends_holds_nobody_up(tmp_path):
    repo = repository(tmp_path / "shop")
    config = repo / ".git" / "config"
    text = config.read_text()
    config.write_text(text + "# filler\n" * 1_000_000)
    assert project_key(str(repo)) == KEY
    config.unlink()
    os.mkfifo(config)
    assert project_key(str(repo)) == str(repo)
    config.unlink()
    config.symlink_to("/dev/zero")
    assert project_key(str(repo)) == str(repo)
