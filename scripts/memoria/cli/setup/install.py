"""Put Memoria's hooks into the person's Claude Code settings (`memoria install`), or take them out.

The person's own settings are the place, because hooks in a project's settings run only in exactly
that folder. Nothing is asked; `memoria uninstall` takes our entries out and leaves every other
byte. The trap: the hooks name this interpreter and these scripts by absolute path; without the one
another Python runs them (agents/claude_code/settings.py), without the others nothing.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from memoria import terminal
from memoria.agents.claude_code import settings as client_settings, settings_store
from memoria.agents.port import CLAUDE_CODE, agent_named
from memoria.capture.coverage import count_uncaptured
from memoria.cli.setup.init import init
from memoria.errors import UsageError
from memoria.program import quote_words
from memoria.rules.guards import switch_store
from memoria.rules.guards.switch_store import switches
from memoria.rules.proposal_service import propose_if_agent
from memoria.text.merge import format_diff
from memoria.vault.storage.child_environment import is_same
from memoria.vault.storage.registry import Registry
from memoria.workspace import Workspace

# The programs that the client starts, in this copy of the package.
HOOKS = Path(__file__).absolute().parents[2] / "hooks"
# columns of a terminal as it opens; the shell's line that starts a hook has several hundred
_WIDTH = 80
_MOMENTS = {
    "SessionStart": "when a session starts:   tells it your rules and the work at hand",
    "UserPromptSubmit": "with each prompt:        tells what is known of it",
    "PostToolUseFailure": "after a failed command:  tells what fixed that error before",
    "PreToolUse": "before some commands:    runs the guards that you switched on",
    "SessionEnd": "at a session's end, and before it is compacted: saves it into",
}
# without the hooks no guard stands
_ENDS_GUARDS = "It would end a guard that you switched on (`memoria guard` lists them)"


@dataclass(frozen=True, slots=True)
class InstallResult:
    """What an install or uninstall did to a file of settings, or with dry_run would do.

    `deleted`: nothing else was in it. `events` are those that are hooked then, `agent` is whose
    client it is.
    """

    settings: Path
    diff: str
    changed: bool
    notes: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    agent: str = CLAUDE_CODE.name
    deleted: bool = False

    @property
    def undo(self) -> str:
        """The command that takes the hooks out again."""
        of_agent = "" if self.agent == CLAUDE_CODE.name else f" --agent {self.agent}"
        return f"`memoria uninstall{of_agent}`"


def install(
    config_dir: Path, hooks: tuple[client_settings.Hook, ...], *, dry_run: bool
) -> InstallResult:
    """Put the hooks of a vault into the settings in config_dir.

    Raises SettingsError, with nothing changed, for settings that cannot be read or written.
    """
    path = config_dir / settings_store.SETTINGS
    settings_text = settings_store.read_settings(config_dir) or ""
    installed = client_settings.parse_hooks(settings_text, str(path))
    vaults = {hook.vault for hook in installed if not is_same(hook.vault, hooks[0].vault)}
    notes = [
        f"until now sessions were captured into {other}: that vault stays as it is and gets no new "
        f"ones; `memoria install --vault {quote_words(other)}` goes back to it"
        for other in sorted(vaults)
    ]
    notes += client_settings.list_obstacles(settings_text, str(path))
    return replace(put_hooks(path, hooks, dry_run=dry_run), notes=tuple(notes))


def put_hooks(
    path: Path, hooks: tuple[client_settings.Hook, ...], *, dry_run: bool
) -> InstallResult:
    """Merge hooks into a client's file, as all clients have them, or take ours out for ().

    Raises SettingsError, with nothing changed, for settings that cannot be read or written.
    """
    old, path_text = settings_store.read_settings(path.parent, path.name), str(path)
    text = old or ""
    new = client_settings.merge_hooks(text, hooks, path_text) if hooks else text
    if not hooks and old is not None:
        new = client_settings.remove_hooks(old, path_text)
    deleted = new != text and not hooks and new == client_settings.EMPTY
    if new != text and not dry_run:
        new_text = None if deleted else new
        settings_store.write_settings(path.parent, new_text, expected=old, name=path.name)
    return InstallResult(
        settings=path,
        diff=format_diff(text, "" if deleted else new, path_text),
        changed=new != text,
        events=tuple(hook.event for hook in hooks),
        deleted=deleted,
    )


def build_hooks(
    vault: Path, python: Path, hooks_dir: Path, state: Path, *, guarded: str = ""
) -> tuple[client_settings.Hook, ...]:
    """Name everything by absolute path; links stay, they are what survives an upgrade.

    `guarded` are the tools that guards need, as the client's matcher, "" while none is on. Raises
    UsageError for a path that JSON cannot hold.
    """
    paths = (python, hooks_dir, vault, state)
    program, folder, vault_path, state_path = (str(path.absolute()) for path in paths)
    rows = (*client_settings.SCRIPTS, *client_settings.OPTIONAL)
    scripts = {event: str(Path(folder) / script) for event, script in rows}
    for path in (program, folder, vault_path, state_path):
        if not path.isprintable():
            raise UsageError(f"{path!a}: a path with characters that cannot be printed")
    hooks = [
        client_settings.build_hook(event, program, script, vault_path, state_path)
        for event, script in scripts.items()
    ]
    guards = [client_settings.build_guard_hook(hooks[0], guarded)] if guarded else []
    return (*hooks, *guards)


def run(args: argparse.Namespace, work: Workspace) -> int:
    """Install for this interpreter and this copy of the package; with --dry-run print the diff."""
    if args.verb == "uninstall":
        return _uninstall(args, work)
    if not args.dry_run:
        # hooks of this vault would take the place of those by which another one's guards stand
        vault = str(work.settings.vault.absolute())
        if _has_guards(work, except_for=vault) and propose_if_agent(args, work, why=_ENDS_GUARDS):
            return 0
        init(work)
    result = _install(args, work)
    if args.json:
        terminal.print_json(asdict(result))
    elif args.dry_run and result.changed:
        terminal.print_line(_format_summary(result, work.settings.vault))
        terminal.print_document(clip_diff(result.diff))
    for text in _describe_install(result, work, dry_run=args.dry_run):
        work.terminal.say(text)
    return 0


def _install(args: argparse.Namespace, work: Workspace) -> InstallResult:
    """Install into the settings that are meant, of the agent that is meant."""
    from memoria.cli.setup import other_agents  # noqa: PLC0415 - it builds on this module

    agent = agent_named(args.agent)
    if agent is not CLAUDE_CODE:
        return other_agents.install(work, agent, dry_run=args.dry_run)
    vault, python, state = work.settings.vault, Path(sys.executable), work.settings.state
    hooks = build_hooks(vault, python, HOOKS, state, guarded=switch_store.matcher(work))
    result = install(work.settings.config_dir.absolute(), hooks, dry_run=args.dry_run)
    if not args.dry_run:
        Registry().install(work.settings.vault)
    is_on = settings_store.is_plugin_enabled(work.settings.config_dir.absolute())
    note = "the plugin memoria is on as well; either is enough, and nothing is captured twice"
    notes = (*result.notes, *([note] if is_on else []), *other_agents.describe_agents(work))
    return replace(result, notes=notes)


def _describe_install(result: InstallResult, work: Workspace, *, dry_run: bool) -> Iterator[str]:
    """Say in words what was done, how to undo it, and which sessions are not in the vault."""
    vault = work.settings.vault
    if not result.changed:
        yield f"Memoria's hooks for {vault} are in {result.settings} already; nothing to do."
    elif dry_run:
        yield "Without --dry-run this is done."
    else:
        yield (
            f"Every session from the next one on is captured into {vault}; {result.undo} undoes it."
        )
    yield from (f"Note: {note}." for note in result.notes)
    count = 0 if dry_run else count_uncaptured(work)
    if count:
        sessions = "1 earlier session is" if count == 1 else f"{count:,} earlier sessions are"
        option = "" if work.settings.chosen else f" --vault {quote_words(str(vault))}"
        yield f"{sessions} not in it: `memoria start{option}` brings them in, without a model."


def _format_summary(result: InstallResult, vault: Path) -> str:
    """Name the file, what is hooked and what it does, what is kept, and how it is undone."""
    moments = [f"  {text}" for event, text in _MOMENTS.items() if event in result.events]
    if "SessionEnd" in result.events:
        moments[-1] += f" {_abbreviate_home(vault)}"
    is_there = result.settings.is_file()
    undo_text = "takes them out again" if is_there else "deletes it again"
    place = _abbreviate_home(result.settings)
    first = f"Nothing is written now. Hooks that would stand in {place}:"
    return "\n".join(
        (first, *moments, f"Undo: {result.undo} {undo_text}. The change, long lines cut:", "")
    )


def _abbreviate_home(path: Path) -> str:
    """Give a path as a person types it, with ~ for the home folder."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def clip_diff(diff: str) -> str:
    """Cut the entries of a diff that no terminal shows in one line; the file's name stays whole."""
    return "\n".join(
        f"{line[: _WIDTH - 2]} …"
        if line.startswith(("+ ", "- ", " ")) and len(line) > _WIDTH
        else line
        for line in diff.split("\n")
    )


def _has_guards(work: Workspace, *, except_for: str = "") -> bool:
    """Whether guards stand in the client's settings, of another vault than `except_for`."""
    hooks = settings_store.read_installed_hooks(work.settings.config_dir.absolute())
    guards = [hook.vault for hook in hooks if hook.event == "PreToolUse"]
    return any(not (except_for and is_same(vault, except_for)) for vault in guards)


def _uninstall(args: argparse.Namespace, work: Workspace) -> int:
    """Uninstall; with --dry-run print the diff."""
    is_guarded = not args.dry_run and bool(switches(work) or _has_guards(work))
    if is_guarded and propose_if_agent(args, work, why=_ENDS_GUARDS):
        return 0
    from memoria.cli.setup import other_agents  # noqa: PLC0415 - it builds on this module

    agent = agent_named(args.agent)
    if agent is not CLAUDE_CODE:
        result = other_agents.uninstall(work, agent, dry_run=args.dry_run)
    else:
        settings = work.settings.config_dir.absolute() / settings_store.SETTINGS
        result = put_hooks(settings, (), dry_run=args.dry_run)
        if not args.dry_run:
            Registry().install(None)
    if args.json:
        terminal.print_json(asdict(result))
    elif args.dry_run:
        terminal.print_document(clip_diff(result.diff))
    say = work.terminal.say
    say(_describe_uninstall(result, dry_run=args.dry_run))
    for other in other_agents.find_hooked_agents(work) if agent is CLAUDE_CODE else ():
        say(f"{other.label} keeps its hooks; `memoria uninstall --agent {other.name}` ends them.")
    if settings_store.is_plugin_enabled(work.settings.config_dir):
        say("The plugin memoria stays on; `claude plugin disable` or `uninstall` ends it.")
    return 0


def _describe_uninstall(result: InstallResult, *, dry_run: bool) -> str:
    """Say in words what was done."""
    if not result.changed:
        return f"No hook of Memoria is in {result.settings}; nothing to do."
    if dry_run:
        return f"This is what would change in {result.settings}; nothing was written."
    if result.deleted:
        return f"{result.settings} is gone: nothing but Memoria's hooks was in it. The vault stays."
    return (
        f"Memoria's hooks are out of {result.settings}; everything else in it is left to the byte. "
        "The vault stays."
    )
