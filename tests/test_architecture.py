"""The invariants of the design that hold for the source as a whole; each lists all offenders."""

import ast
import math
import os
import re
import subprocess
import sys
from collections import Counter
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
# Folders that hold more as yet: a row may get smaller, and goes when it is not needed any more.
CROWDED: dict[str, int] = {}
# Lines that a room may have: 101 % of its size on the day the row was set (2026-11-29). To raise
# one is a decision; who makes a room smaller lowers its row. "." are the modules of no room.
BUDGET = {
    ".": 1_600,
    "agents": 4_490,
    "capture": 11_165,
    "cli": 6_905,
    "compile": 4_280,
    "evidence": 2_200,
    "hooks": 1_795,
    "learning": 1_640,
    "lint": 1_545,
    "llm": 1_340,
    "mcp": 1_175,
    "privacy": 2_110,
    "prompts": 185,
    "rules": 6_915,
    "samples": 915,
    "search": 4_635,
    "team": 1_295,
    "templates": 10,
    "text": 2_370,
    "vault": 5_280,
}
# All of them on that day: what one room wins, another has to give.
TOTAL = 61_195
# A line of a data file, of which a line may be as long as it likes.
WIDTH = 100
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
# the programs of hooks know hooks/run.py, beside them, by its bare name
OURS = {"memoria", "run"}
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


def files(top: Path) -> list[Path]:
    """Give the files below a folder, without what Python makes of them."""
    return [path for path in top.rglob("*") if path.is_file() and path.suffix != ".pyc"]


def size(path: Path) -> int:
    """Count a file's lines, a data file's as if it were broken at WIDTH."""
    text = path.read_text(encoding="utf-8")
    return len(text.splitlines()) if path.suffix == ".py" else math.ceil(len(text) / WIDTH)


def test_no_folder_is_crowded():
    tops = (PACKAGE, ROOT / "tests", ROOT / "bench")
    count = Counter(path.parent for top in tops for path in files(top))
    crowded = {
        folder.relative_to(ROOT).as_posix(): n for folder, n in count.items() if n > MOST_FILES
    }
    assert {name: n for name, n in crowded.items() if n > CROWDED.get(name, 0)} == {}
    assert CROWDED.keys() - crowded.keys() == set(), "not crowded any more: take the row out"


def test_no_room_outgrows_its_budget():
    sizes: Counter[str] = Counter()
    for path in files(PACKAGE):
        inside = path.relative_to(PACKAGE).parts
        sizes[inside[0] if len(inside) > 1 else "."] += size(path)
    assert {name: n for name, n in sizes.items() if n > BUDGET.get(name, 0)} == {}
    assert BUDGET.keys() == sizes.keys()
    assert sum(sizes.values()) <= TOTAL


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
        if name.split(".")[0] not in sys.stdlib_module_names | OURS
    }
    assert found == set()


def test_no_module_takes_a_projects_key_past_redaction():
    raw = {
        inner(path)
        for path in SOURCES
        if re.search(
            r"claude_code\.git import [^\n]*project_key|\bgit\.project_key\(",
            path.read_text(encoding="utf-8"),
        )
    }
    # what a person excludes is matched with the key as it is
    assert raw == {"privacy/project_keys.py", "capture/coverage.py"}


def test_every_third_party_package_has_one_home():
    homes: dict[str, set[str]] = {}
    for path in SOURCES:
        for name in imports(path):
            top = name.split(".")[0]
            if top not in sys.stdlib_module_names and top not in SHARED | OURS | {"__future__"}:
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


# past participles of English that do not end as others do, and words that end so and are none
IRREGULAR = re.compile(
    r"told|said|held|shown|sought|lost|found|made|given|kept|done|drawn|heard|taught|chosen|met"
    r"|spent|gone|meant|built|bound|led"
)
NO_PARTICIPLES = re.compile(r"embed|need|open|shorten|adopt|seed|weight|when|concept|listen")
REGULAR = re.compile(r"[a-z]+(?:ed|en|wn|ld|ght|pt)")


def functions(tree):
    """Give the functions and methods of a module but for properties and protocols' methods."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            marks = " ".join(map(ast.unparse, node.decorator_list))
            if "property" not in marks and "overload" not in marks:
                yield node


def test_a_function_is_named_by_what_it_does():
    offenders = [
        f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}"
        for path in SOURCES
        for node in functions(parsed(path))
        if not NO_PARTICIPLES.fullmatch(name := node.name.strip("_"))
        if not node.name.startswith("__") and (IRREGULAR.fullmatch(name) or REGULAR.fullmatch(name))
    ]
    assert not offenders, offenders
