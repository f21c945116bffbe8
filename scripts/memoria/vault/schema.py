"""Read AGENTS.md: the region for the compile prompt, and the kinds of article it declares.

The kinds are a table, so that a person adds recipes/ by a row; a bad row is refused with its line.
The region stands in the prompt as instructions, so a pull must not write there. Known are the lines
of the package's own AGENTS.md, of what Memoria wrote into this vault last, and those that the
person adopted with `memoria trust`. The trap: a line's key is made of all its text, and of nothing
that a log could say, or a known report would become an instruction.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from memoria.errors import VaultError
from memoria.text.hashes import hash_text

# the file that holds the region, relative to the vault
SCHEMA_FILE = "AGENTS.md"
BEGIN, END = "<!-- schema:begin -->", "<!-- schema:end -->"
_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")
_KEY = re.compile(r"[A-Za-z_][\w-]*")
_COLUMNS = 5
_DIVIDER = re.compile(r":?-+:?")  # a cell below a table's head
# device names on Windows, in any folder: neither a folder nor a note may be called so
_PORTS = (f"{name}{number}" for name in ("com", "lpt") for number in range(10))
RESERVED = frozenset(["con", "prn", "aux", "nul", *_PORTS])
# these sections are made by code out of the patch and the other articles
GENERATED = ("Related Concepts", "Sources", "Sources Consulted")
# what no longer holds, with the day till when it did
BEFORE = "Before the Change"


class Kind(NamedTuple):
    """A kind of article and its folder; `proposed` says whether a compile may propose one."""

    name: str
    folder: str
    keys: tuple[str, ...]
    sections: tuple[str, ...]
    proposed: bool

    def path(self, slug: str) -> str:
        """Build the path of an article of this kind, relative to knowledge/, without ending."""
        return f"{self.folder}/{slug}"


class Schema(NamedTuple):
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


def parse_schema(agents: str) -> Schema:
    """Read the schema region of AGENTS.md; VaultError says what is wrong with it and where."""
    region = _extract_region(agents)
    kinds = tuple(_parse_kind(line) for line in _find_rows(region))
    _check_kinds(kinds)
    return Schema(region, kinds)


def _extract_region(agents: str) -> str:
    """Give what stands between the lines that are the marks, and not where text speaks of them."""
    lines = agents.splitlines()
    marks = [line.strip() for line in lines]
    start = marks.index(BEGIN) if BEGIN in marks else -1
    if start < 0 or END not in marks[start:]:
        raise VaultError(f"AGENTS.md has no region between {BEGIN} and {END}; restore it from git")
    return "\n".join(lines[start + 1 : marks.index(END, start)]).strip()


def _find_rows(region: str) -> Iterator[str]:
    """Yield the rows of the table of kinds, and others that look like one, below it say."""
    is_inside = False
    for line in region.splitlines():
        cells = _split_cells(line)
        is_header = [cell.casefold() for cell in cells[:2]] == ["kind", "folder"]
        is_inside = bool(cells) and (is_inside or is_header)
        is_divider = all(_DIVIDER.fullmatch(cell) for cell in cells)
        is_row = is_inside or (len(cells) == _COLUMNS and cells[1].endswith("/`"))
        if is_row and not is_header and not is_divider:
            yield line


def _split_cells(line: str) -> list[str]:
    if not line.strip().startswith("|"):
        return []
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _parse_kind(line: str) -> Kind:
    cells = [cell.replace("`", "") for cell in _split_cells(line)]
    if len(cells) != _COLUMNS:
        raise VaultError(f"AGENTS.md: {len(cells)} columns instead of {_COLUMNS}: {line.strip()}")
    name, folder = cells[0], cells[1].removesuffix("/")
    keys, sections = (
        tuple(part.strip() for part in re.split(r"[;,]", cell) if part.strip())
        for cell in cells[2:4]
    )
    for word in (name, folder):
        if not _NAME.fullmatch(word) or word in RESERVED:
            raise VaultError(
                f"AGENTS.md: kind {name!r} with folder {folder!r}: use lower-case letters, digits "
                "and -, and no device's name"
            )
    for key in keys:
        if not _KEY.fullmatch(key):
            raise VaultError(f"AGENTS.md: kind {name!r}: {key!r} is no name of a frontmatter key")
    return Kind(name, folder, keys, sections, cells[4].casefold() == "compile")


def _check_kinds(kinds: tuple[Kind, ...]) -> None:
    names = Counter(kind.name for kind in kinds)
    folders = Counter(kind.folder for kind in kinds)
    for word, count in (*names.items(), *((f"{name}/", n) for name, n in folders.items())):
        if count > 1:
            raise VaultError(f"AGENTS.md declares {word} twice")
    if missing := {"concept", "connection", "qa", "rule"} - names.keys():
        raise VaultError(f"AGENTS.md does not declare the kind {min(missing)!r}")


def schema_key(line: str) -> str:
    """Hash a line of the schema region."""
    return hash_text(f"schema {line.strip()}", 16)


def find_unknown_lines(region: str, texts: Iterable[str], keys: Container[str]) -> tuple[str, ...]:
    """Give the lines of a region that stand in none of the known texts and were not adopted."""
    known_lines = {line.strip() for text in texts for line in text.splitlines()}
    lines = [line.strip() for line in region.splitlines() if line.strip() not in {*known_lines, ""}]
    return tuple(line for line in lines if schema_key(line) not in keys)
