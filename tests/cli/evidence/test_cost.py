"""`memoria cost`: days, operations, the budget; nothing paid is said in words."""

import json

from place import state_of


def spent(place, *calls):
    with (state_of(place.vault) / "ledger.jsonl").open("a", encoding="utf-8") as ledger:
        for at, task, tokens, written, usd in calls:
            record = {"kind": "call", "at": at, "task": task, "engine": "claude", "model": "m"}
            record |= {"input": tokens, "output": written, "cost_usd": usd}
            ledger.write(json.dumps(record) + "\n")


def made(place):
    place.run("init")
    spent(
        place,
        ("2026-04-01T10:00:00+00:00", "flush", 3_000, 200, 0.004),
        ("2026-04-01T11:00:00+00:00", "flush", 1_000, 100, 0.001),
        ("2026-04-01T18:05:00+00:00", "compile", 60_000, 4_000, 0.31),
        ("2026-04-02T09:00:00+00:00", "flush", 500, 50, 0.0005),
        ("2026-04-02T09:00:01+00:00", "flush", 0, 0, 0),
    )


def test_since_leaves_out_earlier_days(place):
    made(place)
    _, out, _ = place.run("cost", "--since", "2026-04-02", "--json")
    found = json.loads(out)
    assert [day["day"] for day in found["days"]] == ["2026-04-02"]
    assert found["usd"] == 0.0005
    assert found["budget"]["calls_per_hour"] == 60


def test_a_day_is_the_person_s(place, monkeypatch):
    monkeypatch.setenv("MEMORIA_TIMEZONE", "Asia/Tokyo")
    place.run("init")
    spent(place, ("2026-04-01T23:30:00+00:00", "flush", 10, 1, 0.1))
    _, out, _ = place.run("cost", "--json")
    assert json.loads(out)["days"][0]["day"] == "2026-04-02"


def test_a_bad_date_is_told(place):
    place.run("init")
    code, _, err = place.run("cost", "--since", "soon")
    assert code == 2
    assert "YYYY-MM-DD" in err
