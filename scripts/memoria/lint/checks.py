"""Run all checks that need no model over a snapshot of a vault, and say what code can fix.

All of it is linear in the size of the vault: no check compares each article with each.
"""

from __future__ import annotations

import posixpath
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memoria.compile.apply import MAX_BACKLINKS
from memoria.lint.finding import KNOWLEDGE, Finding, Severity, sort_findings
from memoria.lint.note import RELATED, Note, inner_path
from memoria.text.numbers import format_count
from memoria.vault.daily_log import find_short_sessions
from memoria.vault.file_names import find_sync_copies
from memoria.vault.index import find_own_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.vault.daily_log import Block
    from memoria.vault.schema import Schema
    from memoria.vault.storage.history import History

_MAX_NAMED = 5  # articles that a message names
# a rule is found by being injected, a project's page from HOME.md, an answer by its question
_NEVER_ORPHANS = frozenset({"rule", "project", "qa"})


@dataclass(frozen=True, slots=True)
class Graph:
    """What links where among the notes of a vault.

    `out` and `into` hold articles alone, by path; a link to itself counts for nothing. `dead` are
    links into nothing, as (path, target, line), each target of a note once.
    """

    notes: Mapping[str, Note]
    out: Mapping[str, frozenset[str]]
    into: Mapping[str, Sequence[str]]
    dead: tuple[tuple[str, str, int], ...]


def build_link_graph(notes: Sequence[Note], names: FileNames) -> Graph:
    """Resolve all links."""
    out: dict[str, frozenset[str]] = {}
    into: dict[str, list[str]] = {}
    dead_links: list[tuple[str, str, int]] = []
    for note in notes:
        paths = [names.resolve(target, note.path) for target, _ in note.links]
        resolved = zip(note.links, paths, strict=True)
        dead_links += [(note.path, target, line) for (target, line), path in resolved if not path]
        if note.kind:
            out[note.path] = frozenset(paths) - {note.path, ""}
            for path in sorted(out[note.path]):
                into.setdefault(path, []).append(note.path)
    by_path = {note.path: note for note in notes}
    return Graph(by_path, out, into, tuple(dead_links))


def check_links(graph: Graph, schema: Schema) -> Iterator[Finding]:
    """Check the links."""
    for path, target, line in graph.dead:
        # a person's log may link to what is still to be written
        severity: Severity = "error" if path.startswith(KNOWLEDGE) else "warning"
        how = ": `--fix` takes the link out" if _is_dead_source(graph, path, target) else ""
        yield Finding("broken-links", severity, path, line, f"{target} does not exist{how}")
    for note in graph.notes.values():
        if note.row and note.kind not in _NEVER_ORPHANS and note.path not in graph.into:
            yield Finding("orphan-pages", "warning", note.path, 1, "no other article links to it")
    for path, lacking in find_missing_backlinks(graph, schema).items():
        message = f"no link back to {_join_names(list(map(inner_path, lacking)), _MAX_NAMED)}"
        yield Finding("missing-backlinks", "suggestion", path, 1, message)


def _is_dead_source(graph: Graph, path: str, target: str) -> bool:
    """Whether a link is the source of a rule, which holds without it."""
    return graph.notes[path].kind == "rule" and target.startswith("daily/")


def find_missing_backlinks(graph: Graph, schema: Schema) -> dict[str, tuple[str, ...]]:
    """Give, by article, the articles that link to it without a link back."""
    missing_by_path = {}
    for path, linking in sorted(graph.into.items()):
        note = graph.notes.get(path)
        kind = schema.kind(note.kind) if note else None
        # a rule or a filed answer has no place for links, a file that cannot be read none either,
        # and a project's page names its topics by itself
        if note is None or kind is None or RELATED not in kind.sections or not note.row:
            continue
        if note.kind == "project" or len(graph.out[path]) >= MAX_BACKLINKS:
            continue
        # a project's page lists all topics and is no topic itself
        topics = (source for source in linking if graph.notes[source].kind != "project")
        if missing := tuple(source for source in topics if source not in graph.out[path]):
            missing_by_path[path] = missing
    return missing_by_path


def _join_names(names: Sequence[str], limit: int) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return f"{', '.join(names[:limit])}{more}"


def _fold_name(name: str) -> str:
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
            parts = _fold_name(path).split("/")
            for at in range(len(parts)):
                self._ends.setdefault("/".join(parts[at:]), []).append(path)

    def resolve(self, target: str, source: str) -> str:
        """Give the file that a target opens in the note `source`; "" for a broken link."""
        if not target:
            return source
        key = (target, posixpath.dirname(source))
        if key not in self._resolved:
            self._resolved[key] = self._resolve(_fold_name(target), key[1])
        return self._resolved[key]

    def _resolve(self, target: str, folder: str) -> str:
        is_anchored = target.startswith(("./", "../", "/"))
        if target.startswith("."):
            target = _fold_name(posixpath.normpath(posixpath.join(folder, target)))
        names = [name.removeprefix("/") for name in (target, f"{target}.md")]
        paths = [path for name in names for path in self._ends.get(name, ())]
        whole_matches = [path for path in paths if _fold_name(path) in names]
        if is_anchored or whole_matches:
            return next(iter(whole_matches), "")
        # of several the nearest
        nearest = sorted(paths, key=lambda path: (path.count("/"), path))
        return min(nearest, key=lambda path: posixpath.dirname(path) != folder, default="")


INDEX = f"{KNOWLEDGE}index.md"
# the seed's: an article with less prose may have more to say
_SPARSE_WORDS = 200
_MAX_NAMED_LOGS = 3  # logs that a message names


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A vault as it was read: everything that a check may look at.

    `files` are all its files, relative to it; `notes` those under daily/ and knowledge/ that could
    be read, in order of their paths; `faults` tell of the others. `index` is the text of index.md,
    None for none.
    """

    files: tuple[str, ...]
    notes: tuple[Note, ...]
    sources: tuple[LogState, ...]
    schema: Schema
    index: str | None = None
    faults: tuple[Finding, ...] = ()

    @property
    def own(self) -> list[Note]:
        """The notes that are no sync program's copies of others."""
        copied = find_sync_copies(self.files)
        return [note for note in self.notes if note.path not in copied]


@dataclass(frozen=True, slots=True)
class LogState:
    """A daily log as lint sees it: `fresh` counts entries that are new or changed since compiled.

    `compiled` says whether anything of it ever was; `entries` is 0 for a log that no compile takes.
    """

    path: str
    compiled: bool
    entries: int
    fresh: int


@dataclass(frozen=True, slots=True)
class Repairs:
    """What code can fix safely: by article the links back that it lacks, and the index.

    `sources` are the logs and entries that rules name and that are gone, by rule.
    """

    backlinks: Mapping[str, tuple[str, ...]]
    index: bool
    sources: Mapping[str, tuple[str, ...]]


class Result(NamedTuple):
    """The findings, errors first, and what of them can be fixed."""

    findings: tuple[Finding, ...]
    repairs: Repairs


def lint(snapshot: Snapshot) -> Result:
    """Run all checks that need no model."""
    own_notes, names = snapshot.own, FileNames(snapshot.files)
    graph = build_link_graph(own_notes, names)
    index_findings = tuple(_check_index(snapshot))
    findings = [
        *snapshot.faults,
        *(finding for note in own_notes for finding in note.findings()),
        *check_links(graph, snapshot.schema),
        *_check_sources(snapshot.sources, own_notes, names),
        *_check_copies(snapshot.files),
        *index_findings,
        *_check_length(own_notes),
    ]
    missing = find_missing_backlinks(graph, snapshot.schema).items()
    inner_backlinks = {inner_path(path): tuple(map(inner_path, links)) for path, links in missing}
    sources: dict[str, tuple[str, ...]] = {}
    for path, target, _ in graph.dead:
        if _is_dead_source(graph, path, target):
            sources[inner_path(path)] = (*sources.get(inner_path(path), ()), target)
    return Result(sort_findings(findings), Repairs(inner_backlinks, bool(index_findings), sources))


def _check_copies(files: Sequence[str]) -> Iterator[Finding]:
    notes = (path for path in files if path.endswith(".md"))
    for path, original in find_sync_copies(notes).items():
        message = f"a sync program's copy of {original}: merge them by hand and delete it"
        yield Finding("sync-conflicts", "warning", path, 1, message)


def _check_length(notes: Sequence[Note]) -> Iterator[Finding]:
    for note in notes:
        # a rule is one sentence; an extract is as long as what was found
        is_measured = note.row and note.kind != "rule" and not note.extracted
        if is_measured and note.words < _SPARSE_WORDS:
            least = f"an article of prose below {_SPARSE_WORDS} may have more to say"
            message = f"{note.words} words; {least}"
            yield Finding("sparse-articles", "suggestion", note.path, 1, message)


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
            path = inner_path(line[len("| [[") :].partition("]]")[0].partition("|")[0])
            if path not in readable and f"{KNOWLEDGE}{path}.md" not in files:
                message = f"the row of {path} has no article: `--fix` takes it out"
                yield Finding("index", "error", INDEX, number, message)
    unlisted = [note for row, note in rows.items() if row not in set(lines)]
    if unlisted:
        message = f"{format_count(len(unlisted), 'article')} of which it has no row, or an old one"
        message += f" ({unlisted[0].inner} is the first): `--fix` derives it anew"
        yield Finding("index", "warning", INDEX, 1, message)
    if own_lines := find_own_lines(snapshot.index):
        count = format_count(len(own_lines), "line")
        message = f"{count} of your own, which the next compile puts aside: an article keeps them"
        yield Finding("index", "suggestion", INDEX, own_lines[0], message)


def build_log_state(
    path: str, text: str, blocks: Sequence[Block], history: History
) -> LogState | None:
    """Say how a log stands; None for one in which there is nothing yet."""
    short_lines = {session.line for session in find_short_sessions(text)}
    lines = (line.strip() for line in text.split("\n"))
    other_lines = (line for line in lines if line and line not in short_lines)
    if not blocks and all(line.startswith(("# ", "## ")) for line in other_lines):
        return None
    fresh = sum(1 for block in blocks if history.compiled.get(block.entry.id) != block.sha)
    return LogState(path, path in history.ingested, len(blocks), fresh)


def _check_sources(
    sources: Sequence[LogState], notes: Sequence[Note], names: FileNames
) -> Iterator[Finding]:
    """Check the logs, and the articles against them."""
    changed = {source.path: source for source in sources if source.compiled and source.fresh}
    cited: set[str] = set()
    for note in notes:
        logs = [(name, line, _normalise_path(name)) for name, line in note.sources]
        cited |= {path for *_, path in logs}
        if stale := [(name, line) for name, line, path in logs if path in changed]:
            message = f"{_format_logs(stale, 'has', 'have')} changed since it was compiled"
            message += ": run `memoria compile`"
            yield Finding("stale-articles", "warning", note.path, stale[0][1], message)
        daily = ((name, line, path) for name, line, path in logs if path.startswith("daily/"))
        missing = [(name, line) for name, line, path in daily if not names.resolve(path, note.path)]
        if missing:
            message = f"{_format_logs(missing, 'is', 'are')} not there"
            yield Finding("missing-sources", "warning", note.path, missing[0][1], message)
    for source in sources:
        if not source.compiled:
            message = "not compiled: it has no `### Session` heading, so nothing of it will be"
            if source.entries:
                count = format_count(source.entries, "entry", "entries")
                message = f"{count} not compiled: run `memoria compile`"
            yield Finding("orphan-sources", "warning", source.path, 1, message)
    for path in sorted(changed.keys() - cited):
        fresh = format_count(changed[path].fresh, "entry", "entries")
        message = f"{fresh} new or changed since it was compiled; `memoria compile` takes them"
        yield Finding("stale-articles", "warning", path, 1, message)


def _format_logs(logs: list[tuple[str, int]], verb: str, verbs: str) -> str:
    names = _join_names([name for name, _ in logs], _MAX_NAMED_LOGS)
    return f"{names} {verb if len(logs) == 1 else verbs}"


def _normalise_path(name: str) -> str:
    """Read a source however it is written: daily/DATE.md, daily/DATE, [[daily/DATE]]."""
    name = name.strip().removeprefix("[[").removesuffix("]]").partition("|")[0]
    return name if name.endswith(".md") else f"{name}.md"
