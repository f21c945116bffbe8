"""AGENTS.md -> Schema: the region for the compile prompt, and the kinds of article it declares.

The kinds are a table in a Markdown file and not code, so that a person adds people/ or tools/ by
writing a row. Only the marked region is read: the rest of AGENTS.md speaks to people. The trap: the
file is the person's to edit, so a row that cannot be read is refused with its line, not guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoria.errors import VaultError

BEGIN, END = "<!-- schema:begin -->", "<!-- schema:end -->"
_NAME = re.compile(r"^[a-z][a-z0-9-]{0,30}$")
_COLUMNS = 5
# these sections are made by code out of the patch and the other articles
GENERATED = ("Related Concepts", "Sources", "Sources Consulted")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of article: its folder under knowledge/, required frontmatter keys and sections.

    `proposed` says whether a compile may propose one (rules and filed answers have ways of their
    own).
    """

    name: str
    folder: str
    keys: tuple[str, ...]
    sections: tuple[str, ...]
    proposed: bool

    def path(self, slug: str) -> str:
        """Build the path of an article of this kind, relative to knowledge/, without ending."""
        return f"{self.folder}/{slug}"


@dataclass(frozen=True, slots=True)
class Schema:
    """What an engine is told about the vault (`region`) and what its answers are checked by."""

    region: str
    kinds: tuple[Kind, ...]

    def kind(self, name: str) -> Kind | None:
        """Find a kind by its name."""
        return next((kind for kind in self.kinds if kind.name == name), None)

    def kind_of(self, path: str) -> Kind | None:
        """Find the kind whose folder a path like "concepts/x" lies in."""
        folder = path.split("/", 1)[0]
        return next((kind for kind in self.kinds if kind.folder == folder), None)


def schema(agents: str) -> Schema:
    """Read the schema region of AGENTS.md; VaultError says what is wrong with it and where."""
    start, end = agents.find(BEGIN), agents.find(END)
    if start < 0 or end < start:
        raise VaultError(f"AGENTS.md has no region between {BEGIN} and {END}; restore it from git")
    region = agents[start + len(BEGIN) : end].strip()
    kinds = tuple(_kind(line) for line in region.splitlines() if _is_row(line))
    _check(kinds)
    return Schema(region, kinds)


def _is_row(line: str) -> bool:
    cells = _cells(line)
    return len(cells) == _COLUMNS and cells[1].endswith("/`")


def _cells(line: str) -> list[str]:
    if not line.strip().startswith("|"):
        return []
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _kind(line: str) -> Kind:
    name, folder, keys, sections, source = (cell.replace("`", "") for cell in _cells(line))
    folder = folder.rstrip("/")
    if not _NAME.match(name) or not _NAME.match(folder):
        raise VaultError(
            f"AGENTS.md: kind {name!r} with folder {folder!r}: use lower-case letters, digits and -"
        )
    return Kind(name, folder, _names(keys), _names(sections), proposed=source == "compile")


def _names(cell: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in re.split(r"[;,]", cell) if name.strip())


def _check(kinds: tuple[Kind, ...]) -> None:
    folders = [kind.folder for kind in kinds]
    doubled = {name for name in folders if folders.count(name) > 1}
    if doubled:
        raise VaultError(f"AGENTS.md declares the folder {min(doubled)}/ twice")
    missing = {"concept", "connection", "qa", "rule"} - {kind.name for kind in kinds}
    if missing:
        raise VaultError(f"AGENTS.md does not declare the kind {min(missing)!r}")
