"""Join the agents beside Claude Code to a vault: their hooks, and how their sessions come in.

The file with the hooks is merged, shown and backed up as Claude Code's settings are; which file it
is and what stands in it says agents/client_hooks.py. The trap: Codex runs nothing of it until the
person has approved it, so that is said each time, and OpenCode runs it only by a bridge beside it.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents.claude_code import settings as client_settings, settings_store
from memoria.agents.client_hooks import CLIENTS
from memoria.agents.port import AGENTS, CLAUDE_CODE, CODEX, Agent, count_compressed
from memoria.capture.coverage import find_agent_folders
from memoria.errors import SettingsError, UsageError
from memoria.program import quote_words
from memoria.text.numbers import format_count
from memoria.vault.package_files import PACKAGE
from memoria.vault.storage.child_environment import is_same

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.cli.setup.install import InstallResult
    from memoria.workspace import Workspace

_APPROVE = (
    "Codex runs a hook only once you have approved it, and whether you have is not known here; "
    "start `codex` and approve Memoria's when it says that hooks need review (or type /hooks)"
)
_BRIDGE = PACKAGE / "agents" / "opencode" / "bridge.js"
# how the bridge begins, in each version
_OURS = "// Memoria's bridge"


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One thing looked at: is it well, what was found, and what fixes it."""

    name: str
    ok: bool = field(default=True, kw_only=True)
    detail: str


def format_command(work: Workspace, words: str, vault: str = "") -> str:
    """Give a command for this vault as it can be pasted into a shell."""
    return f"`memoria {words} --vault {vault or quote_words(str(work.vault.root))}`"


def install(work: Workspace, agent: Agent, *, dry_run: bool) -> InstallResult:
    """Put the hooks there; UsageError where the client was never started."""
    from memoria.cli.setup.install import HOOKS, put_hooks  # noqa: PLC0415 - most verbs only look
    from memoria.refresh import refresh  # noqa: PLC0415 - as above
    from memoria.rules.guards import switch_store  # noqa: PLC0415 - as above

    environ, home = work.settings.environment, work.settings.home
    folders = (agent.settings(environ, home), agent.folder(environ, home))
    if not any(folder.is_dir() for folder in folders):
        raise UsageError(f"{folders[0]} is not there: start {agent.label} once")
    client = CLIENTS[agent.name]
    paths = (sys.executable, HOOKS, work.settings.vault, work.settings.state)
    python, scripts, vault, state = (str(Path(path).absolute()) for path in paths)
    hooks = client.hooks(python, scripts, vault, state, switch_store.matcher(work))
    is_old = _is_bridge_old(work, agent)
    if not dry_run:
        _put_bridge(work, agent, _BRIDGE.read_text(encoding="utf-8"))
    result = put_hooks(_hooks_file(work, agent), hooks, dry_run=dry_run)
    if not dry_run:
        refresh(work, settle=True)
    return replace(
        result,
        changed=result.changed or is_old,
        notes=(*_find_hook_faults(work, agent), *([_APPROVE] if agent is CODEX else [])),
        events=tuple(event for event, _, _ in client.events),
        agent=agent.name,
    )


def uninstall(work: Workspace, agent: Agent, *, dry_run: bool) -> InstallResult:
    """Take the hooks out again, and the bridge with them."""
    from memoria.cli.setup.install import put_hooks  # noqa: PLC0415 - as above

    result = put_hooks(_hooks_file(work, agent), (), dry_run=dry_run)
    if not dry_run:
        _put_bridge(work, agent, None)
    return result


def find_hooked_agents(work: Workspace) -> dict[Agent, tuple[client_settings.Hook, ...]]:
    """Give the agents in whose files hooks of Memoria's stand, Claude Code's aside."""
    hooks = {agent: _read_hooks(work, agent) for agent in AGENTS if agent.name in CLIENTS}
    return {agent: agent_hooks for agent, agent_hooks in hooks.items() if agent_hooks}


def _hooks_file(work: Workspace, agent: Agent) -> Path:
    """Give the file in which an agent's client looks for hooks."""
    home = agent.settings(work.settings.environment, work.settings.home)
    return home.absolute() / CLIENTS[agent.name].file


def _read_hooks(work: Workspace, agent: Agent) -> tuple[client_settings.Hook, ...]:
    """List Memoria's hooks in an agent's file; () for none, and for one that cannot be read."""
    settings = _hooks_file(work, agent)
    try:
        return settings_store.read_installed_hooks(settings.parent, settings.name)
    except UsageError:
        return ()


def _bridge_path(work: Workspace, agent: Agent) -> Path | None:
    """Give the place of the program that runs the hooks, None for a client that does it itself."""
    name = CLIENTS[agent.name].bridge
    return _hooks_file(work, agent).parent / name if name else None


def _is_bridge_old(work: Workspace, agent: Agent) -> bool:
    path = _bridge_path(work, agent)
    text = settings_store.read_settings(path.parent, path.name) if path else None
    return path is not None and text != _BRIDGE.read_text(encoding="utf-8")


def _put_bridge(work: Workspace, agent: Agent, text: str | None) -> None:
    """Write the bridge, or delete it for None; a file of that name that is not ours stays."""
    path = _bridge_path(work, agent)
    old = settings_store.read_settings(path.parent, path.name) if path else None
    is_ours = old is None or old.startswith(_OURS)
    if path is None or old == text or (text is None and not is_ours):
        return
    if not is_ours:
        raise SettingsError(f"{path} is not Memoria's; nothing was changed: move it away first")
    settings_store.write_settings(path.parent, text, expected=old, name=path.name)


def _find_hook_faults(work: Workspace, agent: Agent) -> Iterator[str]:
    """Say what keeps an agent's hooks from running."""
    settings = _hooks_file(work, agent)
    text = settings_store.read_settings(settings.parent, settings.name) or ""
    yield from client_settings.list_obstacles(text, str(settings))
    if _is_bridge_old(work, agent) and _read_hooks(work, agent):
        yield f"{_bridge_path(work, agent)}, which runs them, is gone or of another version"
    if agent is not CODEX:
        return
    from memoria.agents.codex import config  # noqa: PLC0415 - of Codex alone

    if config.is_off(settings_store.read_settings(settings.parent, config.FILE) or ""):
        config_path = settings.parent / config.FILE
        yield f"{config_path} switches hooks off: no hook runs until it does not"
    unknown_fields = config.list_unknown_fields(text)
    if unknown_fields:
        yield f"Codex knows no {', '.join(unknown_fields)} in {settings.name} and reads none of it"


# -- Which agents are here -------------------------------------------------------------------------


def describe_agents(work: Workspace) -> Iterator[str]:
    """Say of each agent but Claude Code how its sessions come in, for the person."""
    for check in check_agents(work):
        yield f"{check.name}: {check.detail}"


def check_agents(work: Workspace) -> Iterator[HealthCheck]:
    """Look at each agent but Claude Code that is there."""
    counts = Counter(capture.agent for capture in work.vault.history().captures.values())
    for agent, folder in find_agent_folders(work.settings):
        if agent is CLAUDE_CODE:
            continue
        text = f"{format_count(counts[agent.name], 'entry', 'entries')} from its sessions"
        zipped = count_compressed(folder) if agent is CODEX else 0
        text += f", not read without the program zstd: {zipped} compressed" if zipped else ""
        text += f" ({agent.unseen})" if agent.unseen else ""
        yield _check_hooks(work, agent, text)


def _check_hooks(work: Workspace, agent: Agent, text: str) -> HealthCheck:
    """Say whether an agent's hooks serve this vault, and what keeps them from running."""
    command = format_command(work, f"install --agent {agent.name}")
    root = str(work.vault.root)
    hooks = [hook for hook in _read_hooks(work, agent) if is_same(hook.vault, root)]
    if not hooks:
        detail = f"{text}; no hooks for this vault: the sweep finds its sessions all the same, "
        return HealthCheck(agent.label, f"{detail}and {command} tells it what is known")
    for path in sorted({hook.gone for hook in hooks} - {""}):
        return HealthCheck(agent.label, f"{path} is gone; {command} fixes it", ok=False)
    events = ", ".join(sorted({hook.event for hook in hooks}))
    fault = next(_find_hook_faults(work, agent), "")
    detail = f"{text}; {events} in {_hooks_file(work, agent)}"
    note = fault or _APPROVE * (agent is CODEX)
    return HealthCheck(agent.label, f"{detail}; {note}" if note else detail, ok=not fault)
