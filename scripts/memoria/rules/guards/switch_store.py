"""Keep this machine's switches of guards, the file that the hook reads, and the hook installed.

A switch names the rule's words and check by their hash, so that a check that a pull, a sync program
or a model has written or changed is off until a person looks at it. The file is written with every
snapshot, so a rule that is rejected is off at once. The hook stands where the other hooks of this
vault are, only while a guard is on.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from memoria.agents.claude_code import settings as client_settings, settings_store
from memoria.errors import UsageError, VaultError
from memoria.rules.guards import guard_index, judge
from memoria.rules.guards.check import MODES, check_to_json
from memoria.rules.model import Rule, is_in_force, text_hash
from memoria.text.json_text import read_object
from memoria.text.unicode import strip_hidden
from memoria.vault.storage import clock, disk
from memoria.vault.storage.state import encode_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.rules.model import Approvals
    from memoria.workspace import Workspace

SWITCHES, COMPILED = "guards.json", "guards.compiled.json"
Standing = Literal["on", "off", "changed", "broken", "wall", "idle"]
# what each state means, and what to do about it
MEANING: Mapping[Standing, str] = {
    "on": "on",
    "off": "off",
    "changed": "off: the rule or its check was changed since it was switched on; look at it, then "
    "`memoria guard on` again",
    "broken": "off: its check cannot be read",
    "wall": "off: its check would leave no way on",
    "idle": "off: the rule is not active on this machine",
}


class Switch(NamedTuple):
    """A person's word that a guard be on: its mode, and the hash of what was looked at."""

    mode: str
    digest: str
    at: str


def digest(rule: Rule) -> str:
    """Hash the words and the check of a rule: what a switch is for."""
    check = check_to_json(rule.check) if rule.check else None
    return text_hash(json.dumps([rule.text, check], ensure_ascii=False, sort_keys=True))


def state(rule: Rule, switch: Switch | None, approvals: Approvals) -> Standing:
    """Say whether a rule's guard is on, and if not why."""
    if rule.check_error:
        return "broken"
    if switch is None or rule.check is None:
        return "off"
    if not is_in_force(rule, approvals):
        return "idle"
    if switch.digest != digest(rule):
        return "changed"
    return "wall" if judge.find_refusal(rule.check) else "on"


def build_hook_guards(
    rules: Iterable[Rule], by_rule: Mapping[str, Switch], approvals: Approvals
) -> dict[str, Any] | None:
    """Give what the hook reads, None where no guard is on."""
    rows = [
        {
            "id": rule.id,
            "text": " ".join(strip_hidden(rule.text).split()),
            "mode": by_rule[rule.id].mode,
            # two projects and more are everywhere, as in model.holds_in
            "project": rule.scope[0] if len(rule.scope) == 1 else "",
            "hash": by_rule[rule.id].digest,
            "check": check_to_json(rule.check),
        }
        for rule in rules
        if rule.check and rule.id in by_rule and state(rule, by_rule[rule.id], approvals) == "on"
    ]
    return guard_index.build_index(rows) if rows else None


def switches(work: Workspace) -> dict[str, Switch]:
    """Read this machine's switches; what is no switch, or cannot be read, leaves its guard off."""
    try:
        rows = work.vault.state.read_json(work.vault.state.root / SWITCHES)
    except VaultError as error:
        work.terminal.warn(f"{error}; no guard is on: move it away and switch them on again")
        return {}
    return {
        str(name): Switch(str(row["mode"]), str(row.get("hash")), str(row.get("at") or ""))
        for name, row in rows.items()
        if isinstance(row, dict) and row.get("mode") in MODES
    }


def has_guard(work: Workspace, rules: Iterable[Rule]) -> bool:
    """Whether one of some rules stands guard: to take it out of force would lift that."""
    by_rule = switches(work)
    return any(rule.id in by_rule for rule in rules)


def flip(work: Workspace, rule: Rule, mode: str) -> None:
    """Switch a rule's guard on in a mode, or off with mode ""."""
    with work.vault.state.lock("guards"):
        by_rule = switches(work)
        by_rule.pop(rule.id, None)
        if mode:
            at = clock.now(work.settings.zone).isoformat(timespec="seconds")
            by_rule[rule.id] = Switch(mode, digest(rule), at)
        rows = {
            name: {"mode": switch.mode, "hash": switch.digest, "at": switch.at}
            for name, switch in sorted(by_rule.items())
        }
        disk.replace(work.vault.state.root / SWITCHES, encode_json(rows))


def require_switchable(rule: Rule, approvals: Approvals) -> None:
    """Raise UsageError where a rule's guard cannot be switched on, with what to do first."""
    if rule.status == "waiting":
        raise UsageError(f"{rule.id} waits for your decision: `memoria review` first")
    if rule.check_error:
        raise UsageError(f"{rule.id}: {rule.check_error} (knowledge/{rule.path}.md)")
    if rule.check is None:
        raise UsageError(
            f"{rule.id} has no check; write one under `check:` in knowledge/{rule.path}.md "
            "(AGENTS.md says how)"
        )
    if not is_in_force(rule, approvals):
        raise UsageError(f"{rule.id} is not active; `memoria promote {rule.id}` approves it")
    judge.require_way_on(rule.check)


def refresh(work: Workspace, rules: Iterable[Rule], approvals: Approvals) -> None:
    """Write the file that the hook reads, where it would change."""
    path = work.vault.state.root / COMPILED
    by_rule = switches(work)
    value = build_hook_guards(rules, by_rule, approvals) if by_rule else None
    if value is None:
        path.unlink(missing_ok=True)
        return
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    if data != disk.read(path):
        disk.replace(path, data)


def matcher(work: Workspace) -> str:
    """Give the tools that the guards that are on need, as the client's matcher; "" for none."""
    value = read_object(disk.read(work.vault.state.root / COMPILED) or b"")
    return "|".join(sorted(value.get("tools") or {}))


def post(work: Workspace) -> str:
    """Put the hook where this vault's hooks are, or take it out; say where, "" for nowhere."""
    tools, folder = matcher(work), work.settings.config_dir.absolute()
    old, path = settings_store.read_settings(folder), str(folder / settings_store.SETTINGS)
    hooks = client_settings.parse_hooks(old or "", path)
    if old is None or not any(Path(hook.vault) == work.vault.root for hook in hooks):
        return ""
    others = tuple(hook for hook in hooks if hook.event != client_settings.GUARD[0])
    guards = (client_settings.build_guard_hook(others[0], tools),) if tools and others else ()
    new = client_settings.merge_hooks(old, (*others, *guards), path)
    if new != old:
        settings_store.write_settings(folder, new, expected=old)
    return path
