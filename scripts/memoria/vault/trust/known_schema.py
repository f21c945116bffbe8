"""Say which lines of the schema region of AGENTS.md this machine knows.

The region stands in the prompt of a compile as instructions, so a pull must not write there. Known
are the lines of the package's own AGENTS.md, of what Memoria wrote into this vault last, and those
that the person adopted with `memoria trust`. The trap: a line's key is made of all its text, and of
nothing that a log could say, or a known report would become an instruction.
"""

import hashlib
from collections.abc import Container, Iterable

# the file that holds the region, relative to the vault
NAME = "AGENTS.md"


def schema_key(line: str) -> str:
    """Hash a line of the schema region."""
    return hashlib.sha256(f"schema {line.strip()}".encode("utf-8", "replace")).hexdigest()[:16]


def find_unknown_lines(region: str, known: Iterable[str], keys: Container[str]) -> tuple[str, ...]:
    """Give the lines of a region that stand in none of the known texts and were not adopted."""
    ours = {line.strip() for text in known for line in text.splitlines()}
    others = [line.strip() for line in region.splitlines() if line.strip() not in {*ours, ""}]
    return tuple(line for line in others if schema_key(line) not in keys)
