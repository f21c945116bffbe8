"""A vault and the folder that its state is to lie in -> the state there, and word of it in .env.

A vault that a sync client watches needs its state elsewhere: locks, databases and the ledger are
this machine's. The vault's .env says where, relative to the home where it can, as the file may be
synced, too. The trap: hooks read no .env, so those of an install name the folder, and have to be
written again when it changes.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

from memoria.commands.workspace import workspace
from memoria.edges import disk, synced
from memoria.errors import UsageError, VaultError
from memoria.settings import folder

if TYPE_CHECKING:
    from pathlib import Path

    from memoria.commands.workspace import Workspace

VARIABLE = "MEMORIA_STATE_DIR"


def settled(work: Workspace, wanted: str, *, dry_run: bool = False) -> Workspace:
    """Give the vault with its state in that folder, moved there if it lay elsewhere; "" stays.

    Raises UsageError for a folder that holds something else, and where the environment names
    another one.
    """
    if not wanted:
        return work
    settings = work.settings
    place = folder("--state", wanted, settings.home)
    named = settings.environment.get(VARIABLE)
    if place == settings.state:
        return work
    _check(work, place, _written(settings.vault) or "", named or "")
    moved = replace(workspace(replace(settings, state=place)), terminal=work.terminal)
    if not dry_run:
        _move(work, place)
        _write(settings.vault, place, settings.home)
    return moved


def warning(work: Workspace) -> str:
    """Say that the state lies in a folder that is synced, and what to do; "" where it does not."""
    settings = work.settings
    found = synced.service(settings.state, settings.environment, settings.home)
    if not found:
        return ""
    return (
        f"{settings.state} lies in a folder of {found}: the vault may be synced, its state may not "
        "(torn files, lost records); `memoria install --state ~/.local/state/memoria` moves it"
    )


def _check(work: Workspace, place: Path, written: str, named: str) -> None:
    if named and named != written:
        raise UsageError(f"{VARIABLE} in the environment says {named}: change it there")
    if not str(place).isprintable():
        raise UsageError(f"{str(place)!a}: a path with characters that cannot be printed")
    if place.is_relative_to(work.settings.vault):
        raise UsageError(f"--state {place} lies in the vault: name a folder outside of it")
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise UsageError(f"--state {place} is not empty: name a new folder for this vault's state")


def _move(work: Workspace, place: Path) -> None:
    """Move the state when nobody works with it; hooks that come in between find no vault."""
    state = work.vault.state
    if not state.exists:
        return
    for lock in sorted((state.root / "locks").glob("*")):
        with state.lock(lock.name, wait=False):
            pass
    try:
        disk.folder(place.parent)
        if place.exists():
            place.rmdir()
        shutil.move(state.root, place)
    except OSError as error:
        raise VaultError(f"cannot move {state.root} to {place}: {error.strerror}") from error


def _written(vault: Path) -> str | None:
    text, _ = disk.text(vault / ".env")
    lines = [line for line in text.splitlines() if line.startswith(f"{VARIABLE}=")]
    return lines[-1].partition("=")[2].strip().strip("'\"") if lines else None


def _write(vault: Path, place: Path, home: Path) -> None:
    """Set the line in the vault's .env; what else stands there stays."""
    near = place.is_relative_to(home)
    path = f"~/{place.relative_to(home).as_posix()}" if near else place.as_posix()
    # as python-dotenv reads it: nothing in single quotes has a meaning but these two
    quoted = path.replace("\\", "\\\\").replace("'", "\\'")
    text, _ = disk.text(vault / ".env")
    lines = [one for one in text.splitlines() if not one.startswith(f"{VARIABLE}=")]
    lines.append(f"{VARIABLE}='{quoted}'")
    disk.folder(vault)
    disk.replace(vault / ".env", "".join(f"{one}\n" for one in lines).encode())
