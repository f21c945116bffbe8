"""Draw a session's allotment at its first start: its arm in an experiment, its slate of rules.

It is drawn once and written down, so that a resumed or compacted session keeps its arm and rules;
the flush takes what is written here into the ledger. Control means nothing of Memoria's, but pinned
rules reach both arms: they belong to no experiment.
"""

from __future__ import annotations

import json
import os
import time

from memoria.agents import instruction_files
from memoria.hooks import protocol
from memoria.learning import randomness, session_rules

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    Sections = Sequence[tuple[str, Sequence[Mapping[str, str]]]]

CONTROL, TREATED = "control", "treated"


def load_or_draw_allotment(
    place: protocol.HookPlace,
    session: str,
    key: str,
    snapshot: dict[str, Any],
    loaded: Iterable[str] = (),
) -> dict[str, Any]:
    """Give the allotment of a session, drawing it if this is its first start.

    `key` is its project's and `snapshot` what was prepared for it, its `start` the lines that are
    told beside the rules; `loaded` are the files that the client loads for it by itself. What
    cannot be written down is drawn the same way again, since every draw hangs on the session's id.
    """
    path = place.path("given", session + ".json")
    allotment = protocol.read_json(path)
    if allotment is not None:
        return allotment
    promoted = snapshot.get("promoted") if not place.agent else ()
    in_files = {
        *find_rules_in_files(snapshot, loaded),
        *(promoted if isinstance(promoted, list) else ()),
    }
    allotment = draw_allotment(place.snapshot or {}, session, key, snapshot, in_files)
    try:
        os.makedirs(place.path("given"), mode=0o700, exist_ok=True)
        protocol.write(path, json.dumps(allotment).encode("utf-8", "replace"))
    except OSError as error:
        place.log(f"the session's allotment could not be kept: {error}")
    return allotment


def find_rules_in_files(snapshot: dict[str, Any], loaded: Iterable[str]) -> dict[str, str]:
    """Give the rules that a file which the client loads says, each with that file."""
    rules = {name: rule["words"] for name, rule in _rules_by_id(snapshot).items()}
    return instruction_files.match_rules(loaded, rules)


def draw_allotment(
    settings: dict[str, Any],
    session: str,
    key: str,
    snapshot: dict[str, Any],
    in_files: Collection[str] = (),
) -> dict[str, Any]:
    """Draw a session's arm and slate; the fields are those of the ledger's record."""
    arm, rules = _draw_arm(settings, session, key), _rules_by_id(snapshot)
    is_control, state = arm["arm"] == CONTROL, snapshot.get("selection")
    state = state if isinstance(state, dict) else _build_all_rules_state(rules)
    choice = session_rules.choose(state, session, k=0 if is_control else None, elsewhere=in_files)
    record = choice.record()
    fields = {"slate": choice.shown, "withheld": choice.withheld}
    sections: Sections = [] if is_control else snapshot.get("start") or []
    return {
        "kind": "injection",
        "event": "SessionStart",
        "at": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        "session": session,
        "project": key,
        **arm,
        **{name: record[name] for name in ("policy", "version", "label", "seed", "pinned")},
        **{
            field: [
                {"id": name, "hash": rules[name]["hash"], "p": choice.propensities[name]}
                for name in names
                if name in rules
            ]
            for field, names in fields.items()
        },
        # the control arm gets none by the draw, and not for want of room
        "left_out": [] if is_control else record["left_out"],
        "in_claude_md": sorted(in_files),
        # what is kept of a line that was told, so that its worth can be measured
        "lines": [
            {name: line[name] for name in ("id", "section", "day")}
            for _, lines in sections
            for line in lines
        ],
        "effects": record["effects"],
    }


def list_rule_texts(snapshot: dict[str, Any], allotted: dict[str, Any]) -> list[dict[str, str]]:
    """Give the lines of the rules that a session was allotted and that are still in force."""
    rules = _rules_by_id(snapshot)
    rows = allotted.get("slate")
    ids = [row.get("id") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    allotted_rules = [rules[name] for name in map(str, ids) if name in rules]
    return [
        {name: rule[name] for name in ("text", "since") if name == "text" or rule[name]}
        for rule in allotted_rules
    ]


def _draw_arm(settings: dict[str, Any], session: str, key: str) -> dict[str, Any]:
    """Draw the arm in the experiment that runs in the project; without one there is no arm."""
    experiments = settings.get("experiments")
    for experiment in experiments if isinstance(experiments, list) else []:
        if isinstance(experiment, dict) and experiment.get("project") in {"", key}:
            name, chance = str(experiment.get("id")), experiment.get("p")
            p = float(chance) if isinstance(chance, int | float) else 0.5
            bits = randomness.bits(randomness.seed(session), "experiment " + name)
            arm = TREATED if randomness.uniform(bits) < p else CONTROL
            return {"experiment": name, "arm": arm, "p": p}
    return {"experiment": "", "arm": "", "p": None}


def _build_all_rules_state(rules: dict[str, dict[str, str]]) -> dict[str, Any]:
    """Give the state that lets all rules in, for a snapshot that holds no other."""
    arms = [[name, len(rule["text"])] for name, rule in rules.items()]
    rows = [[at, 0.0, 0.0] for at in range(len(arms))]
    state = {"policy": "all", "law": "order", "arms": arms, "labels": {"": rows}}
    return {**state, "k": len(arms), "epsilon": 0.0}


def _rules_by_id(snapshot: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Give the prepared rules by id: line, hash, words, and the day since when it is active."""
    rules = snapshot.get("rules")
    rows = [rule for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []
    fields = ("text", "hash", "words", "since")
    return {
        str(row.get("id") or f"rule {at}"): {name: protocol.text_at(row, name) for name in fields}
        for at, row in enumerate(rows)
    }
