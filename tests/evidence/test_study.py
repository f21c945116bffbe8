"""A ledger and its experiment: sessions, evidence, verdict; what is missing is counted and said."""

import re

import pytest
from ledgers import (
    EXPERIMENT,
    KNOWN,
    SHOP,
    START,
    begun,
    captured,
    ended,
    history,
    mistaken,
    moment,
    simulated,
    started,
)

from memoria.evidence import manual_sessions as hand
from memoria.evidence.experiment import experiments
from memoria.evidence.manual_sessions import HandSession
from memoria.evidence.study import everything, study


def made(*rows, outside=()):
    past = history(*rows)
    return study(past, experiments(past.of("experiment"))[0], outside)


def test_an_effect_in_a_hundred_sessions():
    found = made(*simulated(0.5, 0.12))
    assert found.conclusion.kind == "better"
    assert re.fullmatch(
        r"The share of mistakes met before fell from 5\d% to 1\d%; this would be seen by chance "
        r"less than once in [\d,]+\.",
        found.conclusion.sentence,
    )
    assert len(found.counted) == 100
    assert found.waiting == ()


@pytest.mark.parametrize("seed", range(3))
def test_no_effect_is_none(seed):
    found = made(*simulated(0.4, 0.4, seed=seed))
    assert found.conclusion.kind in {"not yet", "no difference"}
    assert found.evidence.treated.sessions + found.evidence.control.sessions == 100


def test_each_look_gives_the_same():
    rows = simulated(0.5, 0.3, 40)
    assert made(*rows).evidence == made(*rows).evidence


def test_the_repeats_are_those_that_were_put_in():
    rows = simulated(0.5, 0.2, 30)
    found = made(*rows)
    sessions = {row["session"] for row in rows if row["kind"] == "injection"}
    marks = [row for row in rows if row["kind"] == "mistake" and row["session"] in sessions]
    assert sum(one.mistakes for one in found.units) == len(marks)
    again = sum(row["signature"] in KNOWN for row in marks)
    assert sum(one.repeats for one in found.units) == again


def test_a_drawn_session_waits_until_it_is_captured():
    rows = [started(), begun("a", 1), begun("b", 2, "control")]
    found = made(*rows)
    assert [lot.draw.session for lot in found.waiting] == ["a", "b"]
    assert found.units == ()
    assert found.conclusion.kind == "cannot tell"
    assert found.notes == (
        "2 sessions not counted yet: not ended, or not captured (1 treated, 1 control).",
    )
    assert [one.session for one in made(*rows, captured("b", 2)).units] == ["b"]


def test_a_captured_session_in_which_nothing_was_said_counts_as_zero():
    idle = captured("a", 1, began=None, turns=[], entry="")
    found = made(started(), begun("a", 1), idle)
    assert [(one.session, one.mistakes) for one in found.units] == [("a", 0)]
    assert found.waiting == ()


def test_a_missing_coin_is_excluded_counted_and_said():
    rows = [started(), begun("a", 1), captured("a", 1), captured("b", 2), captured("c", 3)]
    found = made(*rows)
    assert found.evidence.unknown == 2
    assert [one.session for one in found.counted] == ["a"]
    assert "2 sessions left out: the coin was not recorded." in found.notes


def test_sessions_of_before_are_remembered():
    rows = [captured("old", -9), mistaken("old", -9, "m"), started()]
    rows += [begun("a", 1), captured("a", 1), mistaken("a", 1.1, "m")]
    (unit,) = made(*rows).units
    assert (unit.mistakes, unit.repeats) == (1, 1)


def test_the_look_back_is_the_experiment_s_own():
    rows = [captured("old", -240), mistaken("old", -240, "m")]
    rows += [begun("a", 1), captured("a", 1), mistaken("a", 1.1, "m")]
    assert made(started(days=9), *rows).units[0].repeats == 0
    assert made(started(days=11), *rows).units[0].repeats == 1


def test_the_class_of_an_experiment_is_what_counts():
    rows = [begun("a", 1), captured("a", 1), mistaken("a", 1.1, "m", fault="lint:E501")]
    rows += [mistaken("a", 1.2, "n", fault="test")]
    assert made(started(error_class="lint"), *rows).evidence.treated.mistakes == 1
    found = made(started(error_class="type-errors"), *rows)
    assert found.evidence.treated.mistakes == 0
    assert found.notes[-1] == (
        "No mistake of class 'type-errors' was found so far; there are: lint, test."
    )


def tracked(session="hand-1", hours=1, until=2, arm="control"):
    at = START.replace(hour=8 + hours)
    one = HandSession(session, EXPERIMENT, SHOP, arm, 0.5, at)
    rows = [hand.began(one)]
    return rows + ([hand.ended(START.replace(hour=8 + until), one)] if until else [])


def wrong(session, hours, text="Forgot the null case"):
    return hand.mistaken(START.replace(hour=8 + hours), session, SHOP, "types", text)


def test_a_session_by_hand_counts_once_it_has_ended():
    found = made(started(), *tracked(until=None), wrong("hand-1", 1))
    assert (found.units, found.open.session, found.open_mistakes) == ((), "hand-1", 1)
    found = made(started(), *tracked(), wrong("hand-1", 1))
    (unit,) = found.units
    assert (unit.treated, unit.mistakes, unit.repeats) == (False, 1, 0)
    assert found.open is None


def test_the_same_description_in_a_later_session_is_a_repeat():
    rows = [started(), *tracked(), wrong("hand-1", 1), *tracked("hand-2", 3, 4)]
    again = made(*rows, wrong("hand-2", 3, "forgot the null case!"))
    assert [one.repeats for one in again.units] == [0, 1]
    near = made(*rows, wrong("hand-2", 3, "Forgot the null user case"))
    assert [one.repeats for one in near.units] == [0, 1]
    other = made(*rows, wrong("hand-2", 3, "Wrong import order"))
    assert [one.repeats for one in other.units] == [0, 0]


def test_a_mistake_logged_for_a_session_of_the_client_waits_with_it():
    rows = [started(), begun("a", 1), wrong("a", 2)]
    assert made(*rows).units == ()
    (unit,) = made(*rows, captured("a", 1)).units
    assert unit.mistakes == 1


def test_what_is_outside_is_named():
    found = made(started(outside=["wf-1"]), ended(3, outside=["wf-2"]), outside=("wf-1", "wf-3"))
    assert found.evidence.study.outside == ("wf-1", "wf-2", "wf-3")
    assert "wf-3" in found.notes[-1]


def test_all_sessions_without_any_experiment():
    rows = [captured("a", 1), mistaken("a", 1.1, "m"), captured("b", 2), mistaken("b", 2.1, "m")]
    found = everything(history(*rows))
    assert [(one.session, one.treated, one.repeats) for one in found] == [
        ("a", None, 0),
        ("b", None, 1),
    ]
    assert everything(history()) == ()


def test_before_after_says_what_is_wrong_with_it():
    rows = [started(design="before-after", p=0.0)]
    for n in range(60):
        arm, p = ("control", 0.0) if n < 30 else ("treated", 1.0)
        rows += [begun(f"s{n}", 8 * n, arm, p=p), captured(f"s{n}", 8 * n)]
        rows += [mistaken(f"s{n}", 8 * n + 0.1, "m")]
    old = [captured("old", -2000), mistaken("old", -2000, "m")]
    found = made(*old, *rows)
    assert found.conclusion.kind == "no comparison"
    assert "this design cannot say why" in found.conclusion.sentence
    assert any("Before-after cannot say why" in note for note in found.notes)
    assert found.evidence.permutation is None


def test_a_moment_is_aware():
    assert experiments([started()])[0].started.isoformat() == moment(0)


def straddling(sessions, seed):
    """A coin that does nothing, and a detector that changes half way: other names, fewer errors."""
    rows = simulated(0.4, 0.4, sessions, seed=seed)
    half, found = f"s-{sessions // 2:03d}", []
    for number, row in enumerate(rows):
        if row["kind"] in {"session", "mistake"} and row["session"] >= half:
            if row["kind"] == "mistake" and number % 3:
                continue  # what the new one no longer takes for an error
            named = {"signature": f"shell {row['signature']}"} if row["kind"] == "mistake" else {}
            found.append(row | {"detector": 2} | named)
        else:
            found.append(row)
    return found


def test_an_experiment_ends_where_the_error_detector_changed():
    rows = straddling(40, seed=1)
    found = made(*rows)
    assert [one.session for one in found.units] == [f"s-{n:03d}" for n in range(20)]
    assert found.waiting == ()
    assert any("The meter changed: 20 sessions left out" in note for note in found.notes)
    before = [
        row for row in rows if row.get("session", "") < "s-020" or row["kind"] == "experiment"
    ]
    assert made(*before).evidence == found.evidence


def test_what_repeats_without_an_experiment_is_counted_by_the_newest_detector():
    found = everything(history(*straddling(10, seed=1)))
    assert [one.session for one in found] == [f"s-{n:03d}" for n in range(5, 10)]


def test_false_alarms_on_histories_that_straddle_a_change_stay_at_most_one_in_twenty():
    studies = 100
    kinds = [made(*straddling(60, seed)).conclusion.kind for seed in range(studies)]
    assert sum(kind in {"better", "worse", "unclear"} for kind in kinds) <= 0.05 * studies
