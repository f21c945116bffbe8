"""Run all checks that need no model over a snapshot of a vault, and say what code can fix.

All of it is linear in the size of the vault: no check compares each article with each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from memoria.lint.finding import Finding, ordered
from memoria.lint.index_rows import INDEX, check_index, edited_summaries
from memoria.lint.link_graph import FileNames, check_links, folded, link_graph, missing_backlinks
from memoria.lint.note import KNOWLEDGE, inner
from memoria.text.near_duplicates import alike
from memoria.text.numbers import counted
from memoria.vault.short_sessions import short_sessions
from memoria.vault.storage.sync_services import copies

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memoria.lint.note import Note
    from memoria.vault.daily import Block
    from memoria.vault.schema import Schema
    from memoria.vault.storage.history import History

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


# -- Daily logs ------------------------------------------------------------------------------------


_NAMED = 3  # logs that a message names


@dataclass(frozen=True, slots=True)
class Source:
    """A daily log as lint sees it: `fresh` counts entries that are new or changed since compiled.

    `compiled` says whether anything of it ever was; `entries` is 0 for a log that no compile takes.
    """

    path: str
    compiled: bool
    entries: int
    fresh: int


def log_source(path: str, text: str, blocks: Sequence[Block], history: History) -> Source | None:
    """Say how a log stands; None for one in which there is nothing yet."""
    short = {session.line for session in short_sessions(text)}
    lines = (line.strip() for line in text.split("\n"))
    said = (line for line in lines if line and line not in short)
    if not blocks and all(line.startswith(("# ", "## ")) for line in said):
        return None
    fresh = sum(1 for block in blocks if history.compiled.get(block.entry.id) != block.sha)
    return Source(path, path in history.ingested, len(blocks), fresh)


def check_sources(
    sources: Sequence[Source], notes: Sequence[Note], names: FileNames, ignored: frozenset[str]
) -> Iterator[Finding]:
    """Check the logs, and the articles against them."""
    changed = {source.path: source for source in sources if source.compiled and source.fresh}
    cited: set[str] = set()
    for note in notes:
        if note.path not in ignored:
            logs = [(name, line, _path(name)) for name, line in note.sources]
            stale = [(name, line) for name, line, path in logs if path in changed]
            cited |= {path for *_, path in logs}
            if stale:
                what = f"{_listed(stale, 'has', 'have')} changed since it was compiled"
                message = f"{what}: run `memoria compile`"
                yield Finding("stale-articles", "warning", note.path, stale[0][1], message)
            gone = [
                (name, line)
                for name, line, path in logs
                if path.startswith("daily/") and not names.resolve(path, note.path)
            ]
            if gone:
                message = f"{_listed(gone, 'is', 'are')} not there"
                yield Finding("missing-sources", "warning", note.path, gone[0][1], message)
    for source in sources:
        if not source.compiled:
            what = f"{counted(source.entries, 'entry', 'entries')} not compiled"
            message = "not compiled: it has no `### Session` heading, so nothing of it will be"
            message = f"{what}: run `memoria compile`" if source.entries else message
            yield Finding("orphan-sources", "warning", source.path, 1, message)
    for path in sorted(changed.keys() - cited):
        fresh = counted(changed[path].fresh, "entry", "entries")
        message = f"{fresh} new or changed since it was compiled; `memoria compile` takes them"
        yield Finding("stale-articles", "warning", path, 1, message)


def _listed(logs: list[tuple[str, int]], verb: str, verbs: str) -> str:
    shown = ", ".join(name for name, _ in logs[:_NAMED])
    more = f" and {len(logs) - _NAMED} more" if len(logs) > _NAMED else ""
    return f"{shown}{more} {verb if len(logs) == 1 else verbs}"


def _path(name: str) -> str:
    """Read a source however it is written: daily/DATE.md, daily/DATE, [[daily/DATE]]."""
    name = name.strip().removeprefix("[[").removesuffix("]]").partition("|")[0]
    return name if name.endswith(".md") else f"{name}.md"
