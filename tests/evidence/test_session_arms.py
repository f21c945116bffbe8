"""How each session came to its arm, and which have no coin."""

import pytest
from ledgers import EXPERIMENT, SHOP, START, begun, captured, ended, history, moment, started

from memoria.evidence import manual_sessions as hand
from memoria.evidence.experiment import experiments
from memoria.evidence.manual_sessions import ManualSession, manual_log
from memoria.evidence.session_arms import assignments


def found(*rows, start=None):
    past = history(start or started(), *rows)
    one = experiments(past.of("experiment"))[0]
    return {
        name: (assignment.draw.treated, assignment.draw.p)
        for name, assignment in assignments(past, manual_log(past.of("hand")), one).items()
    }


def test_the_arm_is_what_was_written_down():
    rows = [begun("a", 1), begun("b", 2, "control"), begun("c", 3, p=0.3)]
    assert found(*rows) == {"a": (True, 0.5), "b": (False, 0.5), "c": (True, 0.3)}


def test_a_session_without_a_coin_while_it_ran_is_counted():
    late = begun("late", 4, "", experiment="", p=None)
    rows = [captured("none", 2), late, captured("late", 4), begun("a", 3)]
    assert found(*rows) == {"a": (True, 0.5), "none": (None, 0.5), "late": (None, 0.5)}


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


def test_the_rules_of_a_session_are_those_of_all_its_injections():
    later = begun("a", 2, slate=[{"id": "wf-2"}, "torn"], event="UserPromptSubmit")
    past = history(started(), begun("a", 1, slate=[{"id": "wf-1"}, {"id": "wf-2"}]), later)
    one = experiments(past.of("experiment"))[0]
    assignment = assignments(past, manual_log(()), one)["a"]
    assert assignment.draw.rules == ("wf-1", "wf-2")
    assert (assignment.project, assignment.by_hand) == (SHOP, False)


def test_sessions_tracked_by_hand_have_lots_like_others():
    one = ManualSession("hand-1", EXPERIMENT, SHOP, "control", 0.5, START)
    other = ManualSession("hand-2", "x-other", SHOP, "control", 0.5, START)
    torn = hand.began(one) | {"session": "hand-3", "p": 7, "at": moment(1)}
    rows = [hand.began(one), hand.began(other), torn]
    assert found(*rows) == {"hand-1": (False, 0.5), "hand-3": (None, 0.5)}
