"""A ledger and its experiment: sessions, evidence, verdict; what is missing is counted and said."""

from ledgers import (
    EXPERIMENT,
    SHOP,
    START,
    begun,
    captured,
    history,
    mistaken,
    simulated,
    started,
)

from memoria.evidence import manual_service as hand
from memoria.evidence.experiment import experiments
from memoria.evidence.manual_service import ManualSession
from memoria.evidence.study import everything, study


def made(*rows, outside=()):
    past = history(*rows)
    return study(past, experiments(past.of("experiment"))[0], outside)


def test_a_drawn_session_waits_until_it_is_captured():
    rows = [started(), begun("a", 1), begun("b", 2, "control")]
    found = made(*rows)
    assert [assignment.draw.session for assignment in found.waiting] == ["a", "b"]
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


def tracked(session="hand-1", hours=1, until=2, arm="control"):
    at = START.replace(hour=8 + hours)
    one = ManualSession(session, EXPERIMENT, SHOP, arm, 0.5, at)
    rows = [hand.began(one)]
    return rows + ([hand.ended(START.replace(hour=8 + until), one)] if until else [])


def wrong(session, hours, text="Forgot the null case"):
    return hand.mistaken(START.replace(hour=8 + hours), session, SHOP, "types", text)


def test_the_same_description_in_a_later_session_is_a_repeat():
    rows = [started(), *tracked(), wrong("hand-1", 1), *tracked("hand-2", 3, 4)]
    again = made(*rows, wrong("hand-2", 3, "forgot the null case!"))
    assert [one.repeats for one in again.units] == [0, 1]
    near = made(*rows, wrong("hand-2", 3, "Forgot the null user case"))
    assert [one.repeats for one in near.units] == [0, 1]
    other = made(*rows, wrong("hand-2", 3, "Wrong import order"))
    assert [one.repeats for one in other.units] == [0, 0]


def test_all_sessions_without_any_experiment():
    rows = [captured("a", 1), mistaken("a", 1.1, "m"), captured("b", 2), mistaken("b", 2.1, "m")]
    found = everything(history(*rows))
    assert [(one.session, one.treated, one.repeats) for one in found] == [
        ("a", None, 0),
        ("b", None, 1),
    ]
    assert everything(history()) == ()


def test_outside_an_experiment_errors_are_those_of_the_backtest_and_memory_has_no_end():
    rows = [
        captured("a", 1),
        mistaken("a", 1.1, "m"),
        captured("b", 999),
        mistaken("b", 999.1, "m"),
    ]
    slip = mistaken("b", 999.2, "slip", tool="Edit", fault="edit-mismatch")
    found = everything(history(*rows, slip))
    assert [(one.mistakes, one.repeats) for one in found] == [(1, 0), (1, 1)]


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


def test_false_alarms_on_histories_that_straddle_a_change_stay_at_most_one_in_twenty():
    studies = 100
    kinds = [made(*straddling(60, seed)).conclusion.kind for seed in range(studies)]
    assert sum(kind in {"better", "worse", "unclear"} for kind in kinds) <= 0.05 * studies


def test_what_repeats_without_an_experiment_is_counted_by_the_newest_detector():
    found = everything(history(*straddling(10, seed=1)))
    assert [one.session for one in found] == [f"s-{n:03d}" for n in range(5, 10)]
