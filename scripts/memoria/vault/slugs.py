"""Make a file's name of a title: lower-case ASCII words and hyphens, which hold on every disk."""

from __future__ import annotations

import re
import unicodedata
from itertools import count
from typing import TYPE_CHECKING

from memoria.vault.schema import RESERVED

if TYPE_CHECKING:
    from collections.abc import Iterator

# one path component, legal on every file system, with no way out of its folder
SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?\Z")
# characters: room for a number behind it, and for two in the name of a connection
LONGEST = 60


def slug(title: str) -> str:
    """Make a file name of a title, cut at a word's end; "" where it has no word in ASCII."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    short = ""
    for word in re.findall(r"[a-z0-9]+", plain.lower().replace("'", "")):
        longer = f"{short}-{word}".strip("-")
        if len(longer) > LONGEST:
            break
        short = longer
    return "" if short in RESERVED else short


def numbered(name: str) -> Iterator[str]:
    """Yield the name, then the name with 2, 3, ... behind it: the first that is free is taken."""
    yield name
    yield from (f"{name}-{number}" for number in count(2))
