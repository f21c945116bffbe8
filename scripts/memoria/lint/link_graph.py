"""Resolve all links of a vault once, and check them.

Links are resolved as Obsidian would, and every check looks at the same edges; so the work grows
with the number of links and no note is read twice. In a wiki of hubs nearly every link lacks its
counterpart: one finding an article names them, and a hub that has as many links back as Memoria
writes is left in peace.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memoria.compile.apply import MAX_BACKLINKS
from memoria.lint.finding import Finding, Severity
from memoria.lint.link_targets import NOTE, FileNames
from memoria.lint.note import KNOWLEDGE, RELATED, inner

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memoria.lint.note import Note
    from memoria.text.outline import Link
    from memoria.vault.schema import Schema

_NAMED = 5  # articles that a message names
_SOUND = re.compile(r"[^\w]+")


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
    known = {note.path: note for note in notes}
    out: dict[str, frozenset[str]] = {}
    into: dict[str, list[str]] = {}
    dead: list[DeadLink] = []
    for note in notes:
        reached = {path for link in note.links for path in _reached(link, note, names)}
        reached |= {path for name, _ in note.named for path in names.resolve(name, note.path)[:1]}
        lost = list(_dead(note, names))
        dead += lost
        # where a link is about to lead is where it leads, for all but the person who follows it
        reached |= {f"{KNOWLEDGE}{link.moved}{NOTE}" for link in lost if link.moved}
        if note.kind:
            out[note.path] = frozenset(reached) - {note.path}
            for path in sorted(out[note.path]):
                into.setdefault(path, []).append(note.path)
    return Graph(known, names, out, {path: tuple(of) for path, of in into.items()}, tuple(dead))


def _reached(link: Link, note: Note, names: FileNames) -> tuple[str, ...]:
    return names.resolve(link.target, note.path)[:1]


def _dead(note: Note, names: FileNames) -> Iterator[DeadLink]:
    lines: dict[str, int] = {}
    plain: set[str] = set()
    for link in note.links:
        if link.target not in lines and not names.resolve(link.target, note.path):
            lines[link.target] = link.place
            plain |= set() if link.wiki else {link.target}
    for name, line in note.named:
        if not names.resolve(name, note.path):
            lines.setdefault(name, line)
    for target, line in lines.items():
        # what is mended is a wikilink of an article that can be read
        mends = bool(note.row) and target not in plain
        yield DeadLink(note.path, target, line, _moved(target, names) if mends else "")


def _moved(target: str, names: FileNames) -> str:
    namesakes = [path for path in names.named(target) if path.startswith(KNOWLEDGE)]
    return inner(namesakes[0]) if len(namesakes) == 1 and _is_note(target) else ""


def _is_note(target: str) -> bool:
    """Whether a target is a note's: an attachment has an ending of its own."""
    name = target.rsplit("/", 1)[-1]
    return name.endswith(NOTE) or "." not in name


def check_links(graph: Graph, schema: Schema, ignored: frozenset[str]) -> Iterator[Finding]:
    """Check the links; `ignored` are copies of notes, which are reported of as such."""
    yield from _broken(graph)
    for note in graph.notes.values():
        if note.path not in ignored:
            yield from _headless(note, graph)
            yield from _ambiguous(note, graph, ignored)
            yield from _orphaned(note, graph)
    for path, lacking in missing_backlinks(graph, schema, ignored).items():
        shown = ", ".join(inner(path) for path in lacking[:_NAMED])
        more = f" and {len(lacking) - _NAMED} more" if len(lacking) > _NAMED else ""
        message = f"no link back to {shown}{more}"
        yield Finding("missing-backlinks", "suggestion", path, 1, message)


def _broken(graph: Graph) -> Iterator[Finding]:
    for link in graph.dead:
        hint = f"; {link.moved} is its only namesake, `--fix` fixes it" if link.moved else ""
        # a person's log may link to what is still to be written
        severity: Severity = "error" if link.path.startswith(KNOWLEDGE) else "warning"
        message = f"{link.target} does not exist{hint}"
        yield Finding("broken-links", severity, link.path, link.line, message)


def _headless(note: Note, graph: Graph) -> Iterator[Finding]:
    reported: set[tuple[str, str]] = set()
    for link in note.links:
        if not link.heading or (link.target, link.heading) in reported:
            continue
        reported.add((link.target, link.heading))
        for path in _reached(link, note, graph.names):
            target = graph.notes.get(path)
            if target and link.heading.startswith("^"):
                yield from _blockless(note, link, target)
            elif target:
                yield from _of_heading(note, link, target)


def _of_heading(note: Note, link: Link, target: Note) -> Iterator[Finding]:
    wanted = _sound(link.heading.rsplit("#", 1)[-1])
    if wanted not in map(_sound, target.headings):
        message = f"{link.target or 'this note'} has no heading {link.heading!r}"
        yield Finding("missing-headings", "suggestion", note.path, link.place, message)


def _blockless(note: Note, link: Link, target: Note) -> Iterator[Finding]:
    """Report a link to a block whose id the target has not, in whatever case."""
    if link.heading[1:].lower() not in target.blocks:
        message = f"{link.target or 'this note'} has no block {link.heading}"
        yield Finding("missing-blocks", "warning", note.path, link.place, message)


def _sound(heading: str) -> str:
    """Reduce a heading to what Obsidian compares: no marks, no case."""
    return _SOUND.sub(" ", heading).strip().lower()


def _ambiguous(note: Note, graph: Graph, ignored: frozenset[str]) -> Iterator[Finding]:
    reported: set[str] = set()
    for link in note.links:
        paths = graph.names.resolve(link.target, note.path)
        if len(paths) > 1 and link.target not in reported:
            reported.add(link.target)
            meant = [inner(path) for path in paths if path not in ignored]
            if len(meant) > 1:
                message = f"{link.target} may mean {' or '.join(meant[:_NAMED])}"
                yield Finding("ambiguous-links", "suggestion", note.path, link.place, message)


def _orphaned(note: Note, graph: Graph) -> Iterator[Finding]:
    # a rule is found by being injected, a project's page from HOME.md, an answer by its question
    if note.row and note.kind not in {"rule", "project", "qa"} and note.path not in graph.into:
        yield Finding("orphan-pages", "warning", note.path, 1, "no other article links to it")


def missing_backlinks(
    graph: Graph, schema: Schema, ignored: frozenset[str] = frozenset()
) -> dict[str, tuple[str, ...]]:
    """Give, by article, the articles that link to it without a link back."""
    lacking = {}
    for path, of in sorted(graph.into.items()):
        note = graph.notes.get(path)
        kind = schema.kind(note.kind) if note else None
        # a rule or a filed answer has no place for links, a file that cannot be read none either
        if note is None or kind is None or RELATED not in kind.sections or not note.row:
            continue
        # a project's page names its topics by itself
        if note.kind == "project":
            continue
        if note.related >= MAX_BACKLINKS or path in ignored:
            continue
        missing = [
            source
            for source in of
            if source not in graph.out[path]
            and source not in ignored
            # it lists all topics of the project and is no topic itself
            and graph.notes[source].kind != "project"
        ]
        if missing:
            lacking[path] = tuple(missing)
    return lacking
