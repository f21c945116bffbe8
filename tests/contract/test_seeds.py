"""What the three seeds describe, row by row from seeds.txt, run on the real thing.

A row is `what the seed has :: state :: steps`. States: `=` as described; `~ why` in another form on
purpose, and the steps show that form; `! why` partly there, and the steps show what the seed says,
which fails until the issue that is named is done. Steps stand behind each other with ` ;; `.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import psutil
import pytest
import yaml
from limits import HANGS
from place import Place, state_of

from memoria.mcp.server import VaultService

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("seeds.txt")
WRITTEN = {
    "2026-01-15-api": ("Architectural", "Always validate inputs at the boundary"),
    "2026-02-03-first": ("Workflow", "Run tests before committing"),
    "2026-02-04-second": ("Workflow", "Always run the test suite before commit"),
    "2026-02-05-third": ("Workflow", "Execute tests prior to committing code"),
    "2026-02-06-money": ("Domain Knowledge", "Amounts are in cents and never negative"),
}

# a rule of each status in the vault that is made once, and the times of its files
_NAMES, _STAMPS = {}, {}


def rows():
    """Read the table; give a parameter for each row, named by its heading and what the seed has."""
    heading = ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif " :: " in line:
            what, state, steps = (part.strip() for part in line.split(" :: "))
            assert re.fullmatch(r"=|~ \S.*|! issue \d+: \S.*", state), line
            missing = pytest.mark.xfail(reason=state, strict=True, raises=AssertionError)
            marks = [missing] if state.startswith("!") else []
            yield pytest.param(steps.split(" ;; "), id=f"{heading}: {what}", marks=marks)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with `live` (home, vault, project), made once, and a copy of it beside."""
    return tmp_path_factory.mktemp("seeds")


@pytest.fixture
def bench(kept, samples, monkeypatch, capsys):
    """The same small vault for each row, at the same place: sessions, written entries, rules."""
    live, copy = kept / "live", kept / "copy"
    monkeypatch.setenv("HOME", str(live / "home"))
    (live / "project").mkdir(parents=True, exist_ok=True)
    if not copy.exists():
        _fill(Place(live, capsys), samples)
        shutil.copytree(live, copy)
        _NAMES.update({rule["status"]: rule["id"] for rule in _rules(live, capsys)})
        _STAMPS.update(_stamps(copy))
    if _stamps(live) != _STAMPS:  # a row that only read leaves it for the next one
        shutil.rmtree(live)
        shutil.copytree(copy, live)
    monkeypatch.chdir(live / "project")
    made = Bench(Place(live, capsys), samples, monkeypatch)
    yield made
    # a hook may have started a flush, which goes on by itself
    if made.started:
        _wait(lambda: not any(str(live) in " ".join(line) for line in _commands()), "the flush")


def _stamps(folder):
    found = ((path.relative_to(folder), path.lstat()) for path in folder.rglob("*"))
    return {path: (seen.st_mtime_ns, seen.st_size, seen.st_mode) for path, seen in found}


def _rules(live, capsys):
    return Place(live, capsys).json("status")["rules"]


def _commands():
    return [process.info["cmdline"] or () for process in psutil.process_iter(["cmdline"])]


def _wait(is_done, what):
    end = time.monotonic() + HANGS
    while not is_done():
        assert time.monotonic() < end, f"{what} does not end"
        time.sleep(0.05)


def _fill(place, samples):
    place.home.mkdir()
    assert place.run("init")[0] == 0
    assert place.run("import", "--from", str(samples))[0] == 0
    for name, (category, insight) in WRITTEN.items():
        assert place.run("new", name[11:], "--date", name[:10])[0] == 0
        path = place.vault / "daily" / f"{name}.md"
        head, tail = path.read_text().split(f"### {category}\n\n-", 1)
        path.write_text(f"{head}### {category}\n\n- {insight}{tail}")
    assert place.run("compile")[0] == 0


class Bench:
    """Runs steps: each is a method's name, and its words."""

    def __init__(self, place, samples, monkeypatch):
        self.place = place
        self.monkeypatch = monkeypatch
        self.said = ""
        self.started = False
        self.names = {
            "{active}": _NAMES["active"],
            "{waiting}": _NAMES["waiting"],
            "{samples}": str(samples),
            "{root}": str(place.root),
        }

    def step(self, text):
        for name, value in self.names.items():
            text = text.replace(name, value)
        verb, _, rest = text.strip().partition(" ")
        getattr(self, f"do_{verb}")(rest)

    def do_memoria(self, words):
        """Run a verb; it has to end with 0."""
        self._run(words, 0)

    def do_tracked(self, words):
        """Track so many sessions by hand, each with the same mistake: `tracked 16 --vault DIR`."""
        count, more = words.split(maxsplit=1)
        mistake = "log-mistake --error-class api --description 'Sent 200'"
        for _ in range(int(count)):
            self.do_memoria(f"experiment {mistake} {more}")
            self.do_memoria(f"experiment session end {more}")

    def do_exit(self, words):
        """Run a verb that ends with a code: `exit 1 lint`."""
        code, _, rest = words.partition(" ")
        self._run(rest, int(code))

    def _run(self, words, wanted):
        code, out, err = self.place.run(*shlex.split(words))
        self.said, self.out = out + err, out
        assert code == wanted, self.said

    def do_says(self, pattern):
        """Look for a pattern in what the last step said."""
        assert re.search(pattern, self.said, re.MULTILINE), f"{pattern!r} is not in:\n{self.said}"

    def do_lacks(self, text):
        """See that the last step did not say a text."""
        assert text not in self.said

    def do_yaml(self, words):
        """Follow a path (`skills.workflow.0.id ~ PATTERN`) in what was printed as YAML or JSON."""
        path, _, pattern = words.partition(" ~ ")
        value = yaml.safe_load(self.out)
        for name in path.split("."):
            place = int(name) if isinstance(value, list) else name
            assert isinstance(value, list) or name in value, f"no {name} in {value}"
            value = value[place]
        assert re.search(pattern, str(value)), f"{path} is {value!r}"

    def do_file(self, words):
        """Look for a file of the folder (`vault/daily/*.md ~ PATTERN`)."""
        name, _, pattern = words.partition(" ~ ")
        texts = [path.read_text(encoding="utf-8") for path in self.place.root.glob(name)]
        assert any(re.search(pattern, text, re.MULTILINE) for text in texts), (name, texts)

    def do_wait(self, words):
        """Wait for a file of the folder that a detached flush writes."""
        name, _, pattern = words.partition(" ~ ")
        path = self.place.root / name
        _wait(lambda: path.exists() and re.search(pattern, path.read_text()), name)

    def do_empty(self, _):
        """See that the last step printed nothing."""
        assert self.said == ""

    def do_export(self, words):
        """Set a variable for the programs that are started from here."""
        name, _, value = words.partition(" ")
        self.monkeypatch.setenv(name, value)

    def do_state(self, words):
        """Look for a file of this machine's state."""
        name, _, pattern = words.partition(" ~ ")
        text = (state_of(self.place.vault) / name).read_text(encoding="utf-8")
        assert re.search(pattern, text, re.MULTILINE), text

    def do_write(self, words):
        """Write a file of the folder (`write vault/x.md TEXT`, with \\n for the end of a line)."""
        name, _, text = words.partition(" ")
        path = self.place.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("\\n", "\n"), encoding="utf-8")

    def do_options(self, words):
        """See that a verb's help has all of these words."""
        verb, *options = words.split()
        self._run(f"{verb} --help", 0)
        unwrapped = re.sub(r"-\n +", "-", self.out)
        assert [option for option in options if option not in unwrapped] == []

    def do_script(self, words):
        """Start a script of the clone."""
        name, *more = shlex.split(words)
        vault = ["--vault", str(self.place.vault)]
        self._start(sys.executable, str(ROOT / "scripts" / name), *more, *vault)

    def do_start(self, words):
        """Start the package as a module: `start -m memoria ...`."""
        self._start(sys.executable, *shlex.split(words))

    def do_hook(self, words):
        """Give an event to the hook that `memoria install` wrote into the settings."""
        name, _, event = words.partition(" ")
        settings = json.loads((self.place.home / ".claude/settings.json").read_text())
        (hook,) = settings["hooks"][name][0]["hooks"]
        self._start("/bin/sh", "-c", hook["command"], stdin=event)

    def _start(self, *command, stdin=""):
        self.started = True
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=HANGS, check=False
        )
        self.said, self.out = done.stdout + done.stderr, done.stdout
        assert done.returncode == 0, self.said

    def do_tool(self, words):
        """Call a tool of the MCP server as a client without a form: `tool memory_status {}`."""
        name, _, arguments = words.partition(" ")
        service = VaultService(self.place.work)
        self.said = self.out = service.call(name, json.loads(arguments), lambda _: None)

    def do_extra(self, name):
        """See that the package has an extra of this name."""
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        assert name in project["optional-dependencies"]


@pytest.mark.parametrize("steps", list(rows()))
def test_the_seed_s_surface(bench, steps):
    for step in steps:
        bench.step(step)
