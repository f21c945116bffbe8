"""Resolve all links of a vault once as Obsidian would, and check them."""

from __future__ import annotations

import posixpath
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.compile.apply import MAX_BACKLINKS
from memoria.lint.finding import Finding, Severity
from memoria.lint.note import KNOWLEDGE, RELATED, inner

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.lint.note import Note
    from memoria.vault.schema import Schema

_NAMED = 5  # articles that a message names
# a rule is found by being injected, a project's page from HOME.md, an answer by its question
_NO_ORPHANS = frozenset({"rule", "project", "qa"})


@dataclass(frozen=True, slots=True)
class Graph:
    """What links where among the notes of a vault.

    `out` and `into` hold articles alone, by path; a link to itself counts for nothing. `dead` are
    links into nothing, as (path, target, line), each target of a note once.
    """

    notes: Mapping[str, Note]
    out: Mapping[str, frozenset[str]]
    into: Mapping[str, tuple[str, ...]]
    dead: tuple[tuple[str, str, int], ...]


def link_graph(notes: Sequence[Note], names: FileNames) -> Graph:
    """Resolve all links."""
    out: dict[str, frozenset[str]] = {}
    into: dict[str, list[str]] = {}
    dead: list[tuple[str, str, int]] = []
    for note in notes:
        paths = [names.resolve(target, note.path) for target, _ in note.links]
        lost = zip(note.links, paths, strict=True)
        dead += [(note.path, target, line) for (target, line), path in lost if not path]
        if note.kind:
            out[note.path] = frozenset(paths) - {note.path, ""}
            for path in sorted(out[note.path]):
                into.setdefault(path, []).append(note.path)
    known = {note.path: note for note in notes}
    return Graph(known, out, {path: tuple(of) for path, of in into.items()}, tuple(dead))


def check_links(graph: Graph, schema: Schema) -> Iterator[Finding]:
    """Check the links."""
    for path, target, line in graph.dead:
        # a person's log may link to what is still to be written
        severity: Severity = "error" if path.startswith(KNOWLEDGE) else "warning"
        yield Finding("broken-links", severity, path, line, f"{target} does not exist")
    for note in graph.notes.values():
        if note.row and note.kind not in _NO_ORPHANS and note.path not in graph.into:
            yield Finding("orphan-pages", "warning", note.path, 1, "no other article links to it")
    for path, lacking in missing_backlinks(graph, schema).items():
        shown = ", ".join(inner(path) for path in lacking[:_NAMED])
        more = f" and {len(lacking) - _NAMED} more" if len(lacking) > _NAMED else ""
        message = f"no link back to {shown}{more}"
        yield Finding("missing-backlinks", "suggestion", path, 1, message)


def missing_backlinks(graph: Graph, schema: Schema) -> dict[str, tuple[str, ...]]:
    """Give, by article, the articles that link to it without a link back."""
    lacking = {}
    for path, of in sorted(graph.into.items()):
        note = graph.notes.get(path)
        kind = schema.kind(note.kind) if note else None
        # a rule or a filed answer has no place for links, a file that cannot be read none either,
        # and a project's page names its topics by itself
        if note is None or kind is None or RELATED not in kind.sections or not note.row:
            continue
        if note.kind == "project" or note.related >= MAX_BACKLINKS:
            continue
        missing = tuple(
            source
            for source in of
            # a project's page lists all topics and is no topic itself
            if source not in graph.out[path] and graph.notes[source].kind != "project"
        )
        if missing:
            lacking[path] = missing
    return lacking


# -- Targets ---------------------------------------------------------------------------------------


def _folded(name: str) -> str:
    """Reduce a name to what Obsidian compares: composed characters, plain spaces, no case."""
    name = unicodedata.normalize("NFC", name) if not name.isascii() else name
    return name.replace("\u00a0", " ").replace("\u202f", " ").strip().lower()


class FileNames:
    """What the files of a vault can be called; made once, asked in constant time.

    `paths` are all files, relative to the vault with "/".
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._ends: dict[str, list[str]] = {}
        self._resolved: dict[tuple[str, str], str] = {}
        for path in sorted(paths):
            parts = _folded(path).split("/")
            for at in range(len(parts)):
                self._ends.setdefault("/".join(parts[at:]), []).append(path)

    def resolve(self, target: str, source: str) -> str:
        """Give the file that a target opens in the note `source`; "" for a broken link."""
        if not target:
            return source
        key = (target, posixpath.dirname(source))
        if key not in self._resolved:
            self._resolved[key] = self._resolve(_folded(target), key[1])
        return self._resolved[key]

    def _resolve(self, target: str, folder: str) -> str:
        is_whole = target.startswith(("./", "../", "/"))
        if target.startswith("."):
            target = _folded(posixpath.normpath(posixpath.join(folder, target)))
        names = [name.removeprefix("/") for name in (target, f"{target}.md")]
        paths = [path for name in names for path in self._ends.get(name, ())]
        whole = [path for path in paths if _folded(path) in names]
        if is_whole or whole:
            return next(iter(whole), "")
        # of several the nearest
        near = sorted(paths, key=lambda path: (path.count("/"), path))
        return min(near, key=lambda path: posixpath.dirname(path) != folder, default="")
