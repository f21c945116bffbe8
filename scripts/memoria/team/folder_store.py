"""Carry facts in a folder that git or a sync program carries: a file per author and machine.

A file only grows, but for what is withdrawn. A line that is no JSON is passed over.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from memoria.team.fact import AUTHOR, MACHINE, TOMBSTONE, Batch, Fact, TeamError, decode, encode
from memoria.vault.storage import disk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_NAME = re.compile(rf"({AUTHOR.pattern})\.({MACHINE.pattern})\.jsonl")
# two to five people write some 50,000 lines of 400 bytes in years; more is a flood
_LARGEST = 64 * 1024 * 1024


class FolderExchange:
    """The exchange of two to five people; `machine` tells two machines of one person apart."""

    def __init__(self, folder: Path, author: str, machine: str) -> None:
        self.author = author
        self.identity = f"folder {folder}"
        self._folder = folder
        self._own = folder / f"{author}.{machine}.jsonl"

    def push(self, facts: Sequence[Fact]) -> None:
        """Append what this machine's file does not hold."""
        try:
            held = tuple(_facts(disk.read(self._own) or b"", self.author))
            known = {fact.key for fact in held}
            new = [fact for fact in dict.fromkeys(facts) if fact.key not in known]
            ends = [fact for fact in new if fact.kind == TOMBSTONE]
            # before the words go, or a process that dies in between would leave others with them
            if ends:
                disk.append(self._own, _lines(ends), 0o644)
            last = self._withdrawn()
            kept = [fact for fact in (*held, *ends) if fact.generation > last.get(fact.id, -1)]
            if len(kept) < len(held) + len(ends):
                disk.replace(self._own, _lines(kept))
            alive = [fact for fact in new if fact.generation > last.get(fact.id, -1)]
            lines = _lines([fact for fact in alive if fact.kind != TOMBSTONE])
            if lines:
                disk.append(self._own, lines, 0o644)
        except OSError as error:
            raise TeamError(f"{self._own} cannot be written: {error.strerror or error}") from error

    def _withdrawn(self) -> dict[str, int]:
        """Say up to which generation this person took back each fact, from whichever machine."""
        mine = [path for path in self._files() if path.name.partition(".")[0] == self.author]
        last: dict[str, int] = {}
        for fact in (one for path in mine for one in _facts(disk.read(path) or b"", self.author)):
            if fact.kind == TOMBSTONE:
                last[fact.text] = max(fact.generation, last.get(fact.text, -1))
        return last

    def pull(self, cursor: str) -> Batch:
        """Give all facts of the files that have changed since."""
        known = json.loads(cursor) if cursor else {}
        facts: list[Fact] = []
        found: dict[str, str] = {}
        for path in self._files():
            data = disk.read(path) or b""
            found[path.name] = disk.sha(data)
            if known.get(path.name) != found[path.name]:
                facts += _facts(data, path.name.partition(".")[0])
        return Batch(tuple(facts), json.dumps(found, sort_keys=True))

    def _files(self) -> list[Path]:
        if not self._folder.is_dir():
            raise TeamError(f"{self._folder} is not there: is the disk mounted, the sync running?")
        return sorted(
            path
            for path in self._folder.iterdir()
            if _NAME.fullmatch(path.name)
            and path.is_file()
            and not path.is_symlink()
            and path.stat().st_size <= _LARGEST
        )

    def close(self) -> None:
        """Do nothing: no file stays open."""


def _lines(facts: Sequence[Fact]) -> bytes:
    return b"".join(json.dumps(encode(fact)).encode() + b"\n" for fact in facts)


def _facts(data: bytes, author: str) -> Iterator[Fact]:
    """Read the facts of a file; what cannot be read is passed over."""
    for line in data.split(b"\n"):
        try:
            fact = decode(json.loads(line), author) if line else None
        except (ValueError, RecursionError):
            continue
        if fact:
            yield fact
