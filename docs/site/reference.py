"""Write the pages of the reference that the code itself determines: commands, settings, the tree.

`pages` gives them by their path below docs/; tests/test_docs.py compares them with the files and,
with UPDATE_DOCS=1, writes them.
"""

from __future__ import annotations

import argparse
import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.cli.main import EPILOG, command_parser
from memoria.cli.verbs import table
from memoria.settings import OF_A_VAULT, VARIABLES

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "scripts" / "memoria"
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WIDTH = 96
SHARED = "options of every command, which may stand anywhere"
NOTE = "<!-- Made from the code: UPDATE_DOCS=1 python -m pytest tests/test_docs.py -->\n\n"


def pages() -> dict[str, str]:
    """Give every generated page."""
    groups = {table.PAGES[title]: (title, names) for title, names in table.GROUPS.items()}
    made = {f"reference/cli/{name}.md": group(*values) for name, values in groups.items()}
    made["reference/cli/index.md"] = overview(groups)
    made["reference/settings.md"] = settings()
    return made


def overview(groups: Mapping[str, tuple[str, tuple[str, ...]]]) -> str:
    """List all commands with what they do, and what holds for each of them."""
    lines = [NOTE + "# Commands", ""]
    lines += [
        "Each is also `python -m memoria VERB`; a clone has a script for each in `scripts/`.",
        "",
    ]
    for name, (title, verbs) in groups.items():
        lines += [
            f"## [{heading(title)}]({name}.md)",
            "",
            "| command | what it does |",
            "|---|---|",
        ]
        lines += [f"| `memoria {verb}` | {cell(table.VERBS[verb].summary)} |" for verb in verbs]
        lines.append("")
    lines += ["## Options of every command", "", *options(shared()), ""]
    return "\n".join([*lines, "## Exit codes and settings", "", EPILOG, ""])


def heading(title: str) -> str:
    """Give a group's title as a heading."""
    return title[0].upper() + title[1:]


def group(title: str, names: tuple[str, ...]) -> str:
    """Describe the commands of a group."""
    return NOTE + f"# {heading(title)}\n\n" + "\n".join(verb(name) for name in names)


def verb(name: str) -> str:
    """Describe a command: usage, what it does, arguments, an example."""
    described = table.VERBS[name]
    parser = parser_of(name)
    lines = [f"## memoria {name}", "", f"{heading(described.summary)}.", ""]
    own = [action for action in parser._actions if action not in shared_of(parser)]
    lines += options(own)
    for action in own:
        if isinstance(action, argparse._SubParsersAction):
            lines += actions(name, action)
    lines += ["```bash", described.example, "```", ""]
    return "\n".join(lines)


def actions(name: str, below: argparse._SubParsersAction[argparse.ArgumentParser]) -> Iterator[str]:
    """Describe what follows a command that has several things to do."""
    helps = {choice.dest: choice.help or "" for choice in below._choices_actions}
    for action, parser in below.choices.items():
        about = "" if helps[action].startswith("see ") else f": {helps[action]}"
        yield from [f"**memoria {name} {action}**{about}", "", *options(parser._actions)]


def options(given: list[argparse.Action]) -> list[str]:
    """Describe arguments in a table."""
    rows = [f"| `{typed(one)}` | {escaped(meaning(one))} |" for one in given if shown(one)]
    return ["| option | meaning |", "|---|---|", *rows, ""] if rows else []


def shown(action: argparse.Action) -> bool:
    """Whether an argument is one that a person is told of."""
    hidden = action.help == argparse.SUPPRESS or "-h" in action.option_strings
    return not hidden and not isinstance(action, argparse._SubParsersAction)


def typed(action: argparse.Action) -> str:
    """Write an argument as it is typed, for a cell of a table."""
    value = value_of(action).replace("|", "\\|")
    names = ", ".join(action.option_strings)
    return f"{names} {value}".strip() if names else value


def value_of(action: argparse.Action) -> str:
    """Write what an argument takes."""
    if action.nargs == 0:
        return ""
    return action.metavar if isinstance(action.metavar, str) else action.dest.upper()


def meaning(action: argparse.Action) -> str:
    """Say what an argument does, with its choices."""
    said = (action.help or "").replace("%%", "%")
    choices = ", ".join(map(str, action.choices or ()))
    named = all(str(choice) in said for choice in action.choices or ())
    return said if named else f"{said} ({choices})".strip()


def cell(text: str) -> str:
    """Make text fit into a cell of a table: `--name` and <tag> are no Markdown there."""
    return heading(escaped(text)) if text else ""


def escaped(text: str) -> str:
    """Write a text whose signs are no Markdown of a table; a word that is typed stays as it is."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def parser_of(name: str) -> argparse.ArgumentParser:
    """Give the parser of a command."""
    whole = command_parser([name])
    (below,) = (one for one in whole._actions if isinstance(one, argparse._SubParsersAction))
    parser = below.choices[name]
    assert isinstance(parser, argparse.ArgumentParser)
    return parser


def shared_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Give the options that every command has."""
    groups = [one for one in parser._action_groups if one.title == SHARED]
    return [action for one in groups for action in one._group_actions]


def shared() -> list[argparse.Action]:
    """Give the options that every command has, from any of them."""
    return shared_of(parser_of("init"))


def settings() -> str:
    """List the variables that the program reads."""
    lines = [NOTE + "# Settings", "", *SETTINGS.splitlines(), ""]
    lines += ["| variable | what it sets | may stand in a vault's `.env` |", "|---|---|---|"]
    for name, about in VARIABLES.items():
        lines.append(f"| `{name}` | {cell(about)} | {'yes' if name in OF_A_VAULT else ''} |")
    return "\n".join([*lines, ""])


SETTINGS = """Settings come from the options of a command, then the environment, then your own file
`.env` in `~/.config/memoria/` (Linux; on macOS `~/Library/Application Support/memoria/`, on
Windows `%LOCALAPPDATA%\\memoria\\`), then the defaults.

To keep every session on this machine, whatever login there is:

    echo MEMORIA_ENGINE=offline >> ~/.config/memoria/.env

`memoria doctor` and `memoria status` name a misspelt `MEMORIA_...` there.

A file `.env` in the vault sets only the variables marked below. What else stands there is ignored,
and `memoria doctor` names it: a vault may have been written by others, so it sets no login, model,
proxy or folder. Once git has that file, anybody who can push can write it, so then it does not set
`MEMORIA_CALLS_PER_HOUR`. What it excludes stays excluded, and `memoria
import` and `memoria doctor` say how many sessions that are and by which line. Hooks take vault and
state folder from their own installed line and not from the environment."""


def tree() -> str:
    """Draw the files of the repository, each with the first sentence that it says of itself."""
    rows = [
        ("pyproject.toml", "what is installed, and how the tools are set"),
        ("README.md AGENTS.md", "the first page; what a vault's AGENTS.md says"),
        ("docs/", "the documentation; site/ builds it and writes the generated pages"),
        (".claude/settings.json", "the hooks of this clone; they act once it is a vault"),
        (".claude-plugin/", "the plugin of Claude Code; the repository's root is the plugin's"),
        ("hooks/", "the programs that those hooks start, five lines each"),
        ("scripts/", "a script for each command, and:"),
        *((f"  {name}", text) for name, text in described(ROOT / "scripts") if is_main(name)),
        ("  memoria/", "the package"),
        *((f"    {name}", text) for name, text in described(PACKAGE)),
        *((f"    {name}/", text) for name, text in rooms()),
        ("    prompts/", "what a model is asked, one file each"),
        ("    samples/", "sample sessions, written for this project"),
        ("daily/ knowledge/", "empty in a clone until it is made a vault"),
        ("tests/", "mirror the rooms; contract/ has every interface, e2e/ a real Claude Code"),
        ("bench/", "speeds as ratios in one run; RESULTS.md has the figures"),
    ]
    return "\n".join(cut(f"{name:<25} {text}".rstrip()) for name, text in rows)


def is_main(name: str) -> bool:
    """Whether a script is more than a door to its verb."""
    return name in {"demo.py", "start.py", "check.py", "bootstrap.py"}


def described(folder: Path) -> list[tuple[str, str]]:
    """Give the modules of a folder, each with the first sentence of its docstring."""
    paths = [path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]
    return [(path.name, re.split(r"(?<=\w)[:.;](?:\s|$)", summary(path))[0]) for path in paths]


def rooms() -> Iterator[tuple[str, str]]:
    """Give the rooms of the package, each with the first sentence of its map."""
    for path in sorted(PACKAGE.glob("*/__init__.py")):
        yield path.parent.name, summary(path).removesuffix(".")


def summary(path: Path) -> str:
    """Give the first paragraph of a module's docstring in one line."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def cut(line: str) -> str:
    """Shorten a line to the width of the drawing."""
    return line if len(line) <= WIDTH else line[: WIDTH - 2].rsplit(" ", 1)[0] + " …"
