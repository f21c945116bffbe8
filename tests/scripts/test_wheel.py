"""The wheel holds the package and nothing else, and all that the package reads."""

import json
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from place import state_of

from memoria import __version__

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "scripts" / "memoria"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (found,) = folder.glob("memoria_compiler-*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A fresh environment with the wheel in it; what it depends on is borrowed from this one."""
    folder = tmp_path_factory.mktemp("fresh") / "an environment"
    venv.create(folder)
    program = folder / "bin" / "python"
    site = subprocess.run(
        [program, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    pip = [sys.executable, "-m", "pip", "--python", program, "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--no-index", wheel], check=True, capture_output=True)
    # behind the wheel's own; an editable install of this clone is made by a .pth, which a path
    # that is added by a .pth does not bring
    (Path(site) / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "bin"


def run(*words, cwd, **more):
    env = {"HOME": str(cwd), "PATH": "/usr/bin:/bin", **more}
    return subprocess.run(
        list(map(str, words)), cwd=cwd, env=env, capture_output=True, text=True, check=False
    )


def test_it_holds_the_package_and_what_that_reads_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.split("/")[0].split("-")[0] for name in names} == {"memoria", "memoria_compiler"}
    paths = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*") if path.is_file()]
    paths = [path for path in paths if "__pycache__" not in path.parts]
    folders = ("prompts", "templates", "samples", "hooks")
    assert {path.parts[0] for path in paths} >= {*folders}
    wanted = {path for path in paths if path.suffix == ".py" or path.parts[0] in folders}
    assert {f"memoria/{path.as_posix()}" for path in wanted} <= names
    assert {"memoria/AGENTS.md", "memoria/py.typed"} <= names


def test_the_extras():
    extras = PROJECT["optional-dependencies"]
    assert {"embeddings", "wordllama", "openai", "all", "dev"} <= set(extras)
    named = extras["all"][0].partition("[")[2].rstrip("]").split(",")
    assert set(named) == {"embeddings", "wordllama", "openai"}


def test_one_version_everywhere():
    plugin = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
    assert {PROJECT["version"], plugin["version"]} == {__version__}


def test_an_installed_wheel_does_the_whole_loop(installed, tmp_path, samples):
    """As pip, pipx and uv leave it: a program, a module, hooks, and nothing of the clone."""
    program, python = installed / "memoria", installed / "python"
    for words in ((program,), (python, "-m", "memoria")):
        assert run(*words, "--version", cwd=tmp_path).stdout == f"memoria {__version__}\n"
    done = run(program, "demo", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["vault"] == str(tmp_path / "memoria-demo"), done.stderr
    shutil.copytree(samples, tmp_path / ".claude" / "projects")
    done = run(program, "start", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["vault"] == str(tmp_path / "memoria")
    assert made["articles"] > 5
    assert run(program, "install", cwd=tmp_path).returncode == 0
    settings = json.loads((tmp_path / ".claude" / "settings.json").read_text())
    [handler] = settings["hooks"]["SessionStart"][0]["hooks"]
    shell, _, _, python, *_ = shlex.split(handler["command"])
    assert (shell, Path(python).parent) == ("/bin/sh", installed)
    event = {"session_id": "s-1", "cwd": str(tmp_path), "source": "startup"}
    done = subprocess.run(
        ["/bin/sh", "-c", handler["command"]],
        input=json.dumps({"hook_event_name": "SessionStart", **event}),
        env={"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "hookSpecificOutput" in json.loads(done.stdout)
    state = state_of(tmp_path / "memoria", tmp_path)
    snapshot = json.loads((state / "hooks.json").read_text())
    assert all(str(installed.parent) in word for word in snapshot["command"])
    report = run(program, "report", cwd=tmp_path)
    assert report.returncode == 0, report.stderr
    assert run(program, "doctor", cwd=tmp_path).stdout.startswith("ok  vault")
