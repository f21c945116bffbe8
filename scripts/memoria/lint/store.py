"""Read the files of a vault as one Snapshot for lint, each file parsed once a change.

A cache that cannot be used costs time, not the result; what cannot be read is a finding and never
the end of the reading.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria.errors import VaultError
from memoria.lint.checks import INDEX, LogState, Snapshot, build_log_state
from memoria.lint.contradictions import ArticleClaim, find_claims
from memoria.lint.finding import KNOWLEDGE, Finding
from memoria.lint.note import (
    Note,
    cache_version,
    dump_note,
    is_derived,
    parse_blocks,
    read_note,
    restore_note,
)
from memoria.vault import daily_log, setup
from memoria.vault.article import parse_article
from memoria.vault.article_store import MAX_ARTICLE_BYTES
from memoria.vault.citations import Citation
from memoria.vault.storage import disk
from memoria.vault.store import MAX_LOG_BYTES

if TYPE_CHECKING:
    from memoria.vault.store import Vault

# what was read before, in the state
CACHE = "lint.json"
# other programs' folders that can hold a hundred thousand files; dot folders Obsidian skips, too
_FOREIGN_FOLDERS = frozenset({"node_modules", "__pycache__"})
_DAILY = "daily/"
# generated files, and the template
_NO_NOTES = frozenset({INDEX, "knowledge/log.md", setup.TEMPLATE})


def read_snapshot(
    vault: Vault, *, claiming: bool = False
) -> tuple[Snapshot, tuple[ArticleClaim, ...]]:
    """Read the vault; with `claiming` also what its articles claim, else ()."""
    cache, version = vault.state.root / CACHE, cache_version(vault.schema)
    cached = _read_cached_notes(cache, version)
    reading = _VaultReading(vault, cached, claiming=claiming)
    snapshot = reading.snapshot()
    if reading.rows != cached:
        value = json.dumps({"made": version, "notes": reading.rows}, ensure_ascii=False)
        with suppress(OSError, VaultError):  # a full disk: the next run reads all again
            disk.replace(cache, value.encode("utf-8", "replace"))
    return snapshot, tuple(reading.claims)


def _read_cached_notes(cache: Path, version: str) -> dict[str, Any]:
    with suppress(ValueError, VaultError, TypeError, KeyError, RecursionError):
        value = json.loads(disk.read(cache) or b"{}")
        if value and value["made"] == version:
            return dict(value["notes"])
    return {}


class _VaultReading:
    """One pass over the files; `cached` has notes of an earlier one by path, as [hash, values]."""

    def __init__(self, vault: Vault, cached: dict[str, Any], *, claiming: bool) -> None:
        self._vault, self._cached, self._claiming = vault, cached, claiming
        self._history = vault.history()
        self._notes: list[Note] = []
        self._sources: list[LogState] = []
        self._faults: list[Finding] = []
        self._index: str | None = None
        self.rows: dict[str, Any] = {}
        self.claims: list[ArticleClaim] = []

    def snapshot(self) -> Snapshot:
        """Read all files."""
        files = self._list_files()
        for path in files:
            if path.startswith((KNOWLEDGE, _DAILY)) and path.endswith(".md"):
                self._read_file(path)
        notes, sources, faults = tuple(self._notes), tuple(self._sources), tuple(self._faults)
        return Snapshot(tuple(files), notes, sources, self._vault.schema, self._index, faults)

    def _list_files(self) -> list[str]:
        """List all files of the vault, relative to it, in order; links to folders are not taken."""
        root, files = self._vault.root, []
        program = setup.list_program_folders(root)
        for folder, folders, names in os.walk(root, onerror=self._add_folder_fault):
            passed = _FOREIGN_FOLDERS | (program if folder == str(root) else set())
            folders[:] = [name for name in folders if name[0] != "." and name not in passed]
            inside = os.path.relpath(folder, root).replace(os.sep, "/")
            prefix = "" if inside == "." else f"{inside}/"
            files += [prefix + name for name in names if not name.startswith(".")]
        return sorted(files)

    def _read_file(self, path: str) -> None:
        """Read one note; what is wrong with its file is a finding."""
        limit = MAX_LOG_BYTES if path.startswith(_DAILY) else MAX_ARTICLE_BYTES
        try:
            path.encode()  # half a character: a name in another encoding
            text, sha = disk.read_text(self._vault.root / path, None if path == INDEX else limit)
        except UnicodeEncodeError:
            name = path.encode("utf-8", "replace").decode()
            self._add_fault(name, "its name is not UTF-8; rename it")
            return
        except VaultError as error:
            self._add_fault(path, str(error).removeprefix(f"{self._vault.root / path} "))
            return
        if path == INDEX:
            self._index = text if sha else None
        elif path not in _NO_NOTES and sha:
            self._add_note(path, text, sha)

    def _add_note(self, path: str, text: str, sha: str) -> None:
        row = self._cached.get(path)
        note = restore_note(row[1]) if isinstance(row, list) and row[:1] == [sha] else None
        if note is None:
            note = read_note(path, text, self._vault.schema)
            row = [sha, dump_note(note)]
        self.rows[path] = row
        self._notes.append(note)
        # a derived page repeats what articles and logs say: it would contradict its own sources
        if note.row and self._claiming and not is_derived(text):
            article = parse_article(note.inner, note.kind, text)
            self.claims += find_claims(article, parse_blocks(text))
        day, ingested = Citation(path.removesuffix(".md")).day, self._history.ingested.get(path)
        # a log unchanged since its compile is passed over; days are read in other forms, too
        if day and path == f"{_DAILY}{day}.md" and (ingested or {}).get("hash") != sha:
            source = build_log_state(path, text, daily_log.parse_blocks(text, day), self._history)
            self._sources += [source] if source else []

    def _add_folder_fault(self, error: OSError) -> None:
        name = Path(str(error.filename)).relative_to(self._vault.root).as_posix()
        self._add_fault(name, f"the folder cannot be read: {error.strerror}")

    def _add_fault(self, path: str, reason: str) -> None:
        self._faults.append(Finding("unreadable", "error", path, 1, reason))
