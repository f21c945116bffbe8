"""The documents cannot lie: commands, settings, the tree and the schema against the code."""

import ast
import os
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from memoria.cli.main import VERBS, main
from memoria.settings import VARIABLES
from memoria.vault.schema import schema

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "CONTRIBUTING.md").read_text(encoding="utf-8")
AGENTS = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "scripts" / "memoria"
WIDTH = 100


def described(folder, pattern="*.py"):
    """The files of a folder, each with the first sentence of its docstring."""
    lines = []
    for path in sorted(folder.glob(pattern)):
        if path.name == "__init__.py":
            continue
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        first = " ".join(text.split("\n\n")[0].split())
        lines.append((path.name, re.split(r"(?<=\w)[:.;](?:\s|$)", first)[0]))
    return lines


def tree():
    """The tree as the README has to show it."""
    rows = [
        ("pyproject.toml", "what is installed, and how the tools are set"),
        ("AGENTS.md", "the schema of the vault; what is promised of security"),
        ("docs/CONTRIBUTING.md", "for who works on Memoria: the rooms, the invariants, how to add"),
        (
            ".claude/settings.json",
            "the hooks of this clone; they act once it is a vault",
        ),
        ("hooks/", "their entries, ten lines each"),
        ("scripts/", ""),
        *((f"  {name}", text) for name, text in described(ROOT / "scripts") if shown(name)),
        ("  memoria/", ""),
        *((f"    {name}", text) for name, text in described(PACKAGE)),
        *((f"    {name}/", text) for name, text in rooms()),
        ("    prompts/", "what a model is asked, one file each"),
        ("    samples/", "sample sessions, written for this project"),
        ("daily/ knowledge/", "empty in a clone until it is made a vault"),
        ("tests/", "mirror the rooms; contract/ what the seeds have, e2e/ the real client"),
        ("bench/", "speeds, as ratios in one run"),
    ]
    return "\n".join(cut(f"{name:<25} {text}".rstrip()) for name, text in rows)


def cut(line):
    return line if len(line) <= WIDTH else line[: WIDTH - 2].rsplit(" ", 1)[0] + " …"


def shown(name):
    # the others are verbs, seven lines each
    return name in {"demo.py", "start.py", "check.py", "bootstrap.py", "compile.py"}


def rooms():
    """The rooms of the package, each with the first sentence of its map."""
    for path in sorted(PACKAGE.glob("*/__init__.py")):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        yield path.parent.name, " ".join(text.split("\n\n")[0].split()).removesuffix(".")


def test_the_tree_in_the_readme_is_the_one_on_disk():
    (found,) = re.findall(r"## The tree\n\n```\n(.*?)\n```", README, re.DOTALL)
    if os.environ.get("UPDATE_DOCS"):
        (ROOT / "README.md").write_text(README.replace(found, tree()), encoding="utf-8")
        return
    assert found == tree(), "UPDATE_DOCS=1 writes it anew"


def is_shown(out):
    """See that the README shows what the first command says, or with UPDATE_DOCS=1 write it."""
    (found,) = re.findall(r"looks like this:\n\n```\n(.*?)\n```", README, re.DOTALL)
    said = out.split("\n\n")[0]
    if os.environ.get("UPDATE_DOCS"):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        (ROOT / "README.md").write_text(text.replace(found, said), encoding="utf-8")
    else:
        assert found == said, "UPDATE_DOCS=1 writes it anew"


def test_the_first_hour_is_as_the_readme_says_and_leaves_nothing(place, monkeypatch, capsys):
    project = place.root / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    before = contents(place.root)
    (block,) = re.findall(r"## The first hour\n.*?```bash\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines():
        words = shlex.split(line, comments=True)
        if words[0] == "cd":
            monkeypatch.chdir(project if words[1] == "-" else Path(words[1]).expanduser())
            continue
        assert words[0] == "memoria"
        # lint finds something in any vault that was not tended
        code = main(words[1:])
        out, err = capsys.readouterr()
        assert code == 0, f"{line}: {err}"
        assert out or err, line
        assert "demo vault" in err, line
        if words == ["memoria", "demo"]:
            is_shown(out)
    assert contents(place.root) == before


def contents(folder):
    """The files and folders below a folder, each file with its bytes."""
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_is_in_the_readme(verb):
    assert re.search(rf"^\| `memoria {verb}\b", README, re.MULTILINE)


def test_the_readme_names_no_other_verb():
    named = set(re.findall(r"\bmemoria ([a-z]+)\b(?=[ `\[|])", "\n".join(code(README))))
    assert named <= set(VERBS)


@pytest.mark.parametrize("name", sorted(VARIABLES))
def test_every_setting_is_in_the_readme(name):
    meaning = VARIABLES[name].split(" (default")[0]
    assert f"| `{name}` | {meaning}" in README


def test_the_readme_names_no_other_setting():
    assert set(re.findall(r"MEMORIA_[A-Z_]+", README)) <= set(VARIABLES)


def test_every_option_in_the_readme_is_understood(capsys):
    for row in re.findall(r"^\| `memoria (.*?)` \|", README, re.MULTILINE):
        verb = row.split()[0]
        with pytest.raises(SystemExit):
            main([verb, "--help"])
        usage = capsys.readouterr().out
        for option in re.findall(r"--[a-z-]+", row):
            assert option in usage, f"{verb} {option}"


def test_the_schema_region_declares_the_seed_s_kinds_with_their_keys_and_sections():
    found = {kind.name: kind for kind in schema(AGENTS).kinds}
    assert found["concept"].keys == ("title", "aliases", "tags", "sources", "created", "updated")
    assert found["concept"].sections[:2] == ("Key Points", "Details")
    assert found["concept"].sections[-2:] == ("Related Concepts", "Sources")
    assert found["connection"].sections[:3] == ("The Connection", "Key Insight", "Evidence")
    assert found["qa"].sections == ("Answer", "Sources Consulted", "Follow-Up Questions")
    assert {"person", "project", "tool"} <= set(found)


def test_the_exit_codes_in_the_readme_are_those_of_the_errors():
    from memoria import errors
    from memoria.cli.main import INTERRUPTED

    assert errors.MemoriaError.exit_code == 1
    assert errors.UsageError.exit_code == 2
    assert errors.VaultError.exit_code == 3
    assert errors.ModelError.exit_code == 4
    assert INTERRUPTED == 130


def test_nothing_of_a_machine_or_a_workplace_is_in_the_repository():
    words = re.compile(r"/(?:work|root|farm)/\w|index-url[= ]+https?:|/opt/pypi")
    for path in ROOT.rglob("*"):
        tracked = path.suffix in {".py", ".md", ".toml", ".json"} and ".venv" not in path.parts
        if tracked and path.is_file() and path != Path(__file__):
            assert not words.search(path.read_text(encoding="utf-8", errors="replace")), path


def code(text):
    return re.findall(r"```bash\n(.*?)```", text, re.DOTALL) + re.findall(r"`([^`\n]+)`", text)


def test_the_guide_for_contributors_names_every_room_and_nothing_that_is_not_there():
    rows = "\n".join(re.findall(r"^\| `.*` \|", GUIDE, re.MULTILINE))
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert set(re.findall(r"`(\w+)/`", rows)) == rooms
    named = re.findall(r"`((?:\w+/)+\w+\.py)`", GUIDE)
    missing = [name for name in named if not any(path.exists() for path in places(name))]
    assert missing == []


def test_the_guide_draws_the_layers_as_they_are_enforced():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = config["tool"]["importlinter"]["contracts"]
    drawn = GUIDE.split("they are enforced:\n\n", 1)[1].split("\n\n", 1)[0].split()
    words = re.findall(r"\w+", " ".join(contract["layers"]))
    assert [word for word in drawn if word in words] == [word for word in words if word in drawn]
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} <= set(drawn)


def places(name):
    return (ROOT / name, PACKAGE / name)
