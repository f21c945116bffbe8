"""Work in a forked child that dies, or whose disk fails, at the n-th change it makes to the disk.

As SQLite tests itself: run once and count the steps, then stop at each of them. The child is really
killed, so nothing that it had planned as a clean-up can help it.
"""

import errno
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from limits import HANGS

from memoria.errors import VaultError

# what changes the disk; reading and closing do not count
CHANGES = ("open", "fsync", "replace", "unlink", "rmdir", "mkdir", "chmod", "link", "utime")
WAYS = ("kill", "torn", "fail", "break")
# bytes that a torn write loses; every test writes more than these
TORN = 3

forking = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def bench(module, *words):
    """Run a harness of bench/torture in a process of its own: it forks and changes its folder."""
    return subprocess.run(
        [sys.executable, "-m", f"bench.torture.{module}", *words],
        cwd=Path(__file__).resolve().parents[2],
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )


@dataclass(frozen=True)
class Ended:
    """How a child ended: `how` is "done", "killed" or "refused"; `said` is the error's text."""

    how: str
    said: str = ""
    steps: int = 0


def run(work, *, step=0, way="kill", when=None):
    """Do the work in a child; stop it at its `step`-th change, or at the first `when` is true of.

    kill: it dies there. torn: it dies in a flush, which had written only a part. fail: that change
    alone fails. break: that one and all after it fail.
    """
    read, write = os.pipe()
    child = os.fork()
    if not child:
        _child(work, _Stop(step, way, when), write)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return Ended("killed")
    steps, how, said = text.split("\n", 2)
    assert how in {"done", "refused"}, said
    return Ended(how, said, int(steps))


def each(make, work, way, check, when_done):
    """Stop the work at every step in a world made anew; give how many steps there are.

    `check` is called after each stop with the world and how it ended, `when_done` after the run
    that was not stopped any more.
    """
    for step in range(1, 1000):
        world = make()
        ended = run(lambda world=world: work(world), step=step, way=way)
        if ended.how == "done" and ended.steps < step:
            when_done(world)
            return step - 1
        check(world, ended)
    raise AssertionError("the work has no end")


def let_in(path):
    """Let another user come to the path: pytest's folders are closed."""
    for folder in (path, *path.parents):
        if folder.stat().st_uid == os.getuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)


def drop_rights():
    """Go on as somebody who is not root, who may do everything."""
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


class _Stop:
    def __init__(self, step, way, when):
        self.step, self.way, self.when, self.count = step, way, when, 0

    def __call__(self, name, args):
        self.count += 1
        if self.when:
            if self.when(name, args):
                os.kill(os.getpid(), signal.SIGKILL)
        elif self.way == "break" and 0 < self.step <= self.count:
            raise _error(args)
        elif self.count == self.step:
            if self.way == "fail":
                raise _error(args)
            if self.way == "torn" and name == "fsync":
                _tear(args[0])
            os.kill(os.getpid(), signal.SIGKILL)


def _error(args):
    # the system names the path that a call was given, and nothing for a handle
    where = () if isinstance(args[0], int) else (str(args[0]),)
    return OSError(errno.EIO, "Input/output error", *where)


def _tear(handle):
    if Path(f"/proc/self/fd/{handle}").is_file():
        os.ftruncate(handle, max(0, os.fstat(handle).st_size - TORN))


def _child(work, stop, pipe):
    send, leave = os.write, os._exit
    try:
        for name in CHANGES:
            setattr(os, name, _counted(name, getattr(os, name), stop))
        try:
            work()
            answer = f"{stop.count}\ndone\n"
        except VaultError as error:
            answer = f"{stop.count}\nrefused\n{error}"
        except BaseException as error:  # noqa: BLE001 - the parent shows it
            answer = f"0\n{type(error).__name__}\n{error!r}"
        send(pipe, answer.encode())
    finally:
        leave(0)


def _counted(name, real, stop):
    def change(*args, **names):
        if name != "open" or args[1] & os.O_CREAT:
            stop(name, args)
        # a kill is no power cut: what is written is there, so flushing would only take time
        return None if name == "fsync" else real(*args, **names)

    return change
