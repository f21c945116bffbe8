"""Find the rules that the client's own CLAUDE.md files say already: they are not told again.

Lines are compared by their words: case, bullets and marks do not count. The trap: a file may be
large or no text at all, and this runs at every start, so only its beginning is read.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NAMES = ("CLAUDE.md", "CLAUDE.local.md", os.path.join(".claude", "CLAUDE.md"))
# a file that people keep for the client has some KB; more than this is not read
_MOST_BYTES = 64 * 1024
# folders between a project's root and the one that a session starts in
_DEEPEST = 12
_MARKS = {ord(mark): " " for mark in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"}


def folders(projects: str, cwd: str) -> list[str]:
    """Name the folders whose CLAUDE.md the client reads for a session in that folder.

    `projects` is the folder of its transcripts, which lies beside the person's own CLAUDE.md.
    """
    found = [os.path.dirname(projects)] if projects else []
    folder = cwd
    for _ in range(_DEEPEST if cwd else 0):
        found.append(folder)
        above = os.path.dirname(folder)
        if above == folder or os.path.exists(os.path.join(folder, ".git")):
            break
        folder = above
    return found


def told(places: Iterable[str], rules: Mapping[str, str]) -> list[str]:
    """Name those of the rules (id to words) that a line of such a file says."""
    said: set[str] = set()
    for folder in places if rules else ():
        for name in _NAMES:
            said.update(_lines(os.path.join(folder, name)))
    return [name for name, text in rules.items() if said and _words(text) in said]


def _lines(path: str) -> Iterable[str]:
    try:
        with open(path, "rb") as file:
            text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ()
    return filter(None, map(_words, text.splitlines()))


def _words(line: str) -> str:
    return " ".join(line.translate(_MARKS).casefold().split())
