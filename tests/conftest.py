"""A clean environment for every test: no HOME, key or setting of the machine it runs on."""

import itertools
import json
import os
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from place import Demo, Place, moved, state_of
from scripted import admit_scripts

from memoria.cli.main import main
from memoria.cli.setup.sample_sessions import read_sample_sessions, write_sessions

# how long an example takes says what else runs on the machine, and nothing of the code; a law is
# tried on the same few examples in each run, so that a change is judged by what it changed, and on
# as many new ones as one likes with MEMORIA_TEST_EXAMPLES
EXAMPLES = os.environ.get("MEMORIA_TEST_EXAMPLES")
settings.register_profile(
    "untimed",
    deadline=None,
    derandomize=EXAMPLES is None,
    max_examples=int(EXAMPLES or 40),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("untimed")

# a machine that keeps no compiled modules compiles all of them anew for each program that a test
# starts, and all tests for each run
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

STEERING = (
    "MEMORIA",
    "ANTHROPIC",
    "CLAUDE",
    "AWS_",
    "GOOGLE_",
    "VERTEX",
    "XDG_",
    "CODEX",
    "COPILOT",
)


def clean_environment(monkeypatch, home):
    """Take out what steers Memoria; the states of all vaults lie in `home`, too."""
    for name in list(os.environ):
        if name.startswith(STEERING):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("MEMORIA_TIMEZONE", "UTC")
    # lines in a pipe are as long as they are; pytest's readline puts it where children alone see it
    monkeypatch.delenv("COLUMNS", raising=False)
    os.unsetenv("COLUMNS")
    # the program is on the PATH, as after an installation; test_program.py looks at a clone
    beside = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", beside + os.pathsep + os.environ.get("PATH", os.defpath))
    # what a power cut leaves no test of a living system can see; test_disk.py and test_journal.py
    # look at which files are synced, and in which order
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture(scope="session")
def homes(tmp_path_factory):
    """Homes of tests, one after the other; pytest's own numbers look at all there are each time."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def _clean_environment(request, monkeypatch, homes):
    if request.node.get_closest_marker("e2e"):
        return  # a room of its own, with a clean environment and a loopback server
    home = next(homes)
    home.mkdir()
    clean_environment(monkeypatch, home)


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory):
    """The folder of a home with the demo vault and one of the person's own, made once."""
    root = tmp_path_factory.mktemp("demo")
    (root / "home").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        clean_environment(patch, root / "home")
        for words in (["init", str(root / "vault")], ["demo", "--vault", "~/memoria-demo"]):
            assert main([*words, "--quiet"]) == 0
    return root


@pytest.fixture(scope="session")
def initialised(tmp_path_factory):
    """The folder of a home and a vault that `memoria init` made, for `place` to copy."""
    root = tmp_path_factory.mktemp("initialised")
    (root / "home").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        clean_environment(patch, root / "home")
        assert main(["init", "--vault", str(root / "vault"), "--quiet"]) == 0
    return root


@pytest.fixture
def place(initialised, tmp_path, monkeypatch, capsys):
    """A home and an initialised vault: a copy, with the names of this place and this moment."""
    moved(initialised, tmp_path)
    found = Place(tmp_path, capsys)
    monkeypatch.setenv("HOME", str(found.home))
    admit_scripts(monkeypatch)
    since = json.dumps({"since": time.time()})
    (state_of(found.vault) / "installed.json").write_text(since, encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("kept") / "place"


@pytest.fixture
def filled(place, kept, request):
    """A place as the module's `fill` makes one: made once a module, each test has a copy."""
    if kept.exists():
        moved(kept, place.root)
    else:
        request.module.fill(place)
        moved(place.root, kept)
    return place


@pytest.fixture
def demo_place(demo_home, tmp_path, monkeypatch, capsys):
    """The demo vault in a home of its own: a copy, with the names of this place."""
    moved(demo_home, tmp_path)
    found = Demo(tmp_path, capsys)
    monkeypatch.setenv("HOME", str(found.home))
    return found


@pytest.fixture(scope="session")
def samples(tmp_path_factory):
    """The transcripts of the sample sessions, laid out as in the client's folder of projects."""
    folder = tmp_path_factory.mktemp("samples")
    write_sessions(folder, read_sample_sessions())
    return folder
