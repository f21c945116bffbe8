"""`memoria init [DIR]`: a folder -> a vault that hooks may write to.

Makes what is missing and touches nothing that is there, so that it can be run again: on a vault
whose AGENTS.md was lost, or in a clone to make it the vault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.commands import snapshot
from memoria.edges import clock, disk, resource, terminal
from memoria.edges.state import encode
from memoria.edges.vault import TEMPLATE
from memoria.errors import VaultError

if TYPE_CHECKING:
    import argparse

    from memoria.commands.workspace import Workspace

_GITIGNORE = """# This machine's state (ledger, spool, approvals) and settings are private.
/.memoria/
/.env
/reports/
"""


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Make the vault and say what is next."""
    made = init(work)
    if arguments.json:
        terminal.data({"vault": str(work.vault.root), "created": made})
    say = work.terminal.say
    say(f"{'Made' if made else 'Already there:'} the vault {work.vault.root}")
    say("Next: `memoria import` for the sessions you have, `memoria install` to capture new ones.")
    return 0


def init(work: Workspace) -> list[str]:
    """Make the vault's folders and files where they are missing; give the names of those made."""
    vault = work.vault
    made = []
    try:
        for folder in (vault.daily, vault.knowledge):
            if not folder.is_dir():
                disk.folder(folder)
                made.append(folder.name)
        for name, text in (("AGENTS.md", resource.agents()), (".gitignore", _GITIGNORE)):
            if not (vault.root / name).exists():
                disk.replace(vault.root / name, text.encode())
                made.append(name)
    except OSError as error:
        raise VaultError(f"cannot make a vault at {vault.root}: {error.strerror}") from error
    if not vault.state.exists:
        made.append(vault.state.root.name)
    vault.state.create()
    _since(work)
    with vault.changing() as change:
        change.put_index()
        if not (vault.knowledge / "log.md").exists():
            change.append_log("")
        if not (vault.daily / TEMPLATE).exists():
            change.put_entry(TEMPLATE.removesuffix(".md"), resource.text(f"templates/{TEMPLATE}"))
            made.append(f"daily/{TEMPLATE}")
    snapshot.refresh(work)
    return made


def _since(work: Workspace) -> None:
    path = work.vault.state.root / "installed.json"
    if not path.exists():
        disk.replace(path, encode({"since": clock.now(work.settings.zone).timestamp()}))
