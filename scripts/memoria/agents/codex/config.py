"""Read in Codex's own files what keeps hooks from running."""

import json
import tomllib

from memoria.agents.json_line import mapping_of

FILE = "config.toml"


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
