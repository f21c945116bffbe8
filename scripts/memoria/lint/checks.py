"""Run all checks that need no model over a snapshot of a vault, and say what code can fix.

All of it is linear in the size of the vault: no check compares each article with each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from memoria.lint.finding import Finding, ordered
from memoria.lint.index_rows import INDEX, check_index, edited_summaries
from memoria.lint.link_graph import check_links, link_graph, missing_backlinks
from memoria.lint.link_targets import FileNames, folded
from memoria.lint.note import KNOWLEDGE, inner
from memoria.lint.sources import check_sources
from memoria.text.near_duplicates import alike
from memoria.text.numbers import counted
from memoria.vault.storage.sync_services import copies

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memoria.lint.note import Note
    from memoria.lint.sources import Source
    from memoria.vault.schema import Schema

# the seed's: an article with less prose may have more to say
SPARSE = 200
# made by code, and no articles
DERIVED = frozenset({INDEX, "knowledge/log.md"})


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A vault as it was read: everything that a check may look at.

    `files` are all its files, relative to it; `notes` those under daily/ and knowledge/ that could
    be read, in order of their paths; `faults` tell of the others. `index` is the text of index.md,
    None for none. `untouched` are articles (as links have them) that nobody changed since Memoria
    wrote them, if the index was changed since; else none.
    """

    files: tuple[str, ...]
    notes: tuple[Note, ...]
    sources: tuple[Source, ...]
    schema: Schema
    index: str | None = None
    faults: tuple[Finding, ...] = ()
    untouched: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Repairs:
    """What code can mend safely; paths are as links have them.

    `backlinks` gives, by article, those that it lacks a link to; `moved`, by article, the new
    target of an old one; `summaries` what a person wrote into the index; `index` says whether that
    has to be derived anew.
    """

    backlinks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    moved: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    summaries: Mapping[str, str] = field(default_factory=dict)
    index: bool = False


class Result(NamedTuple):
    """The findings, errors first, and what of them can be mended."""

    findings: tuple[Finding, ...]
    repairs: Repairs


def lint(snapshot: Snapshot) -> Result:
    """Run all checks that need no model."""
    notes = snapshot.notes
    copied = copies(path for path in snapshot.files if path.endswith(".md"))
    ignored = frozenset(copied)
    own = [note for note in notes if note.path not in ignored]
    names = FileNames(snapshot.files, {note.path: note.aliases for note in own if note.aliases})
    graph = link_graph(own, names)
    indexed = tuple(check_index(snapshot.index, notes, frozenset(snapshot.files)))
    findings = [
        *snapshot.faults,
        *(finding for note in own for finding in note.findings()),
        *check_links(graph, snapshot.schema, ignored),
        *check_sources(snapshot.sources, notes, names, ignored),
        *_check_copies(copied),
        *_check_names([note for note in own if note.kind]),
        *_check_likeness([note for note in own if note.kind not in {"", "rule"}]),
        *indexed,
        *_check_strays(snapshot, ignored),
        *_check_length(own),
    ]
    moved: dict[str, dict[str, str]] = {}
    for dead in graph.dead:
        if dead.moved:
            moved.setdefault(inner(dead.path), {})[dead.target] = dead.moved
    lacking = missing_backlinks(graph, snapshot.schema, ignored)
    backlinks = {inner(path): tuple(map(inner, of)) for path, of in lacking.items()}
    summaries = edited_summaries(snapshot.index, own, snapshot.untouched)
    return Result(ordered(findings), Repairs(backlinks, moved, summaries, bool(indexed)))


def _check_length(notes: list[Note]) -> Iterator[Finding]:
    for note in notes:
        # a rule is one sentence; an extract is as long as what was found
        judged = note.row and note.kind != "rule" and not note.extracted
        if judged and note.words < SPARSE:
            message = f"{note.words} words; an article of prose below {SPARSE} may have more to say"
            yield Finding("sparse-articles", "suggestion", note.path, 1, message)


def _check_strays(snapshot: Snapshot, ignored: frozenset[str]) -> Iterator[Finding]:
    """Tell of the folders with notes that no kind of the schema has, once each."""
    strays: dict[str, list[str]] = {}
    for note in snapshot.notes:
        path = note.path
        if path.startswith(KNOWLEDGE) and not note.kind and path not in DERIVED | ignored:
            strays.setdefault(path.rpartition("/")[0], []).append(path)
    for folder, paths in strays.items():
        what = counted(len(paths), "note")
        message = f"{what} in {folder}/, which is no kind's folder: no index or search has them"
        yield Finding("stray-notes", "suggestion", paths[0], 1, message)


def _check_copies(copied: Mapping[str, str]) -> Iterator[Finding]:
    for path, original in copied.items():
        message = f"a sync client's copy of {original}: merge them by hand and delete it"
        yield Finding("sync-conflicts", "warning", path, 1, message)


def _check_names(notes: Sequence[Note]) -> Iterator[Finding]:
    """Tell of a title or alias at all notes but the first that has it; titles come before."""
    owners: dict[str, str] = {}
    for note in notes:
        owners.setdefault(folded(note.title), note.path)
    for note in notes:
        reported = {note.path}
        for name in dict.fromkeys(map(folded, (note.title, *note.aliases))):
            owner = owners.setdefault(name, note.path)
            if owner not in reported:
                reported.add(owner)
                what = "the title" if name == folded(note.title) else "the alias"
                message = f"{what} {name!r} is also a name of {inner(owner)}"
                yield Finding("duplicate-names", "warning", note.path, 1, message)


def _check_likeness(notes: Sequence[Note]) -> Iterator[Finding]:
    drawn = [note for note in notes if note.sketch]
    reported: set[int] = set()
    for pair in alike([note.sketch for note in drawn]):
        if pair.other not in reported:
            reported.add(pair.other)
            first, second = drawn[pair.one], drawn[pair.other]
            message = f"about {pair.share:.0%} the same as {inner(first.path)}: merge them"
            yield Finding("near-duplicates", "warning", second.path, 1, message)
