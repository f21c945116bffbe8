"""Resolve a link to the file that Obsidian would open.

A path is taken from the vault's root or as the end of a path, a name alone finds its only note,
case and the kind of space do not matter, `.md` may be left out, and an alias finds its note.
"""

from __future__ import annotations

import posixpath
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NOTE = ".md"


def folded(name: str) -> str:
    """Reduce a name to what Obsidian compares: composed characters, plain spaces, no case."""
    name = unicodedata.normalize("NFC", name) if not name.isascii() else name
    return name.replace("\u00a0", " ").replace("\u202f", " ").strip().lower()


class FileNames:
    """What the files of a vault can be called; made once, asked in constant time.

    `paths` are all files, relative to the vault with "/"; `aliases` gives those of a note by its
    path.
    """

    def __init__(
        self, paths: Iterable[str], aliases: Mapping[str, Iterable[str]] | None = None
    ) -> None:
        self._whole: dict[str, str] = {}
        self._ends: dict[str, list[str]] = {}
        self._aliases: dict[str, list[str]] = {}
        self._resolved: dict[tuple[str, str], tuple[str, ...]] = {}
        for path in sorted(paths):
            self._add(path)
        for path, names in (aliases or {}).items():
            for name in {folded(name) for name in names}:
                self._aliases.setdefault(name, []).append(path)

    def _add(self, path: str) -> None:
        parts = folded(path).split("/")
        self._whole.setdefault("/".join(parts), path)
        for at in range(len(parts)):
            self._ends.setdefault("/".join(parts[at:]), []).append(path)

    def resolve(self, target: str, source: str) -> tuple[str, ...]:
        """Give the files that a target may mean in the note `source`, the one it opens first.

        More than one where a name is not unique; () for a broken link.
        """
        if not target:
            return (source,)
        key = (target, posixpath.dirname(source))
        if key not in self._resolved:
            self._resolved[key] = self._resolve(folded(target), key[1])
        return self._resolved[key]

    def named(self, target: str) -> tuple[str, ...]:
        """Give the notes that have a target's last name, in whatever folder."""
        name = folded(target).rsplit("/", 1)[-1].removesuffix(NOTE)
        return tuple(self._ends.get(name + NOTE, ()))

    def _resolve(self, target: str, folder: str) -> tuple[str, ...]:
        names = (target, target + NOTE)
        whole: tuple[str, ...] = names
        if beside := target.startswith(("./", "../")):
            paths = (posixpath.join(folder, name) for name in names)
            whole = tuple(folded(posixpath.normpath(path)) for path in paths)
        elif target.startswith("/"):
            whole = tuple(name[1:] for name in names)
        for name in whole:
            if name in self._whole:
                return (self._whole[name],)
        if beside or target.startswith("/"):
            return ()
        for name in names:
            if name in self._ends:
                return tuple(sorted(self._ends[name], key=lambda path: _near(path, folder)))
        return tuple(self._aliases.get(target, ()))


def _near(path: str, folder: str) -> tuple[bool, int, str]:
    return (posixpath.dirname(path) != folder, path.count("/"), path)
