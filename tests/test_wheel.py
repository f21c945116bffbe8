"""The wheel holds the package and nothing else, and all that the package reads."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("memoria_compiler-*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def test_it_holds_only_memoria(names):
    assert {name.split("/")[0].split("-")[0] for name in names} == {"memoria", "memoria_compiler"}


def test_it_holds_what_the_package_reads(names):
    wanted = {"memoria/AGENTS.md", "memoria/prompts/flush.md", "memoria/prompts/compile.md"}
    hooks = (
        *("session_start", "session_end", "pre_compact"),
        *("user_prompt_submit", "post_tool_use_failure"),
    )
    wanted |= {f"memoria/hooks/{name}.py" for name in hooks} | {"memoria/py.typed"}
    assert wanted <= names
    assert any(name.startswith("memoria/samples/") for name in names)


def test_it_holds_every_module(names):
    package = ROOT / "scripts" / "memoria"
    modules = {f"memoria/{path.relative_to(package).as_posix()}" for path in package.rglob("*.py")}
    assert modules <= names
