import numpy as np
from ledgers import SHOP, START, begun, captured, history

from memoria.evidence.report.json_values import adherence_json
from memoria.evidence.withholding.adherence import Kept, adherences, observed, record

ONE, OLD = "wf-0000000001", "wf-00000000ff"
MANY = 60


def rows(*names, p=0.9):
    return [{"id": name, "hash": "h", "p": p} for name in names]


def kept(session, hours, name=ONE, **changes):
    return record(START, session, SHOP, {name: Kept(**changes)}) | {"at": START.isoformat()}


def found(*records, heirs=None):
    return {one.rule: one for one in adherences(history(*records), heirs or {})}


def test_shown_withheld_neither_and_guarded_are_told_apart():
    one = found(
        begun("a", 1, slate=rows(ONE)), kept("a", 2, kept=3),
        begun("b", 3, slate=rows(ONE)), kept("b", 4, kept=1, broken=1),
        begun("c", 5, withheld=rows(ONE)), kept("c", 6, broken=2),
        kept("d", 7, kept=1),
        begun("e", 8, slate=rows(ONE)), kept("e", 9, kept=1, stopped=1, guard="bump"),
        begun("f", 10, slate=rows(ONE)), captured("f", 10),
    )[ONE]  # fmt: skip
    assert (str(one.shown), str(one.withheld)) == ("1 of 2", "0 of 1")
    assert (str(one.neither), str(one.guarded)) == ("1 of 1", "0 of 1")
    assert one.sentence == (
        "kept in 1 of 2 sessions with an occasion when shown, in 0 of 1 when withheld, in 1 of 1 "
        "that it did not reach, in 0 of 1 with a guard on (kept apart)"
    )


def test_a_merged_rule_counts_for_its_heir():
    assert str(found(kept("a", 1, OLD, kept=1), heirs={OLD: ONE})[ONE].neither) == "1 of 1"


def test_what_is_no_count_is_none():
    bad = {"kind": "adherence", "at": START.isoformat(), "session": "a"}
    for value in (None, [], {ONE: 3}, {ONE: {"kept": "9", "broken": True, "stopped": -4}},
                  {"../x": {"kept": 1}}):  # fmt: skip
        assert found(bad | {"rules": value}) == {}


def test_the_interval_comes_from_chance_alone():
    rng = np.random.default_rng(4)
    records = []
    for number in range(MANY):
        session, shown = f"s{number}", rng.random() < 0.5
        records.append(
            begun(session, number, **{"slate" if shown else "withheld": rows(ONE, p=0.5)})
        )
        well = rng.random() < (0.95 if shown else 0.3)
        records.append(kept(session, number, **({"kept": 1} if well else {"broken": 1})))
    one = found(*records)[ONE]
    told = adherence_json(one)["difference"]
    assert 0.3 < told["low"] < told["kept_more_when_shown"] < told["high"] <= 1
    assert "shown by chance +" in one.sentence
    assert one.standing.state == "earned"
    # what was shown without a coin says nothing of it
    sure = [record_ for record_ in records if record_["kind"] != "injection"]
    sure += [begun(f"s{n}", n, slate=rows(ONE, p=1.0)) for n in range(MANY)]
    assert adherence_json(found(*sure)[ONE])["difference"] is None


def test_sessions_with_a_guard_are_no_part_of_the_estimate():
    records = []
    for number in range(MANY):
        session, shown = f"s{number}", number % 2
        records.append(
            begun(session, number, **{"slate" if shown else "withheld": rows(ONE, p=0.5)})
        )
        records.append(kept(session, number, kept=1, guard="bump"))
    one = found(*records)[ONE]
    assert one.standing is None
    assert str(one.guarded) == f"{MANY} of {MANY}"


def test_parts_of_a_session_are_one():
    records = [kept("a", 1, kept=2), kept("a", 2, broken=1), kept("b", 3, kept=1)]
    seen = observed(history(*records).of("adherence"), {})
    assert seen[("a", ONE)] == Kept(2, 1)
    assert str(found(*records)[ONE].neither) == "1 of 2"
