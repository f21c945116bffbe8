"""Make a folder a vault that hooks may write to (`memoria init [DIR]`).

Makes what is missing and touches nothing that is there, so that it can be run again: on a vault
whose AGENTS.md was lost, or in a clone to make it the vault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria import refresh, terminal
from memoria.agents.claude_code.settings import EVENTS
from memoria.cli.setup import state_folder
from memoria.errors import VaultError
from memoria.vault import package_files, setup
from memoria.vault.storage import clock, disk
from memoria.vault.storage.state import encode
from memoria.vault.store import TEMPLATE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from memoria.workspace import Workspace


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Make the vault and say what is next."""
    work = state_folder.moved(work, arguments.state)
    made = init(work)
    if arguments.json:
        terminal.data({"vault": str(work.vault.root), "created": made})
    say = work.terminal.say
    say(f"{'Made' if made else 'Already there:'} the vault {work.vault.root}")
    say("Next: `memoria import` for the sessions you have, `memoria install` to capture new ones.")
    return 0


def init(work: Workspace) -> list[str]:
    """Make and register what is missing of the vault; give the names of folders and files made."""
    vault = work.vault
    state_folder.register(work)
    texts = setup.texts(vault.root)
    is_new = not vault.state.exists
    setup.check(vault.root, vault.state)
    try:
        made = [path.name for path in (vault.daily, vault.knowledge) if not path.is_dir()]
        for name in made:
            disk.folder(vault.root / name)
        made += _put(work, {name: texts[name] for name in texts if name != setup.TEMPLATE})
    except OSError as error:
        raise VaultError(f"cannot make a vault at {vault.root}: {error.strerror}") from error
    vault.state.create()
    installed = vault.state.root / "installed.json"
    if not installed.exists():
        disk.replace(installed, encode({"since": clock.now(work.settings.zone).timestamp()}))
    with vault.changing() as change:
        change.put_index()
        if not (vault.knowledge / "log.md").exists():
            change.append_log("")
        if not (vault.daily / TEMPLATE).exists():
            text = package_files.text(f"templates/{TEMPLATE}")
            change.put_entry(TEMPLATE.removesuffix(".md"), text)
            made.append(setup.TEMPLATE)
    for name in made:
        if name in texts:
            setup.remember(vault.state, name, texts[name])
    if is_new:
        setup.stamp(vault.state, EVENTS)
    refresh.refresh(work, settle=True)
    return made


def _put(work: Workspace, texts: Mapping[str, str]) -> list[str]:
    """Write the files of which nothing is there by that name; give their names."""
    root = work.vault.root
    made = [name for name in texts if not (root / name).exists()]
    for name in made:
        disk.folder((root / name).parent)
        disk.replace(root / name, texts[name].encode())
    return made
