"""Read the registry of vaults, for hooks whose command line names neither vault nor state.

Those are the plugin's and a clone's, which are the same on every machine. vault/storage/registry.py
writes the file. A project's settings can set the environment in which a hook runs, and with it the
folder that this is looked for in, so a registry that a repository could have brought is none.
"""

from __future__ import annotations

import os
import sys

from memoria.hooks import protocol
from memoria.vault.storage.child_environment import own_home, work_tree

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "registry.json"


def state_home(environment: Mapping[str, str]) -> str:
    """Give the folder of all states, as platformdirs does."""
    if sys.platform == "win32":
        base = environment.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local")
    else:
        named = environment.get("XDG_STATE_HOME", "")
        usual = "~/Library/Application Support" if sys.platform == "darwin" else "~/.local/state"
        base = named if os.path.isabs(named) else os.path.expanduser(usual)
    return os.path.join(base, "memoria")


def read(environment: Mapping[str, str]) -> dict[str, Any]:
    """Read the registry; {} for none, and for one that is not this person's alone."""
    home = state_home(environment)
    project = os.path.join(
        os.path.realpath(environment.get("CLAUDE_PROJECT_DIR") or os.getcwd()), ""
    )
    # a session that was started in the whole home is no project that holds it
    inside = os.path.join(os.path.realpath(home), "").startswith(project)
    in_project = inside and not os.path.join(own_home(), "").startswith(project)
    if not protocol.is_private(home) or work_tree(home) or in_project:
        return {}
    value = protocol.stored(os.path.join(home, NAME)) or {}
    return value if isinstance(value.get("vaults"), dict) else {}


def place(known: Mapping[str, Any], vault: str, environment: Mapping[str, str]) -> protocol.Place:
    """Give a vault with its registered state; one that is not registered has no snapshot."""
    full = os.path.abspath(os.path.expanduser(vault)) if vault else ""
    entry = known.get("vaults", {}).get(os.path.normcase(os.path.realpath(full))) if full else None
    if not isinstance(entry, dict):
        return protocol.Place(full, "")
    state = entry.get("state") or os.path.join(state_home(environment), str(entry.get("id")))
    return protocol.Place(full, str(state))
