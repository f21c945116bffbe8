"""Keep this machine's switches of guards, the file that the hook reads, and the hook installed.

The file is written with every snapshot, so a rule that is rejected or a check that was changed is
off at once. The hook stands where the other hooks of this vault are, only while a guard is on.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents.claude_code import settings as client_settings
from memoria.agents.claude_code import settings_store as client
from memoria.errors import UsageError, VaultError
from memoria.rules.guards import compiled as sentry
from memoria.rules.guards import judge
from memoria.rules.guards import switches as switch
from memoria.rules.guards.switches import Switch
from memoria.vault.storage import clock, disk
from memoria.vault.storage.state import encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.rules.model import Rule
    from memoria.workspace import Workspace

SWITCHES, COMPILED = "guards.json", "guards.compiled.json"


def switches(work: Workspace) -> dict[str, Switch]:
    """Read this machine's switches; {} where the file cannot be read: then no guard is on."""
    try:
        return switch.switches(work.vault.state.read_json(work.vault.state.root / SWITCHES))
    except VaultError as error:
        work.terminal.warn(f"{error}; no guard is on: move it away and switch them on again")
        return {}


def guarded(work: Workspace, rules: Iterable[Rule]) -> bool:
    """Whether one of some rules stands guard: to take it out of force would lift that."""
    known = switches(work)
    return any(rule.id in known for rule in rules)


def flip(work: Workspace, rule: Rule, mode: str) -> None:
    """Switch a rule's guard on in a mode, or off with mode ""."""
    with work.vault.state.lock("guards"):
        known = switches(work)
        known.pop(rule.id, None)
        if mode:
            at = clock.now(work.settings.zone).isoformat(timespec="seconds")
            known[rule.id] = Switch(mode, switch.digest(rule), at)
        disk.replace(work.vault.state.root / SWITCHES, encode(switch.record(known)))


def may_be_on(is_in_force: bool, rule: Rule) -> None:  # noqa: FBT001 - of the rule
    """Raise UsageError where a rule's guard cannot be switched on, with what to do first."""
    if rule.check_error:
        raise UsageError(f"{rule.id}: {rule.check_error} (knowledge/{rule.path}.md)")
    if rule.check is None:
        raise UsageError(
            f"{rule.id} has no check; `memoria guard suggest {rule.id}` looks for one, or write "
            f"one under `check:` in knowledge/{rule.path}.md"
        )
    if not is_in_force:
        raise UsageError(f"{rule.id} is not active; `memoria promote {rule.id}` approves it")
    judge.check_that_may_be_on(rule.check)


def refresh(work: Workspace, rules: Iterable[Rule], approvals: Mapping[str, str]) -> str:
    """Write the file that the hook reads, where it would change; give the tools that it needs."""
    path = work.vault.state.root / COMPILED
    known = switches(work)
    value = switch.compiled(rules, known, approvals) if known else None
    if value is None:
        path.unlink(missing_ok=True)
        return ""
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    if data != disk.read(path):
        disk.replace(path, data)
    return sentry.matcher(value)


def matcher(work: Workspace) -> str:
    """Give the tools that the guards that are on need, as the client's matcher; "" for none."""
    data = disk.read(work.vault.state.root / COMPILED)
    try:
        value = json.loads(data) if data else {}
    except ValueError:
        return ""
    return sentry.matcher(value) if isinstance(value, dict) else ""


def post(work: Workspace) -> str:
    """Put the hook where this vault's hooks are, or take it out; say where, "" for nowhere."""
    wanted, folder = matcher(work), work.settings.config_dir.absolute()
    old, where = client.read_settings(folder), str(folder / client.SETTINGS)
    hooks = client_settings.installed(old or "", where)
    if old is None or not any(Path(one.vault) == work.vault.root for one in hooks):
        return ""
    others = tuple(one for one in hooks if one.event != client_settings.GUARD[0])
    own = (client_settings.guarding(others[0], wanted),) if wanted and others else ()
    new = client_settings.merge(old, (*others, *own), where)
    if new != old:
        client.write_settings(folder, new, expected=old)
    return where
