"""Conclusions: what each design allows to compute, and the sentence that the evidence carries."""

from dataclasses import replace

import numpy as np
import pytest
from studies import drawn, trial, unit, units

from memoria.evidence.e_values import Wealth
from memoria.evidence.rates import Rate
from memoria.evidence.verdict import compute_evidence, conclude, format_figure


def said(rows, **study):
    return conclude(compute_evidence(rows, trial(**study)))


def test_a_measure_is_named_only_if_its_own_evidence_is_enough():
    evidence = compute_evidence(drawn(0.5, 0.15, 200), trial())
    high, low = (4.0,), (1.0,)
    count = conclude(replace(evidence, wealth=Wealth(high, low, high)))
    assert "Repeats per session fell" in count.sentence
    assert "share" not in count.sentence
    share = conclude(replace(evidence, wealth=Wealth(high, high, low)))
    assert share.sentence.startswith("The share of errors met before fell")
    assert "in 54." in share.sentence  # e to the fourth, never more than it is


def test_not_yet_says_what_it_takes():
    found = said(units((4, 3, 2, 5, 0, 3) * 5, (2, 1, 0, 2, 0, 2) * 5, (1, 0, 1, 0, 0, 1) * 5))
    assert found.kind == "not yet"
    assert found.sentence.startswith("No evidence yet (with Memoria ")


def test_measures_that_disagree_are_no_claim():
    # treated: as many repeats of fewer mistakes; the share rises while the count falls a little
    rows = [unit(n, 4 if n % 2 else 9, 3 if n % 2 else 4, treated=bool(n % 2)) for n in range(80)]
    evidence = compute_evidence(rows, trial())
    both = conclude(replace(evidence, wealth=Wealth(*[(5.0,)] * 3)))
    assert both.kind == "unclear"
    assert "the measures disagree" in both.sentence
    one = conclude(replace(evidence, wealth=Wealth((5.0,), (0.0,), (5.0,))))
    assert one.kind == "better"
    assert one.notes[0].startswith("The measures disagree")


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "There is no session in this experiment yet."),
        ([unit(0, 3, 1)], "One session cannot tell anything (3 errors)."),
        ([unit(0, 1, 1)], "One session cannot tell anything (1 error)."),
        (
            [unit(0, 3, 1), unit(1, 2, 1)],
            "All 2 sessions so far were with Memoria: there is nothing to compare with.",
        ),
        (
            [unit(0, 0, 0), unit(1, 0, 0, treated=False)],
            "2 sessions and no error: nothing could come back.",
        ),
        (
            [unit(0, 2, 0), unit(1, 3, 0, treated=False)],
            "No error came back in either arm (2 sessions, 5 errors).",
        ),
        (
            [unit(0, treated=None), unit(1, treated=None)],
            "None of 2 sessions can be compared; the notes say why.",
        ),
    ],
)
def test_what_cannot_be_told(rows, sentence):
    found = said(rows)
    assert (found.kind, found.sentence) == ("cannot tell", sentence)


def test_sessions_with_a_lost_or_chosen_coin_are_left_out_and_counted():
    rows = [unit(n, 3, 1, treated=n % 2 == 0) for n in range(10)]
    rows += [unit(20 + n, 50, 50, treated=None) for n in range(3)]
    rows += [unit(30 + n, 50, 50, p=1.0) for n in range(2)]
    evidence = compute_evidence(rows, trial())
    assert (evidence.unknown, evidence.chosen) == (3, 2)
    assert evidence.treated == evidence.control == Rate(5, 15, 5)
    assert conclude(evidence).notes == (
        "3 sessions left out: the arm was not recorded.",
        "2 sessions left out: the arm was chosen, not drawn.",
    )


@pytest.mark.parametrize("design", ["chance", "before-after"])
@pytest.mark.parametrize(
    "rows",
    [
        [],
        [unit(0, 3, 1)],
        [unit(0, 3, 1), unit(1, 2, 0)],
        [unit(0, 0, 0), unit(1, 0, 0, treated=False)],
        [unit(0, 2, 0), unit(1, 3, 0, treated=False)],
        [unit(0, 2, 2), unit(1, 0, 0, treated=False)],
        [unit(n, treated=None) for n in range(9)],
        [unit(n, 1, 1, treated=n % 2 == 0) for n in range(120)],
        [unit(n, 0, 0, treated=n % 2 == 0) for n in range(120)],
    ],
)
def test_whatever_comes_in_no_figure_is_made_up(design, rows):
    found = compute_evidence(rows, trial(design=design))
    values = [found.relative_reduction or 0.0]
    values += [found.share.low, found.share.high] if found.share else []
    values += found.wealth.total
    assert np.isfinite(values).all()
    assert 0 < found.anytime_p <= 1


@pytest.mark.parametrize(
    ("value", "told"), [(None, "-"), (0.0, "0"), (99.4, "99"), (99.6, "100"), (1234.5, "1,234")]
)
def test_a_figure_is_written_as_people_write_it(value, told):
    assert format_figure(value) == told
