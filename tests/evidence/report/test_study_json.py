"""An experiment's figures as data: the verdict with its numbers, null for what is not defined."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from ledgers import begun, captured, history, mistaken, simulated, started

from memoria.evidence.experiment import DESIGNS, experiments
from memoria.evidence.report.study_json import dossier, metrics
from memoria.evidence.study import study


def made(*records):
    past = history(*records)
    return study(past, experiments(past.of("experiment"))[0])


def test_the_whole_of_a_study():
    found = dossier(made(*simulated(0.5, 0.12)), {"wf-1": "Pin it"})
    assert found["verdict"]["kind"] == "better"
    assert found["verdict"]["sentence"].startswith("The share of mistakes met before fell")
    assert found["tests"]["e_value"]["peak"] > 20 == found["tests"]["e_value"]["threshold"]
    assert found["tests"]["permutation"]["share_p"] < 0.01
    assert "not there in one of five" in found["tests"]["classical"]["note"]
    assert found["intervals"]["rmr"]["high"] < 0
    names = [one["name"] for one in found["effects"]]
    assert "relative reduction of RMR" in names
    assert "Cohen's h of RMR" in names
    assert found["outside"] == {"wf-1": "Pin it"}
    assert found["sessions"]["treated"] + found["sessions"]["control"] == 100
    arm = found["arms"]["treated"]
    assert arm["rmr"] == arm["repeats"] / arm["mistakes"]
    assert set(found["by_class"]) == {"exit"}


def test_nothing_is_null_and_not_zero():
    found = dossier(made(started()), {})
    assert found["arms"]["treated"] == {
        "sessions": 0,
        "mistakes": 0,
        "repeats": 0,
        "rmr": None,
        "repeats_per_session": None,
        "mistakes_per_session": None,
    }
    assert found["intervals"]["rmr"] is None
    assert found["intervals"]["rmr_at_any_look"] is None
    assert found["forecast"] is None


def test_without_a_coin_there_is_no_test():
    rows = [started(design="all-on", p=1.0), begun("a", 1, p=1.0), captured("a", 1)]
    found = dossier(made(*rows), {})
    assert found["tests"]["e_value"] is None
    assert found["tests"]["permutation"] is None


def test_rules_that_stand_beside_corrections():
    slate = [{"id": "wf-1", "p": 0.9}]
    rows = [
        started(),
        begun("a", 1, slate=slate),
        captured("a", 1),
        begun("b", 2),
        captured("b", 2),
    ]
    rows += [mistaken("a", 1.1, "m", fault="correction")]
    (beside,) = metrics(made(*rows))["with_corrections"]
    assert beside["rule"] == "wf-1"
    assert beside["with"]["mistakes_per_session"] == 1
    assert beside["without"]["mistakes_per_session"] == 0


SESSIONS = st.lists(
    st.tuples(
        st.sampled_from(["treated", "control", ""]),
        st.sampled_from([0.0, 0.2, 0.5, 1.0, None]),
        st.lists(st.sampled_from("mno"), max_size=4),
        st.booleans(),
    ),
    max_size=14,
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(DESIGNS), st.sampled_from([None, 1, 3]), SESSIONS)
def test_any_study_can_be_told_in_json_and_in_words(design, planned, sessions):
    from memoria.evidence.report.session_rows import rows as roster
    from memoria.evidence.report.terminal_lines import report

    records = [started(design=design, planned=planned)]
    for number, (arm, p, marks, is_captured) in enumerate(sessions):
        records.append(begun(f"s{number}", number + 1, arm, p=p))
        if is_captured:
            records.append(captured(f"s{number}", number + 1))
            records += [mistaken(f"s{number}", number + 1.1, mark) for mark in marks]
    found = made(*records)
    json.dumps(dossier(found, {}), allow_nan=False)
    assert len(roster(found)) == len(sessions)
    lines = list(report(found, {}))
    assert lines[0] == found.conclusion.sentence
    assert not any("nan" in line or "inf" in line.split() for line in lines)
