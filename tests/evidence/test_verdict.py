"""Conclusions: the sentence that the evidence carries, and no other."""

from dataclasses import replace

import pytest
from studies import drawn, trial, unit, units

from memoria.evidence.e_values import Wealth
from memoria.evidence.figures import weigh
from memoria.evidence.verdict import conclude

KINDS = {"better", "worse", "unclear", "not yet", "cannot tell", "no comparison"}


def said(rows, **study):
    return conclude(weigh(rows, trial(**study)))


def test_a_measure_is_named_only_if_its_own_evidence_is_enough():
    evidence = weigh(drawn(0.5, 0.15, 200), trial())
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
    evidence = weigh(rows, trial())
    both = conclude(replace(evidence, wealth=Wealth(*[(5.0,)] * 3)))
    assert both.kind == "unclear"
    assert "the measures disagree" in both.sentence
    one = conclude(replace(evidence, wealth=Wealth((5.0,), (0.0,), (5.0,))))
    assert one.kind == "better"
    assert one.notes[0].startswith("The measures disagree")


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "There is no session in this study yet."),
        ([unit(0, 3, 1)], "One session cannot tell anything (3 errors)."),
        ([unit(0, 1, 1)], "One session cannot tell anything (1 error)."),
        (
            [unit(0, 3, 1), unit(1, 2, 1)],
            "All 2 sessions so far were treated: there is nothing to compare with.",
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


def test_what_is_left_out_is_counted():
    rows = [*drawn(0.5, 0.3, 30), unit(90, 2, 1, treated=None), unit(91, 2, 1, p=1.0)]
    notes = said(rows).notes
    assert notes[0] == "1 session left out: the draw was not recorded."
    assert notes[1] == "1 session left out: the arm was chosen, not drawn."


def test_chance_is_seldom_called_an_effect():
    kinds = [said(drawn(0.34, 0.34, 80, seed)).kind for seed in range(40)]
    assert set(kinds) <= KINDS
    assert sum(kind in {"better", "worse", "unclear"} for kind in kinds) <= 6
