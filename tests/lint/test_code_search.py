"""Names -> which of them a project's repository lacks, and which it had; git is the real one."""

import os
import subprocess
from datetime import timedelta
from types import SimpleNamespace

import pytest
from linted import article
from transcript_lines import START, encode, user

from memoria.lint import code_search
from memoria.lint.code_search import search_code
from memoria.lint.names import NamesGone
from memoria.privacy.project_keys import project_key
from memoria.vault.storage.history import History, RecordedSession
from memoria.vault.storage.ledger_records import Watermark

OLD = "PendingTurnID"
NONE = NamesGone()
posix = pytest.mark.skipif(os.name == "nt", reason="the programs are a POSIX shell's")


class Repository:
    """A project with a remote, in which a name was written and taken out again."""

    def __init__(self, folder, remote="https://example.org/ana/shop.git"):
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        if remote:
            self.git("remote", "add", "origin", remote)
        self.commit("turns.py", f"{OLD} = 1\nkept_name = 2\n")
        self.commit("turns.py", "kept_name = 2\n")

    def git(self, *words):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        person = ("-c", "user.name=ana", "-c", "user.email=ana@example.org")
        words = ["git", *person, *words]
        return subprocess.run(
            words, cwd=self.folder, env=clean, check=True, capture_output=True, text=True
        ).stdout

    def write(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)

    def commit(self, name, text):
        self.write(name, text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")


@pytest.fixture
def shop(tmp_path):
    return Repository(tmp_path / "shop")


def ran_in(tmp_path, *folders, project="example.org/ana/shop"):
    """The history of sessions in some folders, the transcripts of which are there."""
    history = History()
    for number, folder in enumerate(folders):
        path = tmp_path / f"s-{number}.jsonl"
        path.write_bytes(encode(user("Do it.", cwd=str(folder), sessionId=f"s-{number}")))
        end = START + timedelta(hours=number)
        history.sessions[f"s-{number}"] = RecordedSession(f"s-{number}", project, end, end)
        history.watermarks[str(path)] = Watermark(str(path), f"s-{number}", 9, "")
    return history


def asked(tmp_path, *folders, names=(OLD, "kept_name", "never_there"), **more):
    history = ran_in(tmp_path, *folders, **more)
    project = more.get("project", "example.org/ana/shop")
    return search_code(history, project, frozenset(names), tmp_path / "vault")


def test_a_name_that_was_taken_out_is_gone_whatever_is_called_nearly_so(tmp_path, shop):
    gone = NamesGone(frozenset({OLD, "never_there"}), frozenset({OLD}))
    assert asked(tmp_path, shop.folder) == gone
    shop.commit("other.py", f"my{OLD}\n{OLD}s\n{OLD.lower()}")
    assert asked(tmp_path, shop.folder) == gone


def test_the_folder_of_a_project_without_a_remote_is_its_key(tmp_path):
    shop = Repository(tmp_path / "shop", remote="")
    key = project_key(str(shop.folder))
    assert asked(tmp_path, "/nowhere/else", project=key).gone == {OLD}


def test_a_session_below_the_root_asks_for_the_whole_tree(tmp_path, shop):
    shop.commit("web/app.js", "x")
    shop.write("turns2.py", OLD)
    assert asked(tmp_path, shop.folder / "web").gone == frozenset()


WRITTEN = {
    "new.py": f"x = self.{OLD}()",
    ".gitignore": f"# {OLD}",
    "packed.bin": f"\0\1{OLD}\0",
    "long.js": "x" * ((1 << 20) - 7) + f" {OLD}" + " y" * (1 << 20),
}


def test_what_is_not_committed_generated_or_the_name_of_a_file_is_there(tmp_path, shop):
    for name, text in WRITTEN.items():
        shop.write(name, text)
        assert OLD not in asked(tmp_path, shop.folder).absent, name
        (shop.folder / name).unlink()
    shop.commit("scripts/rebuild_index.py", "print(1)\n")
    assert asked(tmp_path, shop.folder, names=("rebuild_index",)) == NONE
    shop.write(".gitattributes", "*.gen.py -diff binary\n")
    shop.commit("api.gen.py", OLD)
    assert OLD not in asked(tmp_path, shop.folder).absent


def test_what_another_branch_writes_is_there_but_not_what_an_old_one_has(tmp_path, shop):
    shop.git("branch", "old", "HEAD~1")
    assert asked(tmp_path, shop.folder).gone == {OLD}
    shop.git("switch", "-q", "-c", "next")
    shop.commit("next.py", OLD)
    shop.git("switch", "-q", "main")
    assert OLD not in asked(tmp_path, shop.folder).absent


def test_each_folder_of_a_project_is_asked(tmp_path, shop):
    clone = Repository(tmp_path / "clone")
    assert asked(tmp_path, shop.folder, clone.folder, "/gone/since").gone == {OLD}
    clone.write("mine.py", OLD)
    assert asked(tmp_path, shop.folder, clone.folder).gone == frozenset()


def test_what_cannot_be_known_is_no_proof(tmp_path, shop):
    plain = tmp_path / "plain"
    plain.mkdir()
    assert asked(tmp_path) == NONE
    assert asked(tmp_path, plain) == NONE
    assert asked(tmp_path, tmp_path / "gone") == NONE
    # the folder belongs to another project by now
    assert asked(tmp_path, shop.folder, project="example.org/ana/till") == NONE
    assert search_code(History(), str(shop.folder), frozenset({OLD}), tmp_path) == NONE
    (shop.folder / ".git" / "index").write_bytes(b"broken")
    assert asked(tmp_path, shop.folder) == NONE


def test_files_that_are_not_looked_through_are_no_proof(tmp_path, shop):
    shop.git("update-index", "--skip-worktree", "turns.py")
    assert asked(tmp_path, shop.folder) == NONE
    shop.git("update-index", "--no-skip-worktree", "turns.py")
    assert asked(tmp_path, shop.folder).gone == {OLD}
    inner = Repository(shop.folder / "vendor" / "inner", remote="")
    shop.git("add", "vendor/inner")
    assert inner.folder.is_dir()
    assert asked(tmp_path, shop.folder) == NONE


@posix
@pytest.mark.parametrize(
    "ends",
    ["exec sleep 60", "exit 2", "echo error: cannot read turns.py >&2"],
    ids=["slow", "failed", "complained"],
)
def test_a_git_that_is_slow_or_fails_or_complains_is_no_proof(tmp_path, shop, monkeypatch, ends):
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_text(f"#!/bin/sh\necho kept_name\n{ends}\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{git.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(code_search, "_GIT_SECONDS", 0.5 if "sleep" in ends else 60.0)
    assert asked(tmp_path, shop.folder) == NONE


def test_the_vault_within_a_project_is_not_its_code(tmp_path, shop):
    shop.commit("vault/knowledge/concepts/a.md", f"`{OLD}` is set.")
    history = ran_in(tmp_path, shop.folder)
    names = frozenset({OLD})
    vault = shop.folder / "vault"
    assert search_code(history, "example.org/ana/shop", names, vault).gone == names
    assert search_code(history, "example.org/ana/shop", names, shop.folder) == NONE


@posix
def test_nothing_that_a_repository_names_is_executed(tmp_path, shop):
    """Each of these commands would leave a file; in `-p` of plain git most of them do."""
    left = tmp_path / "left"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 >> {left}\ncat\n")
    program.chmod(0o755)
    shop.write(".gitattributes", "* diff=x filter=x\n")
    shop.commit("other.py", "x")
    shop.git("switch", "-q", "-c", "next")
    shop.commit("next.py", "never_there_before")
    shop.git("switch", "-q", "main")
    for name in (
        *("core.fsmonitor", "core.pager", "pager.grep", "pager.log", "core.sshCommand"),
        *("diff.external", "diff.x.command", "diff.x.textconv", "filter.x.clean"),
        *("filter.x.smudge", "filter.x.process", "gpg.program", "core.editor", "core.askPass"),
        *("alias.grep", "alias.log", "remote.origin.uploadpack", "core.gitProxy"),
    ):
        shop.git("config", name, f"!{program}" if name.startswith("alias") else str(program))
    for name, value in (
        *(("log.showSignature", "true"), ("core.hooksPath", str(tmp_path / "hooks"))),
        *(("protocol.ext.allow", "always"), ("remote.origin.promisor", "true")),
        *(("grep.fallbackToNoIndex", "true"), ("color.ui", "always"), ("diff.submodule", "diff")),
        *(("core.untrackedCache", "true"), ("submodule.recurse", "true")),
    ):
        shop.git("config", name, value)
    for name in ("post-index-change", "query-watchman", "fsmonitor-watchman", "post-checkout"):
        (tmp_path / "hooks").mkdir(exist_ok=True)
        (tmp_path / "hooks" / name).symlink_to(program)
    left.unlink(missing_ok=True)
    assert asked(tmp_path, shop.folder).gone == {OLD}
    assert not left.exists()
    # a file of a commit is not there: to fetch it would run what the remote names
    shop.git("config", "remote.origin.url", f"ext::{program}")
    left.unlink(missing_ok=True)
    (lost,) = shop.git("rev-parse", "HEAD~2:turns.py").split()
    (shop.folder / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    history = ran_in(tmp_path, shop.folder, project=project_key(str(shop.folder)))
    assert search_code(history, project_key(str(shop.folder)), frozenset({OLD}), tmp_path) == NONE
    assert not left.exists()


def test_the_environment_of_the_session_leads_git_nowhere(tmp_path, shop, monkeypatch):
    other = Repository(tmp_path / "other")
    other.write("turns.py", OLD)
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.folder))
    assert asked(tmp_path, shop.folder).gone == {OLD}


def test_lint_tells_of_the_line(place):
    shop = Repository(place.root / "shop")
    place.run("init")
    place.transcript("s-1", user("Always use UTC in this project.", cwd=str(shop.folder)))
    place.run("import", "--from", str(place.projects))
    (project,) = {stay.project for stay in place.work.vault.history().sessions.values()}
    text = article(f"- `{OLD}` holds the turn.\n", front=f"projects: [{project}]\n")
    path = place.vault / "knowledge/concepts/a.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    (flaw,) = _told(place)
    assert (flaw.severity, flaw.path, flaw.line) == ("suggestion", "knowledge/concepts/a.md", 15)
    assert flaw.message.startswith(f"`{OLD}` stands nowhere in the project's code any more")
    (again,) = _told(place)
    assert again == flaw
    shop.write("turns.py", OLD)
    assert _told(place) == []


def _told(place):
    rows = place.json("lint", "--structural-only")["findings"]
    return [SimpleNamespace(**row) for row in rows if row["check"] == "stale-names"]
