"""Find the ancestors of this process, its terminal and whoever holds that terminal's other end.

It is the one home of psutil. What another user's process does not show (its variables, its open
files) is taken as not there. The other end of a pseudo-terminal is seen on Linux alone. A process
may end while it is looked at; what is left of it then tells nothing against a person.
"""

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil

from memoria import terminal_driver as driver
from memoria.terminal_driver import Driver, Process, ProcessContext

_SLAVE = "/dev/pts/"
# terminals within terminals: nobody nests more, and a ring of them has to end
_DEEPEST = 6
_TMUX_SECONDS = 10.0
_LISTED = (
    *("list-panes", "-a", "-F", "pane #{session_id} #{pid} #{pane_tty}", ";"),
    *("list-clients", "-F", "client #{session_id} #{client_pid}"),
)


def find_driver() -> Driver:
    """Say who drives this process."""
    return driver.find_driver(_read_context(os.getpid()))


def is_served() -> bool:
    """Say whether a client started this process as its server, and no command of an agent."""
    return driver.is_served(_read_context(os.getpid()))


def _read_context(pid: int, depth: int = 0) -> ProcessContext:
    with suppress(psutil.Error, OSError):
        process = psutil.Process(pid)
        chain = tuple(map(_read_process, (process, *process.parents())))
        leader = getattr(os, "getsid", lambda _: 0)(pid)  # Windows has no sessions
        terminal = _find_terminal(process)
        holders = _find_holders(terminal, depth) if depth < _DEEPEST else ()
        return ProcessContext(chain, leader, terminal, _find_stdin_terminal(pid), holders)
    return ProcessContext((), 0, "", "")


def _read_process(process: psutil.Process) -> Process:
    name, command, variables = "", tuple[str, ...](), frozenset[str]()
    with suppress(psutil.Error, OSError):
        name = process.name()
    with suppress(psutil.Error, OSError):
        command = tuple(process.cmdline())
    with suppress(psutil.Error, OSError):
        variables = frozenset(process.environ())
    return Process(process.pid, name, command, variables)


def _is_console(stream: object) -> bool:
    """Whether a stream is Windows' console; by isatty its null device is a terminal, too."""
    raw = getattr(getattr(stream, "buffer", None), "raw", None)
    return type(raw).__name__ == "_WindowsConsoleIO"


if sys.platform == "win32":

    def _find_terminal(_: psutil.Process) -> str:
        return _find_stdin_terminal(os.getpid())

    def _find_stdin_terminal(_: int) -> str:
        return "console" if _is_console(sys.stdin) else ""

else:

    def _find_terminal(process: psutil.Process) -> str:
        return process.terminal() or ""

    def _find_stdin_terminal(pid: int) -> str:
        with suppress(OSError):
            return (
                os.ttyname(0) if pid == os.getpid() else str(Path(f"/proc/{pid}/fd/0").readlink())
            )
        return ""


def _find_holders(terminal: str, depth: int) -> tuple[ProcessContext, ...]:
    """Find who holds the other end of a pseudo-terminal, where Linux shows it."""
    number = terminal.removeprefix(_SLAVE)
    if not (sys.platform == "linux" and terminal.startswith(_SLAVE) and number.isdigit()):
        return ()
    pids = [pid for pid in psutil.pids() if _holds_terminal(pid, number)]
    return tuple(_read_holder(pid, terminal, depth + 1) for pid in pids)


def _holds_terminal(pid: int, number: str) -> bool:
    folder = Path(f"/proc/{pid}")
    with suppress(OSError):
        for file in (folder / "fd").iterdir():
            with suppress(OSError):
                if file.readlink().name == "ptmx":
                    text = (folder / "fdinfo" / file.name).read_text(encoding="utf-8")
                    if f"tty-index:\t{number}" in text.splitlines():
                        return True
    return False


def _read_holder(pid: int, terminal: str, depth: int) -> ProcessContext:
    context = _read_context(pid, depth)
    if not (context.chain and context.chain[0].name.startswith("tmux")):
        return context
    return replace(
        context,
        clients=tuple(_read_context(number, depth) for number in _list_attached(pid, terminal)),
    )


def _list_attached(server: int, terminal: str) -> list[int]:
    """Ask a tmux server who is attached to the sessions that show a terminal."""
    socket = os.environ.get("TMUX", "").partition(",")[0]
    with suppress(psutil.Error, OSError, subprocess.SubprocessError):
        result = subprocess.run(
            [psutil.Process(server).exe(), "-S", socket, *_LISTED],
            capture_output=True,
            text=True,
            timeout=_TMUX_SECONDS,
            check=False,
        )
        rows = [line.split() for line in result.stdout.splitlines()]
        sessions = {row[1] for row in rows if row[2:] == [str(server), terminal]}
        return [int(row[2]) for row in rows if row[0] == "client" and row[1] in sessions]
    return []
