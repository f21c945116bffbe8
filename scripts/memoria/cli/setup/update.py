"""Bring a vault and hooks of an older Memoria to this version (`memoria update`).

What a person changed in a file stays: this version's changes are worked in beside theirs where both
touch different lines, and else the file is left alone and named. All that will be changed is shown
and copied first. The trap: which words are a person's is known only from the copy of what Memoria
wrote itself; without one a file that differs is taken for theirs.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memoria import __version__, refresh, terminal
from memoria.agents.claude_code import settings as client_settings
from memoria.agents.claude_code import settings_store as client
from memoria.cli.setup.install import HOOKS, WITHOUT, install
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


@dataclass(frozen=True, slots=True)
class Step:
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
    steps = plan(work)
    if not dry:
        backup = _backed_up(work, steps)
        _write(work, steps)
    hooks = list(_hooks(work, dry_run=dry))
    if not dry:
        setup.stamp(work.vault.state, client_settings.EVENTS)
        refresh.refresh(work)
    left = [step for step in steps if step.new is None]
    if arguments.json:
        terminal.data(_as_json(steps, hooks, dry_run=dry))
    else:
        terminal.document(_difference(steps, hooks))
    for line in _talk(work, steps, hooks, dry_run=dry):
        work.terminal.say(line)
    for step in left:
        where = "" if dry else f"; this version's text lies in {backup / 'new' / step.name}"
        work.terminal.warn(f"{step.name} was left alone: you changed the same lines{where}.")
    return 1 if left else 0


def plan(work: Workspace) -> list[Step]:
    """Say what is to become of each file that a vault begins with; those that stay are not in it.

    Raises VaultError for a file that cannot be read.
    """
    steps = []
    for name, ours in setup.texts(work.vault.root).items():
        text, is_there = disk.text(work.vault.root / name)
        old = text if is_there else None
        base = setup.written(work.vault.state, name)
        new = ours if old is None else _joined(base, old, ours)
        if new != old:
            steps.append(Step(name, old, new, ours))
    return steps


def _joined(base: str | None, old: str, ours: str) -> str | None:
    """Work this version's changes into a person's text; None where that cannot be done safely."""
    if ours in {old, base}:
        return old  # nothing is new
    if base is None:
        return None
    return joined_apart(base, old, ours)


def _backed_up(work: Workspace, steps: list[Step]) -> Path:
    """Copy what will be changed, and this version's text of what is left alone; say where."""
    moment = clock.now(work.settings.zone)
    folder = work.vault.state.root / "backups" / f"update-{moment:%Y%m%dT%H%M%S}"
    for step in steps:
        if step.old is not None:
            disk.replace(folder / step.name, step.old.encode())
        if step.new is None:
            disk.replace(folder / "new" / step.name, step.ours.encode())
    return folder


def _write(work: Workspace, steps: list[Step]) -> None:
    """Write all files and the copies of this version's texts, in one step that can be undone."""
    root, state = work.vault.root, work.vault.state
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
    """Write the hooks anew wherever this vault has some: the person's settings, this folder's."""
    own = (work.settings.config_dir.absolute(), client.SETTINGS)
    for place, name in (own, (Path.cwd() / ".claude", client.LOCAL)):
        mine = [
            hook
            for hook in client.installed_hooks(place, name)
            if Path(hook.vault) == work.vault.root
        ]
        if mine:
            yield install(
                work.vault.root,
                place,
                Path(sys.executable),
                HOOKS,
                state=work.settings.state,
                without=_without(work, {hook.event for hook in mine}),
                guarded=switch_store.matcher(work),
                name=name,
                dry_run=dry_run,
            )


def _without(work: Workspace, events: set[str]) -> list[str]:
    """Name the optional hooks that were left out; one that is new to this vault is none."""
    known = setup.version(work.vault.state).get("events")
    told = set(known) if isinstance(known, list) else set(WITHOUT.values())
    return [name for name, event in WITHOUT.items() if event in told - events]


def _difference(steps: list[Step], hooks: list[Installed]) -> str:
    shown = [
        client_settings.difference(step.old or "", step.new, step.name)
        for step in steps
        if step.new is not None
    ]
    return "".join([*shown, *(done.diff for done in hooks)])


def _talk(
    work: Workspace, steps: list[Step], hooks: list[Installed], *, dry_run: bool
) -> Iterator[str]:
    names = [step.name for step in steps if step.new is not None]
    names += [str(done.settings) for done in hooks if done.changed]
    was = setup.version(work.vault.state).get("version") or _FIRST
    if not names:
        yield f"{work.vault.root} and its hooks are of this version ({__version__}) already."
    elif dry_run:
        yield f"This is what would change, from {was} to {__version__}; nothing was written."
    else:
        yield f"Brought to {__version__}: {', '.join(names)}."
        if any(step.old is not None for step in steps):
            yield f"What stood there before is kept in {work.vault.state.root / 'backups'}."


def _as_json(steps: list[Step], hooks: list[Installed], *, dry_run: bool) -> dict[str, object]:
    return {
        "version": __version__,
        "written": not dry_run,
        "files": [step.name for step in steps if step.new is not None],
        "left_alone": [step.name for step in steps if step.new is None],
        "settings": [str(done.settings) for done in hooks if done.changed],
        "diff": _difference(steps, hooks),
    }
