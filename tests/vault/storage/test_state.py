import errno
import os
import signal
import time

import pytest
import steps

from memoria.errors import VaultError
from memoria.vault.storage import state as module
from memoria.vault.storage.state import Busy, State


@pytest.fixture
def state(tmp_path):
    found = State(tmp_path / "state")
    found.create()
    return found


def test_a_vault_is_known_by_its_state_folder(tmp_path):
    state = State(tmp_path / "a" / "state")
    assert not state.exists
    before = os.umask(0o000)
    try:
        state.create()
        state.create()
    finally:
        os.umask(before)
    assert state.exists
    folders = [tmp_path / "a", *(tmp_path / "a").rglob("*")]
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}
    for path in (state.spool / "new", state.logs, state.worker, state.injections):
        assert path.is_dir()


def test_a_lock_is_for_one_at_a_time(state):
    with state.lock("a"):
        with pytest.raises(Busy, match="the a lock"), state.lock("a", wait=False):
            pass
        with state.lock("b", wait=False):
            pass
    with state.lock("a", wait=False):
        pass
    assert (state.root / "locks" / "a").stat().st_mode & 0o777 == 0o600


def test_a_lock_that_may_not_be_opened_is_not_told_of_as_held(state, monkeypatch):
    monkeypatch.setattr(module, "_PATIENCE_SECONDS", 0.1)
    real = os.open

    def refused(path, flags, *rest, **names):
        if str(path).endswith("locks/a"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path, flags, *rest, **names)

    monkeypatch.setattr(os, "open", refused)
    refusal = pytest.raises(VaultError, match=r"cannot lock .*: Permission denied")
    with refusal as told, state.lock("a", wait=False):
        pass
    assert not isinstance(told.value, Busy)


@steps.forking
def test_a_lock_falls_when_its_owner_is_killed(state):
    read, write = os.pipe()
    child = os.fork()
    if not child:
        with state.lock("a"):
            os.write(write, b"x")
            time.sleep(60)
    assert os.read(read, 1) == b"x"
    with pytest.raises(Busy), state.lock("a", wait=False):
        pass
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with state.lock("a", wait=False):
        pass
    assert (state.root / "locks" / "a").exists()


@pytest.mark.skipif(os.name == "nt", reason="flock")
def test_a_disk_without_locks_is_refused(state, monkeypatch):
    """Filelock's stand-in, a file that stays when its owner dies, does not take its place."""
    import fcntl

    def flock(handle, what):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(VaultError, match="init --state DIR"), state.lock("a"):
        pytest.fail("there is no lock")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"7", b"\xff", b"[" * 100_000])
def test_json_that_is_none_is_named(state, data):
    path = state.root / "approvals.json"
    assert state.read_json(path) == {}
    path.write_bytes(data)
    with pytest.raises(VaultError, match=r"approvals\.json is not (valid JSON|a JSON object)"):
        state.read_json(path)
