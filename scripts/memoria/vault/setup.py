"""Know the files that a vault begins with, what they said as written, and the vault's format.

A copy of each text that Memoria wrote stays in the state, so that an update tells what a person
changed. The format stands in .gitattributes, too, which travels with the vault.
"""

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from memoria.errors import VaultError
from memoria.vault import package_files
from memoria.vault.storage import disk
from memoria.vault.storage.state import State, encode_json

# Raised when an older Memoria would misread or spoil what this one writes into a vault.
FORMAT = 1
TEMPLATE = "daily/_TEMPLATE.md"
# those of them that lie beside daily/ and knowledge/
BESIDE = ("AGENTS.md", ".gitignore", ".gitattributes")
GITIGNORE = """# Settings of this machine, and what is made anew.
/.env
/reports/
/HOME.md
"""
# Logs are appended to on every machine: where two have, both sides are kept. Git on Windows gives
# files other line ends as it checks them out: notes by whose hash Memoria knows its own would be
# taken for a person's.
GITATTRIBUTES = f"""# Memoria vault, format {FORMAT}
*.md -text
daily/*.md merge=union
knowledge/log.md merge=union
"""
# of the repository; .venv is what its first command installs
_PROGRAM_FOLDERS = frozenset({".venv", "bench", "docs", "hooks", "scripts", "tests"})
_FORMAT_LINE = re.compile(r"^# Memoria vault, format ([0-9]{1,6})[ \t]*$", re.MULTILINE)


def build_files(root: Path) -> dict[str, str]:
    """Give the files of a new vault, by their path in it; none for a clone."""
    if is_clone(root):
        return {}
    return {
        "AGENTS.md": package_files.read_agents_file(),
        ".gitignore": GITIGNORE,
        ".gitattributes": GITATTRIBUTES,
        TEMPLATE: package_files.read_text("templates/_TEMPLATE.md"),
    }


def is_clone(root: Path) -> bool:
    """Whether the vault is the repository that this package lies in."""
    return root.resolve() == package_files.PACKAGE.parents[1]


def list_program_folders(root: Path) -> frozenset[str]:
    """Give the folders at the top of a clone that are the program's and no part of the vault."""
    return _PROGRAM_FOLDERS if is_clone(root) else frozenset()


def check_format(root: Path, state: State) -> None:
    """Refuse a vault that a newer Memoria has written: VaultError says what to do."""
    state_format = _read_mark(state).get("format")
    newest = max(_read_format(root), state_format if isinstance(state_format, int) else 0)
    if newest > FORMAT:
        raise VaultError(
            f"{root} was written by a newer Memoria (format {newest}, this one knows {FORMAT}): "
            "install that version; nothing was changed"
        )


def _read_format(root: Path) -> int:
    """Read the format from .gitattributes; a person's own file says nothing, whatever it is."""
    text = ""
    with suppress(VaultError):
        text, _ = disk.read_text(root / ".gitattributes")
    return max((int(number) for number in _FORMAT_LINE.findall(text)), default=0)


def _read_mark(state: State) -> dict[str, Any]:
    """Read how the vault was set up on this machine; {} where nothing says so."""
    with suppress(VaultError):  # no reason to stop: the next update writes it anew
        return state.read_json(state.root / "vault.json")
    return {}


def write_mark(state: State, *, demo: bool = False) -> None:
    """Note the vault's format; a demo vault stays one."""
    value = {"format": FORMAT, "demo": demo or is_demo(state)}
    disk.replace(state.root / "vault.json", encode_json(value))


def is_demo(state: State) -> bool:
    """Whether the vault was made by `memoria demo`: of samples, and none of the person's own."""
    return _read_mark(state).get("demo") is True


def read_copy(state: State, name: str) -> str | None:
    """Give the text of a file as Memoria wrote it last; None where that is not known."""
    data = disk.read(copy_path(state, name))
    return None if data is None else data.decode("utf-8", "replace")


def write_copy(state: State, name: str, text: str) -> None:
    """Keep the text of a file that was just written."""
    disk.replace(copy_path(state, name), text.encode())


def copy_path(state: State, name: str) -> Path:
    """Say where the text of a file is kept as Memoria wrote it last."""
    return state.root / "written" / name
