"""Take Memoria's hooks out of the client's settings, to the byte (`memoria uninstall`).

Where nobody has edited the settings since the install, the text from before comes back (or no
file, where there was none); else our entries alone are taken out, and that is said. The vault and
what it holds stay.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.agents.claude_code import settings as client_settings
from memoria.agents.claude_code import settings_store as client
from memoria.agents.port import CLAUDE_CODE, agent_named
from memoria.cli.setup.install import scope, shortened
from memoria.rules.guards.switch_store import switches
from memoria.rules.propose import decides, propose_command
from memoria.vault.storage.registry import Registry

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from memoria.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Uninstalled:
    """What an uninstall did, or with dry_run would do.

    `exact`: the settings are to the byte as before the install; `deleted`: it had made the file.
    """

    settings: Path
    diff: str
    changed: bool
    exact: bool
    deleted: bool


def uninstall(config_dir: Path, *, name: str = client.SETTINGS, dry_run: bool) -> Uninstalled:
    """Take the hooks out of config_dir/settings.json; `name` is the file of the settings in it.

    Raises SettingsError, with nothing changed, for settings that cannot be read or written.
    """
    path = config_dir / name
    old = client.read_settings(config_dir, name)
    if old is None:
        return Uninstalled(path, "", changed=False, exact=True, deleted=False)
    backup = client.read_backup(config_dir, name)
    left, exact = client_settings.restored(old, backup, str(path))
    changed = left != old
    if changed and not dry_run:
        client.write_settings(config_dir, left, expected=old, name=name)
    if (changed or backup == old) and not dry_run:  # it may have been put back by hand
        client.drop_backup(config_dir, name)
    return Uninstalled(
        settings=path,
        diff=client_settings.difference(old, left or "", str(path)),
        changed=changed,
        exact=exact,
        deleted=left is None,
    )


def run(args: argparse.Namespace, work: Workspace) -> int:
    """Uninstall; with --dry-run print the diff."""
    place, name = scope(args, work)
    if not args.dry_run and switches(work):  # without the hooks no guard stands
        driver = decides(args, work)
        if not driver.is_person:
            return propose_command(args, work, driver)
    from memoria.cli.setup import other_agents  # noqa: PLC0415 - it builds on this module

    agent = agent_named(args.agent)
    if agent is not CLAUDE_CODE:
        done = other_agents.uninstall(work, agent, dry_run=args.dry_run)
    else:
        done = uninstall(place, name=name, dry_run=args.dry_run)
        if name == client.SETTINGS and not args.dry_run:
            Registry().install(None)
    if args.json:
        terminal.data(asdict(done))
    elif args.dry_run:
        terminal.document(shortened(done.diff))
    say = work.terminal.say
    say(talk(done, dry_run=args.dry_run))
    for other in other_agents.hooked(work) if agent is CLAUDE_CODE else ():
        say(f"{other.label} keeps its hooks; `memoria uninstall --agent {other.name}` ends them.")
    if client.plugged(work.settings.config_dir):
        say("The plugin memoria stays on; `claude plugin disable` or `uninstall` ends it.")
    return 0


def talk(done: Uninstalled, *, dry_run: bool) -> str:
    """Say in words what was done."""
    if not done.changed:
        return f"No hook of Memoria is in {done.settings}; nothing to do."
    if dry_run:
        return f"This is what would change in {done.settings}; nothing was written."
    if done.deleted:
        return f"{done.settings} is gone: the install had made it. The vault stays."
    if done.exact:
        return f"{done.settings} is as it was before the install, to the byte. The vault stays."
    return (
        f"{done.settings} was edited since the install: Memoria's hooks alone were taken out, "
        "everything else was left as it is. The vault stays."
    )
