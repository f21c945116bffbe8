"""A session's first start -> its allotment: its arm in an experiment, and its slate of rules.

Drawn once and written down, so that a resumed or compacted session keeps its arm and is given the
same rules again; the flush takes what is written here into the ledger. The coin falls before the
slate is drawn and only while an experiment runs. The trap: control means nothing of Memoria's, but
pinned rules reach both arms: they belong to no experiment.
"""

from __future__ import annotations

import json
import os
import time

from memoria.agents import instruction_files
from memoria.hooks import protocol
from memoria.learning import randomness, slate

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    Sections = Sequence[tuple[str, Sequence[Mapping[str, str]]]]

CONTROL, TREATED = "control", "treated"


def allotment(
    place: protocol.Place,
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
    found = protocol.stored(path)
    if found is not None:
        return found
    known = standing(snapshot, loaded)
    made = drawn(place.snapshot or {}, session, key, snapshot, known)
    try:
        os.makedirs(place.path("given"), mode=0o700, exist_ok=True)
        protocol.write(path, json.dumps(made).encode("utf-8", "replace"))
    except OSError as error:
        place.log(f"the session's allotment could not be kept: {error}")
    return made


def standing(snapshot: dict[str, Any], loaded: Iterable[str]) -> dict[str, str]:
    """Give the rules that a file which the client loads says, each with that file."""
    rules = {name: one[2] for name, one in _rules(snapshot).items()}
    return instruction_files.told(loaded, rules)


def drawn(
    settings: dict[str, Any],
    session: str,
    key: str,
    snapshot: dict[str, Any],
    known: Collection[str] = (),
) -> dict[str, Any]:
    """Draw a session's arm and slate; the fields are those of the ledger's record.

    `known` are the rules that a file says which the client loads by itself.
    """
    arm = _arm(settings, session, key)
    selection = snapshot.get("selection")
    compact = selection if isinstance(selection, dict) else _everything(snapshot)
    room = 0 if arm["arm"] == CONTROL else None
    chosen = slate.choose(compact, session, k=room, known=known)
    rules = _rules(snapshot)
    record = chosen.record()
    named = {
        field: [
            {"id": name, "hash": rules[name][1], "p": chosen.propensities[name]}
            for name in names
            if name in rules
        ]
        for field, names in (("slate", chosen.shown), ("withheld", chosen.withheld))
    }
    return {
        "kind": "injection",
        "event": "SessionStart",
        "at": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        "session": session,
        "project": key,
        **arm,
        **{name: record[name] for name in ("policy", "version", "label", "seed", "pinned")},
        **named,
        # the control arm gets none by the coin, and not for want of room
        "left_out": [] if room == 0 else record["left_out"],
        "in_claude_md": sorted(known),
        "lines": [] if room == 0 else [_told(line) for line in _lines(snapshot)],
        "effects": record["effects"],
    }


def _lines(snapshot: dict[str, Any]) -> Iterable[Mapping[str, str]]:
    """Give the lines that are told beside the rules, as they were chosen for the session."""
    sections: Sections = snapshot.get("start") or []
    return (line for _, lines in sections for line in lines)


def _told(line: Mapping[str, str]) -> dict[str, str]:
    """Give what the ledger keeps of a line that was told, so that its worth can be measured."""
    return {name: line[name] for name in ("id", "section", "day")}


def texts(snapshot: dict[str, Any], allotted: dict[str, Any]) -> list[dict[str, str]]:
    """Give the lines of the rules that a session was allotted and that are still in force."""
    rules = _rules(snapshot)
    slate_ = allotted.get("slate")
    rows = slate_ if isinstance(slate_, list) else []
    names = [str(row.get("id")) for row in rows if isinstance(row, dict)]
    return [
        {"text": rules[name][0], **({"since": rules[name][3]} if rules[name][3] else {})}
        for name in names
        if name in rules
    ]


def _arm(settings: dict[str, Any], session: str, key: str) -> dict[str, Any]:
    """Toss the coin of the experiment that runs in the project; no experiment, no coin."""
    running = settings.get("experiments")
    for one in running if isinstance(running, list) else []:
        if isinstance(one, dict) and one.get("project") in {"", key}:
            name, chance_of = str(one.get("id")), one.get("p")
            p = float(chance_of) if isinstance(chance_of, int | float) else 0.5
            coin = randomness.uniform(
                randomness.bits(randomness.seed(session), "experiment " + name)
            )
            return {"experiment": name, "arm": TREATED if coin < p else CONTROL, "p": p}
    return {"experiment": "", "arm": "", "p": None}


def _everything(snapshot: dict[str, Any]) -> dict[str, Any]:
    """Give the state that lets all rules in: what an older Memoria prepared holds no other."""
    arms = [[name, len(one[0])] for name, one in _rules(snapshot).items()]
    rows = [[at, 0.0, 0.0] for at in range(len(arms))]
    return {
        "policy": "all",
        "law": "order",
        "arms": arms,
        "labels": {"": rows},
        "k": len(arms),
        "epsilon": 0.0,
    }


def _rules(snapshot: dict[str, Any]) -> dict[str, tuple[str, str, str, str]]:
    """Give the prepared rules by id: line, hash, words, and the day since when it is active."""
    rules = snapshot.get("rules")
    rows = [rule for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []
    return {
        str(one.get("id") or f"rule {at}"): (
            protocol.text(one, "text"),
            protocol.text(one, "hash"),
            protocol.text(one, "words"),
            protocol.text(one, "since"),
        )
        for at, one in enumerate(rows)
    }
