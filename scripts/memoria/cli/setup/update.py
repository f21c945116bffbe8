"""Bring a vault and hooks of an older Memoria to this version (`memoria update`).

What a person changed in a file stays: this version's changes are worked in beside theirs where both
touch different lines, and else the file is left alone and named. All that will be changed is shown
and copied first. The trap: which words are a person's is known only from the copy of what Memoria
wrote itself; without one a file that differs is taken for theirs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memoria import __version__, refresh, terminal
from memoria.agents.claude_code import settings as client_settings
from memoria.agents.claude_code import settings_store as client
from memoria.cli.setup.install import HOOKS, install
from memoria.rules.guards import switch_store
from memoria.text.merge import joined_apart
from memoria.vault import setup
from memoria.vault.storage import clock, disk

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from memoria.cli.setup.install import Installed
    from memoria.workspace import Workspace

# the version before any wrote its own into the vault
_FIRST = "0.1.0"


class Step(NamedTuple):
    """A file of the vault: what it says, what it is to say, and this version's own text.

    `old` is None where there is no file; `new` is None where a person's changes and this version's
    meet, so that the file stays.
    """

    name: str
    old: str | None
    new: str | None
    ours: str


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Show the difference and, without --dry-run, make it; 1 where a file was left alone."""
    work.vault.require()
    dry = arguments.dry_run
    steps = list(_plan(work))
    left = [step for step in steps if step.new is None]
    moment = clock.now(work.settings.zone)
    backup = work.vault.state.root / "backups" / f"update-{moment:%Y%m%dT%H%M%S}"
    if not dry:
        _write(work, steps, backup)
    hooks = list(_hooks(work, dry_run=dry))
    if not dry:
        setup.stamp(work.vault.state, client_settings.EVENTS)
        refresh.refresh(work)
    _tell(arguments, work, steps, hooks)
    for step in left:
        where = "" if dry else f"; this version's text lies in {backup / 'new' / step.name}"
        work.terminal.warn(f"{step.name} was left alone: you changed the same lines{where}.")
    return 1 if left else 0


def _plan(work: Workspace) -> Iterator[Step]:
    """Say what is to become of each file that a vault begins with; those that stay are left out.

    Raises VaultError for a file that cannot be read.
    """
    for name, ours in setup.texts(work.vault.root).items():
        old, is_there = disk.text(work.vault.root / name)
        base = setup.written(work.vault.state, name)
        new: str | None = ours
        if is_there and ours in {old, base}:
            new = old  # nothing is new
        elif is_there:
            new = None if base is None else joined_apart(base, old, ours)
        if new != old or not is_there:
            yield Step(name, old if is_there else None, new, ours)


def _write(work: Workspace, steps: list[Step], backup: Path) -> None:
    """Copy what will be changed; write all files and the copies of this version's texts.

    Both are one step that can be undone.
    """
    root, state = work.vault.root, work.vault.state
    for step in steps:
        if step.old is not None:
            disk.replace(backup / step.name, step.old.encode())
        if step.new is None:
            disk.replace(backup / "new" / step.name, step.ours.encode())
    with work.vault.step("update"):
        with work.vault.changing() as change:
            for step in steps:
                if step.new is not None:
                    read = disk.sha(step.old.encode()) if step.old is not None else ""
                    change.put_file(root / step.name, step.new.encode(), read)
            # also of a file that was left alone: it is named once and not at every update
            for name, text in setup.texts(root).items():
                change.put_state(setup.copy(state, name), text.encode())
        with work.vault.changing() as change:  # by the kinds of articles that there are now
            change.put_index()


def _hooks(work: Workspace, *, dry_run: bool) -> Iterator[Installed]:
    """Write the hooks anew where this vault has some in the person's settings."""
    place = work.settings.config_dir.absolute()
    if any(Path(hook.vault) == work.vault.root for hook in client.installed_hooks(place)):
        yield install(
            work.vault.root,
            place,
            Path(sys.executable),
            HOOKS,
            state=work.settings.state,
            guarded=switch_store.matcher(work),
            dry_run=dry_run,
        )


def _tell(
    arguments: argparse.Namespace, work: Workspace, steps: list[Step], hooks: list[Installed]
) -> None:
    changed = [(step.name, step.old or "", step.new) for step in steps if step.new is not None]
    diff = "".join(client_settings.difference(old, new, name) for name, old, new in changed)
    diff += "".join(done.diff for done in hooks)
    files = [name for name, _, _ in changed]
    settings = [str(done.settings) for done in hooks if done.changed]
    if arguments.json:
        written = {"version": __version__, "written": not arguments.dry_run, "files": files}
        left = [step.name for step in steps if step.new is None]
        terminal.data(written | {"left_alone": left, "settings": settings, "diff": diff})
    else:
        terminal.document(diff)
    say, was = work.terminal.say, setup.version(work.vault.state).get("version") or _FIRST
    if not [*files, *settings]:
        say(f"{work.vault.root} and its hooks are of this version ({__version__}) already.")
    elif arguments.dry_run:
        say(f"This is what would change, from {was} to {__version__}; nothing was written.")
    else:
        say(f"Brought to {__version__}: {', '.join([*files, *settings])}.")
        if any(step.old is not None for step in steps):
            say(f"What stood there before is kept in {work.vault.state.root / 'backups'}.")
