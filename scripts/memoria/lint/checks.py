"""Run all checks that need no model over a snapshot of a vault, and say what code can fix.

All of it is linear in the size of the vault: no check compares each article with each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from memoria.lint.finding import Finding, ordered
from memoria.lint.link_graph import FileNames, check_links, link_graph, missing_backlinks
from memoria.lint.note import KNOWLEDGE, inner
from memoria.text.numbers import counted
from memoria.vault.file_names import copies
from memoria.vault.index import own_lines
from memoria.vault.short_sessions import short_sessions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memoria.lint.note import Note
    from memoria.vault.daily import Block
    from memoria.vault.schema import Schema
    from memoria.vault.storage.history import History

INDEX = f"{KNOWLEDGE}index.md"
# the seed's: an article with less prose may have more to say
_SPARSE = 200
_NAMED = 3  # logs that a message names


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A vault as it was read: everything that a check may look at.

    `files` are all its files, relative to it; `notes` those under daily/ and knowledge/ that could
    be read, in order of their paths; `faults` tell of the others. `index` is the text of index.md,
    None for none.
    """

    files: tuple[str, ...]
    notes: tuple[Note, ...]
    sources: tuple[Source, ...]
    schema: Schema
    index: str | None = None
    faults: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A daily log as lint sees it: `fresh` counts entries that are new or changed since compiled.

    `compiled` says whether anything of it ever was; `entries` is 0 for a log that no compile takes.
    """

    path: str
    compiled: bool
    entries: int
    fresh: int


@dataclass(frozen=True, slots=True)
class Repairs:
    """What code can fix safely: by article the links back that it lacks, and the index."""

    backlinks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    index: bool = False


class Result(NamedTuple):
    """The findings, errors first, and what of them can be fixed."""

    findings: tuple[Finding, ...]
    repairs: Repairs


def lint(snapshot: Snapshot) -> Result:
    """Run all checks that need no model."""
    copied = copies(path for path in snapshot.files if path.endswith(".md"))
    own = [note for note in snapshot.notes if note.path not in copied]
    names = FileNames(snapshot.files)
    graph = link_graph(own, names)
    indexed = tuple(_check_index(snapshot))
    findings = [
        *snapshot.faults,
        *(finding for note in own for finding in note.findings()),
        *check_links(graph, snapshot.schema),
        *_check_sources(snapshot.sources, own, names),
        *(
            Finding(
                "sync-conflicts",
                "warning",
                path,
                1,
                f"a sync program's copy of {original}: merge them by hand and delete it",
            )
            for path, original in copied.items()
        ),
        *indexed,
        *_check_length(own),
    ]
    lacking = missing_backlinks(graph, snapshot.schema)
    backlinks = {inner(path): tuple(map(inner, of)) for path, of in lacking.items()}
    return Result(ordered(findings), Repairs(backlinks, bool(indexed)))


def _check_length(notes: Sequence[Note]) -> Iterator[Finding]:
    for note in notes:
        # a rule is one sentence; an extract is as long as what was found
        judged = note.row and note.kind != "rule" and not note.extracted
        if judged and note.words < _SPARSE:
            words = f"{note.words} words; an article of prose below {_SPARSE} may have more to say"
            yield Finding("sparse-articles", "suggestion", note.path, 1, words)


def _check_index(snapshot: Snapshot) -> Iterator[Finding]:
    """Compare the index with the articles; `--fix` derives it anew.

    The row of an article that cannot be read passes: that is told of as such.
    """
    rows = {note.row.strip(): note for note in snapshot.notes if note.row}
    if snapshot.index is None:
        if rows:
            yield Finding("index", "warning", INDEX, 1, "it is missing: `--fix` makes it")
        return
    lines = [line.strip() for line in snapshot.index.splitlines()]
    readable, files = {note.inner for note in rows.values()}, set(snapshot.files)
    for number, line in enumerate(lines, 1):
        if line.startswith("| [[") and line not in rows:
            path = inner(line[len("| [[") :].partition("]]")[0].partition("|")[0])
            if path not in readable and f"{KNOWLEDGE}{path}.md" not in files:
                message = f"the row of {path} has no article: `--fix` takes it out"
                yield Finding("index", "error", INDEX, number, message)
    lacking = [note for row, note in rows.items() if row not in set(lines)]
    if lacking:
        message = f"{counted(len(lacking), 'article')} of which it has no row, or an old one"
        message += f" ({lacking[0].inner} is the first): `--fix` derives it anew"
        yield Finding("index", "warning", INDEX, 1, message)
    if own := own_lines(snapshot.index):
        count = counted(len(own), "line")
        message = f"{count} of your own, which the next compile puts aside: an article keeps them"
        yield Finding("index", "suggestion", INDEX, own[0], message)


# -- Daily logs ------------------------------------------------------------------------------------


def log_source(path: str, text: str, blocks: Sequence[Block], history: History) -> Source | None:
    """Say how a log stands; None for one in which there is nothing yet."""
    short = {session.line for session in short_sessions(text)}
    lines = (line.strip() for line in text.split("\n"))
    said = (line for line in lines if line and line not in short)
    if not blocks and all(line.startswith(("# ", "## ")) for line in said):
        return None
    fresh = sum(1 for block in blocks if history.compiled.get(block.entry.id) != block.sha)
    return Source(path, path in history.ingested, len(blocks), fresh)


def _check_sources(
    sources: Sequence[Source], notes: Sequence[Note], names: FileNames
) -> Iterator[Finding]:
    """Check the logs, and the articles against them."""
    changed = {source.path: source for source in sources if source.compiled and source.fresh}
    cited: set[str] = set()
    for note in notes:
        logs = [(name, line, _path(name)) for name, line in note.sources]
        cited |= {path for *_, path in logs}
        if stale := [(name, line) for name, line, path in logs if path in changed]:
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
