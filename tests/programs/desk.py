"""Terminals that belong to nobody's session, as a desktop opens a person's.

A terminal emulator is stood in for by a copy of `script` under another name: it holds a
pseudo-terminal, no variable of an agent is set, and its parents have ended.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from client import until

import memoria

needs = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("script") or not shutil.which("setsid"),
    reason="needs Linux with script and setsid (util-linux)",
)
PACKAGE = str(Path(memoria.__file__).parents[1])
ASK = f"""
import os, sys
sys.path.insert(0, {PACKAGE!r})
from memoria import terminal_processes as processes
with open(sys.argv[1] + ".new", "w") as file:
    served = "a client" if processes.is_served() else "no client"
    file.write(served if sys.argv[2:] else processes.find_driver().reason or "a person")
os.rename(sys.argv[1] + ".new", sys.argv[1])
"""


class Desk:
    """Terminals that are opened from nowhere, as a desktop opens a person's."""

    def __init__(self, folder):
        self.folder = folder
        self.package = PACKAGE
        self.emulator = folder / "xterm"
        shutil.copy(str(shutil.which("script")), self.emulator)
        program = folder / "ask.py"
        program.write_text(ASK, encoding="utf-8")
        self.said = folder / "said"
        self.ask = f"{sys.executable} {program} {self.said}"
        self.ask_as_server = f"{self.ask} served < /dev/null"

    def open(self, command, *, terminal=None, **environment):
        """Run a command in a new terminal that nobody owns; give what it said."""
        self.said.unlink(missing_ok=True)
        held = [str(terminal or self.emulator), "-qc", command, "/dev/null"]
        self.detached(*held, **environment)
        return self.answer()

    def detached(self, *command, **environment):
        """Start a program that has no parent and no terminal."""
        subprocess.run(
            ["setsid", "-f", *command],
            env={"PATH": "/usr/bin:/bin", "TERM": "xterm", **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )

    def answer(self):
        until(self.said.exists, "the answer", 60)
        return self.said.read_text(encoding="utf-8")
