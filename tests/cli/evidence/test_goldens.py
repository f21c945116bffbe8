"""Reports, experiments and costs of made-up vaults, compared with what they were.

UPDATE_GOLDEN=1 writes them anew; read the difference before you keep it. A change of a number here
is a change of a statistic.
"""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import reported
from ledgers import KNOWN, begun, captured, judged, keep, mistaken, simulated
from place import state_of
from ruled import keep as keep_rules, made

from memoria.agents.claude_code.git import project_key
from memoria.vault.storage import clock

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "evidence"
NOW = datetime(2026, 7, 1, 9, tzinfo=UTC)
EXPERIMENT = (
    ("experiment", "metrics"),
    ("experiment", "report"),
    ("experiment", "report", "--json"),
)
VERBS = (
    ("report",),
    ("report", "--json"),
    *EXPERIMENT,
    ("experiment", "status", "--json"),
    ("experiment", "metrics", "--json"),
    ("cost",),
    ("rewards",),
)


def rich(place):
    """Everything that a report can show: rules of all records, guards, checks, a spool, calls."""
    ids = reported.rules(place)
    reported.rules(place, ("Always answer in English",), pinned=True)
    twin = made("Never push to main by force", status="active")
    ids += keep_rules(place, twin, approve=True)
    reported.fill(place, reported.history(105, ids=ids))
    reported.fill(place, _extras(ids))
    reported.believe(place, ids)
    path = state_of(place.vault) / "bandit.json"
    rows = json.loads(path.read_text())["rules"]
    for name in (ids[1], ids[-1]):
        rows.setdefault(name, {"mean": 0.1, "sd": 0.2})["family"] = "push"
    rows = {name: row | {"shown": 3, "withheld": 1} for name, row in rows.items()}
    path.write_text(json.dumps({"rules": rows}))


def _extras(ids):
    start = reported.START
    other = reported.experiments.Experiment("x-9999999999", reported.SHOP, "chance", start)
    yield reported.experiments.build_experiment_record(start, "start", other)
    yield reported.experiments.build_experiment_record(start + timedelta(days=1), "end", other)
    yield {
        "kind": "reward", "at": start.isoformat(), "id": ids[1], "reward": -1, "by": "person",
        "context": "c", "outcome": "o",
    }  # fmt: skip


def usual(place):
    """Captured sessions without any experiment, and a rule that got too many rewards to be idle."""
    ids = reported.rules(place)
    reported.fill(place, reported.history(40, ids=ids, study=""))


def designed(treated=0.2, sessions=60, *, harmful=False, **changes):
    """A study of another design, and a rule withheld by chance that helps or harms."""

    def fill(place):
        records = simulated(0.5, treated, sessions)
        rows = [one | changes if one["kind"] == "experiment" else one for one in records]
        rule = made("Lint before you commit", scope=())
        keep_rules(place, rule)
        for number in range(120):
            held = number % 4 == 0
            field = {"withheld" if held else "slate": [{"id": rule.id, "hash": "h", "p": 0.75}]}
            rows.append(begun(f"t{number}", number, experiment="", arm="", p=None, **field))
            well = {rule.id: {"well": held if harmful else not held}}
            rows.append(judged(f"t{number}", number + 0.5) | {"rules": well})
        rows += [captured("x", 1), mistaken("x", 1.1, KNOWN[0]), begun("late", 700)]
        keep(place, *rows)

    return fill


SCENES = {
    "rich": (rich, VERBS),
    "usual": (usual, (("report",),)),
    "harm": (designed(0.8, 80, harmful=True), (*EXPERIMENT, ("report",))),
    "before-after": (designed(design="before-after"), EXPERIMENT[:2]),
    "classed": (designed(error_class="type-errors"), EXPERIMENT[:2]),
    "small": (designed(sessions=6), EXPERIMENT),
    "empty": (lambda _: None, (("report",), ("cost",))),
}


def printed(place, verb):
    """Run a verb; give what it says and, of a report, the note."""
    code, out, err = place.run(*verb)
    parts = [f"# memoria {' '.join(verb)}: {code}", out, err]
    if verb[0] == "report" and "--json" not in verb:
        parts.append(Path(out.strip()).read_text(encoding="utf-8"))
    return (
        "\n".join(parts)
        .replace(str(place.root), "ROOT")
        .replace(project_key(str(Path.cwd())), "HERE")
    )


@pytest.mark.parametrize("scene", SCENES)
def test_what_verbs_print(place, monkeypatch, scene):
    monkeypatch.setattr(clock, "now", lambda zone=None: NOW)
    fill, verbs = SCENES[scene]
    fill(place)
    for verb in verbs:
        path = GOLDEN / scene / ("-".join(word.strip("-") for word in verb) + ".txt")
        text = printed(place, verb)
        if os.environ.get("UPDATE_GOLDEN"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), path.name
