"""The line that an install writes, started as the client does: with its program there, and gone."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import hooked
import pytest

from memoria.agents.claude_code import settings as client_settings, settings_store
from memoria.cli.setup.install import HOOKS

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no shell that is always there")
EVENTS = [event for event, _ in (*client_settings.SCRIPTS, *client_settings.OPTIONAL)]


class Installed:
    """A vault whose hooks name a Python and a copy of the package of their own."""

    def __init__(self, place):
        self.place = place
        self.python = place.root / "env" / "python"
        self.python.parent.mkdir()
        self.python.symlink_to(Path(sys.executable).resolve())
        self.package = place.root / "lib" / "memoria"
        shutil.copytree(HOOKS.parent, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        # what a client that was started from a desktop finds
        self.path = place.root / "bin"
        self.path.mkdir()
        assert place.run("install")[0] == 0
        settings = place.home / ".claude" / "settings.json"
        text = settings.read_text().replace(str(HOOKS.parent), str(self.package))
        settings.write_text(text.replace(sys.executable, str(self.python)))
        hooked.amend(place.work.vault.state.snapshot, command=["/bin/true"])
        self.transcript = place.transcript("s-1", {"type": "user"})

    def on_path(self, name, text=""):
        """Put a program on the PATH: a Python that works, or a shell script."""
        if text:
            (self.path / name).write_text(f"#!/bin/sh\n{text}\n")
            (self.path / name).chmod(0o755)
        else:
            (self.path / name).symlink_to(Path(sys.executable).resolve())

    def run(self, event, **environ):
        """Start the line of an event; give exit code, what it printed, what it complained of."""
        line = hooked.installed(self.place.home / ".claude" / "settings.json", event)
        value = {
            "session_id": "s-1",
            "hook_event_name": event,
            "transcript_path": str(self.transcript),
            "cwd": str(self.place.root),
            "source": "startup",
            "prompt": "What about the tokens?",
        }
        env = {"HOME": str(self.place.home), "PATH": str(self.path), **environ}
        return hooked.run(line, value, env)

    def jobs(self):
        return len(list((self.place.work.vault.state.spool / "new").glob("*.json")))


@pytest.fixture
def installed(place):
    return Installed(place)


def test_an_own_python_is_enough(installed):
    assert installed.run("SessionEnd") == (0, b"", b"")
    assert installed.jobs() == 1


BROKEN = {
    "gone": None,
    "of an upgraded system": "/usr/lib/gone/python",
    "without its libraries": "#!/bin/sh\necho libpython3.11.so: cannot open >&2\nexit 127\n",
    "not for this machine": "\0\0\0",
}


@pytest.mark.parametrize("name", ["python3", "python"])
def test_with_its_python_broken_another_one_takes_its_place(installed, name):
    installed.on_path(name)
    for count, (how, what) in enumerate(BROKEN.items(), 1):
        installed.python.unlink(missing_ok=True)
        if how == "of an upgraded system":
            installed.python.symlink_to(what)
        elif what:
            installed.python.write_text(what)
            installed.python.chmod(0o755)
        assert installed.run("SessionEnd") == (0, b"", b""), how
        assert installed.jobs() == count, how


def test_one_that_is_too_old_is_passed_over(installed):
    """It ends with 1 before it has read the event, as hooks in an old Python do."""
    installed.python.unlink()
    installed.on_path("python3", "exit 1")
    installed.on_path("python")
    assert installed.run("SessionEnd") == (0, b"", b"")
    assert installed.jobs() == 1


@pytest.mark.parametrize("version", [(3, 10), (3, 6)])
def test_a_hook_in_an_old_python_ends_with_1_and_has_read_nothing(installed, version):
    code = (
        f"import sys; sys.version_info = {version}; sys.path.append({str(HOOKS.parents[1])!r})\n"
        "from memoria.hooks import run; run.main('SessionEnd')"
    )
    read, write = os.pipe()
    os.write(write, b"{}")
    os.close(write)
    done = subprocess.run([sys.executable, "-c", code], stdin=read, check=False)
    assert (done.returncode, os.read(read, 9)) == (1, b"{}")
    os.close(read)


@pytest.mark.parametrize("gone", ["package", "every Python"])
def test_with_nothing_left_to_start_only_a_sessions_start_says_so(installed, gone):
    if gone == "package":
        shutil.rmtree(installed.package)
    else:
        installed.python.unlink()
    printed = {event: installed.run(event) for event in EVENTS}
    code, out, err = printed.pop("SessionStart")
    said = json.loads(out)
    context = said["hookSpecificOutput"]["additionalContext"]
    assert (code, err, said["systemMessage"]) == (0, b"", context)
    assert context == client_settings.LOST
    assert "Claude Code's settings." in context
    assert installed.run("SessionStart", MEMORIA_DISABLE="1") == (0, b"", b"")
    assert set(printed.values()) == {(0, b"", b"")}
    assert installed.jobs() == 0


def test_what_has_no_news_costs_no_second_try(installed):
    """A hook that did its work is not run again by the next Python."""
    installed.on_path("python3", f"echo ran >>{installed.path}/log; exit 0")
    installed.run("SessionEnd")
    assert not (installed.path / "log").exists()


def test_doctor_names_the_python_that_is_gone(installed):
    installed.python.unlink()
    (hook, *_) = settings_store.read_installed_hooks(installed.place.home / ".claude")
    assert hook.gone == str(installed.python)
    checks = {one["name"]: one for one in installed.place.json("doctor")["checks"]}
    assert checks["hooks"]["detail"].startswith(f"{installed.python} is gone; `memoria install")
