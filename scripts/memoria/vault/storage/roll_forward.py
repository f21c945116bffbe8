"""A committed file of a transaction -> its place, with what a person wrote there in the meantime.

A person may save a note between the moment in which it was read and the one in which it is
replaced. Then both changes are made where both can stand (text/merge.py); else theirs stays
and ours is put aside. The trap: an editor that writes in place may have the file open that is just
renamed away, and its text would go with it; so that file keeps a second name until the transaction
is over, and is looked at once more.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from memoria.errors import VaultError
from memoria.text.merge import joined
from memoria.vault.storage import disk

if TYPE_CHECKING:
    from pathlib import Path

# somebody who saves the same note more often than that within a few milliseconds is a program
_TRIES = 20
# a note; the state's files have no other writers
_MERGED = ".md"


class Landing:
    """Lands the files of one transaction, whose folder is `entry`; `aside` is for what cannot."""

    def __init__(self, entry: Path, aside: Path) -> None:
        self._entry = entry
        self._aside = aside

    def land(self, number: int, step: dict[str, Any]) -> None:
        """Put a file in its place; to do it again does nothing."""
        path, ours = self._path(step), disk.read(self._entry / f"{number}.new")
        if ours is None:
            raise VaultError(f"{self._entry} is damaged; move it away and try again")
        for _ in range(_TRIES):
            current = disk.read(path)
            found = _sha(current)
            if found == step["new"]:
                return
            data = ours if found == step["old"] else self._both(number, step, ours, current)
            if data is None:
                break
            if data == current:
                return
            self._hold(number, path)
            if disk.replace_if(path, data, found):
                return
        self._put_aside(path, ours)

    def settle(self, number: int, step: dict[str, Any]) -> None:
        """Bring in what was written into the file that was replaced, while it was replaced."""
        was = self._entry / f"{number}.was"
        theirs = disk.read(was)
        if theirs is not None and disk.sha(theirs) != step["old"]:
            self._bring(number, step, theirs)
        was.unlink(missing_ok=True)

    def _bring(self, number: int, step: dict[str, Any], theirs: bytes) -> None:
        path = self._path(step)
        for _ in range(_TRIES):
            current = disk.read(path)
            data = self._both(number, step, current, theirs)
            if data is None:
                break
            if data == current or disk.replace_if(path, data, _sha(current)):
                return
        self._put_aside(path, theirs)

    def _both(
        self, number: int, step: dict[str, Any], ours: bytes | None, theirs: bytes | None
    ) -> bytes | None:
        """Put two changes together, None where that cannot be."""
        path, base = self._path(step), disk.read(self._entry / f"{number}.old")
        if path.suffix != _MERGED or base is None or ours is None or theirs is None:
            return None
        if disk.sha(base) != step["old"]:
            return None
        try:
            found = joined(base.decode(), ours.decode(), theirs.decode())
        except UnicodeDecodeError:
            return None
        return None if found is None else found.encode()

    def _hold(self, number: int, path: Path) -> None:
        was = self._entry / f"{number}.was"
        was.unlink(missing_ok=True)
        with suppress(OSError, NotImplementedError):  # another file system: only less is seen
            os.link(path, was, follow_symlinks=False)

    def _put_aside(self, path: Path, data: bytes) -> None:
        # named by content: two of one name are kept both, and one that is put aside twice once
        disk.replace(self._aside / f"{disk.sha(data)[:8]}-{path.name}", data)

    def _path(self, step: dict[str, Any]) -> Path:
        return type(self._entry)(step["path"])


def _sha(data: bytes | None) -> str:
    return "" if data is None else disk.sha(data)
