"""Make several file changes, all of them or none, whatever instant the process dies.

A write-ahead journal with roll-forward: the new contents are written and flushed, then one record
named COMMIT is renamed into place (that is the commit), then the files are replaced. Whoever opens
the journal next finishes what a dead process had committed and discards the rest. The caller holds
the vault's lock. A record that names a file that the journal may not write is refused as a whole.
"""

import errno
import json
import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from memoria.errors import VaultError
from memoria.vault.storage import disk
from memoria.vault.storage.roll_forward import FileRollForward

# as many steps of one label as a person may want to take back; each holds the files of one compile
_KEPT_STEPS = 20
COMMIT = "COMMIT"
# of a disk: what a file and its entry in a folder take beside its bytes
_BLOCK_BYTES = 4096
# what a step's path is relative to; one that is neither in the vault nor in the state is absolute
VAULT, STATE, OUTSIDE = "vault", "state", ""
# files with a dot in front that a vault begins with; all others are another program's (.git/hooks)
_OWN_DOT_FILES = frozenset({".gitignore", ".gitattributes"})


class Write(NamedTuple):
    """Replace, create or (None) remove a file whose content hashes to `expected` ("" = none).

    Of one that is `derived` nothing is kept to take the step back by: it is derived anew.
    """

    path: Path
    data: bytes | None
    expected: str
    derived: bool = False


class Append(NamedTuple):
    """Add bytes to the end of a file."""

    path: Path
    data: bytes


class OutsideChange(NamedTuple):
    """Keep both states of a file outside of the vault, which the caller writes; None is no file."""

    path: Path
    before: bytes | None
    after: bytes | None


Change = Write | Append | OutsideChange


class Conflict(VaultError):
    """A file changed between reading it and committing: read again and repeat."""


class WriteScope:
    """Where a journal may write: in the vault, in the state, where rules were promoted to."""

    def __init__(
        self, vault: Path, state: Path, promoted: Callable[[], Collection[str]] = tuple
    ) -> None:
        # a state first: one that a test or a person puts into a vault is still none of its notes
        self._bases = {STATE: state, VAULT: vault}
        self._promoted = promoted

    def build_path_record(self, path: Path) -> dict[str, str]:
        """Say in a record which file is meant."""
        for base, folder in self._bases.items():
            if path.is_relative_to(folder):
                return {"in": base, "path": path.relative_to(folder).as_posix()}
        return {"in": OUTSIDE, "path": str(path)}

    def locate(self, step: dict[str, Any]) -> Path:
        """Give the file that a record means."""
        return self._bases.get(str(step.get("in", OUTSIDE)), Path()) / str(step["path"])

    def check_path(self, step: dict[str, Any]) -> Path:
        """Give the file of a step; VaultError for one that the journal may not write."""
        path, base = self.locate(step), str(step.get("in", OUTSIDE))
        if base == OUTSIDE:
            if "picture" in step:
                return path
            if str(path) not in self._promoted():
                reason = "outside of the vault, and no rules were promoted to it"
                raise VaultError(f"{path} is {reason}")
            folder = Path(path.anchor)
        else:
            folder = self._bases[base]
            parts = path.relative_to(folder).parts if path.is_relative_to(folder) else ("..",)
            is_dotted = any(part.startswith(".") for part in parts)
            is_foreign = is_dotted and "/".join(parts) not in _OWN_DOT_FILES
            if ".." in parts or (base == VAULT and is_foreign):
                raise VaultError(f"{path} is no file of the vault or its state")
        disk.refuse_links(folder, path)
        return path


class Journal:
    """The journal of one vault, in its state folder; VaultError names what the disk refuses."""

    def __init__(self, folder: Path, scope: WriteScope) -> None:
        self.scope = scope
        self._open = folder / "open"
        self.done = folder / "done"
        self.aside = folder / "conflicts"

    @property
    def pending(self) -> bool:
        """Whether a transaction is under way, or was when its process died."""
        return bool(_list_entries(self._open))

    def commit(self, changes: Iterable[Change], *, label: str = "", step: str = "") -> None:
        """Make the changes; Conflict or VaultError before anything is done if one cannot be made.

        `label` names a step that can be taken back, together with others of the same `step`.
        """
        with _convert_os_errors():
            entry = self._prepare(list(changes), label, step)
            self._finish(entry, self._read_record(entry))

    def recover(self) -> int:
        """Finish committed transactions of dead processes, drop the others; give how many."""
        count = 0
        with _convert_os_errors():
            for entry in _list_entries(self._open):
                if not (entry / COMMIT).exists():
                    _remove_entry(entry)
                    continue
                record = self._read_record(entry)
                for step in record["steps"]:
                    disk.remove_temporaries(Path(step["path"]))
                self._finish(entry, record)
                count += 1
        return count

    def conflicts(self) -> list[Path]:
        """Files that were put aside because a person's edit came first."""
        return _list_entries(self.aside)

    def forget(self) -> None:
        """Drop the images of all steps, to the last byte: none can be taken back any more."""
        with _convert_os_errors():
            for entry in _list_entries(self.done):
                _remove_entry(entry, is_strict=True)
            if self.done.is_dir():
                disk.sync_folder(self.done)

    def _prepare(self, changes: list[Change], label: str, step: str) -> Path:
        _expect_room(changes)
        entry = disk.make_folder(self._open / self._next_number(step))
        try:
            steps = [
                _stage(entry, number, change, with_old=bool(label))
                | self.scope.build_path_record(change.path)
                for number, change in enumerate(changes)
            ]
            for row in steps:
                self.scope.check_path(row)
            record = json.dumps({"label": label, "step": step, "steps": steps}).encode()
            disk.sync_folder(entry)
            disk.replace(entry / COMMIT, record)
        except BaseException:
            with suppress(OSError):
                _remove_entry(entry)
            raise
        return entry

    def _read_record(self, entry: Path) -> dict[str, Any]:
        path = entry / COMMIT
        try:
            value = json.loads(path.read_bytes())
            label, step = str(value["label"]), str(value.get("step", ""))
            steps = [row | {"path": str(self.scope.check_path(row))} for row in value["steps"]]
        except VaultError as error:
            raise VaultError(f"{entry} is refused: {error}; move it away and try again") from error
        except (ValueError, TypeError, KeyError) as error:
            raise VaultError(f"{path} is damaged; move {entry} away and try again") from error
        return {"label": label, "step": step, "steps": steps}

    def _next_number(self, step: str) -> str:
        """Give the number of a transaction: its step's, with its place in it behind a dot."""
        folders = (*_list_entries(self._open), *_list_entries(self.done))
        names = (parse_folder_name(folder.name) for folder in folders)
        steps = [(number.partition(".")[0], step_id) for number, _, step_id in names]
        numbers = [number for number, step_id in steps if step_id == step]
        if step and numbers:
            return f"{numbers[0]}.{len(numbers):04d}"
        return f"{max((int(number) for number, _ in steps if number.isdigit()), default=0) + 1:08d}"

    def _finish(self, entry: Path, record: dict[str, Any]) -> None:
        steps = [pair for pair in enumerate(record["steps"]) if "picture" not in pair[1]]
        for number, step in steps:
            self._roll(entry, number, step)
        for number, step in steps:
            if "at" not in step:
                FileRollForward(entry, self.aside, number, step).settle()
        if record["label"]:
            self._keep(entry, record)
        else:
            _remove_entry(entry)

    def _roll(self, entry: Path, number: int, step: dict[str, Any]) -> None:
        path = Path(step["path"])
        if "at" in step:
            _append_at(path, int(step["at"]), (entry / f"{number}.new").read_bytes())
            return
        sha = disk.sha_of(disk.read(path))
        if sha == step["new"]:
            return
        if step["new"]:
            FileRollForward(entry, self.aside, number, step).land()
        elif sha == step["old"]:  # what a person has made of it since stays
            disk.remove(path)
            disk.sync_folder(path.parent)

    def _keep(self, entry: Path, record: dict[str, Any]) -> None:
        disk.make_folder(self.done)
        name = "-".join((entry.name, record["label"], record["step"] or entry.name))
        kept_folder = self.done / name
        disk.rename(entry, kept_folder)
        # on the disk before a later change of the same files, or this one would be made again
        disk.sync_folder(self.done)
        disk.sync_folder(self._open)
        for number, step in enumerate(record["steps"]):
            for ending in ("new", "old") if is_derived(step) else ():
                disk.remove(kept_folder / f"{number}.{ending}")
        # the latest steps of each label: fifty decisions do not push out a compile
        steps: dict[str, dict[str, list[Path]]] = defaultdict(dict)
        for folder in _list_entries(self.done):
            _, label, step_id = parse_folder_name(folder.name)
            steps[label].setdefault(step_id, []).append(folder)
        for folders in steps.values():
            for folder in chain(*[*folders.values()][:-_KEPT_STEPS]):
                _remove_entry(folder)


def _list_entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def is_derived(step: dict[str, Any]) -> bool:
    """Whether a record's step is none that is taken back: lines of the ledger, derived files."""
    return "at" in step or "derived" in step


def parse_folder_name(name: str) -> tuple[str, str, str]:
    """Read the name of a kept transaction's folder: number, label, step; others' have no label."""
    number, _, label_and_step = name.partition("-")
    label, _, step = label_and_step.rpartition("-")
    return (number, label, step) if label else (name, "", name)


@contextmanager
def _convert_os_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        name = error.filename or "the disk"
        raise VaultError(f"cannot write {name}: {error.strerror or error}") from error


def _expect_room(changes: Iterable[Change]) -> None:
    """Raise OSError where a disk is too full for the changes, before anything is committed."""
    needed: dict[Path, int] = defaultdict(int)
    for change in changes:
        if isinstance(change, Write | Append):
            folder = next(path for path in change.path.parents if path.is_dir())
            needed[folder] += len(change.data or b"") + 2 * _BLOCK_BYTES
    for folder, size in needed.items():
        if shutil.disk_usage(folder).free < size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))


def _stage(entry: Path, number: int, change: Change, *, with_old: bool) -> dict[str, Any]:
    if isinstance(change, Append):
        disk.write(entry / f"{number}.new", change.data)
        return {"new": disk.sha(change.data), "at": disk.size(change.path)}
    if isinstance(change, OutsideChange):
        before, after, marks = change.before, change.after, {"picture": True}
    else:
        before, after = disk.read(change.path), change.data
        marks = {"derived": True} if change.derived else {}
        if disk.sha_of(before) != change.expected:
            raise Conflict(f"{change.path} was changed by somebody else in the meantime; try again")
    if after is not None:
        disk.write(entry / f"{number}.new", after)
    # of a note also to put a change that a person makes meanwhile together with this one
    if before is not None and (with_old or change.path.suffix == ".md"):
        disk.write(entry / f"{number}.old", before)
    return {"new": disk.sha_of(after), "old": disk.sha_of(before), **marks}


def _remove_entry(entry: Path, *, is_strict: bool = False) -> None:
    if not entry.is_dir():  # a file that some program left in the folder
        return
    # the record goes first: without it the rest is what recover() discards
    disk.remove(entry / COMMIT)
    disk.sync_folder(entry)
    shutil.rmtree(entry, ignore_errors=not is_strict)


def _append_at(path: Path, at: int, data: bytes) -> None:
    disk.make_folder(path.parent)
    with disk.name_file_in_errors(path):
        if not path.exists():
            disk.write(path, b"")
            disk.sync_folder(path.parent)
        with path.open("r+b") as file:
            start = file.seek(min(at, disk.size(path)))
            tail = file.read()
            # the whole of it is there, perhaps with what somebody has added since
            if tail.startswith(data):
                return
            # what a dead process had begun to append is written over with the same bytes; some
            # file systems show zeros where a crash kept the bytes from the disk
            if data.startswith(tail.rstrip(b"\0")):
                file.seek(start)
                file.truncate()
            disk.write_through(file, data)


def create_step_id() -> str:
    """Give the id of a step."""
    # a letter first: it is told by that from the number of a transaction
    return f"s{os.urandom(6).hex()}"
