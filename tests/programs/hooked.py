"""A hook's program as a client starts it: once, several at the same moment, from a clone."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from limits import HANGS
from place import state_of

ROOT = Path(__file__).resolve().parents[2]
HOOKS = ROOT / "scripts" / "memoria" / "hooks"


def command(script, *words):
    """Give the line that starts a hook, by its name or its file."""
    path = script if isinstance(script, Path) else HOOKS / f"{script}.py"
    return [sys.executable, "-S", "-E", str(path), *map(str, words)]


def run(line, event, env, **options):
    """Start a hook on an event or on bytes; give its exit code, stdout and stderr."""
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    options = {"capture_output": True, "timeout": HANGS} | options
    done = subprocess.run(line, input=data, env=env, check=False, **options)
    return done.returncode, done.stdout, done.stderr


def installed(settings, event):
    """Give the line of an event in a client's file of settings, as a shell takes it."""
    (group, *_) = json.loads(settings.read_text(encoding="utf-8"))["hooks"][event]
    return ["/bin/sh", "-c", group["hooks"][0]["command"]]


def context(printed):
    """Give the text for the model in what a hook printed, "" for nothing."""
    return json.loads(printed)["hookSpecificOutput"]["additionalContext"] if printed else ""


def amend(path, **changes):
    """Change members of an object in a JSON file."""
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes))


class Hooks:
    """The hooks on the vault of a place; each ends well and complains of nothing."""

    def __init__(self, place):
        self.place = place

    @property
    def state(self):
        return state_of(self.place.vault)

    @property
    def environment(self):
        return {"HOME": str(self.place.home), "PATH": os.environ["PATH"]}

    def command(self, hook, *words):
        return command(hook, "--vault", self.place.vault, "--state", self.state, *words)

    def run(self, hook, event, *words, **environ):
        """Start a hook on an event; give what it printed."""
        env = self.environment | environ
        code, out, err = run(self.command(hook, *words), event, env, cwd=self.place.root)
        assert (code, err) == (0, b"")
        return out

    def start(self, folder, session="s-9"):
        """Start a session in a folder; give what is printed."""
        event = {"session_id": session, "cwd": str(folder), "source": "startup"}
        event |= {"hook_event_name": "SessionStart"}
        return self.run("session_start", event).decode()

    def jobs(self):
        return sorted((self.state / "spool" / "new").glob("*.json"))

    def log(self):
        path = self.state / "logs" / "hooks.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""


def at_once(line, event, env, count):
    """Start so many hooks, then give all of them their event; give what each printed."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    running = [subprocess.Popen(line, env=env, **pipes) for _ in range(count)]
    time.sleep(0.1)  # until they wait for it
    for process in running:
        process.stdin.write(json.dumps(event).encode())
    for process in running:
        process.stdin.close()
    spoke = [process.stdout.read() for process in running]
    assert [process.wait(HANGS) for process in running] == [0] * count
    for process in running:
        process.stdout.close()
    return spoke


def clone(root):
    """Copy what of the repository the hooks of a clone need."""
    ignore = shutil.ignore_patterns("__pycache__", "samples", "prompts")
    for name in ("scripts/memoria", "hooks"):
        shutil.copytree(ROOT / name, root / name, ignore=ignore)
    return root


def of_clone(clone, hook):
    """Give the file of a hook in a clone."""
    return clone / "hooks" / f"{hook.replace('_', '-')}.py"


def loaded(line, event, env):
    """Give the modules of ours that a hook loads, and those that it loads besides json and os."""
    bare = _imported([sys.executable, "-S", "-E", "-c", "import json, os"], b"", {})
    found = _imported(line, json.dumps(event).encode(), env)
    ours = {name for name in found if name.startswith("memoria.")}
    modules = {name for name in ours if not any(one.startswith(f"{name}.") for one in ours)}
    return modules, {name for name in found - bare if name.split(".")[0] != "memoria"}


def _imported(line, stdin, env):
    python, *rest = line
    watched = [python, "-X", "importtime", *rest]
    done = subprocess.run(watched, input=stdin, env=env, capture_output=True, check=True)
    rows = [row for row in done.stderr.decode().splitlines() if row.startswith("import time:")]
    return {row.rpartition("|")[2].strip() for row in rows[1:]}
