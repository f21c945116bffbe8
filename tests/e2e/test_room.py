"""The clean room itself: the real client in it does what the other tests rely on."""

import os
import sys

from client import until


def test_nothing_of_this_machines_environment_gets_in(room, loop, monkeypatch):
    monkeypatch.setenv("SENTINEL", "of this machine")
    room.record("SessionEnd")
    room.ask("ping")
    assert "SENTINEL" not in room.events()[0]["env"]


def test_what_is_left_running_is_ended(room):
    room.run(
        sys.executable,
        "-c",
        "import os, time; os.fork() or (os.close(1), os.close(2), time.sleep(600))",
    )
    (number,) = room.processes()
    room.close()
    until(lambda: not room.processes(), "its end")
    assert number != os.getpid()


def test_what_would_go_elsewhere_is_refused_and_seen(room, loop):
    code = """
import urllib.request
try:
    urllib.request.urlopen("http://elsewhere.example/x", timeout=300)
except OSError as error:
    print(error.code)
"""
    assert room.python(code).stdout == "404\n"
    assert loop.strays == ["http://elsewhere.example/x"]
    loop.strays.clear()
