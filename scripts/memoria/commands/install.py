"""The vault and the client's folder -> Memoria's hooks in the person's Claude Code settings.

The person's own settings are the place, because hooks in a project's settings run only in exactly
that folder. The change is shown, the text before it is kept, and nothing is asked. The trap: the
hooks name this interpreter and these scripts by absolute path, so both have to stay where they are.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.commands.init import init
from memoria.edges import client
from memoria.errors import UsageError
from memoria.stages import client_settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection

    from memoria.commands.workspace import Workspace

# The programs that the client starts, in this copy of the package.
HOOKS = Path(__file__).absolute().parents[1] / "hooks"
# What `--without` names -> the event that is then left to others.
WITHOUT = {"prompt": "UserPromptSubmit", "failure": "PostToolUseFailure"}
# uv runs a tool that is not installed from its cache, and cleans that up.
PASSING = "archive-v0"


@dataclass(frozen=True, slots=True)
class Installed:
    """What an install did, or with dry_run would do.

    `changed` is False where the hooks were there already; `backup` is the text from before the
    first install, None where there was no settings file (or nothing was written).
    """

    settings: Path
    diff: str
    backup: Path | None
    changed: bool
    notes: tuple[str, ...] = ()


def install(  # noqa: PLR0913 - a path each, and whether to write
    vault: Path,
    config_dir: Path,
    python: Path,
    hooks_dir: Path,
    *,
    state: Path | None = None,
    without: Collection[str] = (),
    dry_run: bool,
) -> Installed:
    """Put the hooks into config_dir/settings.json; `hooks_dir` is the folder with their scripts.

    `state` is the vault's state folder, None for the one that lies in it. `without` names optional
    hooks that the person does not want (keys of WITHOUT): they are taken out where they were.

    Raises SettingsError, with nothing changed, for settings that cannot be read or written, and
    UsageError for an interpreter or script that is not there.
    """
    path = config_dir / client.SETTINGS
    hooks = _hooks(vault, python, hooks_dir, state, {WITHOUT[name] for name in without})
    old = client.read_settings(config_dir)
    new = client_settings.merge(old or "", hooks, str(path))
    changed = new != (old or "")
    if changed and not dry_run:
        _write(config_dir, old, new)
    return Installed(
        settings=path,
        diff=client_settings.difference(old or "", new, str(path)),
        backup=_backup(config_dir, dry_run=dry_run),
        changed=changed,
        notes=(*client_settings.notes(new, str(path)), *_passing(python)),
    )


def run(args: argparse.Namespace, work: Workspace) -> int:
    """Install for this interpreter and this copy of the package; print the diff."""
    if not args.dry_run:
        init(work)
    done = install(
        work.settings.vault,
        work.settings.config_dir.absolute(),
        Path(sys.executable),
        HOOKS,
        state=work.settings.state,
        without=getattr(args, "without", None) or (),
        dry_run=args.dry_run,
    )
    if args.json:
        print(json.dumps(_as_json(done), ensure_ascii=False))
    else:
        print(done.diff, end="")
    if not args.quiet:
        print(talk(done, work.settings.vault, dry_run=args.dry_run), file=sys.stderr)
    return 0


def talk(done: Installed, vault: Path, *, dry_run: bool) -> str:
    """Say in words what was done, and how to undo it."""
    if not done.changed:
        said = [f"Memoria's hooks for {vault} are in {done.settings} already; nothing to do."]
    elif dry_run:
        said = [f"This is what would change in {done.settings}; nothing was written."]
    else:
        said = [f"Memoria's hooks for {vault} are in {done.settings}, from the next session on."]
    if done.backup and not dry_run:
        said.append(f"The settings from before are kept in {done.backup}.")
    if not dry_run:
        said.append("`memoria uninstall` puts them back as they were.")
    return "\n".join([*said, *(f"Note: {note}." for note in done.notes)])


def _as_json(done: Installed) -> dict[str, object]:
    return {
        "settings": str(done.settings),
        "changed": done.changed,
        "backup": str(done.backup) if done.backup else None,
        "diff": done.diff,
        "notes": list(done.notes),
    }


def _hooks(
    vault: Path, python: Path, hooks_dir: Path, state: Path | None, without: Collection[str]
) -> tuple[client_settings.Hook, ...]:
    """Name everything by absolute path; links stay, they are what survives an upgrade."""
    program, folder, place = (str(path.absolute()) for path in (python, hooks_dir, vault))
    elsewhere = str(state.absolute()) if state and state != vault / ".memoria" else ""
    every = (*client_settings.SCRIPTS, *client_settings.OPTIONAL)
    wanted = {event: str(Path(folder) / script) for event, script in every if event not in without}
    _check(program, folder, tuple(wanted.values()), place, elsewhere)
    return tuple(
        client_settings.hook(event, program, script, place, elsewhere)
        for event, script in wanted.items()
    )


def _check(program: str, folder: str, scripts: tuple[str, ...], *places: str) -> None:
    missing = [path for path in (program, *scripts) if not Path(path).is_file()]
    if missing:
        raise UsageError(f"{missing[0]} is not there: install Memoria again, then run this again")
    for path in (program, folder, *places):
        if not path.isprintable():
            raise UsageError(f"{path!a}: a path with characters that cannot be printed")


def _write(config_dir: Path, old: str | None, new: str) -> None:
    """Keep the text from before the first install, then write; a crash between loses nothing."""
    path = config_dir / client.SETTINGS
    if old is None or not client_settings.installed(old, str(path)):
        client.write_backup(config_dir, old)
    client.write_settings(config_dir, new, expected=old)


def _backup(config_dir: Path, *, dry_run: bool) -> Path | None:
    path = config_dir / client.BACKUP
    return path if path.is_file() and not dry_run else None


def _passing(python: Path) -> tuple[str, ...]:
    if PASSING in python.parts:
        return ("this interpreter lies in uv's cache; `uv tool install memoria-compiler` stays",)
    return ()
