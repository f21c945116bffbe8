"""Tell which of Memoria's hooks the person has approved in Codex.

Codex runs a hook only once the person has approved it, and keeps that in config.toml by the hook's
place in hooks.json and the hash of what stands there; a changed command asks again.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from memoria.agents.claude_code.settings import AGENT_OPTION
from memoria.agents.json_line import mapping_of
from memoria.agents.shell_line import parse_shell_line

CONFIG = "config.toml"


def list_unapproved_events(text: str, where: str, config: str) -> tuple[str, ...] | None:
    """List the events whose hook of ours the person has not approved; None: it cannot be told.

    `text` is what stands in hooks.json at `where`, `config` what stands in config.toml.
    """
    try:
        settings = tomllib.loads(config)
    except tomllib.TOMLDecodeError:
        return None
    states = mapping_of(mapping_of(settings.get("hooks")).get("state"))
    placed = list_placed_hooks(text, where)
    return tuple(event for event, key, sha in placed if not _is_approved(states.get(key), sha))


def _is_approved(value: object, digest: str) -> bool:
    state = mapping_of(value)
    return state.get("trusted_hash") == digest and state.get("enabled") is not False


def list_unknown_fields(text: str) -> tuple[str, ...]:
    """List what Codex does not know in its hooks.json: for one such name it drops the file."""
    return tuple(sorted(json.loads(text or "{}").keys() - {"description", "hooks"}))


def is_off(config: str) -> bool:
    """Whether the person's config.toml switches all hooks off."""
    try:
        features = mapping_of(tomllib.loads(config).get("features"))
    except tomllib.TOMLDecodeError:
        return False
    return any(features.get(name) is False for name in ("hooks", "codex_hooks"))


def list_placed_hooks(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """Give event, key and hash of each hook of ours, as Codex names and hashes them."""
    for event, groups in json.loads(text or "{}").get("hooks", {}).items():
        # SessionStart is session_start there
        label = re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()
        for at, group in enumerate(groups):
            for number, handler in enumerate(group.get("hooks", ())):
                if AGENT_OPTION in parse_shell_line(str(handler.get("command"))):
                    yield event, f"{where}:{label}:{at}:{number}", _hash_hook(label, group, handler)


def _hash_hook(label: str, group: dict[str, Any], handler: dict[str, Any]) -> str:
    seconds = handler.get("timeout", 600)
    hook = {"async": False, "command": handler["command"], "timeout": seconds, "type": "command"}
    identity: dict[str, Any] = {"event_name": label, "hooks": [hook]}
    if "matcher" in group and label not in {"user_prompt_submit", "stop"}:
        identity["matcher"] = group["matcher"]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"
