"""A person at a terminal: a program on a pseudo-terminal of its own, keys typed, what it showed."""

import os
import re
import select
import signal
import sys
import time
from pathlib import Path

from limits import HANGS

import memoria as package

CODES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


class Keyboard:
    """Runs a program on a pseudo-terminal; `shown` is all that it has printed."""

    def __init__(self, *command, env=None, width=120):
        import fcntl
        import pty
        import struct
        import termios

        self.shown = ""
        self._read = 0
        self.code = None
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            # a shell ignores it in what it runs in the background, and children go on to
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            # nobody here answers where the cursor is
            mine = {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
            os.execvpe(command[0], command, {**os.environ, **mine, **(env or {})})
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))

    def wait(self, text, seconds=HANGS):
        """Wait until the program has shown a text after what was waited for before."""
        end = time.monotonic() + seconds
        while text not in self.plain[self._read :]:
            if not self._more(end - time.monotonic()):
                raise AssertionError(f"no {text!r} in {self.plain[self._read :]!r}")
        self._read = self.plain.index(text, self._read) + len(text)
        return self

    def type(self, keys):
        os.write(self._fd, keys.encode())
        return self

    def press(self, keys, prompt="[?] "):
        """Wait for the prompt, then type."""
        return self.wait(prompt).type(keys)

    def send(self, number):
        os.kill(self.pid, number)

    def end(self, seconds=HANGS):
        """Wait for the program's end; give its exit code (minus the signal that ended it)."""
        end = time.monotonic() + seconds
        while self._more(end - time.monotonic()):
            pass
        _, status = os.waitpid(self.pid, 0)
        self.code = os.waitstatus_to_exitcode(status)
        os.close(self._fd)
        return self.code

    @property
    def plain(self):
        """What was shown, without the codes of the terminal."""
        return CODES.sub("", self.shown).replace("\r\n", "\n")

    def _more(self, seconds):
        ready, _, _ = select.select([self._fd], [], [], max(0, seconds))
        if not ready:
            self.send(signal.SIGKILL)
            raise AssertionError(f"the program hangs after {self.shown[-500:]!r}")
        try:
            data = os.read(self._fd, 65536)
        except OSError:  # the program has closed its side
            return False
        self.shown += data.decode("utf-8", "replace")
        return bool(data)


def python(code, *arguments, **more):
    """Run Python code on a pseudo-terminal."""
    return Keyboard(sys.executable, "-c", code, *arguments, **more)


AS_PERSON = """
import sys
from memoria.cli.main import main
from memoria.terminal_driver import Driver
sys.exit(main(driver=Driver()))
"""


def memoria(verb, vault, *options, env=None, **more):
    """Run a verb on a pseudo-terminal as a person: who runs the tests may be none."""
    path = {"PYTHONPATH": str(Path(package.__file__).parents[1])}
    return python(AS_PERSON, verb, "--vault", str(vault), *options, env=path | (env or {}), **more)
