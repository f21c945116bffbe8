"""Read the files of a vault as one Snapshot for lint, each file parsed once a change.

What a file says is kept in the state folder by the hash of its content; a cache that cannot be used
costs time, not the result. Bytes that are no text, odd names, links in circles and closed folders
are findings and never the end of the reading.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.errors import VaultError
from memoria.lint.checks import DERIVED, Snapshot, Source, log_source
from memoria.lint.contradictions import Claim, claims_of
from memoria.lint.finding import Finding
from memoria.lint.index_rows import INDEX
from memoria.lint.note import (
    KNOWLEDGE,
    Note,
    blocks,
    cache_version,
    decode_note,
    encode_note,
    is_derived,
    read_note,
)
from memoria.vault import daily, setup
from memoria.vault.article import parse
from memoria.vault.storage import disk
from memoria.vault.storage.sync_services import is_placeholder
from memoria.vault.transaction import INDEX as OUR_INDEX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.vault.schema import Schema
    from memoria.vault.storage.history import History
    from memoria.vault.store import Vault

# an article of 1 MB is no article (vault/article_store.py), a log of 32 MB no log (vault/store.py)
_ARTICLE_LIMIT, _LOG_LIMIT = 1024 * 1024, 32 * 1024 * 1024
# other programs' folders that can hold a hundred thousand files; dot folders Obsidian skips, too
_FOREIGN = frozenset({"node_modules", "__pycache__"})
_DAILY = "daily/"
_TEMPLATE = "daily/_TEMPLATE.md"
_SCHEMA = "CREATE TABLE IF NOT EXISTS note(path TEXT PRIMARY KEY, sha TEXT, value TEXT)"


class NoteReader:
    """Reads the notes of one vault; `kept` is the file with what it read before."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self.kept = vault.state.root / "lint.sqlite"

    def snapshot(self, *, claiming: bool = False) -> tuple[Snapshot, tuple[Claim, ...]]:
        """Read the vault; with `claiming` also what its articles claim, else ()."""
        cache = _NoteCache(self.kept, cache_version(self._vault.schema))
        reading = _Reading(self._vault, cache, claiming=claiming)
        files = reading.files()
        for path in files:
            # a template is no note: it holds places to fill and hints
            if path.startswith((KNOWLEDGE, _DAILY)) and path.endswith(".md") and path != _TEMPLATE:
                reading.take(path)
        cache.close()
        return reading.snapshot(files), tuple(reading.claims)


class _Reading:
    """One pass over the files."""

    def __init__(self, vault: Vault, cache: _NoteCache, *, claiming: bool) -> None:
        self._vault = vault
        self._schema: Schema = vault.schema
        self._history: History = vault.history()
        self._cache = cache
        self._claiming = claiming
        self._notes: list[Note] = []
        self._sources: list[Source] = []
        self._faults: list[Finding] = []
        self._untouched: set[str] = set()
        self._index: str | None = None
        self._index_is_ours = False
        self.claims: list[Claim] = []

    def files(self) -> list[str]:
        """List all files of the vault, relative to it, in order; links to folders are not taken."""
        root, files = self._vault.root, []
        program = setup.program(root)
        for folder, folders, names in os.walk(root, onerror=self._unlisted):
            passed = _FOREIGN | (program if folder == str(root) else set())
            folders[:] = [name for name in folders if name[0] != "." and name not in passed]
            inside = os.path.relpath(folder, root).replace(os.sep, "/")
            prefix = "" if inside == "." else f"{inside}/"
            files += [prefix + name for name in names if not name.startswith(".")]
            for name in filter(is_placeholder, names):
                reason = "its content is not on this machine: download it"
                self._faults.append(Finding("sync-conflicts", "warning", prefix + name, 1, reason))
        return sorted(files)

    def take(self, path: str) -> None:
        """Read one note; what is wrong with its file is a finding."""
        limit = _LOG_LIMIT if path.startswith(_DAILY) else _ARTICLE_LIMIT
        try:
            path.encode()  # half a character: a name in another encoding
            text, sha = disk.text(self._vault.root / path, None if path == INDEX else limit)
        except UnicodeEncodeError:
            name = path.encode("utf-8", "replace").decode()
            self._fault(name, "its name is not UTF-8; rename it")
            return
        except VaultError as error:
            self._fault(path, str(error).removeprefix(f"{self._vault.root / path} "))
            return
        if path == INDEX:
            self._index = text if sha else None
            self._index_is_ours = self._history.written.get(OUR_INDEX) == sha
        elif path not in DERIVED and sha:
            self._read(path, text, sha)

    def _read(self, path: str, text: str, sha: str) -> None:
        note = self._cache.get(path, sha)
        if note is None:
            note = read_note(path, text, self._schema)
            self._cache.put(path, sha, note)
        self._notes.append(note)
        if note.kind and self._history.written.get(note.inner) == sha:
            self._untouched.add(note.inner)
        # a derived page repeats what articles and logs say: it would contradict its own sources
        if note.row and self._claiming and not is_derived(text):
            projects = parse(note.inner, note.kind, text).names("projects")
            self.claims += claims_of(note.inner, note.kind, note.title, blocks(text), projects)
        day, ingested = _day(path), self._history.ingested.get(path)
        # as it was compiled, it has nothing to tell of
        if day and not (ingested and ingested.get("hash") == sha):
            source = log_source(path, text, daily.blocks(text, day), self._history)
            self._sources += [source] if source else []

    def snapshot(self, files: Iterable[str]) -> Snapshot:
        """Put together what was read."""
        return Snapshot(
            files=tuple(files),
            notes=tuple(self._notes),
            sources=tuple(self._sources),
            schema=self._schema,
            index=self._index,
            faults=tuple(self._faults),
            untouched=frozenset(() if self._index_is_ours else self._untouched),
        )

    def _unlisted(self, error: OSError) -> None:
        name = Path(str(error.filename)).relative_to(self._vault.root).as_posix()
        self._fault(name, f"the folder cannot be read: {error.strerror}")

    def _fault(self, path: str, reason: str) -> None:
        self._faults.append(Finding("unreadable", "error", path, 1, reason))


def _day(path: str) -> date | None:
    try:
        day = date.fromisoformat(path.removeprefix(_DAILY).removesuffix(".md"))
    except ValueError:
        return None
    return day if path == f"{_DAILY}{day}.md" else None


class _NoteCache:
    """Keeps notes by path and hash of their files, in one SQLite file; does without if it must."""

    def __init__(self, path: Path, made_by: str) -> None:
        self._path = path
        self._made_by = made_by
        self._held: dict[str, tuple[str, str]] = {}
        self._seen: set[str] = set()
        self._new: dict[str, tuple[str, str]] = {}
        try:
            if path.exists():
                self._held = {name: (sha, value) for name, sha, value in self._rows()}
        except (sqlite3.Error, OSError):
            self._held = {}

    def get(self, path: str, sha: str) -> Note | None:
        """Give the kept note of a file with that content, None for none."""
        held = self._held.get(path)
        if held is None or held[0] != sha:
            return None
        note = decode_note(held[1])
        if note is not None:
            self._seen.add(path)
        return note

    def put(self, path: str, sha: str, note: Note) -> None:
        """Keep a note."""
        self._new[path] = (sha, encode_note(note))

    def close(self) -> None:
        """Write what is new and drop what is gone; a file that cannot be used is made anew."""
        gone = self._held.keys() - self._seen - self._new.keys()
        if not self._new and not gone:
            return
        try:
            try:
                self._write(gone)
            except sqlite3.DatabaseError:
                for ending in ("", "-journal", "-wal", "-shm"):
                    self._path.with_name(self._path.name + ending).unlink(missing_ok=True)
                self._write(gone)
        except (sqlite3.Error, OSError, VaultError):
            return  # another lint is at it, or the disk is full: the next run reads all again

    def _rows(self) -> Iterator[tuple[str, str, str]]:
        with closing(sqlite3.connect(self._path)) as base:
            made = base.execute("SELECT value FROM note WHERE path = ''").fetchone()
            if made and made[0] == self._made_by:
                yield from base.execute("SELECT path, sha, value FROM note WHERE path != ''")

    def _write(self, gone: Iterable[str]) -> None:
        if not self._path.exists():
            disk.write(disk.folder(self._path.parent) / self._path.name, b"")  # ours alone to read
        with closing(sqlite3.connect(self._path)) as base, base:
            base.execute(_SCHEMA)
            if not self._held:  # none, or of another version
                base.execute("DELETE FROM note")
            base.executemany("DELETE FROM note WHERE path = ?", [(path,) for path in gone])
            base.execute("INSERT OR REPLACE INTO note VALUES ('', '', ?)", (self._made_by,))
            base.executemany(
                "INSERT OR REPLACE INTO note VALUES (?, ?, ?)",
                [(path, sha, value) for path, (sha, value) in self._new.items()],
            )
