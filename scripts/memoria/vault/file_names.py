"""Make a file's name of a title, and know the names that sync programs give.

A sync program's copy is another machine's state of a note: read as a note it would bring back what
was taken back.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import count

from memoria.vault.schema import RESERVED

# "session-tokens": a path component, legal on every file system, with no way out of its folder
SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?\Z")
# characters: room for a number behind it, and for two in the name of a connection
MAX_SLUG_CHARS = 60
# of Dropbox and Nextcloud "plan (Ana's conflicted copy 2026-04-01).md", of Syncthing
# "plan.sync-conflict-20260401-101500-AB12CD3.md"
_CONFLICT_COPY = re.compile(
    r"(?P<of>.+?)(?: \([^()/]*conflicted copy[^()/]*\)| conflicted copy[^/]*|\.sync-conflict-[^/]*)"
    r"(?P<end>\.md)",
    re.IGNORECASE,
)
# what file managers name a second file: "plan 2.md", "plan (1).md"
_NUMBERED_COPY = re.compile(r"(?P<of>.+?)(?: [2-9]| \([1-9]\))(?P<end>\.md)")


def slugify(title: str) -> str:
    """Make a file name of a title, cut at a word's end; "" where it has no word in ASCII."""
    ascii_title = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    slug = ""
    for word in re.findall(r"[a-z0-9]+", ascii_title.lower().replace("'", "")):
        longer_slug = f"{slug}-{word}".strip("-")
        if len(longer_slug) > MAX_SLUG_CHARS:
            break
        slug = longer_slug
    return "" if slug in RESERVED else slug


def generate_numbered_names(name: str) -> Iterator[str]:
    """Yield the name, then the name with 2, 3, ... behind it: the first that is free is taken."""
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def find_sync_copies(paths: Iterable[str]) -> dict[str, str]:
    """Find the copies that a sync program made among the notes: copy -> what it is a copy of."""
    names = set(paths)
    originals = {}
    # hardly any name has either, and there are ten thousand
    for path in sorted(name for name in names if " " in name or ".sync" in name.lower()):
        copy, second = _CONFLICT_COPY.fullmatch(path), _NUMBERED_COPY.fullmatch(path)
        if copy:
            originals[path] = copy["of"].rstrip() + copy["end"]
        elif second and second["of"] + second["end"] in names:
            originals[path] = second["of"] + second["end"]
    return originals
