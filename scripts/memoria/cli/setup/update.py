"""Bring the files of a vault that an older Memoria wrote to this version (`memoria update`).

What a person changed in a file stays: this version's changes are worked in beside theirs where both
touch different lines, and else the file is left alone and named. `undo` takes an update back. The
trap: which words are a person's is known only from the copy of what Memoria wrote itself; without
one a file that differs is taken for theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoria import __version__, refresh, terminal
from memoria.agents.claude_code import settings as client_settings
from memoria.text.merge import difference, joined_apart
from memoria.vault import setup
from memoria.vault.storage import disk

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from memoria.workspace import Workspace


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
    dry, state = arguments.dry_run, work.vault.state
    steps = list(_plan(work))
    if not dry:
        _write(work, steps)
        setup.stamp(state, client_settings.EVENTS)
        refresh.refresh(work)
    skips = [step.name for step in steps if step.new is None]
    files = [step.name for step in steps if step.new is not None]
    diff = "".join(
        difference(step.old or "", step.new, step.name) for step in steps if step.new is not None
    )
    if arguments.json:
        value = {"version": __version__, "written": not dry, "files": files, "left_alone": skips}
        terminal.data(value | {"diff": diff})
    else:
        terminal.document(diff)
    names = ", ".join(files)
    text = f"{'Would bring' if dry else 'Brought'} to {__version__}: {names}."
    work.terminal.say(text if files else f"{work.vault.root} is of this version already.")
    for step in steps:
        if step.new is None:
            work.terminal.warn(f"{step.name} was left alone: you changed the same lines.")
            if not arguments.json:
                terminal.document(difference(step.old or "", step.ours, f"{step.name} (not done)"))
    return 1 if skips else 0


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


def _write(work: Workspace, steps: list[Step]) -> None:
    """Write all files and the copies of this version's texts, as one step that can be undone."""
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
