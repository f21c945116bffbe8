"""Resolve all links of a vault once as Obsidian would, and check them.

In a wiki of hubs nearly every link lacks its counterpart: one finding an article names them, and a
hub that has as many links back as Memoria writes is left in peace.
"""

from __future__ import annotations

import posixpath
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memoria.compile.apply import MAX_BACKLINKS
from memoria.lint.finding import Finding, Severity
from memoria.lint.note import KNOWLEDGE, RELATED, inner

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.lint.note import Note
    from memoria.vault.schema import Schema

_NAMED = 5  # articles that a message names


class DeadLink(NamedTuple):
    """A link that leads nowhere: the note it stands in, its target, line, and where that moved.

    `moved` is the path of the only note of that name ("" for none), as links have it.
    """

    path: str
    target: str
    line: int
    moved: str


@dataclass(frozen=True, slots=True)
class Graph:
    """What links where among the notes of a vault.

    `out` and `into` hold articles alone, by path; a link to itself counts for nothing. `dead` are
    links into nothing, each target of a note once.
    """

    notes: Mapping[str, Note]
    names: FileNames
    out: Mapping[str, frozenset[str]]
    into: Mapping[str, tuple[str, ...]]
    dead: tuple[DeadLink, ...]


def link_graph(notes: Sequence[Note], names: FileNames) -> Graph:
    """Resolve all links."""
    out: dict[str, frozenset[str]] = {}
    into: dict[str, list[str]] = {}
    dead: list[DeadLink] = []
    for note in notes:
        targets = [link.target for link in note.links] + [name for name, _ in note.named]
        reached = {path for target in targets for path in names.resolve(target, note.path)[:1]}
        lost = list(_dead(note, names))
        dead += lost
        # where a link is about to lead is where it leads, for all but the person who follows it
        reached |= {f"{KNOWLEDGE}{link.moved}{NOTE}" for link in lost if link.moved}
        if note.kind:
            out[note.path] = frozenset(reached) - {note.path}
            for path in sorted(out[note.path]):
                into.setdefault(path, []).append(note.path)
    known = {note.path: note for note in notes}
    return Graph(known, names, out, {path: tuple(of) for path, of in into.items()}, tuple(dead))


def _dead(note: Note, names: FileNames) -> Iterator[DeadLink]:
    places = [(link.target, link.place) for link in note.links]
    lines: dict[str, int] = {}
    for target, line in (*places, *note.named):
        if target not in lines and not names.resolve(target, note.path):
            lines[target] = line
    plain = {link.target for link in note.links if not link.wiki}
    for target, line in lines.items():
        # what is mended is a wikilink of an article that can be read
        mends = bool(note.row) and target not in plain
        yield DeadLink(note.path, target, line, _moved(target, names) if mends else "")


def _moved(target: str, names: FileNames) -> str:
    name = target.rsplit("/", 1)[-1]
    # an attachment has an ending of its own
    is_note = name.endswith(NOTE) or "." not in name
    namesakes = [path for path in names.named(target) if path.startswith(KNOWLEDGE)]
    return inner(namesakes[0]) if len(namesakes) == 1 and is_note else ""


def check_links(graph: Graph, schema: Schema, ignored: frozenset[str]) -> Iterator[Finding]:
    """Check the links; `ignored` are copies of notes, which are reported of as such."""
    for link in graph.dead:
        hint = f"; {link.moved} is its only namesake, `--fix` fixes it" if link.moved else ""
        # a person's log may link to what is still to be written
        severity: Severity = "error" if link.path.startswith(KNOWLEDGE) else "warning"
        message = f"{link.target} does not exist{hint}"
        yield Finding("broken-links", severity, link.path, link.line, message)
    for note in graph.notes.values():
        if note.path not in ignored:
            yield from _blockless(note, graph)
            # a rule is found by being injected, a project's page from HOME.md, an answer by its
            # question
            others = {"rule", "project", "qa"}
            if note.row and note.kind not in others and note.path not in graph.into:
                message = "no other article links to it"
                yield Finding("orphan-pages", "warning", note.path, 1, message)
    for path, lacking in missing_backlinks(graph, schema, ignored).items():
        shown = ", ".join(inner(path) for path in lacking[:_NAMED])
        more = f" and {len(lacking) - _NAMED} more" if len(lacking) > _NAMED else ""
        message = f"no link back to {shown}{more}"
        yield Finding("missing-backlinks", "suggestion", path, 1, message)


def _blockless(note: Note, graph: Graph) -> Iterator[Finding]:
    """Report links to blocks whose ids their targets have not, in whatever case."""
    for link in note.links:
        if link.heading.startswith("^"):
            paths = graph.names.resolve(link.target, note.path)[:1]
            target = graph.notes.get(paths[0]) if paths else None
            if target and link.heading[1:].lower() not in target.blocks:
                message = f"{link.target or 'this note'} has no block {link.heading}"
                yield Finding("missing-blocks", "warning", note.path, link.place, message)


def missing_backlinks(
    graph: Graph, schema: Schema, ignored: frozenset[str] = frozenset()
) -> dict[str, tuple[str, ...]]:
    """Give, by article, the articles that link to it without a link back."""
    lacking = {}
    for path, of in sorted(graph.into.items()):
        note = graph.notes.get(path)
        kind = schema.kind(note.kind) if note else None
        # a rule or a filed answer has no place for links, a file that cannot be read none either,
        # and a project's page names its topics by itself
        if note is None or kind is None or RELATED not in kind.sections or not note.row:
            continue
        if note.kind == "project" or note.related >= MAX_BACKLINKS or path in ignored:
            continue
        missing = tuple(
            source
            for source in of
            if source not in graph.out[path]
            and source not in ignored
            # it lists all topics of the project and is no topic itself
            and graph.notes[source].kind != "project"
        )
        if missing:
            lacking[path] = missing
    return lacking


# -- Targets ---------------------------------------------------------------------------------------


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
