"""Say what a session that started in a folder now would be told, and which rules it leaves out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from memoria import refresh
from memoria.agents import instruction_files
from memoria.agents.claude_code.git import project_key
from memoria.agents.port import AGENTS, CLAUDE_CODE
from memoria.hooks import session_allotment
from memoria.hooks.session_start import beside_rules
from memoria.search import injection
from memoria.text.shorten import brief

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.agents.port import Agent
    from memoria.rules.model import Rule
    from memoria.workspace import Workspace

# of a rule's text: what fits a line beside its id
_SHOWN = 80
_NO_ROOM = "no room"


def preview(work: Workspace, project: str, folder: str = "") -> str:
    """Give the text of a start in a project, "" for none; `folder` has the branch it is on."""
    snapshot = refresh.read(work, project)
    snapshot["start"] = beside_rules(snapshot, folder)
    return injection.compose(snapshot, str(work.vault.root), "preview", [])


def left_out(work: Workspace) -> dict[str, str]:
    """Give why a start here leaves rules out, by their ids; without room each start draws anew."""
    here = project_key(os.getcwd())  # noqa: PTH109 - a key is made of text
    snapshot: dict[str, Any] = refresh.read(work, here)
    if not snapshot:
        return {}
    compact = snapshot.get("selection") or {}
    pinned = {compact["arms"][at][0] for at in compact.get("pinned") or []}
    opposed = {
        older: f"{other} is {'pinned' if other in pinned else 'newer'} and says the opposite"
        for older, other in snapshot.get("contradicted") or []
    }
    loaded = {
        name: f"{path} says it, which {agent.label} loads by itself"
        for agent, files in _loaded(work)
        for name, path in session_allotment.standing(snapshot, files).items()
    }
    # the name of no session: the draw of one that may come
    drawn = session_allotment.drawn({}, "", here, snapshot)
    return opposed | dict.fromkeys(drawn["left_out"], _NO_ROOM) | loaded


def _loaded(work: Workspace) -> Iterator[tuple[Agent, list[str]]]:
    """Give the agents that are told rules, each with the files that it loads in this folder."""
    cwd, settings = os.getcwd(), work.settings  # noqa: PTH109 - a path's text
    for agent in AGENTS:
        name = "" if agent is CLAUDE_CODE else agent.name
        home = agent.settings(settings.environment, settings.home)
        if not name or home.is_dir():
            yield agent, instruction_files.files(name, str(home), cwd)


def lines_left_out(work: Workspace, rules: Iterable[Rule]) -> Iterator[str]:
    """Say in lines which rules are left out."""
    reasons, texts = left_out(work), {rule.id: rule.text for rule in rules}
    count = sum(why == _NO_ROOM for why in reasons.values())
    more = f"; for {count} there is no room, and each start draws anew which" if count else ""
    if reasons:
        yield f"Left out of a start here: {len(reasons)}{more}:"
    for name, why in reasons.items():
        yield f"  {name}  {brief(texts.get(name, ''), _SHOWN)}  ({why})"
