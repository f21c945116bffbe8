"""Check daily logs and the articles that cite them: what is not compiled, stale or gone.

A log counts as changed only if a compile would do something about it: what a person adds between
the entries is theirs and no reason to compile. An entry that came in since the last compile makes
every article of that day stale, for nobody knows yet what it concerns; so an article is reported
once, however many of its logs have changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.lint.finding import Finding
from memoria.text.numbers import counted
from memoria.vault.short_sessions import short_sessions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.lint.link_targets import FileNames
    from memoria.lint.note import Note
    from memoria.vault.daily import Block
    from memoria.vault.storage.history import History

_NAMED = 3  # logs that a message names
_DAILY = "daily/"


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
    if not blocks and not _has_words(text):
        return None
    fresh = sum(1 for block in blocks if history.compiled.get(block.entry.id) != block.sha)
    return Source(path, path in history.ingested, len(blocks), fresh)


def _has_words(text: str) -> bool:
    short = {session.line for session in short_sessions(text)}
    lines = (line.strip() for line in text.split("\n"))
    return any(line and line not in short and not line.startswith(("# ", "## ")) for line in lines)


def check_sources(
    sources: Sequence[Source], notes: Sequence[Note], names: FileNames, ignored: frozenset[str]
) -> Iterator[Finding]:
    """Check the logs, and the articles against them."""
    changed = {source.path: source for source in sources if source.compiled and source.fresh}
    cited: set[str] = set()
    for note in notes:
        if note.path not in ignored and note.sources:
            stale = [(name, line) for name, line in note.sources if _path(name) in changed]
            cited |= {_path(name) for name, _ in stale}
            yield from _stale(note, stale)
            yield from _gone(note, names)
    for source in sources:
        if not source.compiled:
            yield _orphan(source)
    for path in sorted(changed.keys() - cited):
        fresh = counted(changed[path].fresh, "entry", "entries")
        message = f"{fresh} new or changed since it was compiled"
        yield Finding(
            "stale-articles", "warning", path, 1, f"{message}; `memoria compile` takes them"
        )


def _stale(note: Note, stale: list[tuple[str, int]]) -> Iterator[Finding]:
    if stale:
        verb = "has" if len(stale) == 1 else "have"
        message = f"{_listed(stale)} {verb} changed since it was compiled: run `memoria compile`"
        yield Finding("stale-articles", "warning", note.path, stale[0][1], message)


def _gone(note: Note, names: FileNames) -> Iterator[Finding]:
    logs = [(name, line) for name, line in note.sources if _path(name).startswith(_DAILY)]
    gone = [(name, line) for name, line in logs if not names.resolve(_path(name), note.path)]
    if gone:
        message = f"{_listed(gone)} {'is' if len(gone) == 1 else 'are'} not there"
        yield Finding("missing-sources", "warning", note.path, gone[0][1], message)


def _orphan(source: Source) -> Finding:
    message = f"{counted(source.entries, 'entry', 'entries')} not compiled: run `memoria compile`"
    if not source.entries:
        message = "not compiled: it has no `### Session` heading, so nothing of it will be"
    return Finding("orphan-sources", "warning", source.path, 1, message)


def _listed(logs: list[tuple[str, int]]) -> str:
    shown = ", ".join(name for name, _ in logs[:_NAMED])
    return f"{shown} and {len(logs) - _NAMED} more" if len(logs) > _NAMED else shown


def _path(name: str) -> str:
    """Read a source however it is written: daily/DATE.md, daily/DATE, [[daily/DATE]]."""
    name = name.strip().removeprefix("[[").removesuffix("]]").partition("|")[0]
    return name if name.endswith(".md") else f"{name}.md"
