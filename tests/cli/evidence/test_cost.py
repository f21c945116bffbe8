"""`memoria cost`: operations and the budget."""

import json
from pathlib import Path

from place import state_of

from memoria.cli.evidence.cost import list_usual_costs

COSTS = Path(__file__).parents[3] / "docs/reference/costs.md"


def spent(place, *calls):
    with (state_of(place.vault) / "ledger.jsonl").open("a", encoding="utf-8") as ledger:
        for at, task, tokens, written, usd in calls:
            record = {"kind": "call", "at": at, "task": task, "engine": "claude", "model": "m"}
            record |= {"input": tokens, "output": written, "cost_usd": usd}
            ledger.write(json.dumps(record) + "\n")


def test_since_leaves_out_earlier_days_and_has_to_be_a_date(place):
    spent(
        place,
        ("2026-04-01T10:00:00+00:00", "flush", 3_000, 200, 0.004),
        ("2026-04-01T18:05:00+00:00", "compile", 60_000, 4_000, 0.31),
        ("2026-04-02T09:00:00+00:00", "flush", 500, 50, 0.0005),
        ("2026-04-02T09:00:01+00:00", "flush", 0, 0, 0),
    )
    costs = place.json("cost", "--since", "2026-04-02")
    assert [(row["task"], row["calls"]) for row in costs["operations"]] == [("flush", 1)]
    assert (costs["usd"], costs["budget"]["calls_per_hour"]) == (0.0005, 60)
    assert "YYYY-MM-DD" in place.err("cost", "--since", "soon", code=2)


def test_since_is_a_day_of_the_persons_clock(place, monkeypatch):
    # the ledger has a moment with the offset of the clock of that time
    at = ("2026-04-01T20:00:00+14:00", "2026-04-01T18:05:00+00:00", "2026-04-02T00:30:00-11:00")
    spent(place, *((stamp, "flush", 500, 50, 0.0005) for stamp in at))
    for zone, day, calls in (("Kiritimati", 2, 2), ("Pago_Pago", 1, 2), ("Pago_Pago", 2, 1)):
        monkeypatch.setenv("MEMORIA_TIMEZONE", f"Pacific/{zone}")
        (row,) = place.json("cost", "--since", f"2026-04-0{day}")["operations"]
        assert row["calls"] == calls


def test_the_docs_name_the_prices_that_the_program_prints():
    rows = [line for line in COSTS.read_text("utf-8").splitlines() if line.startswith("|")]
    for name, _, _, usd in list_usual_costs():
        verb = name.partition(",")[0]
        (row,) = (line for line in rows if line.startswith(f"| {verb}") and "$" in line)
        assert f"${float(f'{usd:.1g}'):g} |" in row
