import errno
import os
import stat
import sys
import types
from itertools import count
from pathlib import Path

import pytest
import steps

from memoria.errors import VaultError
from memoria.vault.storage import disk


@pytest.fixture(autouse=True)
def _usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("bits", [0o640, 0o664, 0o600, 0o400])
def test_the_mode_that_a_person_gave_a_file_stays(tmp_path, bits):
    path = tmp_path / "c.md"
    path.write_bytes(b"old")
    path.chmod(bits)
    disk.replace(path, b"new")
    assert (path.read_bytes(), mode(path)) == (b"new", bits)


def make(path, thing):
    target = path.with_name("target")
    target.write_bytes(b"not ours")
    made = {
        "link": lambda: path.symlink_to(target),
        "dead link": lambda: path.symlink_to(path.with_name("nowhere")),
        "folder": path.mkdir,
        "fifo": lambda: os.mkfifo(path),
    }
    made[thing]()
    return target


@pytest.mark.parametrize("thing", ["link", "dead link", "folder", "fifo"])
@pytest.mark.parametrize(
    "act",
    [
        lambda path: disk.replace(path, b"new"),
        disk.read,
        disk.read_text,
        disk.size,
        disk.find_missing_line_end,
    ],
    ids=["replace", "read", "text", "size", "line_end"],
)
def test_what_is_no_regular_file_is_refused_and_stays(tmp_path, thing, act):
    path = tmp_path / "a.md"
    target = make(path, thing)
    before = path.lstat()
    with pytest.raises(VaultError, match=r"a\.md is not a regular file"):
        act(path)
    assert path.lstat().st_ino == before.st_ino
    assert target.read_bytes() == b"not ours"
    assert names(tmp_path) == ["a.md", "target"]


@pytest.mark.parametrize("parts", [("gone.md",), ("gone", "gone.md"), ("file", "gone.md")])
def test_a_file_that_is_not_there_is_no_error(tmp_path, parts):
    (tmp_path / "file").write_bytes(b"")
    path = tmp_path.joinpath(*parts)
    assert disk.read(path) is None
    assert disk.read_text(path) == ("", "")
    assert disk.size(path) == 0
    assert disk.find_missing_line_end(path) == b""
    disk.remove_temporaries(path)


@steps.forking
@pytest.mark.parametrize("way", steps.WAYS)
def test_a_stop_at_any_step_leaves_the_old_file_or_the_new(tmp_path, way):
    numbers = count()

    def made():
        path = tmp_path / str(next(numbers)) / "notes" / "a.md"
        disk.replace(path, b"old text")
        return path

    def check(path, ended):
        assert path.read_bytes() in (b"old text", b"the new text")
        if ended.how == "refused":
            assert ended.said == "OSError"
        disk.remove_temporaries(path)
        assert names(path.parent) == ["a.md"]

    def work(path):
        try:
            disk.replace(path, b"the new text")
        except OSError as error:
            assert error.filename == str(path)  # noqa: PT017 - in a child, which tells it
            raise VaultError("OSError") from error

    def done(path):
        assert path.read_bytes() == b"the new text"

    assert steps.each(made, work, way, check, done) == 5  # open, flush, mode, rename, flush


def test_temporaries_of_other_files_stay(tmp_path):
    left = [".a.md.0123456789ab.tmp", ".a.md.abcdefabcdef.tmp"]
    others = [".a.mdx.0123456789ab.tmp", "a.md.tmp", ".b.md.1.tmp", ".a.md.swp", "a.md"]
    others += [".a.md..tmp", ".a.md.mine.tmp"]
    for name in left + others:
        (tmp_path / name).write_bytes(b"")
    disk.remove_temporaries(tmp_path / "a.md")
    assert names(tmp_path) == sorted(others)


def test_what_was_half_written_an_hour_ago_goes(tmp_path):
    now = 1_800_000_000
    (tmp_path / "deep").mkdir()
    old = [".a.md.0123456789ab.tmp", "deep/1-2-s.json.4711.tmp"]
    others = ["mine.tmp", "deep/.a.md.mine.tmp", "a.md", ".new.md.0123456789ab.tmp"]
    for name in old + others:
        (tmp_path / name).write_bytes(b"")
        age = 60 if "new" in name else 7200
        os.utime(tmp_path / name, (now - age, now - age))
    disk.remove_stale_temporaries(tmp_path, now)
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(path.relative_to(tmp_path).as_posix() for path in left) == sorted(others)


def test_a_file_is_replaced_only_if_it_is_the_one_that_was_read(tmp_path):
    path = tmp_path / "a.md"
    assert disk.replace_if(path, b"one", "")
    assert not disk.replace_if(path, b"two", "")
    assert not disk.replace_if(path, b"two", disk.sha(b"another"))
    assert disk.replace_if(path, b"two", disk.sha(b"one"))
    assert path.read_bytes() == b"two"
    assert names(tmp_path) == ["a.md"]


def test_a_new_file_is_never_written_over_another(tmp_path):
    (tmp_path / "there").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("there", "link"):
        with pytest.raises(OSError, match="exists"):
            disk.write(tmp_path / name, b"new")
    assert names(tmp_path) == ["link", "there"]
    assert (tmp_path / "there").read_bytes() == b"old"


def test_a_file_system_that_cannot_flush_folders_serves(tmp_path, monkeypatch):
    def fsync(handle):
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", fsync)
    disk.sync_folder(tmp_path)


@pytest.mark.parametrize("refusals", [1, 9])
@pytest.mark.parametrize("what", ["replace", "unlink"])
def test_on_windows_a_file_that_is_open_elsewhere_is_waited_for(
    tmp_path, monkeypatch, what, refusals
):
    waited, real = [], getattr(Path, what)
    left = iter([PermissionError(13, "in use")] * refusals)

    def refuse(*words, **how):
        for refusal in left:
            raise refusal
        return real(*words, **how)

    monkeypatch.setattr(disk.sys, "platform", "win32")
    monkeypatch.setattr(disk.time, "sleep", waited.append)
    monkeypatch.setattr(Path, what, refuse)
    (tmp_path / "a").write_bytes(b"new")
    if what == "replace":
        disk.rename(tmp_path / "a", tmp_path / "b")
    else:
        disk.remove(tmp_path / "a")
    assert names(tmp_path) == ["b"] * (what == "replace")
    assert len(waited) == refusals
    assert 0 < sum(waited) < 3


def test_elsewhere_what_is_refused_is_refused_at_once(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "unlink", refuse)
    monkeypatch.setattr(disk.time, "sleep", lambda _: pytest.fail("it waited"))
    with pytest.raises(PermissionError):
        disk.remove(tmp_path / "a")


@pytest.mark.parametrize("knows", [True, False])
def test_on_macos_the_drive_s_cache_is_flushed_too_where_the_disk_can(monkeypatch, knows):
    called = []

    def fcntl(handle, command):
        called.append((handle, command))
        if not knows:
            raise OSError(45, "Operation not supported")

    monkeypatch.setattr(disk.sys, "platform", "darwin")
    # 51 is F_FULLFSYNC in Apple's sys/fcntl.h; Python has the name on macOS alone
    module = types.SimpleNamespace(F_FULLFSYNC=51, fcntl=fcntl)
    monkeypatch.setitem(sys.modules, "fcntl", module)
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    disk.flush(7)
    assert called == [(7, 51)]
    assert synced == ([] if knows else [7])


@pytest.mark.parametrize("name", ["link/x", "a/link/x", "a/../x", "junction/x"])
def test_a_folder_that_leads_elsewhere_is_refused(tmp_path, monkeypatch, name):
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "link").symlink_to(tmp_path)
    (tmp_path / "junction").mkdir()
    # as Windows tells of a folder that stands for another one
    look, tag = os.lstat, 0xA000_0003

    def told(path):
        is_junction = Path(path).name == "junction"
        return types.SimpleNamespace(st_mode=look(path).st_mode, st_reparse_tag=tag * is_junction)

    monkeypatch.setattr(os, "lstat", told)
    disk.refuse_links(tmp_path, tmp_path / "a" / "b" / "x")
    with pytest.raises(VaultError, match="is a link"):
        disk.refuse_links(tmp_path, tmp_path / name)
