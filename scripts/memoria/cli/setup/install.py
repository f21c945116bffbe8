"""Put Memoria's hooks into the person's Claude Code settings (`memoria install`).

The person's own settings are the place, because hooks in a project's settings run only in exactly
that folder; who wants just that gets them in settings.local.json, which the client keeps out of
git, as they name absolute paths of this machine. The text before the change is kept, and nothing
is asked. The trap: the hooks name this interpreter and these scripts by absolute path;
without the one another Python runs them (agents/claude_code/settings.py), without the others
nothing.
"""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.agents.claude_code import settings as client_settings
from memoria.agents.claude_code import settings_store as client
from memoria.agents.port import CLAUDE_CODE, agent_named
from memoria.capture.coverage import uncaptured
from memoria.cli.setup import state_folder
from memoria.cli.setup.init import init
from memoria.cli.setup.install_preview import shortened, summary
from memoria.errors import UsageError
from memoria.rules.guards import switch_store
from memoria.vault.storage.registry import Registry

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection

    from memoria.workspace import Workspace

# The programs that the client starts, in this copy of the package.
HOOKS = Path(__file__).absolute().parents[2] / "hooks"
# What `--without` names -> the event that is then left to others.
WITHOUT = {"prompt": "UserPromptSubmit", "failure": "PostToolUseFailure"}
# uv runs a tool that is not installed from its cache, and cleans that up.
PASSING = "archive-v0"


@dataclass(frozen=True, slots=True)
class Installed:
    """What an install did, or with dry_run would do.

    `changed` is False where the hooks were there already; `backup` is the text from before the
    first install, None where there was no settings file (or nothing was written). `events` are
    those that are hooked then, `agent` is whose client it is.
    """

    settings: Path
    diff: str
    backup: Path | None
    changed: bool
    notes: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    agent: str = CLAUDE_CODE.name


def install(  # noqa: PLR0913 - a path each, and whether to write
    vault: Path,
    config_dir: Path,
    python: Path,
    hooks_dir: Path,
    *,
    state: Path,
    without: Collection[str] = (),
    name: str = client.SETTINGS,
    guarded: str = "",
    dry_run: bool,
) -> Installed:
    """Put the hooks into config_dir/settings.json; `hooks_dir` is the folder with their scripts.

    `name` is the file of the settings in config_dir.

    `state` is the vault's state folder. `without` names optional
    hooks that the person does not want (keys of WITHOUT): they are taken out where they were.
    `guarded` are the tools that guards need, as the client's matcher, "" while none is on.

    Raises SettingsError, with nothing changed, for settings that cannot be read or written, and
    UsageError for an interpreter or script that is not there.
    """
    path = config_dir / name
    hooks = _hooks(vault, python, hooks_dir, state, {WITHOUT[hook] for hook in without})
    if guarded:
        hooks = (*hooks, client_settings.guarding(hooks[0], guarded))
    before = client.read_settings(config_dir, name) or ""
    notes = (
        *_replaced(client_settings.installed(before, str(path)), vault),
        *client_settings.notes(before, str(path)),
        *_passing(python),
    )
    return replace(put(path, hooks, dry_run=dry_run), notes=notes)


def put(path: Path, hooks: tuple[client_settings.Hook, ...], *, dry_run: bool) -> Installed:
    """Merge hooks into a client's file, as all clients have them; say what changes there."""
    folder, name = path.parent, path.name
    old = client.read_settings(folder, name)
    new = client_settings.merge(old or "", hooks, str(path))
    if new != (old or "") and not dry_run:
        if old is None or not client_settings.installed(old, str(path)):
            client.write_backup(folder, old, name)  # a crash between loses nothing
        client.write_settings(folder, new, expected=old, name=name)
    backup = client.backup(folder, name)
    return Installed(
        settings=path,
        diff=client_settings.difference(old or "", new, str(path)),
        backup=backup if backup.is_file() and not dry_run else None,
        changed=new != (old or ""),
        events=tuple(hook.event for hook in hooks),
    )


def run(args: argparse.Namespace, work: Workspace) -> int:
    """Install for this interpreter and this copy of the package; with --dry-run print the diff."""
    work = state_folder.moved(work, getattr(args, "state", ""), dry_run=args.dry_run)
    if not args.dry_run:
        init(work)
    done = _install(args, work)
    if args.json:
        terminal.data(asdict(done))
    elif args.dry_run and done.changed:
        undo = f"`memoria uninstall{_of_agent(done)}`"
        terminal.line(summary(done.settings, done.events, work.settings.vault, undo))
        terminal.document(shortened(done.diff))
    if args.quiet:
        return 0
    work.terminal.say(talk(done, work.settings.vault, dry_run=args.dry_run))
    if not args.dry_run and (count := uncaptured(work)):
        work.terminal.say(_earlier(count, work))
    return 0


def _earlier(count: int, work: Workspace) -> str:
    """Say how many sessions are there that the vault does not have, and what brings them in."""
    waits = "1 earlier session is" if count == 1 else f"{count:,} earlier sessions are"
    vault = work.settings.vault
    where = "" if vault == work.settings.home / "memoria" else f" --vault {shlex.quote(str(vault))}"
    return f"{waits} not in it: `memoria start{where}` brings them in, without a model."


def _install(args: argparse.Namespace, work: Workspace) -> Installed:
    """Install into the settings that are meant, of the agent that is meant."""
    from memoria.cli.setup import agents_found, install_agent  # noqa: PLC0415 - both build on this

    agent = agent_named(getattr(args, "agent", ""))
    if agent is not CLAUDE_CODE:
        return install_agent.install(work, agent, dry_run=args.dry_run)
    place, name = scope(args, work)
    beside = _beside(work, place, name)
    done = install(
        work.settings.vault,
        place,
        Path(sys.executable),
        HOOKS,
        state=work.settings.state,
        without=getattr(args, "without", None) or (),
        name=name,
        guarded=switch_store.matcher(work),
        dry_run=args.dry_run,
    )
    if name == client.SETTINGS and not args.dry_run:
        Registry().install(work.settings.vault)
    return replace(done, notes=(*done.notes, *beside, *agents_found.others(work)))


def scope(args: argparse.Namespace, work: Workspace) -> tuple[Path, str]:
    """Say which settings are meant: the person's, or with --project this folder's own."""
    if getattr(args, "project", False):
        return Path.cwd() / ".claude", client.LOCAL
    return work.settings.config_dir.absolute(), client.SETTINGS


def talk(done: Installed, vault: Path, *, dry_run: bool) -> str:
    """Say in words what was done, and how to undo it."""
    if not done.changed:
        said = [f"Memoria's hooks for {vault} are in {done.settings} already; nothing to do."]
    elif dry_run:
        said = ["Without --dry-run this is done."]
    else:
        undo = f"`memoria uninstall{_of_agent(done)}` undoes it."
        said = [f"Every session from the next one on is captured into {vault}; {undo}"]
    return "\n".join([*said, *(f"Note: {note}." for note in done.notes)])


def _of_agent(done: Installed) -> str:
    """Give the option that names the agent, where it is not Claude Code."""
    return "" if done.agent == CLAUDE_CODE.name else f" --agent {done.agent}"


def _hooks(
    vault: Path, python: Path, hooks_dir: Path, state: Path, without: Collection[str]
) -> tuple[client_settings.Hook, ...]:
    """Name everything by absolute path; links stay, they are what survives an upgrade."""
    paths = (python, hooks_dir, vault, state)
    program, folder, place, private = (str(path.absolute()) for path in paths)
    every = (*client_settings.SCRIPTS, *client_settings.OPTIONAL)
    wanted = {event: str(Path(folder) / script) for event, script in every if event not in without}
    _check(program, folder, tuple(wanted.values()), place, private)
    return tuple(
        client_settings.hook(event, program, script, place, private)
        for event, script in wanted.items()
    )


def _check(program: str, folder: str, scripts: tuple[str, ...], *places: str) -> None:
    missing = [path for path in (program, *scripts) if not Path(path).is_file()]
    if missing:
        raise UsageError(f"{missing[0]} is not there: install Memoria again, then run this again")
    for path in (program, folder, *places):
        if not path.isprintable():
            raise UsageError(f"{path!a}: a path with characters that cannot be printed")


def _replaced(before: tuple[client_settings.Hook, ...], vault: Path) -> tuple[str, ...]:
    """Name the vaults that sessions were captured into until now: one set of hooks serves one."""
    others = sorted({hook.vault for hook in before} - {str(vault.absolute())})
    return tuple(
        f"until now sessions were captured into {other}: that vault stays as it is and gets no new "
        f"ones; `memoria install --vault {shlex.quote(other)}` goes back to it"
        for other in others
    )


def _beside(work: Workspace, place: Path, name: str) -> list[str]:
    """Say what else bears on the capture: the plugin, the other settings."""
    found = []
    own = work.settings.config_dir.absolute()
    if client.plugged(own):
        found.append(
            "the plugin memoria is on as well; either is enough, and nothing is captured twice"
        )
    if name == client.LOCAL:
        found.append(f"these hooks run only in sessions that are started in {place.parent} itself")
        if client.installed_hooks(own):
            found.append(f"those in {own / client.SETTINGS} serve every project, this one too")
    return found


def _passing(python: Path) -> tuple[str, ...]:
    if PASSING in python.parts:
        return ("this interpreter lies in uv's cache; `uv tool install memoria-compiler` stays",)
    return ()
