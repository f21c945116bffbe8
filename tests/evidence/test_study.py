"""A ledger and its experiment: who came to which arm, what is missing, a team's sessions."""

import json
from dataclasses import replace

import numpy as np
import pytest
from cases import cased
from ledgers import begun, captured, ended, history, mistaken, simulated, started
from studies import drawn, trial, unit

from memoria.evidence.experiment import fold_experiments
from memoria.evidence.manual_service import fold_manual_log
from memoria.evidence.study import (
    build_all_units,
    build_study,
    fact_of,
    find_assignments,
    pool_units,
)
from memoria.evidence.verdict import compute_evidence
from memoria.vault.storage.ledger_records import DETECTOR_VERSION


def made(*rows, outside=()):
    past = history(*rows)
    return build_study(past, fold_experiments(past.records_of("experiment"))[0], outside)


def test_a_drawn_session_waits_until_it_is_captured():
    rows = [started(), begun("a", 1), begun("b", 2, "control")]
    found = made(*rows)
    assert [assignment.draw.session for assignment in found.waiting] == ["a", "b"]
    assert found.units == ()
    assert found.conclusion.kind == "cannot tell"
    assert found.notes == (
        "2 sessions not counted yet: not ended, or not captured (1 with Memoria, 1 without).",
    )
    assert [one.session for one in made(*rows, captured("b", 2)).units] == ["b"]


def test_a_captured_session_in_which_nothing_was_said_counts_as_zero():
    idle = captured("a", 1, began=None, turns=[], entry="")
    found = made(started(), begun("a", 1), idle)
    assert [(one.session, one.mistakes) for one in found.units] == [("a", 0)]
    assert found.waiting == ()


def test_outside_an_experiment_errors_are_families_and_memory_has_no_end():
    rows = [captured("a", 1), mistaken("a", 1.1, "m")]
    rows += [captured("b", 999), mistaken("b", 999.1, "m")]
    slip = mistaken("b", 999.2, "slip", tool="Edit", fault="edit-mismatch")
    found = build_all_units(history(*rows, slip))
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
    before = (row for row in rows if row["kind"] == "experiment" or row["session"] < "s-020")
    assert made(*before).evidence == found.evidence


def test_false_alarms_on_histories_that_straddle_a_change_stay_at_most_one_in_twenty():
    studies = 100
    kinds = [made(*straddling(60, seed)).conclusion.kind for seed in range(studies)]
    assert sum(kind in {"better", "worse", "unclear"} for kind in kinds) <= 0.05 * studies


# -- Who has which arm -----------------------------------------------------------------------------


def arms(*rows, start=None):
    past = history(start or started(), *rows)
    one = fold_experiments(past.records_of("experiment"))[0]
    found = find_assignments(past, fold_manual_log(past.records_of("hand")), one)
    return {name: (row.draw.treated, row.draw.p) for name, row in found.items()}


def test_who_has_no_coin_by_right():
    before = begun("before", -1, "", experiment="", p=None)
    theirs = begun("theirs", 2, experiment="x-other")
    rows = [captured("past", -3), captured("elsewhere", 2, project="github.com/ana/cli")]
    rows += [before, captured("before", 1), theirs, captured("theirs", 2)]
    rows += [ended(9), captured("after", 10)]
    assert arms(*rows) == {}
    assert set(arms(*rows[1:2], start=started(project=""))) == {"elsewhere"}


@cased({"p": float("nan")})
def test_half_a_record_is_no_arm(torn):
    assert arms(begun("a", 1) | torn) == {"a": (None, 0.5)}


def test_a_chosen_arm_has_the_chance_that_it_had():
    rows = [begun("a", 1, "control", p=0), begun("b", 2, p=1.0)]
    assert arms(*rows) == {"a": (False, 0), "b": (True, 1.0)}


# -- A team ----------------------------------------------------------------------------------------

MEMBERS = ("ana", "ben", "cid", "dan", "eve")


def fact(one, author="ben"):
    return fact_of(author, one, DETECTOR_VERSION)


def pool(own, facts, **fields):
    return pool_units(own, facts, "ana", trial(**fields), DETECTOR_VERSION)


def test_colleagues_sessions_come_in_with_a_stratum_of_their_own():
    facts = [fact(unit(2, 3, 1)), fact(unit(1), "ana"), fact(unit(3, project="cli"))]
    units = pool([unit(1)], facts)
    counts = [(one.stratum, one.mistakes, one.repeats) for one in units]
    assert counts == [("ana", 1, 0), ("ben", 3, 1)]
    assert pool([unit(1)], facts, error_class="test") == [unit(1)]
    assert "s2" not in facts[0].text + facts[0].detail


@cased({"mistakes": 10**9, "repeats": 0}, {"detector": DETECTOR_VERSION - 1})
def test_what_cannot_be_a_session_counted_alike_is_left_out(more):
    said = fact(unit(1, 2, 1))
    assert len(pool([], [said])) == 1
    detail = json.dumps(json.loads(said.detail) | more)
    assert pool([], [replace(said, detail=detail), replace(said, detail="[]")]) == []


def team(control, treated, sessions, seed):
    """Give the sessions of five members who differ: each repeats more or less than the others."""
    rng = np.random.default_rng(seed)
    facts = []
    for at, name in enumerate(MEMBERS):
        shift = float(rng.uniform(-0.08, 0.08))
        shares = [min(max(share + shift, 0.02), 0.98) for share in (control, treated)]
        own = drawn(*shares, sessions // len(MEMBERS), seed * 10 + at)
        facts += [fact(replace(one, project=f"p{at % 2}"), name) for one in own]
    return pool([], facts, project="")


@pytest.mark.parametrize(
    ("shares", "sessions", "least", "most"),
    [((0.34, 0.12), 200, 0.9, 1.0), ((0.4, 0.4), 200, 0.0, 0.05)],
)
def test_what_a_teams_verdict_is_worth(shares, sessions, least, most):
    teams = (team(*shares, sessions, seed) for seed in range(100, 120))
    found = (compute_evidence(units, trial(project="")) for units in teams)
    crossed = [evidence.wealth.crossed is not None for evidence in found]
    assert least <= np.mean(crossed) <= most
