"""Keep the keys of the lines that this machine knows, in its state.

A hook says only lines whose key is there with "+": written here, or adopted with `memoria trust`. A
key with "-" is of a line that is held back, so that nobody is asked about it. A key is made of the
words alone, as the same line stands in logs and articles, and is written before the file.
"""

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from memoria.errors import VaultError
from memoria.text.hashes import hash_text
from memoria.vault.article import strip_source_links
from memoria.vault.storage import disk

_SAYABLE, _HELD = "+", "-"
# "- [x] ", "12. "
_ITEM_MARK = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\[[ xX]\]\s+)?")
# a process may die in the middle of a write: other lines of the file are no keys
_KEY = re.compile(r"[0-9a-f]{16}")


def strip_line_marks(line: str) -> str:
    """Take the list mark, the box and the link to its log off a line."""
    return " ".join(strip_source_links(_ITEM_MARK.sub("", line, count=1)).split())


def line_key(line: str) -> str:
    """Hash the words of a line."""
    return hash_text(strip_line_marks(line), 16)


class KnownLines:
    """The file of keys; it is read again when it has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: tuple[tuple[int, int], frozenset[str], frozenset[str]] | None = None

    @property
    def sayable(self) -> frozenset[str]:
        """The keys of lines that hooks may say."""
        return self._read_keys()[0]

    @property
    def keys(self) -> frozenset[str]:
        """The keys of all lines that this machine wrote or the person decided on."""
        return self._read_keys()[1]

    def add(self, sayable: Iterable[str] = (), held_back: Iterable[str] = ()) -> None:
        """Remember keys; VaultError where the disk refuses."""
        sayable_keys, all_keys = self._read_keys()
        rows = dict.fromkeys(_SAYABLE + key for key in sayable if key not in sayable_keys)
        rows |= dict.fromkeys(_HELD + key for key in held_back if key not in all_keys)
        if rows:
            try:
                disk.make_folder(self._path.parent)
                disk.append(self._path, "".join(f"{key}\n" for key in rows).encode())
            except OSError as error:
                reason = error.strerror or error
                raise VaultError(f"{self._path} cannot be written: {reason}") from error

    def keep(self, keys: Collection[str]) -> None:
        """Drop all keys but these: what was forgotten leaves no trace here."""
        sayable, all_keys = self._read_keys()
        kept_keys = sorted(all_keys & set(keys))
        rows = [(_SAYABLE if key in sayable else _HELD) + key for key in kept_keys]
        if len(rows) < len(all_keys):
            disk.replace(self._path, "".join(f"{row}\n" for row in rows).encode())

    def _read_keys(self) -> tuple[frozenset[str], frozenset[str]]:
        try:
            status = self._path.stat()
            stamp = (status.st_size, status.st_mtime_ns)
        except OSError:
            return frozenset(), frozenset()
        if self._read is None or self._read[0] != stamp:
            text = (disk.read(self._path) or b"").decode("ascii", "replace")
            rows = [row for row in text.splitlines() if _KEY.fullmatch(row[1:])]
            sayable = frozenset(row[1:] for row in rows if row[0] == _SAYABLE)
            self._read = (stamp, sayable, sayable | {row[1:] for row in rows if row[0] == _HELD})
        return self._read[1], self._read[2]
