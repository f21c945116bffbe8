from dataclasses import replace
from datetime import UTC, datetime

from studies import AT, drawn, seen, unit

from memoria.evidence.backtest.replay import Backtest, backtest
from memoria.evidence.report.captured_sessions import Intake, Waiting
from memoria.evidence.report.inquiry import Inquiry
from memoria.evidence.report.model_costs import Expenses, expenses
from memoria.evidence.report.repeated_errors import troubles
from memoria.evidence.report.report import leading, narrowed, report
from memoria.evidence.report.report_json import abstract
from memoria.evidence.report.rule_records import Tracks
from memoria.evidence.verdict import Conclusion
from memoria.vault.storage.history import Capture, History, Stay

MADE = datetime(2026, 4, 9, 8, 30, tzinfo=UTC)
SEEN = [seen("Bash exit a", "s1", 0), seen("Bash exit a", "s2", 60)]
CAPTURED = Intake(12, 4, MADE.date(), MADE.date())


def inquiry(name="x-1", *, running=True, sessions=50, kind="not yet", place="all projects"):
    verdict = Conclusion(kind, f"The verdict of {name}.")
    return Inquiry(
        name, "coin", place, "since 1 Apr 2026", running, sessions, verdict, place == "all projects"
    )


def made(**changes):
    values = {
        "made": MADE, "vault": "notes", "scope": "", "studies": (), "units": (), "tracks": Tracks(),
        "troubles": troubles([], {}, {}), "backtest": Backtest(0, 0, ()), "intake": Intake(),
        "expenses": Expenses(),
    }  # fmt: skip
    return report(**values | changes)


def test_nothing_captured_is_said_with_what_to_do():
    found = made()
    assert found.verdict.kind == "nothing"
    assert [step.command for step in found.verdict.steps] == ["memoria import", "memoria install"]
    assert (found.facts, found.figures, found.backtest) == ((), (), "")
    assert found.day == "9 Apr 2026"


def test_without_an_experiment_nothing_is_claimed():
    units = [unit(n, 2, 1, treated=None) for n in range(40)]
    found = made(intake=CAPTURED, units=units, backtest=backtest(SEEN))
    assert found.verdict.kind == "no study"
    assert "nothing here can say whether Memoria helps" in found.verdict.sentence
    assert found.verdict.mood == "open"
    assert [figure.name for figure in found.usual] == ["repeats", "rmr"]
    assert found.backtest.startswith("1 of 2")


def test_the_verdict_is_the_studys_and_its_mood_has_a_sign_of_its_own():
    kinds = {"better": "good", "worse": "bad", "not yet": "open", "unclear": "open"}
    signs = set()
    for kind, mood in kinds.items():
        found = made(studies=[inquiry(kind=kind)], intake=CAPTURED)
        assert found.verdict.sentence == "The verdict of x-1."
        assert found.verdict.mood == mood
        signs.add(found.verdict.sign)
    assert len(signs) == 3


def test_the_study_is_never_chosen_by_its_outcome():
    over = inquiry("x-1", running=False, sessions=400, kind="better")
    small, large = (
        inquiry("x-2", sessions=10, kind="better"),
        inquiry("x-3", sessions=60, kind="worse"),
    )
    first, others = leading([over, small, large])
    assert first is large
    assert others == (small, over)
    assert leading([]) == (None, ())
    assert leading([over])[0] is over
    same = inquiry("x-4", sessions=60)
    assert leading([large, same])[0] is same


def test_all_sessions_are_pictured_only_where_no_study_is():
    units = drawn(0.5, 0.5, 60)
    bare = inquiry()
    assert made(studies=[bare], units=units, intake=CAPTURED).usual
    pictured = replace(bare, figures=made(units=units, intake=CAPTURED).usual)
    assert made(studies=[pictured], units=units, intake=CAPTURED).usual == ()


def test_a_study_of_all_projects_is_not_cut_to_the_one_asked_for():
    whole, one = inquiry(), inquiry(place="shop")
    assert "all projects together" in made(studies=[whole], scope="shop").verdict.notes[0]
    assert made(studies=[one], scope="shop").verdict.notes == ()


def test_the_facts_are_counts_and_costs():
    calls = [{"kind": "call", "task": "flush", "input": 9, "output": 1, "cost_usd": 0.5}]
    found = made(
        intake=replace(CAPTURED, waiting=Waiting(3)),
        troubles=troubles(SEEN, {}, {}),
        tracks=Tracks(in_force=1),
        expenses=expenses(calls),
    )
    assert [tuple(fact) for fact in found.facts] == [
        ("12", "sessions captured on 4 days"),
        ("2", "mistakes and corrections in them"),
        ("1", "rule in force"),
        ("$0.50", "for model calls, at list prices"),
        ("3", "captured, waiting to be written"),
    ]


def test_a_history_is_narrowed_to_projects_by_name():
    def stay(name, project):
        return Stay(name, project, AT, AT)

    whole = History(
        captures={
            name: Capture(name, name, project, "2026-04-01", "", "offline")
            for name, project in (("e1", "ana/shop"), ("e2", "ana/maps"))
        },
        mistakes=(*SEEN, replace(SEEN[0], project="maps")),
        stays={"s1": stay("s1", "ana/shop"), "s2": stay("s2", "ana/maps")},
        calls=({"kind": "call"},),
        kept={"injection": ({"project": "ana/shop"}, {"project": "ana/maps"}, {"session": "s"})},
    )
    mine = narrowed(whole, "shop")
    assert list(mine.captures) == ["e1"]
    assert list(mine.stays) == ["s1"]
    assert mine.mistakes == tuple(SEEN)
    assert mine.kept["injection"] == ({"project": "ana/shop"}, {"session": "s"})
    assert mine.calls == whole.calls
    assert narrowed(whole, "") is whole


def test_its_numbers_as_json_can_hold_them():
    found = abstract(
        made(
            studies=[inquiry(), inquiry("x-2", running=False)],
            intake=CAPTURED,
            troubles=troubles(SEEN, {}, {}),
        )
    )
    assert found["verdict"]["kind"] == "not yet"
    assert found["study"]["id"] == "x-1"
    assert [one["id"] for one in found["others"]] == ["x-2"]
    assert found["mistakes"]["total"] == 2
    assert found["mistakes"]["families"][0]["met_before"] == 1
    assert found["captures"]["sessions"] == 12
    assert abstract(made())["study"] is None


def test_what_guards_did_is_told_and_which_were_turned_down():
    did = [("refused", "s1"), ("passed", "s1"), ("denied", "s2"), ("note", "s2")]
    did += [("turned_down", "s3"), ("turned_down", "s3"), ("turned_down", "s4")]
    records = [{"kind": "guard", "id": "wf-1", "decision": d, "session": s} for d, s in did]
    stopped, down = made(guards=records).facts[-2:]
    assert stopped == ("2", "calls stopped by a guard, 1 made again and let through")
    assert down.value == "2"
    assert down.label.endswith("only told after that: wf-1")
    assert made().facts == made(guards=records[3:4]).facts
