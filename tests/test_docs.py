"""The documents cannot lie: commands, outputs, settings, tree and schema against the code."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from memoria import errors
from memoria.cli.main import INTERRUPTED, VERBS, main
from memoria.settings import VARIABLES
from memoria.terminal_driver import Driver
from memoria.vault.schema import parse_schema

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "site"))

import recording  # noqa: E402 - the path above comes first
import reference  # noqa: E402 - as above
from package_page import page, urls  # noqa: E402 - as above

UPDATE = bool(os.environ.get("UPDATE_DOCS"))
PACKAGE = ROOT / "scripts" / "memoria"
GENERATED = DOCS / "reference" / "cli"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
NAMES = [path.relative_to(ROOT).as_posix() for path in PAGES]
# bytes: what can be read at one go
PAGE, README = 8_000, (9_000, 10_240)
# lines that no test here can run: what they need stands behind each
ELSEWHERE = {
    "uv tool install .": "the package index; tests/scripts/test_wheel.py installs the wheel",
    "uv tool install ./memoria": "the same",
    "uv tool uninstall memoria-compiler": "the same",
    "pipx install ./memoria": "the same",
    "claude plugin marketplace add ./memoria": "Claude Code; tests/e2e/test_plugin.py",
    "claude plugin install memoria@memoria": "the same",
    "claude mcp add --scope user memoria -- memoria mcp --vault ~/memoria": "tests/e2e/test_mcp.py",
}


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def matches_or_writes(path, wanted):
    """See that a file has a text, or with UPDATE_DOCS=1 write it."""
    if UPDATE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == wanted, "UPDATE_DOCS=1 writes it anew"


def block_matches(name, before, wanted):
    """See that the block behind some words of a page is `wanted`, or write it."""
    text = text_of(name)
    pattern = re.compile(rf"({re.escape(before)}\n\n```\n)(.*?)(```)", re.DOTALL)
    assert pattern.search(text), f"{name} has no block behind {before!r}"
    changed = pattern.sub(lambda match: f"{match[1]}{wanted}\n{match[3]}", text, count=1)
    matches_or_writes(ROOT / name, changed)


# what is made from the code


@pytest.mark.parametrize(("name", "text"), reference.pages().items())
def test_a_page_of_the_reference_is_as_the_code_says(name, text):
    matches_or_writes(DOCS / name, text)


def test_the_reference_has_no_page_of_a_group_that_is_gone():
    made = {Path(name).name for name in reference.pages() if name.startswith("reference/cli/")}
    if UPDATE:
        for path in GENERATED.glob("*.md"):
            if path.name not in made:
                path.unlink()
    assert {path.name for path in GENERATED.glob("*.md")} == made


def test_the_tree_is_the_one_on_disk():
    block_matches("docs/contributing/rooms.md", "## The tree", reference.tree())


def test_the_picture_shows_what_the_program_prints():
    drawn = recording.picture(recording.recorded())
    matches_or_writes(recording.PICTURE, drawn)


# commands


def commands(name):
    """The lines of a page's blocks of commands, without their comments."""
    blocks = re.findall(r"```bash\n(.*?)```", text_of(name), re.DOTALL)
    lines = [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line]


@pytest.fixture(scope="module")
def furnished(tmp_path_factory, samples):
    """A home with a vault of the sample sessions, and a copy of it to begin each page with."""
    root = tmp_path_factory.mktemp("docs")
    home = root / "home"
    (home / ".claude").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("MEMORIA_TIMEZONE", "UTC")
        words = ["start", "--vault", str(home / "memoria"), "--from", str(samples), "--quiet"]
        assert main(words, driver=Driver()) == 0
    # as it is where Codex and OpenCode were started once
    (home / ".codex").mkdir()
    (home / ".config" / "opencode").mkdir(parents=True)
    shutil.copytree(home, root / "kept", symlinks=True)
    return home


@pytest.fixture
def at_home(furnished, monkeypatch):
    """That home as it was made, with nothing of what another page did."""
    shutil.rmtree(furnished)
    shutil.copytree(furnished.parent / "kept", furnished, symlinks=True)
    monkeypatch.setenv("HOME", str(furnished))
    # else the clone that the tests run from is the default of verbs that make a vault
    monkeypatch.setenv("MEMORIA_VAULT", str(furnished / "memoria"))
    project = furnished / "code" / "shop-api"
    project.mkdir(parents=True)
    (project / "review.txt").write_text("- Always close the database session in a finally block.\n")
    monkeypatch.chdir(project)
    return furnished


@pytest.mark.parametrize("name", [name for name in NAMES if commands(name)])
def test_every_command_of_a_page_runs(name, at_home, monkeypatch, capsys):
    for line in commands(name):
        words = shlex.split(line)
        if words[0] == "cd":
            monkeypatch.chdir(Path(words[1]).expanduser())
            of_demo = words[1].endswith("-demo")
            demo_or_own = at_home / ("memoria-demo" if of_demo else "memoria")
            monkeypatch.setenv("MEMORIA_VAULT", str(demo_or_own))
        elif words[:1] == ["python3"]:
            assert (ROOT / words[1]).is_file(), line
        elif line not in ELSEWHERE:
            assert words[0] == "memoria", line
            runs(words[1:], capsys, parsed_only=name.startswith("docs/reference/cli/"))


def runs(words, capsys, *, parsed_only):
    """Run a command as a person would; an example of the reference is only read."""
    if parsed_only:
        reference.command_parser(words[:1]).parse_args(words[: [*words, ">"].index(">")])
        return
    words = [str(Path(word).expanduser()) if word.startswith("~/") else word for word in words]
    code = main(words, driver=Driver())
    out, err = capsys.readouterr()
    assert code == 0, f"{shlex.join(words)}: {err}"
    assert out or err, words


def test_the_demo_leaves_nothing_and_prints_what_the_readme_shows(at_home, capsys):
    before = contents(at_home)
    assert main(["demo"], driver=Driver()) == 0
    out, _ = capsys.readouterr()
    block_matches("README.md", "which looks like this:", out.split("\n\n")[0])
    assert main(["demo", "--remove"], driver=Driver()) == 0
    assert contents(at_home) == before


def contents(folder):
    """The files and folders below a folder, each file with its bytes."""
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("name", [name for name in NAMES if "```python" in text_of(name)])
def test_the_python_of_a_page_runs(name, at_home, capsys):
    blocks = re.findall(r"```python\n(.*?)```", text_of(name), re.DOTALL)
    exec("\n".join(blocks), {})
    assert "refunds" in capsys.readouterr().out


@pytest.mark.parametrize("name", NAMES)
def test_a_page_names_no_verb_script_or_setting_that_is_not_there(name):
    text = text_of(name)
    quoted = "\n".join(re.findall(r"`([^`\n]+)`", text))
    verbs = set(re.findall(r"(?:^|\s)memoria ([a-z]+)\b(?=[ `\[|]|$)", quoted, re.MULTILINE))
    assert verbs <= set(VERBS)
    named = set(re.findall(r"\bMEMORIA_[A-Z_]+", text))
    # those of the tests: where real sessions lie, and how often a law is tried
    assert named <= {*VARIABLES, "MEMORIA_BENCH_DATA", "MEMORIA_TEST_EXAMPLES"}
    for script in re.findall(r"`(?:python3? )?((?:scripts|bench|docs)/[\w/]+\.\w+)", text):
        assert (ROOT / script).exists(), script


# pages


@pytest.mark.parametrize("name", [name for name in NAMES if name != "README.md"])
def test_a_page_can_be_read_at_one_go(name):
    assert len(text_of(name).encode()) <= PAGE


def test_the_readme_is_one_page_whose_links_lead_somewhere():
    text = text_of("README.md")
    assert README[0] <= len(text.encode()) <= README[1]
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert (ROOT / target).is_file(), target


def test_on_a_package_index_the_readme_has_no_link_that_leads_nowhere():
    text = text_of("README.md")
    assert "](docs/" not in page(text, "")
    assert urls("") == {}
    whole = page(text, "https://example.org/me/memoria")
    assert "](docs/" not in whole
    assert "](https://example.org/me/memoria/raw/main/docs/recording.svg)" in whole
    assert "[SECURITY](https://example.org/me/memoria/blob/main/docs/SECURITY.md)" in whole


def test_the_site_builds_without_a_warning(tmp_path):
    pytest.importorskip("material", reason="the site is built where the extra `docs` is installed")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)]
    done = subprocess.run(
        [*build, "-f", str(DOCS / "site" / "mkdocs.yml")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "start" / "quickstart" / "index.html").is_file()
    # no page asks a server that is not its own
    pages = "".join(path.read_text("utf-8") for path in tmp_path.rglob("*.html"))
    assert not re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=\"?https?://", pages)


RETIRED = (
    r"\bmend(?:s|ed|ing)?\b",
    r"\bcures?\b|\bremed(?:y|ies)\b",
    r"\bcoin\b(?!`|\\|\|)",
    r"\bin force\b|\bout of force\b",
    r"\bcandidates?\b|`approved`",
    r"\bsync clients?\b",
)
# they speak of the code and its history, where some of these words are names
SPEAK_OF_CODE = ("docs/contributing/", "docs/CONTRIBUTING.md", "docs/reference/cli/")


def is_for_users(name):
    return not name.startswith(SPEAK_OF_CODE)


@pytest.mark.parametrize("name", [*filter(is_for_users, NAMES), "AGENTS.md"])
def test_a_page_uses_the_words_of_the_word_list(name):
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text_of(name), flags=re.DOTALL)
    assert [word for form in RETIRED for word in re.findall(form, prose, re.IGNORECASE)] == []


# what verbs and pages print; a regular expression, a design's name and a key of JSON is no prose
PRINTED = [
    *sorted((PACKAGE / "cli").rglob("*.py")),
    *sorted((PACKAGE / "evidence").rglob("*.py")),
    *sorted((PACKAGE / "rules" / "review").rglob("*.py")),
]
RETIRED_IN_OUTPUT = (
    r"\bmend(?:s|ed|ing)?\b",
    r"(?<!--design )(?<![{=])\bcoins?\b(?!:)",
    r"\bin force\b|\bout of force\b",
    r"\bstands? guard\b",
    r"\bthe client(?:'s)?\b",
    r"\bseed's\b",
    r"\binject(?:s|ed|ing)?\b",
    r"(?<!\blog-)\bmistakes?\b",
)


def printed(path):
    """The texts of a module that are no docstring, each of several words."""
    tree = ast.parse(path.read_text("utf-8"))
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docs = {
        ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, owners)
    }
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else ""
        if isinstance(text, str) and " " in text.strip() and text not in docs:
            yield text


@pytest.mark.parametrize("path", PRINTED, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_what_is_printed_uses_the_words_of_the_word_list(path):
    said = "\n".join(text for text in printed(path) if not KEYS.fullmatch(text))
    assert [word for form in RETIRED_IN_OUTPUT for word in re.findall(form, said)] == []


# keys of JSON, one after the other; a space stands between any two, else this tries each way to cut
# a long word up
KEYS = re.compile(r"[a-z_]+(?:=[a-z_.]+)?(?: [a-z_]+(?:=[a-z_.]+)?)* ?")


# the schema, the guide, the package


AGENTS = text_of("AGENTS.md")
ROOMS = text_of("docs/contributing/rooms.md")


def test_the_schema_region_declares_the_seed_s_kinds_with_their_keys_and_sections():
    found = {kind.name: kind for kind in parse_schema(AGENTS).kinds}
    assert found["concept"].keys == ("title", "aliases", "tags", "sources", "created", "updated")
    assert found["concept"].sections[:2] == ("Key Points", "Details")
    assert found["concept"].sections[-2:] == ("Related Concepts", "Sources")
    assert found["connection"].sections[:3] == ("The Connection", "Key Insight", "Evidence")
    assert found["qa"].sections == ("Answer", "Sources Consulted", "Follow-Up Questions")
    assert {"person", "project", "tool"} <= set(found)


def test_a_vault_s_own_page_is_one_screen():
    assert len(AGENTS.splitlines()) <= 64


def test_the_exit_codes_in_the_reference_are_those_of_the_errors():
    assert errors.MemoriaError.exit_code == 1
    assert errors.UsageError.exit_code == 2
    assert errors.VaultError.exit_code == 3
    assert errors.ModelError.exit_code == 4
    assert INTERRUPTED == 130
    assert "0 done; 1 " in text_of("docs/reference/cli/index.md")


def test_nothing_of_a_machine_or_a_workplace_is_in_the_repository():
    words = re.compile(r"/(?:work|root|farm)/\w|index-url[= ]+https?:|/opt/pypi")
    for path in ROOT.rglob("*"):
        tracked = path.suffix in {".py", ".md", ".toml", ".json", ".svg", ".yml"}
        if tracked and ".venv" not in path.parts and path.is_file() and path != Path(__file__):
            assert not words.search(path.read_text(encoding="utf-8", errors="replace")), path


def test_the_guide_for_contributors_names_every_room_and_nothing_that_is_not_there():
    rows = "\n".join(re.findall(r"^\| `.*` \|", ROOMS, re.MULTILINE))
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert set(re.findall(r"`(\w+)/`", rows)) == rooms
    pages = [name for name in NAMES if name.startswith(SPEAK_OF_CODE)]
    named = re.findall(r"`((?:\w+/)+\w+\.py)`", "\n".join(map(text_of, pages)))
    places = [[ROOT / name, PACKAGE / name] for name in named]
    assert [str(one[0]) for one in places if not any(path.exists() for path in one)] == []


def test_the_guide_draws_the_layers_as_they_are_enforced():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = config["tool"]["importlinter"]["contracts"]
    drawn = ROOMS.split("they are enforced:\n\n", 1)[1].split("\n\n", 1)[0].split()
    words = re.findall(r"\w+", " ".join(contract["layers"]))
    assert [word for word in drawn if word in words] == [word for word in words if word in drawn]
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} <= set(drawn)
