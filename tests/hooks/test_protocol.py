"""What hooks do on systems that these tests do not run on, through a faked platform."""

import json
import multiprocessing
import os
import subprocess
import types
from pathlib import Path

import pytest

from memoria.hooks import protocol, session_claims, session_spool

ENV = {"A": "1"}
# what this process has open, where the system tells
FDS = Path("/proc/self/fd")


@pytest.fixture
def windows(monkeypatch):
    monkeypatch.setattr(protocol.sys, "platform", "win32")
    monkeypatch.setattr(protocol.time, "sleep", lambda _: None)


@pytest.fixture
def started(monkeypatch):
    """What would have been started; `refused` counts the first tries that Windows refuses."""
    record = types.SimpleNamespace(calls=[], refused=0)

    def popen(command, **how):
        record.calls.append((command, how))
        if len(record.calls) <= record.refused:
            raise PermissionError(5, "Access is denied")

    monkeypatch.setattr(subprocess, "Popen", popen)
    return record


def test_windows_starts_the_flush_without_window_group_or_job_of_the_client(windows, started):
    protocol.detach(["python.exe", "x"], ENV, "/state")
    [(command, how)] = started.calls
    assert (command, how["env"], how["close_fds"]) == (["python.exe", "x"], ENV, True)
    assert how["cwd"] == "/state"
    assert {how[name] for name in ("stdin", "stdout", "stderr")} == {subprocess.DEVNULL}
    # the flags' values are Windows' own: subprocess has their names only there
    assert how["creationflags"] == 0x08000000 | 0x00000200 | 0x01000000


def test_a_job_that_may_not_be_left_is_no_reason_not_to_start(windows, started):
    started.refused = 1
    protocol.detach(["python.exe"], ENV, "/state")
    assert started.calls[1][1]["creationflags"] == 0x08000000 | 0x00000200


@pytest.mark.parametrize("refusals", [1, 5])
def test_windows_waits_for_a_scanner_to_let_go_of_a_new_file(
    windows, tmp_path, monkeypatch, refusals
):
    real, left, is_open = os.replace, [refusals], []

    def replace(source, target):
        # Windows renames no file that somebody, we too, has open
        if FDS.is_dir():
            is_open.extend(one.resolve() for one in list(FDS.iterdir()))
        if left[0]:
            left[0] -= 1
            raise PermissionError(32, "in use")
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    protocol.write(str(tmp_path / "job.json"), b"{}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["job.json"]
    assert not [path for path in is_open if path.is_relative_to(tmp_path)]


def test_a_file_that_stays_in_use_leaves_nothing_behind(windows, tmp_path, monkeypatch):
    def replace(*_):
        raise PermissionError(32, "in use")

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(PermissionError):
        protocol.write(str(tmp_path / "job.json"), b"{}")
    assert list(tmp_path.iterdir()) == []


def test_a_transcript_s_folder_in_other_letters_is_the_same_to_windows(tmp_path, monkeypatch):
    projects = tmp_path / "projects"
    path = projects / "-work" / "s-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    assert session_spool.is_own_file(str(path), str(projects))
    other = str(tmp_path / "PROJECTS")
    (tmp_path / "PROJECTS").mkdir(exist_ok=True)
    assert not session_spool.is_own_file(str(path), other)
    monkeypatch.setattr(os.path, "normcase", str.lower)
    assert session_spool.is_own_file(str(path), other)


def test_lines_that_hooks_write_end_as_they_are_read(tmp_path):
    """Without O_BINARY Windows writes CR LF, and a claim would never be found to be ours."""
    flags = protocol.BINARY
    assert flags == getattr(os, "O_BINARY", 0)
    for name in ("session_claims.py", "call_answer.py", "protocol.py"):
        text = (Path(protocol.__file__).parent / name).read_text(encoding="utf-8")
        for call in text.split("os.O_CREAT")[1:]:
            assert "BINARY" in call[:80], name


def recorded(tmp_path, processes, monkeypatch):
    """Give the moments of what hooks of one session record while the clock stands still."""
    place = types.SimpleNamespace(path=lambda *names: str(tmp_path.joinpath(*names)))
    for number in processes:
        monkeypatch.setattr(os, "getpid", lambda number=number: number)
        monkeypatch.setattr(session_claims, "_last", 0)
        given = session_claims.SessionClaims(place, "s-1")
        for rule in ("wf-1", "wf-2"):
            given.record("PreToolUse", "shop", id=rule)
    values = [json.loads(path.read_bytes()) for path in (tmp_path / "given/events").iterdir()]
    return {value["at"] for value in values}


def test_what_is_recorded_while_windows_clock_stands_still_is_kept_apart(
    windows, tmp_path, monkeypatch
):
    monkeypatch.setattr(session_claims.time, "time_ns", lambda: 1_700_000_000_000_000_000)
    # two hooks of one reply that break two rules each; the numbers of processes are multiples of 4
    assert len(recorded(tmp_path, (4000, 4012), monkeypatch)) == 4


# -- A file of lines that several hooks append to at once ------------------------------------------


def test_what_was_appended_is_read_without_a_torn_line(tmp_path):
    path = str(tmp_path / "seen" / "s-1.given")
    assert protocol.read_whole_lines(path) == []
    protocol.append_rows(path, [("rule\twf-1", "12\n3"), ("", "x")])
    protocol.append_rows(path, [("half \ud83d",)])
    with Path(path).open("ab") as file:
        file.write(b"to")
    assert protocol.read_whole_lines(path) == ["rule wf-1\t12 3", "\tx", "half ?"]


def test_the_lines_of_two_processes_do_not_mix(tmp_path):
    path = str(tmp_path / "s-1.given")
    rows = [(word * 2_000, "owner") for word in "ab"]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.starmap(protocol.append_rows, [(path, [row] * 20) for row in rows])
    assert sorted(protocol.read_whole_lines(path)) == sorted(["\t".join(row) for row in rows] * 20)
