"""The names of files -> those that a sync client made of another one, and those it keeps elsewhere.

Such a copy is another state of a note, from another machine: read as a note of its own it would
bring back what was mended or taken back, and count twice. So it is told of and not read. The trap:
"Plan 2.md" is such a copy only beside a "Plan.md".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Dropbox and Nextcloud, Syncthing, and what file managers name a second file
_COPY = re.compile(
    r"(?P<of>.+?)(?: \([^()/]*conflicted copy[^()/]*\)| conflicted copy[^/]*|\.sync-conflict-[^/]*)"
    r"(?P<end>\.md)",
    re.IGNORECASE,
)
_SECOND = re.compile(r"(?P<of>.+?)(?: [2-9]| \([1-9]\))(?P<end>\.md)")


def copies(paths: Iterable[str]) -> dict[str, str]:
    """Find the copies that a sync client made among the notes: copy -> what it is a copy of."""
    known = set(paths)
    found = {}
    # hardly any name has either, and there are ten thousand
    for path in sorted(one for one in known if " " in one or ".sync" in one.lower()):
        copy = _COPY.fullmatch(path)
        second = _SECOND.fullmatch(path)
        if copy:
            found[path] = copy["of"].rstrip() + copy["end"]
        elif second and second["of"] + second["end"] in known:
            found[path] = second["of"] + second["end"]
    return found


def is_placeholder(name: str) -> bool:
    """Whether iCloud keeps the content of a file elsewhere: `.plan.md.icloud` stands for it."""
    return name.startswith(".") and name.endswith(".icloud")
