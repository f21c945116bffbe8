"""The parts of a report where the ledger is odd or empty; goldens have what is usual."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from ruled import made as rule
from studies import AT, seen, trial, unit

from memoria.evidence.backtest.replay import Backtest
from memoria.evidence.figures import Evidence
from memoria.evidence.rates import Rate
from memoria.evidence.report.model_costs import Costs, costs
from memoria.evidence.report.pictures import rates
from memoria.evidence.report.repeated_errors import RepeatedErrors
from memoria.evidence.report.report_data import Captures, ReportData, narrowed
from memoria.evidence.report.rule_records import RuleRecords, rule_records
from memoria.evidence.study import Studied
from memoria.evidence.verdict import Conclusion
from memoria.vault.storage.history import Capture, History, Stay

DAY = date(2026, 4, 9)
CAPTURED = Captures(12, 1, DAY)
A, B = rule("Run the linter", status="active"), rule("Never push to main", status="active")


def section(name="x-1", *, running=True, sessions=50, kind="not yet", project=""):
    experiment = trial(id=name, project=project, ended=None if running else AT)
    evidence = Evidence(experiment, Rate(0, 0, 0), Rate(0, 0, 0), sessions=("s",) * sessions)
    return Studied(experiment, (), evidence, Conclusion(kind, f"The verdict of {name}."))


def made(**changes):
    values = {
        "made": datetime(2026, 4, 9, 8, 30, tzinfo=UTC), "vault": "notes", "scope": "",
        "studies": (), "rules": RuleRecords(), "errors": RepeatedErrors(),
        "replay": Backtest(0, 0, ()), "captures": Captures(), "costs": Costs(),
    }  # fmt: skip
    return ReportData(**values | changes)


def test_the_page_marks_a_verdict_by_its_kind():
    kinds = {"better": "good", "worse": "bad", "not yet": "open", "unclear": "open"}
    reports = [made(studies=[section(kind=kind)], captures=CAPTURED) for kind in kinds]
    assert [report.verdict.mood for report in reports] == list(kinds.values())


def test_the_study_is_never_chosen_by_its_outcome():
    over = section("x-1", running=False, sessions=400, kind="better")
    small = section("x-2", sessions=10, kind="better")
    large = section("x-3", sessions=60, kind="worse")
    report = made(studies=[over, small, large])
    assert (report.study, report.others) == (large, [small, over])
    assert (made().study, made().others) == (None, [])
    same = section("x-4", sessions=60)
    assert made(studies=[large, same]).study is same


@pytest.mark.parametrize(
    ("project", "scope", "said"), [("", "shop", 1), ("shop", "shop", 0), ("shop", "", 0)]
)
def test_a_study_of_all_projects_is_not_cut_to_the_one_asked_for(project, scope, said):
    notes = made(studies=[section(project=project)], scope=scope).verdict.notes
    assert [note[:36] for note in notes] == ["This is said of all projects togethe"] * said


def test_a_history_is_narrowed_to_projects_by_name():
    def stay(name, project):
        return Stay(name, project, AT, AT)

    shop, maps = seen("Bash exit a", "s1", 0), seen("Bash exit a", "s1", 0, project="maps")
    whole = History(
        captures={
            name: Capture(name, name, project, "2026-04-01", "", "offline")
            for name, project in (("e1", "ana/shop"), ("e2", "ana/maps"))
        },
        mistakes=(shop, maps),
        stays={"s1": stay("s1", "ana/shop"), "s2": stay("s2", "ana/maps")},
        kept={
            "call": ({"kind": "call"},),
            "injection": ({"project": "ana/shop"}, {"project": "ana/maps"}, {"session": "s"}),
        },
    )
    mine = narrowed(whole, "shop")
    assert [*mine.captures, *mine.stays] == ["e1", "s1"]
    assert mine.mistakes == (shop,)
    assert mine.kept["injection"] == ({"project": "ana/shop"}, {"session": "s"})
    assert mine.calls == whole.calls
    assert narrowed(whole, "") is whole


# -- Costs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -1, "9", None, 10**400])
def test_a_cost_that_is_none_counts_as_nothing(odd):
    found = costs([{"task": "flush", "input": 5, "output": odd, "cost_usd": odd}, {"input": odd}])
    assert [(row.task, row.calls, row.read, row.written, row.usd) for row in found.rows] == [
        ("flush", 1, 5, 0, 0.0)
    ]
    assert found.free == 1


# -- Rules -----------------------------------------------------------------------------------------


def injection(session, shown=(), withheld=()):
    rows = [[{"id": name, "hash": "h", "p": 0.9} for name in ids] for ids in (shown, withheld)]
    return {"at": AT.isoformat(), "session": session, "slate": rows[0], "withheld": rows[1]}


def records(rules=(A, B), **changes):
    values = {
        "in_force": {A.id}, "history": History(kept={}), "occasions": (),
        "beliefs": {},
    }  # fmt: skip
    return rule_records(rules, **values | changes)


def test_sessions_and_not_lines_are_counted_and_merged_rules_are_one():
    rules = (replace(A, merged=("wf-0123456789",)), B)
    again = [injection("s1", [A.id], [B.id]), injection("s1", [A.id], [B.id])]
    later = [
        injection("s2", [], ["wf-0123456789"]),
        injection("s3", [], [A.id]),
        injection("s3", [A.id]),
    ]
    rewards = [
        {"kind": "reward", "at": AT.isoformat(), "id": name, "reward": value, "by": "person",
         "session": session}
        for name, value, session in (("wf-0123456789", -1, "s1"), (A.id, 1, ""), (A.id, 1, ""))
    ]  # fmt: skip
    kept = {"injection": (*again, *later), "reward": tuple(rewards)}
    one, other = records(rules, history=History(kept=kept)).shown
    assert (one.rule.id, one.injected, one.withheld) == (A.id, 2, 1)
    assert (one.helped, one.did_not_help, one.hurt) == (2, 0, 1)
    assert (other.rule.id, other.injected, other.withheld) == (B.id, 0, 1)
    assert other.status == "active, not active here"


@pytest.mark.parametrize(
    ("belief", "known"),
    [
        ({"mean": 0.5, "sd": 0.1}, True), ({}, False), ({"mean": "x", "sd": 1}, False),
        ({"mean": 10.0, "sd": 1}, False), ({"mean": 0.1, "sd": 0}, False),
        ({"mean": 0.1, "sd": 10}, False), ({"mean": float("nan"), "sd": 1}, False),
    ],
)  # fmt: skip
def test_only_a_sound_belief_on_a_tried_rule_is_shown(belief, known):
    beliefs = {A.id: belief, B.id: belief}
    told = History(kept={"injection": (injection("s1", [A.id]),)})
    found = records(beliefs=beliefs, history=told)
    assert [one.posterior is not None for one in found.shown] == [known]


# -- Pictures --------------------------------------------------------------------------------------


def test_a_few_sessions_are_no_picture():
    assert list(rates([unit(n, 2, 1) for n in range(19)])) == []
    assert list(rates([unit(n, 0, 0) for n in range(40)])) == []
    assert [one.name for one in rates([unit(n, 2, 1) for n in range(20)])] == ["repeats", "rmr"]


def test_an_interval_that_leaves_the_picture_ends_in_an_arrow_and_is_said():
    quiet = [unit(n, 2, n % 19 == 0) for n in range(10)]
    figure, _ = rates([*quiet, *(replace(one, at=one.at + timedelta(days=9)) for one in quiet)])
    whiskers = [one.d for one in figure.chart.traces if one.role.startswith("whisker")]
    caps = [d.split("M")[3].split("L") for d in whiskers]
    assert [len({point.split()[1] for point in cap}) for cap in caps] == [2] * len(caps)
    assert "An arrow: it goes on above the picture" in figure.note
