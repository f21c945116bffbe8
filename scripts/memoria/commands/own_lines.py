"""Logs and the extracts beside them -> the lines that this machine may tell although they order.

An extract lies in this machine's state and holds what was known at the capture (stages/warrant.py);
it counts only while its block in the log is as Memoria wrote it. An article repeats lines of the
logs that it names as sources, so it is asked day by day. The trap: a vault with ten thousand
entries has as many extracts, so a day is read when an article of it is made, and then once.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from memoria.errors import MemoriaError, VaultError
from memoria.stages import extract_record

if TYPE_CHECKING:
    from memoria.commands.workspace import Workspace
    from memoria.stages.article import Article
    from memoria.stages.daily import Block


def own_lines(work: Workspace, block: Block) -> tuple[str, ...]:
    """Give the lines of an entry that this machine knows to be the user's words, or a commit's."""
    try:
        value = work.vault.state.read_json(work.vault.state.extracts / f"{block.entry.id}.json")
    except MemoriaError:
        return ()
    found = extract_record.decode(value) if value.get("sha") == block.sha else None
    return found.own if found else ()


class OwnLines:
    """The lines of the logs that articles name, each day read once."""

    def __init__(self, work: Workspace) -> None:
        self._work = work
        self._days: dict[str, frozenset[str]] = {}

    def of(self, article: Article) -> frozenset[str]:
        """Give the lines of all logs that are an article's sources."""
        names = {name.rpartition("/")[2].removesuffix(".md") for name in article.names("sources")}
        return frozenset().union(*(self._of_day(name) for name in sorted(names)))

    def _of_day(self, name: str) -> frozenset[str]:
        if name not in self._days:
            self._days[name] = frozenset(self._read(name))
        return self._days[name]

    def _read(self, name: str) -> list[str]:
        try:
            blocks = self._work.vault.log(date.fromisoformat(name)).blocks
        except (ValueError, VaultError):
            return []  # another kind of source, or a log that compile and doctor speak of
        return [line for block in blocks for line in own_lines(self._work, block)]
