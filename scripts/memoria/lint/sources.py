"""Check daily logs and the articles that cite them: what is not compiled, stale or gone.

A log counts as changed only if a compile would do something about it. A new entry makes every
article of that day stale, as nobody knows yet what it concerns; each is reported once.
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
