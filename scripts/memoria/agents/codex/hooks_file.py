"""Say whether the person has approved the hooks that Memoria puts into Codex's hooks.json.

Which those are stands in agents/client_hooks.py. Codex runs a hook only once the person has
approved it, and keeps that in config.toml by the hook's place and hash; a changed command asks
again. So the line is short enough to be read. The trap: an unknown field in a hook's answer voids
it all, and a hook that ends with 2 stops the prompt.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from memoria.agents.claude_code.settings import AGENT_OPTION
from memoria.agents.json_line import mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIG = "config.toml"


def unapproved(text: str, where: str, config: str) -> tuple[str, ...] | None:
    """List the events whose hook of ours the person has not approved; None: it cannot be told.

    `text` is what stands in hooks.json at `where`, `config` what stands in config.toml.
    """
    try:
        settings = tomllib.loads(config)
    except tomllib.TOMLDecodeError:
        return None
    states = mapping(mapping(settings.get("hooks")).get("state"))
    placed_states = ((row, mapping(states.get(row[1]))) for row in placed(text, where))
    return tuple(
        event
        for (event, _, digest), state in placed_states
        if state.get("trusted_hash") != digest or state.get("enabled") is False
    )


def unknown(text: str) -> tuple[str, ...]:
    """List what Codex does not know in its hooks.json: for one such name it drops the file."""
    return tuple(sorted(json.loads(text or "{}").keys() - {"description", "hooks"}))


def is_off(config: str) -> bool:
    """Whether the person's config.toml switches all hooks off."""
    try:
        features = mapping(tomllib.loads(config).get("features"))
    except tomllib.TOMLDecodeError:
        return False
    return any(features.get(name) is False for name in ("hooks", "codex_hooks"))


def placed(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """Give event, key and hash of each hook of ours, as Codex names and hashes them."""
    for event, groups in json.loads(text or "{}").get("hooks", {}).items():
        label = re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()
        for at, group in enumerate(groups):
            for number, handler in enumerate(group.get("hooks", ())):
                if AGENT_OPTION in str(handler.get("command")):
                    yield event, f"{where}:{label}:{at}:{number}", _digest(label, group, handler)


def _digest(label: str, group: dict[str, Any], handler: dict[str, Any]) -> str:
    hook = {
        "async": False,
        "command": handler["command"],
        "timeout": handler.get("timeout", 600),
        "type": "command",
    }
    identity: dict[str, Any] = {"event_name": label, "hooks": [hook]}
    if "matcher" in group and label not in {"user_prompt_submit", "stop"}:
        identity["matcher"] = group["matcher"]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"
