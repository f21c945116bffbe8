"""Find and write a tool's file outside the vault, without leaving the project.

A path is followed to its end before it is opened. A new file has the mode of its folder, as it is
for all who may read the repository.
"""

import os
import stat
from pathlib import Path

from memoria.errors import UsageError
from memoria.vault.storage import disk, foreign_file

# of a folder's mode, what makes sense for a file
_FILE_MODE = 0o666


def project_root(folder: Path) -> Path:
    """Give the root of the repository or worktree that a folder lies in, else the folder."""
    folders = (folder, *folder.parents)
    return next((path for path in folders if os.path.lexists(path / ".git")), folder)


def resolve_target(root: Path, name: str, within: Path) -> Path:
    """Follow `root/name` to the file that it leads to; UsageError where that is not in `within`."""
    path = root / name
    target = foreign_file.follow_links(path)
    if not target.is_relative_to(foreign_file.follow_links(within)):
        raise UsageError(
            f"{path} is a link that leads out of {within}, to {target}; nothing was changed: "
            "promote to the folder where the file lies"
        )
    if target.suffix.lower() != path.suffix.lower():
        # Markdown in a script would be run
        raise UsageError(f"{path} is a link to {target}, another kind of file; nothing was changed")
    return target


def write(path: Path, old: str | None, text: str | None, root: Path) -> None:
    """Replace a file as `foreign_file.write` does; UsageError, and nothing has changed.

    Folders are made where they are missing; those that are empty without the file go with it, up to
    `root`.
    """
    if text is None:
        foreign_file.write(path, old, None)
        remove_empty_folders(path.parent, Path(os.path.realpath(root)))
    elif text != old:
        with foreign_file.convert_os_errors(path):
            mode = mode_of(path)
            _make_folder(path.parent)
            disk.remove_temporaries(path)  # whoever writes such files holds the lock
        foreign_file.write(path, old, text, mode)


def mode_of(path: Path) -> int:
    """Give the mode that a file has, or that a new one is to have: that of its folder."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    parent = next(folder for folder in path.parents if folder.is_dir())
    return stat.S_IMODE(parent.stat().st_mode) & _FILE_MODE


def _make_folder(path: Path) -> None:
    """Make a folder, as open as the one that it lies in."""
    if not path.is_dir():
        _make_folder(path.parent)
        path.mkdir()
        path.chmod(stat.S_IMODE(path.parent.stat().st_mode))
        disk.sync_folder(path.parent)


def remove_empty_folders(folder: Path, root: Path) -> None:
    """Remove folders that are empty, from the inmost one up to `root`, which stays."""
    while folder != root and folder.is_relative_to(root):
        try:
            folder.rmdir()
        except OSError:
            return  # not empty: it holds something else
        folder = folder.parent
