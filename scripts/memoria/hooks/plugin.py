"""Run the hook of an event for the client's plugin, in the vault that the person means.

A plugin's hooks are the same on every machine, so they name no vault: it is the registered one of
the plugin's option, of the last install, the clone, or ~/memoria. Where none is set up, a session's
start says so in one line and all else is silent. A clone's hooks look into the registry likewise
(vault/storage/registry.py writes it). A project's settings can set the environment in which a hook
runs, and with it the folder that this is looked for in, so a registry that a repository could have
brought is none.
"""

from __future__ import annotations

import json
import os
import sys

from memoria.hooks import protocol, run
from memoria.vault.storage.child_environment import find_work_tree, is_same, own_home

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

REGISTRY = "registry.json"
# what the client sets for the option `vault` of plugin.json
OPTION = "CLAUDE_PLUGIN_OPTION_VAULT"
# what hooks.json looks for in the plugin's data folder before it starts a Python for a tool call
GUARDED = "guards"
# as hooks/call_answer.py has it; loading that would cost each hook
COMPILED = "guards.compiled.json"
# the same words for the person and for the model, which may be asked about it
UNSET = "Memoria is installed and has no vault yet: /memoria:setup makes one."


def state_home(environment: Mapping[str, str]) -> str:
    """Give the folder of all states, as platformdirs does."""
    if sys.platform == "win32":
        base = environment.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local")
    else:
        configured = environment.get("XDG_STATE_HOME", "")
        usual = "~/Library/Application Support" if sys.platform == "darwin" else "~/.local/state"
        base = configured if os.path.isabs(configured) else os.path.expanduser(usual)
    return os.path.join(base, "memoria")


def read_registry(environment: Mapping[str, str]) -> dict[str, Any]:
    """Read the registry; {} for none, and for one that is not this person's alone."""
    home = state_home(environment)
    project = os.path.join(
        os.path.realpath(environment.get("CLAUDE_PROJECT_DIR") or os.getcwd()), ""
    )
    # a session that was started in the whole home is no project that holds it
    inside = os.path.join(os.path.realpath(home), "").startswith(project)
    in_project = inside and not os.path.join(own_home(), "").startswith(project)
    if not protocol.is_private(home) or find_work_tree(home) or in_project:
        return {}
    value = protocol.read_json(os.path.join(home, REGISTRY)) or {}
    return value if isinstance(value.get("vaults"), dict) else {}


def build_place(
    registry: Mapping[str, Any], vault: str, environment: Mapping[str, str]
) -> protocol.HookPlace:
    """Give a vault with its registered state; one that is not registered has no snapshot."""
    full = os.path.abspath(os.path.expanduser(vault)) if vault else ""
    vaults = registry.get("vaults", {})
    entry = vaults.get(os.path.normcase(os.path.realpath(full))) if full else None
    if full and entry is None:
        entry = next((vaults[path] for path in vaults if is_same(path, full)), None)
    if not isinstance(entry, dict):
        return protocol.HookPlace(full, "")
    state = entry.get("state") or os.path.join(state_home(environment), str(entry.get("id")))
    return protocol.HookPlace(full, str(state))


def find_place(environment: Mapping[str, str]) -> protocol.HookPlace:
    """Find the vault that is meant; its snapshot is None where none is set up there."""
    registry = read_registry(environment)
    option = environment.get(OPTION)
    if option:
        return build_place(registry, option, environment)
    # a clone that is the vault itself can be the plugin's folder, too
    for vault in (registry.get("installed"), environment.get("CLAUDE_PLUGIN_ROOT")):
        candidate = build_place(registry, str(vault or ""), environment)
        if candidate.snapshot is not None:
            return candidate
    return build_place(registry, "~/memoria", environment)


def format_setup_notice(event: str, value: dict[str, Any]) -> str:
    """Say how to set up, once a session, where somebody reads it; "" for all other events."""
    if event != "SessionStart" or protocol.text_at(value, "source") != "startup":
        return ""
    output = {"hookEventName": event, "additionalContext": UNSET}
    return json.dumps({"systemMessage": UNSET, "hookSpecificOutput": output})


def main(arguments: list[str]) -> None:
    """Run the hook of the event that the command line names, and end the program with 0."""
    try:
        event = arguments[0] if arguments else ""
        vault_place = find_place(os.environ)
        if vault_place.snapshot is not None:
            _update_guard_marker(event, vault_place)
            run.main(event, place=vault_place)
        elif not protocol.is_off():
            protocol.write_all(1, format_setup_notice(event, protocol.read_event()).encode())
    finally:
        # no fault of ours may be a session's: it ends here, and says nothing
        os._exit(0)


def _update_guard_marker(event: str, vault_place: protocol.HookPlace) -> None:
    """Say where the shell of a PreToolUse sees whether a guard is on, from the next prompt on."""
    data = os.environ.get("CLAUDE_PLUGIN_DATA")
    if not data or event not in {"SessionStart", "UserPromptSubmit"}:
        return
    path, is_on = os.path.join(data, GUARDED), os.path.exists(vault_place.path(COMPILED))
    try:
        if is_on and not os.path.exists(path):
            protocol.write(path, b"")
        elif not is_on and os.path.exists(path):
            os.unlink(path)
    except OSError as error:
        vault_place.log(f"cannot say that a guard is on: {error}")
