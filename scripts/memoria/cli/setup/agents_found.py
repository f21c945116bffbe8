"""Say which coding agents are on this machine, and how the sessions of each come in.

`install`, `status` and `doctor` ask here. Claude Code is looked at elsewhere, as it is the one that
every install is for.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents.claude_code import settings_store as client
from memoria.agents.port import CLAUDE_CODE, CODEX, compressed
from memoria.capture.coverage import sources
from memoria.cli.doctor_installation import Check, command
from memoria.cli.setup import install_agent
from memoria.text.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.agents.port import Agent
    from memoria.workspace import Workspace

_NOT_SEEN = "from documentation, not seen"


def others(work: Workspace) -> Iterator[str]:
    """Say of each agent but Claude Code how its sessions come in, for the person."""
    for check in agents(work):
        yield f"{check.name}: {check.detail}"


def agents(work: Workspace) -> Iterator[Check]:
    """Look at each agent but Claude Code that is there."""
    yield from _beside(work)
    captured = Counter(one.agent for one in work.vault.history().captures.values())
    for agent, folder in sources(work.settings):
        if agent is CLAUDE_CODE:
            continue
        came = f"{counted(captured[agent.name], 'entry', 'entries')} from its sessions"
        packed = compressed(folder) if agent is CODEX else 0
        came += f", not read: {packed} compressed (.jsonl.zst)" if packed else ""
        yield _hooked(work, agent, _with_unseen(agent, came))


def _beside(work: Workspace) -> Iterator[Check]:
    """Say what becomes of the sessions of programs that are Claude Code's in part."""
    settings = work.settings
    tasks = len(list(client.desktop_projects(settings.environment, settings.home)))
    if tasks:
        detail = f"{counted(tasks, 'task')} of its agent mode; import and the sweep find them"
        yield Check("Claude Desktop", ok=True, detail=f"{detail} ({_NOT_SEEN})")
    if (settings.home / ".cursor").is_dir():
        detail = "it runs Claude Code's hooks, which do nothing in it; its sessions are not read"
        yield Check("Cursor", ok=True, detail=f"{detail} ({_NOT_SEEN})")


def _with_unseen(agent: Agent, detail: str) -> str:
    return f"{detail} ({agent.unseen})" if agent.unseen else detail


def _hooked(work: Workspace, agent: Agent, came: str) -> Check:
    """Say whether an agent's hooks serve this vault, and what keeps them from running."""
    install = command(work, f"install --agent {agent.name}")
    own = install_agent.installed(work, agent)
    mine = [hook for hook in own if Path(hook.vault) == work.vault.root]
    if not mine:
        detail = f"{came}; no hooks for this vault: the sweep finds its sessions all the same, "
        return Check(agent.label, ok=True, detail=f"{detail}and {install} tells it what is known")
    for gone in sorted({hook.gone for hook in mine} - {""}):
        return Check(agent.label, ok=False, detail=f"{gone} is gone; {install} fixes it")
    events = ", ".join(sorted({hook.event for hook in mine}))
    wrong = next(install_agent.notes(work, agent), "")
    detail = f"{came}; {events} in {install_agent.file(work, agent)}"
    return Check(agent.label, ok=not wrong, detail=f"{detail}; {wrong}" if wrong else detail)
