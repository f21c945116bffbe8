"""The invariants of the design that hold for the source as a whole."""

import ast
import sys
from pathlib import Path

import pytest

from memoria.stages import ORDER

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "scripts" / "memoria"
STAGES = sorted((PACKAGE / "stages").glob("[!_]*.py"))
SOURCES = sorted(PACKAGE.rglob("*.py"))
# Every other third-party package has one home module; these may serve any stage.
SHARED = {"numpy", "scipy", "yaml"}
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


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def layer(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else "top"


def test_every_stage_has_its_place_in_the_order():
    assert {path.stem for path in STAGES} <= set(ORDER)
    assert len(set(ORDER)) == len(ORDER)


@pytest.mark.parametrize("path", STAGES, ids=lambda path: path.stem)
def test_a_stage_imports_only_stages_before_it(path):
    earlier = {f"memoria.stages.{name}" for name in ORDER[: ORDER.index(path.stem)]}
    ours = {name for name in imports(path) if name.startswith("memoria.")}
    assert {name.split(".")[1] for name in ours} <= {"stages", "errors"}
    modules = {".".join(name.split(".")[:3]) for name in ours if name.startswith("memoria.stages.")}
    assert modules <= earlier, f"{path.stem} imports {sorted(modules - earlier)}"


@pytest.mark.parametrize("path", STAGES, ids=lambda path: path.stem)
def test_a_stage_has_no_effects(path):
    assert not {name.split(".")[0] for name in imports(path)} & EFFECTS
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    forbidden = {"open", "print", "input", "datetime.now", "datetime.utcnow", "date.today"}
    assert not calls & forbidden


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_inward(path):
    allowed = {
        "stages": {"stages"},
        "edges": {"stages", "edges"},
        "commands": {"stages", "edges", "commands"},
        "hooks": {"stages", "hooks", "edges"},
        "top": {"stages", "edges", "commands", "hooks"},
    }[layer(path)]
    used = {name.split(".")[1] for name in imports(path) if name.startswith("memoria.")}
    layers = used & {"stages", "edges", "commands", "hooks"}
    assert layers <= allowed, f"{path}: {sorted(layers - allowed)}"


def test_hooks_use_two_edges_alone():
    used = {name for path in (PACKAGE / "hooks").glob("*.py") for name in imports(path)}
    edges = {".".join(name.split(".")[:3]) for name in used if name.startswith("memoria.edges.")}
    assert edges == {"memoria.vault.storage.child_environment", "memoria.agents.claude_code.git"}


def test_every_third_party_package_has_one_home():
    homes: dict[str, set[str]] = {}
    for path in SOURCES:
        for name in imports(path):
            top = name.split(".")[0]
            if top not in sys.stdlib_module_names and top not in SHARED | {"memoria", "__future__"}:
                homes.setdefault(top, set()).add(str(path.relative_to(PACKAGE)))
    assert {name: sorted(where) for name, where in homes.items() if len(where) > 1} == {}


def test_no_script_or_hook_hides_a_module_of_the_standard_library():
    names = {path.stem for folder in ("scripts", "hooks") for path in (ROOT / folder).glob("*.py")}
    assert not names & set(sys.stdlib_module_names)


def test_no_script_or_hook_hides_a_package_that_is_imported():
    """A script's folder comes first on the path: scripts/mcp.py would be taken for the package."""
    names = {path.stem for folder in ("scripts", "hooks") for path in (ROOT / folder).glob("*.py")}
    assert not names & {name.split(".")[0] for path in SOURCES for name in imports(path)}


def test_banned_module_names():
    banned = {"utils", "helpers", "manager", "common"}
    assert not {path.stem for path in SOURCES} & banned
