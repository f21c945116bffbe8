"""Records of a ledger made up for tests: sessions with their coins, captures and mistakes."""

import json
from datetime import UTC, datetime, timedelta

import numpy as np
from place import state_of

from memoria.vault.storage import history as ledger

START = datetime(2026, 3, 1, 8, tzinfo=UTC)
SHOP = "github.com/ana/shop"
EXPERIMENT = "x-0123456789"
# what comes back: few enough that each was met within fifty sessions
KNOWN = tuple(f"Bash exit known thing {name}" for name in ("one", "two", "three", "four", "five"))


def moment(hours):
    return (START + timedelta(hours=hours)).isoformat()


def started(hours=0, **changes):
    """An experiment's start; `design`, `p` and so on as the record has them."""
    return {
        "kind": "experiment",
        "action": "start",
        "at": moment(hours),
        "id": EXPERIMENT,
        "project": SHOP,
        "error_class": "",
        "design": "coin",
        "p": 0.5,
        "planned": None,
        "outside": [],
    } | changes


def ended(hours, **changes):
    return {"kind": "experiment", "action": "end", "at": moment(hours), "id": EXPERIMENT} | changes


def begun(session, hours, arm="treated", **changes):
    """What the session-start hook left."""
    return {
        "kind": "injection",
        "event": "SessionStart",
        "at": moment(hours),
        "session": session,
        "project": SHOP,
        "experiment": EXPERIMENT,
        "arm": arm,
        "p": 0.5,
        "slate": [],
        "withheld": [],
        "pinned": [],
    } | changes


def captured(session, hours, **changes):
    """What the flush left of a session that took half an hour."""
    return {
        "kind": "session",
        "at": moment(hours + 1),
        "entry": f"e-{session}",
        "session": session,
        "project": SHOP,
        "day": moment(hours)[:10],
        "began": moment(hours),
        "ended": moment(hours + 0.5),
        "engine": "offline",
        "path": f"/home/ana/.claude/projects/-shop/{session}.jsonl",
        "identity": session,
        "end": 100,
        "tail": "",
        "last_uuid": "",
        "turns": [f"turn-{session}"],
    } | changes


def mistaken(session, hours, signature, **changes):
    return {
        "kind": "mistake",
        "at": moment(hours),
        "session": session,
        "project": SHOP,
        "signature": signature,
        "tool": "Bash",
        "fault": "exit",
        "line": signature,
        "call": "c",
        "resolved": None,
        "how": "",
        "change": "",
    } | changes


def judged(session, hours, **rules):
    """Verdicts of the flush: a rule's id with "_" for "-", and whether it went well."""
    return {
        "kind": "judged",
        "at": moment(hours),
        "session": session,
        "project": SHOP,
        "rules": {
            name.replace("_", "-"): {"well": well, "by": "flush", "quote": ""}
            for name, well in rules.items()
        },
    }


def history(*records):
    return ledger.fold(ledger.line(one) for one in records)


def simulated(control, treated, sessions=100, seed=0):
    """A ledger of a study as clustered as real sessions, with these shares of repeats by arm."""
    rng = np.random.default_rng(seed)
    records = [captured("first", -2)]
    records += [mistaken("first", -2 + 0.01 * n, name) for n, name in enumerate(KNOWN)]
    records.append(started())
    for number in range(sessions):
        at, name = 6 * number + 1, f"s-{number:03d}"
        coin = bool(rng.random() < 0.5)
        records.append(begun(name, at, "treated" if coin else "control"))
        records.append(captured(name, at))
        share, size = (treated if coin else control), 1 / 0.23 - 1
        count = int(rng.negative_binomial(3.4 / 2.3, 1 / 3.3))
        again = int(rng.binomial(count, rng.beta(share * size, (1 - share) * size)))
        marks = [KNOWN[int(rng.integers(len(KNOWN)))] for _ in range(again)]
        marks += [f"Bash exit new thing {number} {n}" for n in range(count - again)]
        records += [mistaken(name, at + 0.01 * (n + 1), mark) for n, mark in enumerate(marks)]
    return records


def keep(place, *records):
    """Append records to a vault's ledger."""
    path = state_of(place.vault) / "ledger.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in records)
