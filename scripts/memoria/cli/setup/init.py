"""Make a folder a vault that hooks may write to (`init [DIR]`), or bring one up to date (`update`).

`init` makes what is missing and touches nothing that is there, so that it can be run again. In an
update what a person changed in a file stays: this version's changes are worked in beside theirs
where both touch different lines, else the file is left alone and named. The trap: which words are a
person's is known only from the copy of what Memoria wrote itself.
"""

import argparse
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from memoria import __version__, refresh, terminal
from memoria.errors import UsageError, VaultError
from memoria.settings import parse_folder
from memoria.text.merge import format_diff, merge_if_apart
from memoria.vault import package_files, setup
from memoria.vault.storage import clock, disk, registry
from memoria.vault.storage.child_environment import find_work_tree
from memoria.vault.storage.registry import Registry
from memoria.vault.storage.state import State, encode_json
from memoria.vault.store import TEMPLATE
from memoria.workspace import Workspace, workspace


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Make the vault and say what is next."""
    if arguments.verb == "update":
        return _update(arguments, work)
    work = _place_state(work, arguments.state)
    new_names = init(work)
    if arguments.json:
        terminal.print_json({"vault": str(work.vault.root), "created": new_names})
    say = work.terminal.say
    say(f"{'Made' if new_names else 'Already there:'} the vault {work.vault.root}")
    say("Next: `memoria import` for the sessions you have, `memoria install` to capture new ones.")
    return 0


def init(work: Workspace) -> list[str]:
    """Make and register what is missing of the vault; give the names of folders and files made."""
    vault = work.vault
    register(work)
    texts = setup.build_files(vault.root)
    is_new = not vault.state.exists
    setup.check_format(vault.root, vault.state)
    try:
        new_names = [path.name for path in (vault.daily, vault.knowledge) if not path.is_dir()]
        for name in new_names:
            disk.make_folder(vault.root / name)
        new_names += _write_missing_files(
            work, {name: texts[name] for name in texts if name != setup.TEMPLATE}
        )
    except OSError as error:
        raise VaultError(f"cannot make a vault at {vault.root}: {error.strerror}") from error
    vault.state.create()
    installed = vault.state.root / "installed.json"
    if not installed.exists():
        disk.replace(installed, encode_json({"since": clock.now(work.settings.zone).timestamp()}))
    with vault.open_transaction() as change:
        change.put_index()
        if not (vault.knowledge / "log.md").exists():
            change.append_log("")
        if not (vault.daily / TEMPLATE).exists():
            text = package_files.read_text(f"templates/{TEMPLATE}")
            change.put_entry(TEMPLATE.removesuffix(".md"), text)
            new_names.append(setup.TEMPLATE)
    for name in new_names:
        if name in texts:
            setup.write_copy(vault.state, name, texts[name])
    if is_new:
        setup.write_mark(vault.state)
    refresh.refresh(work, settle=True)
    return new_names


def _write_missing_files(work: Workspace, texts: Mapping[str, str]) -> list[str]:
    """Write the files of which nothing is there by that name; give their names."""
    root = work.vault.root
    new_names = [name for name in texts if not (root / name).exists()]
    for name in new_names:
        disk.make_folder((root / name).parent)
        disk.replace(root / name, texts[name].encode())
    return new_names


def _place_state(work: Workspace, folder: str) -> Workspace:
    """Give the vault with its state in that folder; "" leaves it where it is.

    Raises UsageError for a folder that holds something else or that others can write to.
    """
    settings = work.settings
    state_folder = parse_folder("--state", folder, settings.home) if folder else settings.state
    if state_folder == settings.state:
        return work
    if not _is_state_of(state_folder, settings.vault):
        _check_state_folder(work, state_folder)
    Registry().register(settings.vault, state_folder)
    new_settings = replace(settings, state=state_folder, registered=True)
    return replace(workspace(new_settings), terminal=work.terminal)


def register(work: Workspace) -> None:
    """Enter the vault with its state; VaultError where another process has just done so."""
    vaults, settings = Registry(), work.settings
    if Path(os.path.realpath(vaults.home)).is_relative_to(os.path.realpath(settings.vault)):
        raise UsageError(f"{settings.vault} holds {vaults.home}: name a folder of its own")
    if vaults.state(settings.vault) not in {None, settings.state}:
        raise VaultError(f"{settings.vault} was registered by another process; try again")
    vaults.register(settings.vault, settings.state)


def _is_state_of(folder: Path, vault: Path) -> bool:
    """Whether a folder of the person's holds a state that names this vault as its own."""
    state = State(folder)
    if not folder.is_dir() or registry.find_folder_fault(folder):
        return False
    vault_name = str(state.read_json(state.snapshot).get("vault") or "")
    return bool(vault_name) and os.path.realpath(vault_name) == os.path.realpath(vault)


def _check_state_folder(work: Workspace, place: Path) -> None:
    """Raise UsageError for a folder in which no state of the vault can be begun."""
    settings, real = work.settings, Path(os.path.realpath(place))
    if work.vault.state.exists:
        where = f"its state lies in {settings.state}"
        raise UsageError(f"{where}: move that folder to {place}, then say this again")
    if not str(place).isprintable():
        raise UsageError(f"{str(place)!a}: a path with characters that cannot be printed")
    for vault in map(str, (*Registry().vaults(), settings.vault)):
        if real.is_relative_to(os.path.realpath(vault)):
            reason = f"lies in the vault {vault}: name a folder outside of it"
            raise UsageError(f"--state {place} {reason}")
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise UsageError(f"--state {place} is not empty: name a new folder for this vault's state")
    tree = find_work_tree(str(place))
    if tree:
        raise UsageError(f"--state {place} lies in the git work tree {tree}: name a private folder")


# -- Updating --------------------------------------------------------------------------------------


class FileUpdate(NamedTuple):
    """A file of the vault: what it says, what it is to say, and this version's own text.

    `old` is None where there is no file; `new` is None where a person's changes and this version's
    meet, so that the file stays.
    """

    name: str
    old: str | None
    new: str | None
    ours: str


def _update(arguments: argparse.Namespace, work: Workspace) -> int:
    """Show the difference and, without --dry-run, make it; 1 where a file was left alone."""
    dry, state = arguments.dry_run, work.vault.state
    steps = list(_plan_updates(work))
    if not dry:
        _write_updates(work, steps)
        setup.write_mark(state)
        refresh.refresh(work)
    skipped = [step.name for step in steps if step.new is None]
    files = [step.name for step in steps if step.new is not None]
    diff = "".join(
        format_diff(step.old or "", step.new, step.name) for step in steps if step.new is not None
    )
    if arguments.json:
        value = {"version": __version__, "written": not dry, "files": files, "left_alone": skipped}
        terminal.print_json(value | {"diff": diff})
    else:
        terminal.print_document(diff)
    names = ", ".join(files)
    text = f"{'Would bring' if dry else 'Brought'} to {__version__}: {names}."
    work.terminal.say(text if files else f"{work.vault.root} is of this version already.")
    for step in steps:
        if step.new is None:
            work.terminal.warn(f"{step.name} was left alone: you changed the same lines.")
            if not arguments.json:
                terminal.print_document(
                    format_diff(step.old or "", step.ours, f"{step.name} (not done)")
                )
    return 1 if skipped else 0


def _plan_updates(work: Workspace) -> Iterator[FileUpdate]:
    """Say what is to become of each file that a vault begins with; those that stay are left out.

    Raises VaultError for a file that cannot be read.
    """
    for name, shipped in setup.build_files(work.vault.root).items():
        old, is_there = disk.read_text(work.vault.root / name)
        base = setup.read_copy(work.vault.state, name)
        new: str | None = shipped
        if is_there and shipped in {old, base}:
            new = old  # nothing is new
        elif is_there:
            new = None if base is None else merge_if_apart(base, old, shipped)
        if new != old or not is_there:
            yield FileUpdate(name, old if is_there else None, new, shipped)


def _write_updates(work: Workspace, updates: list[FileUpdate]) -> None:
    """Write all files and the copies of this version's texts, as one step that can be undone."""
    root, state = work.vault.root, work.vault.state
    with work.vault.step("update"):
        with work.vault.open_transaction() as change:
            for update in updates:
                if update.new is not None:
                    sha = disk.sha(update.old.encode()) if update.old is not None else ""
                    change.put_file(root / update.name, update.new.encode(), sha)
            # also of a file that was left alone: it is named once and not at every update
            for name, text in setup.build_files(root).items():
                change.put_state(setup.copy_path(state, name), text.encode())
        with work.vault.open_transaction() as change:  # by the kinds of articles that there are now
            change.put_index()
