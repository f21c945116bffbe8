"""Put a committed file in its place, with what a person wrote there in the meantime.

Where both changes can stand, both are made; else theirs stays and ours is put aside. An editor may
have the file open that is renamed away: it keeps a second name and is looked at once more.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from memoria.errors import VaultError
from memoria.vault.storage import disk

# somebody who saves the same note more often than that within a few milliseconds is a program
_MAX_TRIES = 20
# a note; the state's files have no other writers
_MERGED_ENDING = ".md"


class FileRollForward:
    """Lands one file of the transaction whose folder is `entry`; `aside` is for what cannot."""

    def __init__(self, entry: Path, aside: Path, number: int, step: dict[str, Any]) -> None:
        self._entry, self._aside, self._step = entry, aside, step
        self._path = Path(step["path"])
        images = (entry / f"{number}.{ending}" for ending in ("new", "old", "was"))
        self._new, self._old, self._was = images

    def land(self) -> None:
        """Put the file in its place; to do it again does nothing."""
        ours = disk.read(self._new)
        if ours is None:
            raise VaultError(f"{self._entry} is damaged; move it away and try again")

        def choose_bytes(current: bytes | None) -> bytes | None:
            sha = disk.sha_of(current)
            if sha == self._step["new"]:
                return current
            return ours if sha == self._step["old"] else self._merge_changes(ours, current)

        self._write(choose_bytes, ours, links=True)

    def settle(self) -> None:
        """Bring in what was written into the file that was replaced, while it was replaced."""
        late_data = disk.read(self._was)
        if late_data is not None and disk.sha(late_data) != self._step["old"]:
            self._write(lambda current: self._merge_changes(current, late_data), late_data)
        disk.remove(self._was)

    def _write(
        self, choose: Callable[[bytes | None], bytes | None], data: bytes, *, links: bool = False
    ) -> None:
        """Replace what is there by what is wanted then; where that is None, put the data aside."""
        for _ in range(_MAX_TRIES):
            current = disk.read(self._path)
            new = choose(current)
            if new is None:
                break
            if new == current:
                return
            if links:
                disk.remove(self._was)
                # another file system has no second names: only less is seen
                with suppress(OSError, NotImplementedError):
                    os.link(self._path, self._was, follow_symlinks=False)
            if disk.replace_if(self._path, new, disk.sha_of(current)):
                return
        # named by content: two of one name are kept both, and one that is put aside twice once
        disk.replace(self._aside / f"{disk.sha(data)[:8]}-{self._path.name}", data)

    def _merge_changes(self, ours: bytes | None, theirs: bytes | None) -> bytes | None:
        """Put two changes together, None where that cannot be."""
        base = disk.read(self._old)
        if self._path.suffix != _MERGED_ENDING or base is None or ours is None or theirs is None:
            return None
        if disk.sha(base) != self._step["old"]:
            return None
        from memoria.text.merge import merge_texts  # noqa: PLC0415 - files rarely change meanwhile

        try:
            text = merge_texts(base.decode(), ours.decode(), theirs.decode())
        except UnicodeDecodeError:
            return None
        return None if text is None else text.encode()
