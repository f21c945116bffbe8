"""The person's switches and the rules -> which guards are on, and the compiled file for the hook.

A switch is this machine's: it names the rule's words and check by their hash, so that a check that
a pull, a sync client or a model has written or changed is off until a person looks at it. Only a
rule that is in force is guarded. The trap: the words of a rule are shown to the model by the hook,
so they count as much as the check.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from memoria.rules.guards import check as guard
from memoria.rules.guards import compiled as sentry
from memoria.rules.guards import judge as adjudication
from memoria.rules.model import is_in_force
from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.rules.guards.check import Check, Part
    from memoria.rules.model import Rule

State = Literal["on", "off", "changed", "broken", "wall", "idle"]
# what each state means, and what mends it
MEANING: Mapping[State, str] = {
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


def digest(found: Rule) -> str:
    """Hash the words and the check of a rule: what a switch is for."""
    check = guard.written(found.check) if found.check else None
    data = json.dumps([found.text, check], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(data.encode("utf-8", "replace")).hexdigest()[:16]


def switches(value: Mapping[str, Any]) -> dict[str, Switch]:
    """Read the file of switches; what is not one there is passed over, so that its guard is off."""
    found = {}
    for name, one in value.items():
        if isinstance(one, dict) and one.get("mode") in guard.MODES:
            switch = Switch(str(one["mode"]), str(one.get("hash")), str(one.get("at") or ""))
            found[str(name)] = switch
    return found


def record(found: Mapping[str, Switch]) -> dict[str, dict[str, str]]:
    """Give the file of switches."""
    return {
        name: {"mode": one.mode, "hash": one.digest, "at": one.at}
        for name, one in sorted(found.items())
    }


def state(found: Rule, switch: Switch | None, approvals: Mapping[str, str]) -> State:
    """Say whether a rule's guard is on, and if not why."""
    if found.check_error:
        return "broken"
    if switch is None or found.check is None:
        return "off"
    if not is_in_force(found, approvals):
        return "idle"
    if switch.digest != digest(found):
        return "changed"
    return "wall" if adjudication.refused(found.check) else "on"


def compiled(
    rules: Iterable[Rule], found: Mapping[str, Switch], approvals: Mapping[str, str]
) -> dict[str, Any] | None:
    """Give what the hook reads, None where no guard is on."""
    rows = [
        _row(one, found[one.id], one.check)
        for one in rules
        if one.check and one.id in found and state(one, found[one.id], approvals) == "on"
    ]
    return sentry.compiled(rows) if rows else None


def _row(one: Rule, switch: Switch, check: Check) -> dict[str, Any]:
    return {
        "id": one.id,
        "text": " ".join(strip_hidden(one.text).split()),
        "mode": switch.mode,
        # two projects and more are everywhere, as in rule.holds_in
        "project": one.scope[0] if len(one.scope) == 1 else "",
        "hash": switch.digest,
        "check": guard.written(check),
    }


# -- In words --------------------------------------------------------------------------------------

_WORDS = {
    "tools": "the tool is {}",
    "command": "the command is {}",
    "with": "it has {}",
    "without": "it has none of {}",
    "under": "it is run by {}",
    "not_under": "it is not run by {}",
    "path": "it writes {}",
    "reads": "it reads {}",
    "added": "it adds {}",
    "removed": "it removes {}",
}
_OR, _COMMA = " or ", ", "


def told(check: Check) -> list[str]:
    """Say in words when a check's occasion comes and what breaks it, a line each."""
    lines = [f"When {_part(check.occasion)}."]
    if check.broken:
        lines.append(f"Broken when {_part(check.broken)}.")
    if check.needs:
        since = f" since the last time that {_part(check.since)}" if check.since else ""
        lines.append(f"Broken when there was no call before it where {_part(check.needs)}{since}.")
    if not check.broken and not check.needs:
        lines.append("That alone breaks it.")
    lines += [f"Why: {check.why}"] * bool(check.why)
    return lines + [f"Instead: {check.instead}"] * bool(check.instead)


def _part(part: Part) -> str:
    found = []
    for name, items in part.lists.items():
        joint = _COMMA if name in {"without", "not_under"} else _OR
        wanted = [f"`{one}`" for one in items if not _excludes(name, one)]
        without = [f"`{one[1:]}`" for one in items if _excludes(name, one)]
        if wanted:
            found.append(_WORDS[name].format(joint.join(wanted)))
        if without:
            found.append(_WORDS[name].format("not " + _COMMA.join(without)))
    return " and ".join(found)


def _excludes(name: str, item: str) -> bool:
    return item.startswith("!") and name in {"command", "path", "reads"}
