"""The real Claude Code client in a clean room -> sessions, hooks and transcripts as they are.

A room has its own HOME, settings and project in a temporary folder and an environment of its own
making: nothing of the machine's environment or login reaches the client, and it talks to the
loopback server only (which is its proxy too, so that anything else it tried to reach is seen).
The trap: detached programs outlive the client; a room knows its processes by their HOME, waits for
them with `settle` and ends what is left.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import TypeVar

import pytest
from limits import HANGS

from memoria.cli.main import main
from memoria.terminal_driver import Driver

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
MODEL = "haiku"
KEY = "dummy"
T = TypeVar("T")
# seconds to the second look and, as a look at all processes or a screen costs some milliseconds of
# CPU, the most between two of the later ones
TICK, SLOWEST = 0.02, 0.25
# Writes each event that it gets on stdin to a file of its own; prints nothing.
RECORDER = """\
import json, os, sys, time
data = sys.stdin.read()
name = f"{time.time_ns()}-{os.getpid()}"
with open(os.path.join(sys.argv[1], name + ".tmp"), "w") as file:
    file.write(json.dumps({"event": json.loads(data), "env": dict(os.environ)}))
os.rename(os.path.join(sys.argv[1], name + ".tmp"), os.path.join(sys.argv[1], name + ".json"))
"""


def find_client():
    """Find the client that the SDK's wheel brings, without importing the SDK (it takes seconds)."""
    spec = importlib.util.find_spec("claude_agent_sdk")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "_bundled" / "claude"
    return path if path.is_file() else None


def until(look, what, seconds=HANGS):
    """Look until there is something to see, and give it; fail with `what` when time is up."""
    end, tick = time.monotonic() + seconds, TICK
    while not (seen := look()):
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds:.0f} s in vain for {what}")
        time.sleep(tick)
        tick = min(tick * 1.3, SLOWEST)
    return seen


def hook(*command):
    """Give a settings entry that runs a program without a shell."""
    first, *rest = map(str, command)
    return {"hooks": [{"type": "command", "command": first, "args": rest, "timeout": HANGS}]}


class Room:
    """A home, a project and an environment for one client; use it as a context manager."""

    def __init__(self, root, url):
        self.root = root
        self.url = url
        self.home = root / "home"
        self.config = self.home / ".claude"
        self.project = root / "project"
        self.events_folder = root / "events"
        self.tmp = root / "tmp"
        for folder in (self.config, self.project, self.events_folder, self.tmp):
            folder.mkdir(parents=True, exist_ok=True)
        self.trust(self.project)
        self.extra = {}

    @property
    def env(self):
        """The whole environment of a process in this room; `extra` is added last."""
        return {
            "HOME": str(self.home),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
            "TMPDIR": str(self.tmp),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "CLAUDE_CONFIG_DIR": str(self.config),
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_MODEL": MODEL,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
            "CLAUDE_CODE_MAX_RETRIES": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "HTTP_PROXY": self.url,
            "HTTPS_PROXY": self.url,
            "NO_PROXY": "127.0.0.1",
        } | self.extra

    def trust(self, *folders):
        """Spare an interactive session its first questions, in these folders."""
        state = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [KEY], "rejected": []},
            "projects": {str(folder): {"hasTrustDialogAccepted": True} for folder in folders},
        }
        (self.config / ".claude.json").write_text(json.dumps(state), encoding="utf-8")

    def settings(self, where="user"):
        """Give the settings file of the user, the project, or (local) the project's own machine."""
        name = "settings.local.json" if where == "local" else "settings.json"
        return (self.config if where == "user" else self.project / ".claude") / name

    def install(self, events, where="user"):
        """Add hooks (see `hook`) to a settings file."""
        path = self.settings(where)
        path.parent.mkdir(parents=True, exist_ok=True)
        known = json.loads(path.read_text()) if path.exists() else {}
        hooks = known.setdefault("hooks", {})
        for name, entry in events.items():
            hooks.setdefault(name, []).append(entry)
        path.write_text(json.dumps(known), encoding="utf-8")

    def record(self, *names, where="user"):
        """Install a hook for these events that keeps what it is given, see `events`."""
        program = self.root / "recorder.py"
        program.write_text(RECORDER, encoding="utf-8")
        entry = hook(sys.executable, "-S", "-E", program, self.events_folder)
        self.install(dict.fromkeys(names, entry), where)

    def events(self, name=""):
        """Give the recorded events in order: {"event": stdin, "env": environment}."""
        files = sorted(self.events_folder.glob("*.json"))
        found = [json.loads(file.read_text(encoding="utf-8")) for file in files]
        return [one for one in found if name in ("", one["event"]["hook_event_name"])]

    def ask(self, prompt, *arguments, cwd=None, seconds=HANGS):
        """Run `claude -p` to its end."""
        return self.run(str(find_client()), "-p", prompt, *arguments, cwd=cwd, seconds=seconds)

    def run(self, *command, cwd=None, seconds=HANGS, stdin=""):
        """Run any program in this room to its end."""
        return subprocess.run(
            [str(part) for part in command],
            cwd=cwd or self.project,
            env=self.env,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def python(self, code, *arguments, **more):
        """Run Python code in this room, with the package to be tested on its path."""
        preface = f"import sys; sys.path.insert(0, {str(SCRIPTS)!r})\n"
        return self.run(sys.executable, "-c", preface + code, *arguments, **more)

    def memoria(self, *arguments):
        """Run the command line here in this room's environment, as the person whose home it is.

        A process of its own would import the package, and the SDK, at every call.
        """
        out, err = io.StringIO(), io.StringIO()
        with self.as_environment(), chdir(self.project), redirect_stdout(out), redirect_stderr(err):
            try:
                code = main(arguments, driver=Driver())
            except SystemExit as error:  # argparse ends the process for wrong use
                code = error.code
        return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())

    def transcripts(self):
        """Give the transcripts of all sessions in this room, oldest first."""
        found = (self.config / "projects").glob("*/*.jsonl")
        return sorted(found, key=lambda path: path.stat().st_mtime_ns)

    def processes(self):
        """Give the processes of this room that run now: number and command line."""
        mark = f"HOME={self.home}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it ended while we looked
                # A zombie has no environment left to read: it is not counted.
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    line = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                    found[int(folder.name)] = line.decode(errors="replace")
        return found

    def settle(self, seconds=HANGS):
        """Wait until every process of this room has ended, detached ones too."""
        until(lambda: not self.processes(), f"the end of {self.root.name}'s processes", seconds)

    def close(self):
        """End what still runs here, one process at a time."""
        for number in self.processes():
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @contextmanager
    def terminal(self, *arguments, cwd=None, program=None, ready="\u276f"):
        """Start an interactive session in tmux and wait until it takes input."""
        if shutil.which("tmux") is None:
            pytest.skip("tmux is not installed: interactive sessions need a terminal")
        command = [program or str(find_client()), *arguments]
        terminal = Terminal(self, command, cwd or self.project)
        try:
            terminal.shows(ready)
            yield terminal
        finally:
            terminal.close()

    @contextmanager
    def as_environment(self):
        """Give this very process the room's environment: the SDK hands it to its child."""
        kept = dict(os.environ)
        os.environ.clear()
        os.environ.update(self.env)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(kept)


class Terminal:
    """An interactive session: what is typed goes in, what the screen shows comes out."""

    def __init__(self, room, command, cwd):
        self._room = room
        # A short path: a socket's may have about 100 characters.
        self._socket = room.tmp / "tmux"
        size = ["-x", "120", "-y", "50"]
        self._tmux("new-session", "-d", *size, "-c", str(cwd), shlex.join(command))

    def _tmux(self, *arguments):
        done = subprocess.run(
            [str(shutil.which("tmux")), "-S", str(self._socket), "-f", "/dev/null", *arguments],
            env=self._room.env,
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )
        return done.stdout

    @property
    def screen(self):
        """What the terminal shows now; "" when the session has ended."""
        return self._tmux("capture-pane", "-p")

    @property
    def running(self):
        """Whether the client still runs."""
        return bool(self._tmux("list-panes"))

    def shows(self, text):
        """Wait until the screen shows a text; give the screen."""
        try:
            return until(lambda: (s := self.screen) and text in s and s, repr(text))
        except AssertionError as error:
            raise AssertionError(f"{error}; the screen shows:\n{self.screen}") from None

    def type(self, text):
        """Type a line and send it."""
        self._tmux("send-keys", "-l", text)
        self.shows(text[-40:])  # a line that is sent before it is drawn is taken as pasted
        self._tmux("send-keys", "Enter")

    def ask(self, text, is_answered):
        """Type a line, send it until a client that was busy takes it, and wait for the answer."""
        self.type(text)
        for _ in range(int(HANGS) // 2):
            try:
                until(is_answered, f"the answer to {text!r}", 2)
            except AssertionError:
                self.press("Enter")
            else:
                return
        raise AssertionError(f"no answer to {text!r}; the screen shows:\n{self.screen}")

    def press(self, key):
        """Press a key, by tmux's name (Enter, Escape, C-c, C-d)."""
        self._tmux("send-keys", key)

    def ended(self, seconds=HANGS):
        """Wait until the client has ended."""
        until(lambda: not self.running, "the client's end", seconds)

    def close(self):
        """End the session as a closed terminal does (SIGHUP)."""
        self._tmux("kill-server")


def needs_client():
    """Say why the real client cannot be driven here, "" where it can."""
    if sys.platform != "linux":
        return "the clean room reads /proc"
    return "" if find_client() else "the claude-agent-sdk wheel brings no client here"
