"""A snapshot of a vault -> all its flaws that need no model, and what code can mend of them.

The vault is read once, by the edge; every check looks at the same notes. All of it is linear in the
size of the vault: links are resolved through tables, duplicates found through hashes, and no check
compares each article with each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memoria.lint import duplicates as twin
from memoria.lint import index_rows as listing
from memoria.lint import link_graph as links
from memoria.lint import sources as provenance
from memoria.lint.finding import Flaw, ordered
from memoria.lint.link_targets import Names
from memoria.lint.note import KNOWLEDGE, inner

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memoria.lint.note import Note
    from memoria.lint.sources import Source
    from memoria.vault.schema import Schema

# the seed's: an article with less prose may have more to say
SPARSE = 200
# made by code, and no articles
DERIVED = frozenset({listing.INDEX, "knowledge/log.md"})


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
    faults: tuple[Flaw, ...] = ()
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


@dataclass(frozen=True, slots=True)
class Result:
    """The flaws, errors first, and what of them can be mended."""

    flaws: tuple[Flaw, ...]
    repairs: Repairs


def lint(snapshot: Snapshot) -> Result:
    """Run all checks that need no model."""
    notes = snapshot.notes
    copied = twin.copies(path for path in snapshot.files if path.endswith(".md"))
    ignored = frozenset(copied)
    own = [note for note in notes if note.path not in ignored]
    names = Names(snapshot.files, {note.path: note.aliases for note in own if note.aliases})
    found = links.graph(own, names)
    indexed = tuple(listing.flaws(snapshot.index, notes, frozenset(snapshot.files)))
    flaws = [
        *snapshot.faults,
        *(flaw for note in own for flaw in note.found()),
        *links.flaws(found, snapshot.schema, ignored),
        *provenance.flaws(snapshot.sources, notes, names, ignored),
        *twin.flaws(notes, copied),
        *indexed,
        *_stray(snapshot, ignored),
        *_sparse(own),
    ]
    moved: dict[str, dict[str, str]] = {}
    for dead in found.dead:
        if dead.moved:
            moved.setdefault(inner(dead.path), {})[dead.target] = dead.moved
    lacking = links.unanswered(found, snapshot.schema, ignored)
    backlinks = {inner(path): tuple(map(inner, of)) for path, of in lacking.items()}
    summaries = listing.edited(snapshot.index, own, snapshot.untouched)
    return Result(ordered(flaws), Repairs(backlinks, moved, summaries, bool(indexed)))


def _sparse(notes: list[Note]) -> Iterator[Flaw]:
    for note in notes:
        # a rule is one sentence; an extract is as long as what was found
        judged = note.row and note.kind != "rule" and not note.extracted
        if judged and note.words < SPARSE:
            message = f"{note.words} words; an article of prose below {SPARSE} may have more to say"
            yield Flaw("sparse-articles", "suggestion", note.path, 1, message)


def _stray(snapshot: Snapshot, ignored: frozenset[str]) -> Iterator[Flaw]:
    """Tell of the folders with notes that no kind of the schema has, once each."""
    strays: dict[str, list[str]] = {}
    for note in snapshot.notes:
        path = note.path
        if path.startswith(KNOWLEDGE) and not note.kind and path not in DERIVED | ignored:
            strays.setdefault(path.rpartition("/")[0], []).append(path)
    for folder, paths in strays.items():
        what = "1 note" if len(paths) == 1 else f"{len(paths)} notes"
        message = f"{what} in {folder}/, which is no kind's folder: no index or search has them"
        yield Flaw("stray-notes", "suggestion", paths[0], 1, message)
