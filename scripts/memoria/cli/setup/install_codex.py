"""Put Memoria's hooks into Codex's hooks.json, or take them out to the byte (`--agent codex`).

The file is merged, shown and backed up as Claude Code's settings are. The trap: what is written
there does nothing until the person has approved it in Codex, so that is said each time.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents.claude_code import settings as client_settings
from memoria.agents.claude_code import settings_store as client
from memoria.agents.codex import hooks_file
from memoria.agents.codex.rollout_store import folder
from memoria.cli.setup import install as claude
from memoria.cli.setup import uninstall as removal
from memoria.errors import SettingsError, UsageError
from memoria.refresh import refresh
from memoria.rules.guards import switch_store as guarding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.cli.setup.install import Installed
    from memoria.workspace import Workspace

APPROVE = (
    "it runs a hook only once you have approved it; start `codex` and approve Memoria's when it "
    "says that hooks need review (or type /hooks); `memoria doctor` says whether that was done"
)


def home(work: Workspace) -> Path:
    """Give Codex's folder."""
    return folder(work.settings.environment, work.settings.home)


def install(work: Workspace, *, dry_run: bool) -> Installed:
    """Put the hooks there; UsageError where Codex was never started."""
    place, name = home(work), hooks_file.NAME
    if not place.is_dir():
        raise UsageError(f"{place} is not there: start Codex once, or set CODEX_HOME")
    paths = (sys.executable, claude.HOOKS, work.settings.vault, work.settings.state)
    python, scripts, vault, state = (str(Path(path).absolute()) for path in paths)
    hooks = hooks_file.hooks(python, scripts, vault, state, guarding.matcher(work))
    old, where = client.read_settings(place, name), str(place / name)
    new = client_settings.merge(old or "", hooks, where)
    if new != (old or "") and not dry_run:
        claude.write(place, old, new, name)
    if not dry_run:
        refresh(work, settle=True)
    return claude.Installed(
        settings=place / name,
        diff=client_settings.difference(old or "", new, where),
        backup=claude.kept(place, name, dry_run=dry_run),
        changed=new != (old or ""),
        notes=tuple(notes(work)),
        events=tuple(hook.event for hook in hooks),
    )


def uninstall(work: Workspace, *, dry_run: bool) -> removal.Uninstalled:
    """Take the hooks out again."""
    return removal.uninstall(home(work), name=hooks_file.NAME, dry_run=dry_run)


def notes(work: Workspace) -> Iterator[str]:
    """Say what keeps the hooks from running."""
    config = client.read_settings(home(work), hooks_file.CONFIG) or ""
    if hooks_file.is_off(config):
        yield f"{home(work) / hooks_file.CONFIG} switches hooks off: no hook runs until it does not"
    strange = hooks_file.unknown(client.read_settings(home(work), hooks_file.NAME) or "")
    if strange:
        yield f"Codex knows no {', '.join(strange)} in {hooks_file.NAME} and reads none of it"
    waiting = unapproved(work)
    if waiting is None or waiting:
        which = f" ({', '.join(waiting)})" if waiting else ""
        yield f"not approved in Codex yet{which}: {APPROVE}"


def installed(work: Workspace) -> tuple[client.InstalledHook, ...]:
    """List Memoria's hooks in Codex's file; () for none, and for a file that cannot be read."""
    try:
        return client.installed_hooks(home(work), hooks_file.NAME)
    except SettingsError:
        return ()


def unapproved(work: Workspace) -> tuple[str, ...] | None:
    """List the events whose hook waits for the person's approval; None: it cannot be told."""
    place = home(work)
    text = client.read_settings(place, hooks_file.NAME) or ""
    config = client.read_settings(place, hooks_file.CONFIG) or ""
    return hooks_file.unapproved(text, str(place / hooks_file.NAME), config)
