"""A process that exchanges is killed at many points: nothing is lost, nothing is there twice."""

import os
import signal
import sys

import pytest
from bench.team.machines import Machine

# more of them: MEMORIA_TEST_EXAMPLES
POINTS = int(os.environ.get("MEMORIA_TEST_EXAMPLES", "25"))
NEVER = -1


def in_process(sync, kill_at=NEVER):
    """Run `sync` in a process of its own, killed at a call; give how many calls it made.

    0 stands for a process that was killed.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _sync_and_exit(sync, kill_at, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return 0
    assert os.WEXITSTATUS(status) == 0
    return int(said)


def _sync_and_exit(sync, kill_at, writer):
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in {"call", "c_call"}
        if calls == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    status = 1
    try:
        sys.setprofile(count)
        sync()
        sys.setprofile(None)
        os.write(writer, str(calls).encode())
        status = 0
    finally:
        # never back into the test that forked this
        os._exit(status)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are killed by POSIX signals")
def test_a_process_killed_at_any_point_leaves_the_exchange_whole(team, tmp_path):
    ana, ben = (Machine(team, name, tmp_path) for name in ("ana", "ben"))
    ben.lines = {"of ben"}
    ben.sync()
    ana.lines = {"kept", "first"}
    calls = in_process(ana.sync)
    killed = 0
    for point in range(POINTS):
        # each time one line is new and one is withdrawn
        ana.lines = {"kept", f"line {point}"}
        ben.lines = {f"of ben {point}"}
        ben.sync()
        killed += in_process(ana.sync, 1 + point * calls // POINTS) == 0
        for machine in (ana, ben):
            machine.sync()
        ana.sync()
        wanted = {("ana", text) for text in ana.lines} | {("ben", f"of ben {point}")}
        assert ana.seen() == ben.seen() == wanted
        assert len(ana.mirror.facts()) == len(ben.mirror.facts()) == len(wanted)
    assert killed >= POINTS * 3 // 4
