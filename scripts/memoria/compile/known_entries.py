"""Remember the entries of a vault while it is compiled, each with what this machine extracted.

Those of earlier days can be added to, those whose turn comes show what will be worth a page. An
entry without an extract is a pulled one or was edited: nothing of it passes for this machine's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.capture.extract import extract_record
from memoria.compile.subjects import map_clones
from memoria.errors import MemoriaError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.vault.daily_log import Block
    from memoria.vault.entry import Entry, Extract
    from memoria.vault.storage.state import State


class KnownEntries:
    """The entries of one vault that a compile has met, and the extracts behind them."""

    def __init__(self, state: State) -> None:
        self.compiled: list[Entry] = []
        self.coming: dict[str, Entry] = {}
        self.extracts: dict[str, Extract] = {}
        self._state = state

    def add_compiled(self, blocks: Iterable[Block]) -> None:
        """Remember entries that are compiled already: later ones may add to what they began."""
        for block in blocks:
            self.compiled.append(block.entry)
            self.coming.pop(block.entry.id, None)
            self.load_extract(block)

    def set_coming(self, blocks: Iterable[Block]) -> None:
        """Remember the entries whose turn comes: they show what will be worth a page."""
        self.coming.clear()
        for block in blocks:
            self.coming[block.entry.id] = block.entry
            self.load_extract(block)

    def load_extract(self, block: Block) -> None:
        """Read the extract of an entry, where it stands as it was captured."""
        try:
            value = self._state.read_json(self._state.extracts / f"{block.entry.id}.json")
        except MemoriaError:
            return  # the lines of the entry itself serve in its place
        extract = extract_record.decode(value) if value else None
        if value and value.get("sha") == block.sha and extract:
            self.extracts[block.entry.id] = extract

    def is_own(self, name: str) -> bool:
        """Whether an entry is as this machine wrote it."""
        return name in self.extracts

    def read_outside(self, name: str) -> bool:
        """Whether the session of an own entry had read something of outside its project."""
        return self.extracts[name].outside

    def find_projects(self, entries: Iterable[Entry]) -> set[str]:
        """Give the projects of entries, and those that are clones of them."""
        names = {entry.project for entry in entries if entry.project}
        clones = map_clones(
            (entry.project, extract.branch, extract.files)
            for entry in (*self.compiled, *self.coming.values())
            if entry.project and (extract := self.extracts.get(entry.id))
        )
        repositories = {clones.get(name) for name in names}
        return names | {name for name in clones if clones[name] in repositories}
