"""Read the steps that a person can take back, with their files, from the images that are kept.

A step is one transaction, or several that belong together: the days of one compile.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memoria.errors import VaultError
from memoria.vault.storage import disk
from memoria.vault.storage.journal import COMMIT, placed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memoria.vault.storage.journal import Journal


@dataclass(frozen=True, slots=True)
class Past:
    """A step that was made, at `at` seconds of the epoch, with the folders of its images."""

    number: int
    label: str
    id: str
    at: float
    paths: tuple[str, ...]
    folders: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Image:
    """A file before and after, with hashes; None where there was none, `lost` without an image."""

    path: str
    old: str
    new: str
    before: bytes | None
    after: bytes | None
    lost: bool = False


def past(journal: Journal) -> tuple[Past, ...]:
    """List the steps that can be taken back, oldest first."""
    groups: dict[str, list[Path]] = defaultdict(list)
    for entry in sorted(journal.done.iterdir()) if journal.done.is_dir() else ():
        _, label, step = placed(entry.name)
        if label:
            groups[step].append(entry)
    pasts = (_past(journal, step, folders) for step, folders in groups.items())
    return tuple(one for one in pasts if one)


def images(journal: Journal, step: Past) -> tuple[Image, ...]:
    """Give what a step did to each file, the latest change first."""
    found: dict[str, list[Image]] = defaultdict(list)
    for folder in step.folders:
        for number, one in enumerate(_steps(journal, folder)):
            if "at" not in one:
                changes, image = found[one["path"]], _image(folder, number, one)
                if changes and changes[-1].new == image.old:
                    # two that follow upon one another are one
                    old = changes.pop()
                    image = replace(image, old=old.old, before=old.before, lost=old.lost)
                changes.append(image)
    return tuple(image for changes in found.values() for image in reversed(changes))


def _past(journal: Journal, step: str, folders: list[Path]) -> Past | None:
    number, label, _ = placed(folders[0].name)
    try:
        steps = [one for folder in folders for one in _steps(journal, folder)]
        at = (folders[-1] / COMMIT).stat().st_mtime
    except (OSError, VaultError):
        return None  # a process died while it dropped it
    paths = dict.fromkeys(one["path"] for one in steps if "at" not in one)
    return Past(int(number), label, step, at, tuple(paths), tuple(folders))


def _steps(journal: Journal, folder: Path) -> Iterator[dict[str, Any]]:
    path = folder / COMMIT
    try:
        value = json.loads(disk.read(path) or b"")
        for one in value["steps"]:
            found = str(journal.confines.locate(one))
            yield {"old": "", "new": ""} | dict(one) | {"path": found}
    except (ValueError, TypeError, KeyError) as error:
        raise VaultError(f"{path} is damaged; move {folder} away and try again") from error


def _image(folder: Path, number: int, step: dict[str, Any]) -> Image:
    old, new = step["old"], step["new"]
    before = disk.read(folder / f"{number}.old") if old else None
    after = disk.read(folder / f"{number}.new") if new else None
    # what the merge needs and what is to come back; the middle ones of a step were dropped
    return Image(step["path"], old, new, before, after, lost=bool(old) and before is None)
