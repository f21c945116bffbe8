"""How each session came to its arm, and which have no coin."""

import pytest
from ledgers import begun, captured, ended, history, started

from memoria.evidence.experiment import experiments
from memoria.evidence.manual_service import manual_log
from memoria.evidence.study import assignments


def found(*rows, start=None):
    past = history(start or started(), *rows)
    one = experiments(past.of("experiment"))[0]
    return {
        name: (assignment.draw.treated, assignment.draw.p)
        for name, assignment in assignments(past, manual_log(past.of("hand")), one).items()
    }


def test_who_has_no_coin_by_right():
    before = begun("before", -1, "", experiment="", p=None)
    theirs = begun("theirs", 2, experiment="x-other")
    rows = [
        captured("past", -3),
        captured("elsewhere", 2, project="github.com/ana/cli"),
        before,
        captured("before", 1),
        theirs,
        captured("theirs", 2),
        ended(9),
        captured("after", 10),
    ]
    assert found(*rows) == {}
    assert set(found(*rows[1:2], start=started(project=""))) == {"elsewhere"}


@pytest.mark.parametrize(
    "torn",
    [
        {"arm": ""},
        {"arm": "both"},
        {"arm": ["treated"]},
        {"p": None},
        {"p": 1.5},
        {"p": "0.5"},
        {"p": True},
        {"p": float("nan")},
    ],
)
def test_half_a_record_is_no_arm(torn):
    assert found(begun("a", 1) | torn) == {"a": (None, 0.5)}


def test_two_starts_that_do_not_agree_are_no_arm():
    assert found(begun("a", 1), begun("a", 2)) == {"a": (True, 0.5)}
    assert found(begun("a", 1), begun("a", 2, "control")) == {"a": (None, 0.5)}
    assert found(begun("a", 1), begun("a", 2, p=0.7)) == {"a": (None, 0.5)}


def test_a_chosen_arm_has_the_chance_that_it_had():
    rows = [begun("a", 1, "control", p=0), begun("b", 2, p=1.0)]
    assert found(*rows) == {"a": (False, 0), "b": (True, 1.0)}
