"""List the articles of a vault by path, each parsed when it is asked for.

A file that cannot be read is left out and named, so that nothing is written over it.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from memoria.errors import VaultError
from memoria.vault.article import Article, parse_article
from memoria.vault.file_names import find_sync_copies
from memoria.vault.schema import Schema
from memoria.vault.storage import disk

# bytes: an article of 1 MB is no article, and reading it would only cost memory
MAX_ARTICLE_BYTES = 1 << 20
_ENDING = ".md"
# what tells two states of a file apart without reading it: time, size, and the file itself, which
# every atomic replacement changes
Stamp = tuple[int, int, int]
# an article, or None and the fault that makes its file unreadable
_Read = tuple[Article | None, str]


class ArticleStore(Mapping[str, Article]):
    """The readable articles of a vault by path ("concepts/x"), in order of the paths."""

    def __init__(self, root: Path, schema: Schema) -> None:
        self._root = root
        self._schema = schema
        self._parsed: dict[str, tuple[Stamp, _Read]] = {}
        self._stamps: dict[str, Stamp] = {}
        self._obstacles: dict[str, str] = {}
        self.refresh()

    @property
    def unreadable(self) -> Mapping[str, str]:
        """Paths that nothing may be written to, with the reason; this reads all articles."""
        return {path: fault for path in self.paths() if (fault := self.fault(path))}

    def refresh(self) -> None:
        """List the files again; parses of unchanged ones stay."""
        names = [kind.folder for kind in self._schema.kinds]
        folders = {name: _find_link_fault(self._root, name) for name in names}
        files = {
            f"{folder}/{name}": stamp
            for folder, fault in folders.items()
            if not fault
            for name, stamp in list_notes(self._root / folder)
        }
        copies = find_sync_copies(files)
        names = [name for name in files if name not in copies]
        self._stamps = {name.removesuffix(_ENDING): files[name] for name in names}
        # on a case-insensitive disk Foo.md is in the way of foo.md
        self._obstacles = {folder: fault for folder, fault in folders.items() if fault} | {
            path.lower(): f"knowledge/{path}.md is in the way: use lower case in its name"
            for path in self._stamps
            if path != path.lower()
        }

    def __getitem__(self, path: str) -> Article:
        """Load an article; KeyError where there is none or it cannot be read."""
        article, _ = self._load(path)
        if article is None:
            raise KeyError(path)
        return article

    def __contains__(self, path: object) -> bool:
        """Whether there is a file for that path, readable or not."""
        return path in self._stamps

    def __iter__(self) -> Iterator[str]:
        """Go through the readable articles in order of their paths."""
        return (path for path in sorted(self._stamps) if self.get(path) is not None)

    def __len__(self) -> int:
        """Count the files, readable or not."""
        return len(self._stamps)

    def sha(self, path: str) -> str:
        """Give the hash of the file that was read for an article, "" where there is none."""
        article = self.get(path)
        return article.sha if article else ""

    def fault(self, path: str) -> str:
        """Say why nothing may be written to a path, "" where it may."""
        return self._load(path)[1] or self._obstacles.get(path, "")

    def paths(self) -> list[str]:
        """Give the paths of all files, and those that a file is in the way of."""
        return sorted({*self._stamps, *self._obstacles})

    def _load(self, path: str) -> _Read:
        stamp = self._stamps.get(path)
        if stamp is None:
            return None, ""
        parsed = self._parsed.get(path)
        if parsed is None or parsed[0] != stamp:
            parsed = self._parsed[path] = stamp, self._read(path)
        return parsed[1]

    def _read(self, path: str) -> _Read:
        kind = self._schema.kind_of(path)
        try:
            text, sha = disk.read_text(self._root / f"{path}{_ENDING}", MAX_ARTICLE_BYTES)
            return replace(parse_article(path, kind.name if kind else "", text), sha=sha), ""
        except VaultError as error:
            return None, str(error)


def _find_link_fault(root: Path, folder: str) -> str:
    """Say that a folder is a link, whose files are nobody's articles; "" for one that is none."""
    try:
        disk.refuse_links(root.parent, root / folder / _ENDING)
    except VaultError as error:
        return str(error)
    return ""


def list_notes(folder: Path) -> Iterator[tuple[str, Stamp]]:
    """List the notes of a folder; names with a dot are other programs' (._x.md on a Mac's disk)."""
    try:
        entries = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise VaultError(f"{folder} cannot be read: {error.strerror or error}") from error
    for entry in entries:
        if entry.name.endswith(_ENDING) and not entry.name.startswith("."):
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # removed since it was listed
            yield entry.name, (status.st_mtime_ns, status.st_size, status.st_ino)
