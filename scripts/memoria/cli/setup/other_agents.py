"""Join the agents beside Claude Code to a vault: their hooks, and how their sessions come in.

The file with the hooks is merged, shown and backed up as Claude Code's settings are; which file it
is and what stands in it says agents/client_hooks.py. The trap: Codex runs nothing of it until the
person has approved it, so that is said each time, and OpenCode runs it only by a bridge beside it.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memoria.agents import client_hooks
from memoria.agents.claude_code import settings as client_settings, settings_store as client
from memoria.agents.client_hooks import CLIENTS
from memoria.agents.port import AGENTS, CLAUDE_CODE, CODEX, Agent, compressed
from memoria.capture.coverage import sources
from memoria.cli.setup import install as claude
from memoria.cli.setup.install import Installed
from memoria.errors import SettingsError, UsageError
from memoria.program import quoted
from memoria.refresh import refresh
from memoria.rules.guards import switch_store
from memoria.text.numbers import counted
from memoria.vault.package_files import PACKAGE
from memoria.vault.storage.child_environment import is_same
from memoria.workspace import Workspace

_APPROVE = (
    "it runs a hook only once you have approved it; start `codex` and approve Memoria's when it "
    "says that hooks need review (or type /hooks); `memoria doctor` says whether that was done"
)
_BRIDGE = PACKAGE / "agents" / "opencode" / "bridge.js"
# how the bridge begins, in each version
_OURS = "// Memoria's bridge"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: is it well, what was found, and what mends it."""

    name: str
    ok: bool
    detail: str


def command(work: Workspace, words: str, vault: str = "") -> str:
    """Give a command for this vault as it can be pasted into a shell."""
    return f"`memoria {words} --vault {vault or quoted(str(work.vault.root))}`"


def install(work: Workspace, agent: Agent, *, dry_run: bool) -> Installed:
    """Put the hooks there; UsageError where the client was never started."""
    environ, home = work.settings.environment, work.settings.home
    folders = (agent.settings(environ, home), agent.folder(environ, home))
    if not any(folder.is_dir() for folder in folders):
        raise UsageError(f"{folders[0]} is not there: start {agent.label} once")
    wanted = CLIENTS[agent.name]
    paths = (sys.executable, claude.HOOKS, work.settings.vault, work.settings.state)
    python, scripts, vault, state = (str(Path(path).absolute()) for path in paths)
    hooks = wanted.hooks(python, scripts, vault, state, switch_store.matcher(work))
    is_old = _is_bridge_old(work, agent)
    if not dry_run:
        _put_bridge(work, agent, _BRIDGE.read_text(encoding="utf-8"))
    done = claude.put(_file(work, agent), hooks, dry_run=dry_run)
    if not dry_run:
        refresh(work, settle=True)
    return replace(
        done,
        changed=done.changed or is_old,
        notes=tuple(_notes(work, agent)),
        events=tuple(event for event, _, _ in wanted.events),
        agent=agent.name,
    )


def uninstall(work: Workspace, agent: Agent, *, dry_run: bool) -> Installed:
    """Take the hooks out again, and the bridge with them."""
    done = claude.put(_file(work, agent), (), dry_run=dry_run)
    if not dry_run:
        _put_bridge(work, agent, None)
    return done


def hooked(work: Workspace) -> dict[Agent, tuple[client_settings.Hook, ...]]:
    """Give the agents in whose files hooks of Memoria's stand, Claude Code's aside."""
    hooks = {agent: _installed(work, agent) for agent in AGENTS if agent.name in CLIENTS}
    return {agent: theirs for agent, theirs in hooks.items() if theirs}


def _file(work: Workspace, agent: Agent) -> Path:
    """Give the file in which an agent's client looks for hooks."""
    home = agent.settings(work.settings.environment, work.settings.home)
    return home.absolute() / CLIENTS[agent.name].file


def _installed(work: Workspace, agent: Agent) -> tuple[client_settings.Hook, ...]:
    """List Memoria's hooks in an agent's file; () for none, and for one that cannot be read."""
    settings = _file(work, agent)
    try:
        return client.installed_hooks(settings.parent, settings.name)
    except UsageError:
        return ()


def _bridge(work: Workspace, agent: Agent) -> Path | None:
    """Give the place of the program that runs the hooks, None for a client that does it itself."""
    named = CLIENTS[agent.name].bridge
    return _file(work, agent).parent / named if named else None


def _is_bridge_old(work: Workspace, agent: Agent) -> bool:
    place = _bridge(work, agent)
    text = client.read_settings(place.parent, place.name) if place else None
    return place is not None and text != _BRIDGE.read_text(encoding="utf-8")


def _put_bridge(work: Workspace, agent: Agent, text: str | None) -> None:
    """Write the bridge, or delete it for None; a file of that name that is not ours stays."""
    place = _bridge(work, agent)
    old = client.read_settings(place.parent, place.name) if place else None
    is_ours = old is None or old.startswith(_OURS)
    if place is None or old == text or (text is None and not is_ours):
        return
    if not is_ours:
        raise SettingsError(f"{place} is not Memoria's; nothing was changed: move it away first")
    client.write_settings(place.parent, text, expected=old, name=place.name)


def _notes(work: Workspace, agent: Agent) -> Iterator[str]:
    """Say what keeps an agent's hooks from running."""
    settings = _file(work, agent)
    text = client.read_settings(settings.parent, settings.name) or ""
    yield from client_settings.notes(text, str(settings))
    if _is_bridge_old(work, agent) and _installed(work, agent):
        yield f"{_bridge(work, agent)}, which runs them, is gone or of another version"
    if agent is not CODEX:
        return
    config = client.read_settings(settings.parent, client_hooks.CODEX_CONFIG) or ""
    if client_hooks.is_off(config):
        place = settings.parent / client_hooks.CODEX_CONFIG
        yield f"{place} switches hooks off: no hook runs until it does not"
    strange = client_hooks.unknown(text)
    if strange:
        yield f"Codex knows no {', '.join(strange)} in {settings.name} and reads none of it"
    waiting = client_hooks.unapproved(text, str(settings), config)
    if waiting is None or waiting:
        which = f" ({', '.join(waiting)})" if waiting else ""
        yield f"not approved in Codex yet{which}: {_APPROVE}"


# -- Which agents are here -------------------------------------------------------------------------


def others(work: Workspace) -> Iterator[str]:
    """Say of each agent but Claude Code how its sessions come in, for the person."""
    for check in agents(work):
        yield f"{check.name}: {check.detail}"


def agents(work: Workspace) -> Iterator[Check]:
    """Look at each agent but Claude Code that is there."""
    captured = Counter(capture.agent for capture in work.vault.history().captures.values())
    for agent, folder in sources(work.settings):
        if agent is CLAUDE_CODE:
            continue
        came = f"{counted(captured[agent.name], 'entry', 'entries')} from its sessions"
        packed = compressed(folder) if agent is CODEX else 0
        came += f", not read without the program zstd: {packed} compressed" if packed else ""
        came += f" ({agent.unseen})" if agent.unseen else ""
        yield _hooked(work, agent, came)


def _hooked(work: Workspace, agent: Agent, came: str) -> Check:
    """Say whether an agent's hooks serve this vault, and what keeps them from running."""
    fix = command(work, f"install --agent {agent.name}")
    root = str(work.vault.root)
    mine = [hook for hook in _installed(work, agent) if is_same(hook.vault, root)]
    if not mine:
        detail = f"{came}; no hooks for this vault: the sweep finds its sessions all the same, "
        return Check(agent.label, ok=True, detail=f"{detail}and {fix} tells it what is known")
    for gone in sorted({hook.gone for hook in mine} - {""}):
        return Check(agent.label, ok=False, detail=f"{gone} is gone; {fix} fixes it")
    events = ", ".join(sorted({hook.event for hook in mine}))
    wrong = next(_notes(work, agent), "")
    detail = f"{came}; {events} in {_file(work, agent)}"
    return Check(agent.label, ok=not wrong, detail=f"{detail}; {wrong}" if wrong else detail)
