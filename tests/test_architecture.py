"""The invariants of the design that hold for the source as a whole; each lists all offenders."""

import ast
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "scripts" / "memoria"
SOURCES = sorted(PACKAGE.rglob("*.py"))
# Every other third-party package has one home module; these may serve any room.
SHARED = {"numpy", "scipy", "yaml"}
# They have effects as a whole.
WIRING = {"cli", "hooks", "mcp"}
MOST_FILES = 18
EFFECTS = {
    "os",
    "sys",
    "time",
    "random",
    "subprocess",
    "socket",
    "pathlib",
    "io",
    "shutil",
    "tempfile",
    "threading",
    "asyncio",
    "sqlite3",
    "logging",
    "urllib",
    "http",
}
CALLS = {"open", "print", "input", "datetime.now", "datetime.utcnow", "date.today"}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def inner(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def declared(folder: Path) -> set[str]:
    """Read the EFFECTS that a room's map names."""
    for node in parsed(folder / "__init__.py").body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "EFFECTS":
            return set(ast.literal_eval(node.value.args[0]))
    return set()


def is_pure(path: Path) -> bool:
    room = path.relative_to(PACKAGE).parts[0]
    named = path.stem in {"store", "service"} or path.stem.endswith(("_store", "_service"))
    at_home = path.parent != PACKAGE and room not in WIRING
    return at_home and not named and path.stem not in declared(path.parent)


def effects(path: Path) -> set[str]:
    tree = parsed(path)
    calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return {name.split(".")[0] for name in imports(path)} & EFFECTS | calls & CALLS


def test_the_layers_hold():
    """import-linter's contract in pyproject.toml is the drawing of who may import whom."""
    program = "from importlinter.cli import lint_imports_command as run; run()"
    done = subprocess.run(
        [sys.executable, "-c", program, "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT / "scripts")},
    )
    assert done.returncode == 0, done.stdout


def test_effects_stand_where_they_are_named():
    pure = [path for path in SOURCES if is_pure(path)]
    found = {inner(path): sorted(effects(path)) for path in pure}
    assert {name: which for name, which in found.items() if which} == {}


def test_a_room_names_no_effects_that_are_not_there():
    for folder in {path.parent for path in SOURCES}:
        missing = {name for name in declared(folder) if not (folder / f"{name}.py").is_file()}
        assert missing == set(), folder


def test_no_folder_is_crowded():
    # each script is the door to a verb, and has the name that the seeds gave it
    folders = [path for top in (PACKAGE, ROOT / "tests") for path in (top, *top.rglob("*"))]
    count = {
        str(folder.relative_to(ROOT)): sum(path.is_file() for path in folder.iterdir())
        for folder in folders
        if folder.is_dir() and folder.name != "__pycache__"
    }
    assert {name: n for name, n in count.items() if n > MOST_FILES} == {}


def test_every_room_says_what_it_is():
    bare = [
        inner(path)
        for path in SOURCES
        if path.name == "__init__.py" and not ast.get_docstring(parsed(path))
    ]
    assert bare == []


def test_hooks_load_the_standard_library_alone():
    found = {
        f"{path.name}: {name}"
        for path in (PACKAGE / "hooks").glob("*.py")
        for name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names | {"memoria"}
    }
    assert found == set()


def test_every_third_party_package_has_one_home():
    homes: dict[str, set[str]] = {}
    for path in SOURCES:
        for name in imports(path):
            top = name.split(".")[0]
            if top not in sys.stdlib_module_names and top not in SHARED | {"memoria", "__future__"}:
                homes.setdefault(top, set()).add(inner(path))
    assert {name: sorted(where) for name, where in homes.items() if len(where) > 1} == {}


def test_no_script_or_hook_hides_a_module_of_the_standard_library():
    names = {path.stem for folder in ("scripts", "hooks") for path in (ROOT / folder).glob("*.py")}
    # the package's own hooks are started by path, too
    names |= {path.stem for path in (PACKAGE / "hooks").glob("*.py")}
    assert not names & set(sys.stdlib_module_names)


def test_no_script_or_hook_hides_a_package_that_is_imported():
    """A script's folder comes first on the path: scripts/mcp.py would be taken for the package."""
    names = {path.stem for folder in ("scripts", "hooks") for path in (ROOT / folder).glob("*.py")}
    assert not names & {name.split(".")[0] for path in SOURCES for name in imports(path)}


def test_banned_module_names():
    banned = {"utils", "helpers", "manager", "common"}
    assert not {part for path in SOURCES for part in (*path.parts, path.stem)} & banned
