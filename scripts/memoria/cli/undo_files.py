"""List the steps that can be taken back, and say what each file is to become without one.

A step is one transaction, or several that belong together: the days of one compile. Untouched
since, a file gets back its old bytes. Edited since, by a person or by a later step, it keeps those
changes where they lie on other lines. What is derived (index.md, HOME.md, snapshots) and what only
tells (log.md) is none of it. The trap: approvals are one object in one file, so they
are merged by rule and not by line; a later approval of another rule is nobody's conflict.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from memoria.errors import MemoriaError, VaultError
from memoria.text.merge import merge_if_apart
from memoria.vault import setup
from memoria.vault.article import parse_article
from memoria.vault.storage import disk, foreign_file
from memoria.vault.storage.journal import COMMIT, Journal, is_derived, parse_folder_name
from memoria.vault.storage.state import encode_json
from memoria.workspace import Workspace

# the changes of an approvals file are merged by rule, of all others by line; the content of the
# files of other tools is checked by what those take
Kind = Literal["text", "outside", "approvals"]


@dataclass(frozen=True, slots=True)
class PastStep:
    """A step that was made, at `at` seconds of the epoch, with the folders of its images."""

    number: int
    label: str
    id: str
    at: float
    paths: tuple[str, ...]
    folders: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file before and after, with hashes; None where there was none."""

    path: str
    old: str
    new: str
    before: bytes | None
    after: bytes | None


def list_past_steps(journal: Journal) -> tuple[PastStep, ...]:
    """List the steps that can be taken back, oldest first."""
    groups: dict[str, list[Path]] = defaultdict(list)
    for entry in sorted(journal.done.iterdir()) if journal.done.is_dir() else ():
        _, label, step = parse_folder_name(entry.name)
        if label:
            groups[step].append(entry)
    steps = (_read_past_step(journal, step, folders) for step, folders in groups.items())
    return tuple(step for step in steps if step)


def _read_past_step(journal: Journal, step: str, folders: list[Path]) -> PastStep | None:
    number, label, _ = parse_folder_name(folders[0].name)
    try:
        rows = (row for folder in folders for row in _read_changes(journal, folder))
        paths = tuple(dict.fromkeys(change["path"] for _, change in rows))
        at = (folders[-1] / COMMIT).stat().st_mtime
    except (OSError, VaultError):
        return None  # a process died while it dropped it
    return PastStep(int(number.partition(".")[0]), label, step, at, paths, tuple(folders))


def read_file_changes(journal: Journal, step: PastStep) -> tuple[FileChange, ...]:
    """Give what a step did to each file, the latest change first."""
    by_path: dict[str, list[FileChange]] = defaultdict(list)
    for folder in step.folders:
        for number, change in _read_changes(journal, folder):
            path, old, new = change["path"], change["old"], change["new"]
            before = disk.read(folder / f"{number}.old") if old else None
            after = disk.read(folder / f"{number}.new") if new else None
            changes = by_path[path]
            if changes and changes[-1].new == old:
                # two that follow upon one another are one
                changes[-1] = replace(changes[-1], new=new, after=after)
            else:
                changes.append(FileChange(path, old, new, before, after))
    return tuple(image for changes in by_path.values() for image in reversed(changes))


def _read_changes(journal: Journal, folder: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    path = folder / COMMIT
    try:
        for number, change in enumerate(json.loads(disk.read(path) or b"")["steps"]):
            if not is_derived(change):
                yield number, dict(change) | {"path": str(journal.scope.locate(change))}
    except (ValueError, TypeError, KeyError) as error:
        raise VaultError(f"{path} is damaged; move {folder} away and try again") from error


@dataclass(frozen=True, slots=True)
class Revert:
    """What becomes of one file: `after` None takes it away; `why` says why it is left, "" if not.

    `name` is for people, `note` the article's path or "", `sha` the hash of the file as it is.
    `before` is what it holds now. `outside` is a file of another tool.
    """

    path: Path
    name: str
    note: str
    sha: str
    before: bytes | None
    after: bytes | None
    outside: bool = False
    why: str = ""

    @property
    def changes(self) -> bool:
        """Whether the file will be another one."""
        return self.before != self.after

    @property
    def how(self) -> str:
        """Say in a word what happens to it."""
        return "remove" if self.after is None else "write" if self.before is None else "change"


class _NotRevertible(Exception):
    """A file that is not to be touched."""


def plan_reverts(work: Workspace, step: PastStep) -> tuple[Revert, ...]:
    """Say what becomes of each file of a step that is taken back."""
    changes: dict[Path, list[FileChange]] = defaultdict(list)
    for change in read_file_changes(work.vault.journal, step):
        changes[Path(change.path)].append(change)
    return tuple(
        _plan_revert(work, path, kind, changes[path])
        for path, kind in find_reverted_files(work, step).items()
    )


def find_reverted_files(work: Workspace, step: PastStep) -> dict[Path, Kind]:
    """Give the files of a step that an undo is about, with their kinds."""
    kinds = {path: _kind_of(work, path) for path in map(Path, step.paths)}
    return {path: kind for path, kind in kinds.items() if kind}


def _kind_of(work: Workspace, path: Path) -> Kind | None:
    """Find the kind of a file; None for what is derived, and for what only tells what was done."""
    vault = work.vault
    if path.is_relative_to(vault.state.root):
        is_text = path.is_relative_to(vault.state.root / "written")
        return "approvals" if path == vault.state.approvals else "text" if is_text else None
    if not path.is_relative_to(vault.root):
        return "outside"
    return "text" if _note_name(work, path) or path.name in setup.BESIDE else None


def _plan_revert(work: Workspace, path: Path, kind: Kind, changes: list[FileChange]) -> Revert:
    """Take the changes of one file back, the latest first."""
    is_outside, note = kind == "outside", _note_name(work, path)
    name = path.relative_to(work.vault.root).as_posix() if note else str(path)
    try:
        current = disk.read(path)
    except VaultError as error:
        return Revert(path, name, note, "", None, None, is_outside, str(error))
    revert = Revert(path, name, note, disk.sha_of(current), current, current, is_outside)
    try:
        data = current
        for change in changes:
            data = _revert_change(kind, change, data)
        if data != current:
            _check_writable(work, revert, data)
    except (_NotRevertible, MemoriaError) as fault:
        return replace(revert, why=str(fault))
    return replace(revert, after=data)


def _revert_change(kind: Kind, change: FileChange, data: bytes | None) -> bytes | None:
    """Give what a file held before one change, with what was changed in it since."""
    sha = disk.sha_of(data)
    if sha == change.old:
        return data
    if sha == change.new:
        return change.before
    return (_merge_approvals if kind == "approvals" else _merge_lines)(change, data)


def _merge_lines(image: FileChange, data: bytes | None) -> bytes:
    """Take a change out of a text, where later ones lie on other lines."""
    if data is None:
        raise _NotRevertible("it was deleted since")
    if image.before is None or image.after is None:
        raise _NotRevertible("it was changed since")
    text = merge_if_apart(_decode_text(image.after), _decode_text(image.before), _decode_text(data))
    if text is None:
        raise _NotRevertible("the same lines were changed since")
    return text.encode("utf-8", "surrogateescape")


def _decode_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _merge_approvals(change: FileChange, data: bytes | None) -> bytes:
    """Give approvals the state before, rule by rule; what was decided since stands."""
    try:
        values = [json.loads(text or b"{}") for text in (change.before, change.after, data)]
    except ValueError:
        raise _NotRevertible("it is damaged") from None
    old, new, current = (value if isinstance(value, dict) else {} for value in values)
    for name in old.keys() | new.keys():
        approval, new_approval = current.get(name), new.get(name)
        if approval == new_approval and new_approval != old.get(name):
            current.pop(name, None)
            current |= {name: old[name]} if name in old else {}
    return encode_json(current)


def _check_writable(work: Workspace, revert: Revert, data: bytes | None) -> None:
    """Raise if the file may not be written so: it is out of reach, or no article any more.

    The path was without links when it was kept; one that came since may lead anywhere.
    """
    kind = work.vault.schema.kind_of(revert.note) if revert.note else None
    if revert.outside:
        if os.path.realpath(revert.path) != str(revert.path):
            raise _NotRevertible("a link lies on its way now")
        foreign_file.read_to_write(revert.path)  # refuses what cannot be written
    elif kind and data is not None:
        parse_article(revert.note, kind.name, _decode_text(data))


def _note_name(work: Workspace, path: Path) -> str:
    """Name a file of the vault as the ledger does: articles by their path, entries with daily/."""
    vault = work.vault
    for folder, base in ((vault.knowledge, vault.knowledge), (vault.daily, vault.root)):
        if path.is_relative_to(folder):
            return path.relative_to(base).as_posix().removesuffix(".md")
    return ""
