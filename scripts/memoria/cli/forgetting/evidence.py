"""What a person wants forgotten -> the evidence: what goes and what stays of each day, in words.

Read from the logs and from what is kept beside their entries. The trap: an entry that a person had
drafted from a session that goes repeats its words, so it is no witness that they stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.capture.extract import extract_record
from memoria.cli.forgetting.telling_words import Evidence, telltales
from memoria.errors import MemoriaError, VaultError
from memoria.search.sources import trace
from memoria.vault.short_sessions import short_sessions
from memoria.vault.storage import disk
from memoria.vault.written.written_entry import written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from memoria.cli.forgetting.selection import Aim
    from memoria.vault.daily import Block
    from memoria.vault.short_sessions import ShortSession
    from memoria.vault.store import Log
    from memoria.workspace import Workspace

# fields of an extract whose values are names of ours
_FORM = frozenset({"kind", "origin", "sha", "titled_by"})


def logs(work: Workspace) -> Iterator[Log]:
    """Read all logs that can be read."""
    for day in work.vault.logs():
        try:
            yield work.vault.log(day)
        except VaultError:
            continue  # named with what is left, if it holds anything


def is_meant(block: Block, aim: Aim) -> bool:
    """Whether an entry of a log goes."""
    entry = block.entry
    return entry.id in aim.entries or (bool(entry.session) and entry.session in aim.sessions)


def is_short_meant(short: ShortSession, aim: Aim) -> bool:
    """Whether the line of a session without an entry goes."""
    return short.part in aim.entries or short.session in aim.sessions


def over(aim: Aim, logs: Iterable[Log]) -> frozenset[str]:
    """Give the projects that lose their last entry, and those that were named."""
    logs = list(logs)
    of = [(is_meant(block, aim), block.entry.project) for log in logs for block in log.blocks]
    of += [(is_short_meant(s, aim), s.project) for log in logs for s in short_sessions(log.text)]
    gone = {name for meant, name in of if meant} - {name for meant, name in of if not meant}
    return frozenset(gone - {""}) | aim.projects


def evidence(work: Workspace, aim: Aim, logs: Iterable[Log]) -> Evidence:
    """Gather what goes and what stays of each day, and the words that only the former has."""
    gone: dict[str, tuple[trace.Told, ...]] = {}
    kept: dict[str, tuple[trace.Told, ...]] = {}
    theirs: list[str] = [_extract_text(work, one) for one in aim.entries]
    others = [disk.text(work.vault.root / "AGENTS.md")[0]]
    for log in logs:
        parts = [(is_meant(block, aim), block) for block in log.blocks]
        for short in short_sessions(log.text):
            (theirs if is_short_meant(short, aim) else others).append(short.line)
        for meant, block in parts:
            text = log.text[block.start : block.end] + _extract_text(work, block.entry.id)
            (theirs if meant else others).append(text)
        if any(meant for meant, _ in parts):
            link = f"daily/{log.day}"
            gone[link] = tuple(_told(work, block) for meant, block in parts if meant)
            kept[link] = tuple(_told(work, block) for meant, block in parts if not meant)
    pages = (read(work, name) for name in work.vault.pages()[0])
    others += [text for text in pages if written(text).session not in aim.sessions]
    return Evidence(gone, kept, telltales(theirs, others), aim.match)


def extract(work: Workspace, entry: str) -> Path:
    """Say where the extract of an entry is kept."""
    return work.vault.state.extracts / f"{entry}.json"


def read(work: Workspace, name: str) -> str:
    """Read an entry that a person wrote, "" where it cannot be read."""
    try:
        return work.vault.page(name).text
    except VaultError:
        return ""


def _told(work: Workspace, block: Block) -> trace.Told:
    try:
        value = work.vault.state.read_json(extract(work, block.entry.id))
    except MemoriaError:
        value = {}
    return trace.Told(block, extract_record.decode(value) if value else None)


def _extract_text(work: Workspace, entry: str) -> str:
    """Give the texts of an extract, without the words that are its form."""
    if ":" in entry:
        return ""
    try:
        value = work.vault.state.read_json(extract(work, entry))
    except MemoriaError:
        return ""
    return "\n".join(_strings(value))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (
            text for name, one in value.items() if name not in _FORM for text in _strings(one)
        )
    elif isinstance(value, list):
        yield from (text for one in value for text in _strings(one))
