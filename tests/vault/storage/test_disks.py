"""Disks as they are: full, read-only, another user's, out of handles; the verbs on each of them."""

import contextlib
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import steps
from cases import cased
from place import debugging, state_of
from spooled import spooled

from memoria.cli.main import main
from memoria.errors import VaultError
from memoria.vault.storage.state import State
from memoria.vault.store import Vault

pytestmark = steps.forking

RULE = "Always run the whole test suite before you push."
# names of what may be wrong, as the system words them
NAMED = re.compile(
    r"No space left|is full|disk I/O error|File too large|Permission denied|Read-only|"
    r"Too many open files|not permitted"
)


@pytest.fixture
def busy(place):
    """A vault with a rule, an entry to compile and a session that waits."""
    place.transcript("s-1", *debugging(rule=RULE))
    place.run("import")
    place.run("compile")
    place.transcript("s-2", *debugging("the cookie", 30))
    place.run("import")
    spooled(place, "s-3", *debugging("the clock", 60))
    return place


def verbs(place):
    (note,) = (place.vault / "knowledge/rules").glob("*.md")
    rule = re.search(r"id: (\S+)", note.read_text())[1]
    return {
        "flush": ("flush",),
        "compile": ("compile",),
        "query": ("query", "--file-back", "Why does the token check fail?"),
        "promote": ("promote", rule, "--dir", str(place.root)),
        "reward": ("reward", rule, "1"),
    }


VERBS = ("flush", "compile", "query", "promote", "reward")


def within(place, words, prepare):
    """Run a verb in a child after `prepare`; give its exit code and what it said."""
    read, write = os.pipe()  # no file: that may not grow either
    child = os.fork()
    if not child:
        code = 99
        try:
            os.dup2(write, 2)
            sys.stderr = os.fdopen(2, "w", closefd=False)
            prepare()
            code = main([words[0], "--vault", str(place.vault), *words[1:]], driver=place.driver)
            sys.stderr.flush()
        except BaseException as error:  # noqa: BLE001 - the parent shows it
            os.write(2, f"Traceback {error!r}".encode())
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        said = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def whole(place):
    """Give the notes and the ledger; there is nothing torn among them."""
    vault = place.work.vault
    with vault.open_transaction():
        pass
    assert not vault.history().damaged
    assert not list(vault.articles.unreadable)
    return place.files(), (state_of(place.vault) / "ledger.jsonl").read_bytes()


def refused(place, verb, prepare):
    """Run a verb that has to fail, name the fault, leave all as it was, and succeed afterwards."""
    words, before = verbs(place)[verb], whole(place)
    code, said = within(place, words, prepare)
    assert code in {1, 2, 3, 4}, said
    assert NAMED.search(said), said
    assert "Traceback" not in said
    return before


def all_serve(place):
    """Run each verb with success."""
    for verb in VERBS:
        assert place.run(*verbs(place)[verb])[0] == 0


def test_a_file_may_not_grow(busy):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

    for verb in VERBS:
        assert refused(busy, verb, limit) == whole(busy)
    all_serve(busy)


def test_a_vault_of_another_user(busy):
    steps.let_in(busy.vault)
    for path in (busy.home, busy.root):
        path.chmod(0o755)
    for path in (busy.vault, *busy.vault.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    if os.getuid():
        pytest.skip("needs root to become somebody else")
    for verb in VERBS:
        assert refused(busy, verb, steps.drop_rights) == whole(busy)
    all_serve(busy)


def test_no_more_files_can_be_opened(busy):
    def limit():
        main(["status", "--vault", str(busy.vault), "--quiet"])  # what is imported is open no more
        used = len(list(Path("/proc/self/fd").iterdir()))
        resource.setrlimit(resource.RLIMIT_NOFILE, (used - 1, used - 1))

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("counts open files in /proc")
    for verb in ("flush", "compile", "reward"):
        refused(busy, verb, limit)
        whole(busy)
    all_serve(busy)


@contextlib.contextmanager
def mounted(folder, *options):
    folder.mkdir(exist_ok=True)
    done = subprocess.run(["mount", *options, str(folder)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=False)


@pytest.mark.skipif(not shutil.which("mount"), reason="needs mount")
@pytest.mark.parametrize("of", ["vault", "state"])
def test_a_full_disk(busy, tmp_path, of):
    """With no page left, and with three, so that it fails in the middle."""
    kept, full = tmp_path / "kept", busy.vault if of == "vault" else state_of(busy.vault)
    shutil.copytree(full, kept, symlinks=True)
    with mounted(full, "-t", "tmpfs", "-o", "size=3m,mode=700", "tmpfs"):
        shutil.copytree(kept, full, dirs_exist_ok=True)
        for verb in VERBS:
            for left in (0, 3, 66, 80):
                filled(busy, verb, left, full)


@pytest.mark.skipif(not shutil.which("mount"), reason="needs mount")
@cased()
def test_on_a_full_disk_a_program_never_says_that_all_is_well(busy, tmp_path, verb, waiting):
    """Also where nothing is to be done: the hook could not leave its job there either."""
    if not waiting:
        assert (busy.run("flush")[0], busy.run("compile")[0]) == (0, 0)
    kept = tmp_path / "kept"
    shutil.copytree(busy.vault, kept, symlinks=True)
    words = [sys.executable, "-m", "memoria", *verb, "--vault", str(busy.vault)]
    with mounted(busy.vault, "-t", "tmpfs", "-o", "size=3m", "tmpfs"):
        shutil.copytree(kept, busy.vault, dirs_exist_ok=True)
        with (busy.vault / "filler").open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"x" * 4096)
        full = subprocess.run(words, capture_output=True, text=True, check=False)
        (busy.vault / "filler").unlink()
        again = subprocess.run(words, capture_output=True, text=True, check=False)
    assert full.returncode == 3, full.stderr
    assert "No space left" in full.stderr
    assert full.stderr.count("\n") == 1
    assert again.returncode == 0, again.stderr


def filled(place, verb, left, full):
    """Run a verb while a disk is full but for so many pages, and then once more."""
    before, filler = whole(place), full / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    os.truncate(filler, filler.stat().st_size // 4096 * 4096 - left * 4096)
    code, said = within(place, verbs(place)[verb], lambda: None)
    filler.unlink()
    assert "Traceback" not in said
    assert code in {0, 1, 3, 4}
    if not code:
        assert not NAMED.search(said), said
    elif left > 3:  # what was written is whole; what is derived of it may be missing
        assert NAMED.search(said), said
        whole(place)
        assert place.run("flush")[0] == 0
    else:
        assert NAMED.search(said), said
        assert whole(place) == before
        assert place.run(*verbs(place)[verb])[0] == 0
    assert not list(full.rglob("*.tmp"))


@pytest.mark.skipif(not shutil.which("mount"), reason="needs mount")
@pytest.mark.parametrize("of", ["vault", "state"])
def test_a_read_only_disk(busy, of):
    folder = busy.vault if of == "vault" else state_of(busy.vault)
    with mounted(folder, "--bind", str(folder)):
        again = ["mount", "-o", "remount,ro,bind", str(folder)]
        if subprocess.run(again, capture_output=True, check=False).returncode:
            pytest.skip("nothing can be mounted here")
        for verb in VERBS:
            words = verbs(busy)[verb]
            code, said = within(busy, words, lambda: None)
            assert (code in {1, 3, 4}, "Traceback" in said) == (True, False), said
            assert NAMED.search(said), said
    all_serve(busy)


def test_a_state_on_another_file_system(busy):
    other = Path("/dev/shm")
    if not other.is_dir() or other.stat().st_dev == busy.root.stat().st_dev:
        pytest.skip("there is no other file system")
    state = other / f"memoria-{os.getpid()}"
    try:
        shutil.move(state_of(busy.vault), state)
        assert busy.run("init", "--state", str(state))[0] == 0
        assert busy.run("import")[0] == 0
        assert busy.run("compile")[0] == 0
        all_serve(busy)
    finally:
        shutil.rmtree(state, ignore_errors=True)


def test_a_name_that_no_disk_can_have(place, tmp_path):
    for name in ("x" * 300, "/".join(["deep" * 50] * 25)):
        code, _, err = place.run("init", str(tmp_path / name), "--vault", str(tmp_path / name))
        assert code in {2, 3}
        assert "File name too long" in err
        assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["daily", "knowledge", "knowledge/rules", "knowledge/qa"])
def test_nothing_is_written_through_a_folder_that_is_a_link(busy, tmp_path, name):
    folder, outside = busy.vault / name, tmp_path / "outside"
    if folder.exists():
        folder.rename(outside)
    else:
        outside.mkdir()
    folder.symlink_to(outside)
    before = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    codes = [busy.run(*words) for words in _all(busy)]
    assert any(f"{name} is a link; put a folder in its place" in err for _, _, err in codes)
    assert before == {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}


def test_nothing_is_written_or_removed_in_reports_that_lead_elsewhere(busy, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("report.html", "lint-2025-01-01.md", ".report.md.0123456789ab.tmp"):
        (outside / name).write_text("mine")
        os.utime(outside / name, (1, 1))
    (busy.vault / "reports").symlink_to(outside)  # as it comes with a pull
    for words in (("lint",), ("report",), ("flush",), ("forget", "s-1", "--yes")):
        code, _, err = busy.run(*words)
        assert (code, err.count("\n")) == (3, 1), words
        assert "reports is a link; put a folder in its place and try again" in err
    assert {path.name: path.read_text() for path in outside.iterdir()} == {
        "report.html": "mine",
        "lint-2025-01-01.md": "mine",
        ".report.md.0123456789ab.tmp": "mine",
    }
    assert "reports is a link" in busy.run("doctor")[1]


@pytest.mark.parametrize("name", ["reports", "knowledge/concepts"])
def test_a_link_that_comes_after_the_first_look_is_not_followed(busy, tmp_path, name):
    """Whoever writes or removes a file outside of a transaction asks for its place."""
    vault = Vault(busy.vault, State(state_of(busy.vault)))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "lint-2025-01-01.md").write_text("mine")
    shutil.rmtree(busy.vault / name, ignore_errors=True)
    (busy.vault / name).symlink_to(outside)
    with pytest.raises(VaultError, match=f"{name} is a link"):
        vault.place(busy.vault / name / "lint-2025-01-01.md")
    assert vault.place(outside / "elsewhere.md") == outside / "elsewhere.md"


def _all(place):
    return (
        ("remember", "Always keep the port in the settings file."),
        ("query", "--file-back", "Why does the token check fail?"),
        ("flush",),
        ("compile", "--all"),
    )
