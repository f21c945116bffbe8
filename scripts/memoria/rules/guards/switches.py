"""Say which guards are on by the person's switches, compile them, and put checks in words.

A switch names the rule's words and check by their hash, so that a check that a pull, a sync client
or a model has written or changed is off until a person looks at it.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from memoria.rules.guards import check as guard
from memoria.rules.guards import compiled as sentry
from memoria.rules.guards import judge
from memoria.rules.model import is_in_force
from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.rules.guards.check import Check, Part
    from memoria.rules.model import Rule

State = Literal["on", "off", "changed", "broken", "wall", "idle"]
# what each state means, and what to do about it
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


def digest(rule: Rule) -> str:
    """Hash the words and the check of a rule: what a switch is for."""
    check = guard.written(rule.check) if rule.check else None
    data = json.dumps([rule.text, check], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(data.encode("utf-8", "replace")).hexdigest()[:16]


def switches(value: Mapping[str, Any]) -> dict[str, Switch]:
    """Read the file of switches; what is not one there is passed over, so that its guard is off."""
    return {
        str(name): Switch(str(one["mode"]), str(one.get("hash")), str(one.get("at") or ""))
        for name, one in value.items()
        if isinstance(one, dict) and one.get("mode") in guard.MODES
    }


def record(known: Mapping[str, Switch]) -> dict[str, dict[str, str]]:
    """Give the file of switches."""
    return {
        name: {"mode": one.mode, "hash": one.digest, "at": one.at}
        for name, one in sorted(known.items())
    }


def state(rule: Rule, switch: Switch | None, approvals: Mapping[str, str]) -> State:
    """Say whether a rule's guard is on, and if not why."""
    if rule.check_error:
        return "broken"
    if switch is None or rule.check is None:
        return "off"
    if not is_in_force(rule, approvals):
        return "idle"
    if switch.digest != digest(rule):
        return "changed"
    return "wall" if judge.refused(rule.check) else "on"


def compiled(
    rules: Iterable[Rule], known: Mapping[str, Switch], approvals: Mapping[str, str]
) -> dict[str, Any] | None:
    """Give what the hook reads, None where no guard is on."""
    rows = [
        {
            "id": rule.id,
            "text": " ".join(strip_hidden(rule.text).split()),
            "mode": known[rule.id].mode,
            # two projects and more are everywhere, as in model.holds_in
            "project": rule.scope[0] if len(rule.scope) == 1 else "",
            "hash": known[rule.id].digest,
            "check": guard.written(rule.check),
        }
        for rule in rules
        if rule.check and rule.id in known and state(rule, known[rule.id], approvals) == "on"
    ]
    return sentry.compiled(rows) if rows else None


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
    clauses = []
    for name, items in part.lists.items():
        may_exclude = name in {"command", "path", "reads"}
        excluded = [item for item in items if may_exclude and item.startswith("!")]
        wanted = [f"`{item}`" for item in items if item not in excluded]
        if wanted:
            joint = ", " if name in {"without", "not_under"} else " or "
            clauses.append(_WORDS[name].format(joint.join(wanted)))
        if excluded:
            without = ", ".join(f"`{item[1:]}`" for item in excluded)
            clauses.append(_WORDS[name].format(f"not {without}"))
    return " and ".join(clauses)
