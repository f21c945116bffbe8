"""Evidence: what each design allows to compute, and which sessions are left out."""

import numpy as np
import pytest
from studies import drawn, seen, trial, unit

from memoria.capture.repeats import Draw
from memoria.capture.repeats import units as derive
from memoria.evidence.figures import Evidence, weigh
from memoria.evidence.rates import Rate


def rng():
    return np.random.default_rng(1)


def test_a_coins_study_has_everything():
    found = weigh(drawn(0.5, 0.2, 120), trial(), rng())
    assert found.treated.sessions + found.control.sessions == len(found.sessions) == 120
    assert len(found.wealth.total) == 120
    assert found.permutation.share == pytest.approx(found.share.estimate)
    assert found.permutation.count == pytest.approx(found.count.estimate)
    assert {one.name for one in found.effects} >= {"relative reduction of RMR", "Cohen's h of RMR"}
    assert found.classical.z < 0
    assert found.forecast.basis == "seen"
    assert found.share_sequence.estimate[-1] < 0
    assert found.count_sequence.low
    assert found.crossed == (found.wealth.peak >= 20)
    assert found.anytime_p == pytest.approx(min(1, 1 / found.wealth.peak))


def test_the_same_seed_gives_the_same_figures():
    assert weigh(drawn(0.5, 0.2, 60), trial(), rng()) == weigh(
        drawn(0.5, 0.2, 60)[::-1], trial(), rng()
    )


def test_sessions_with_a_lost_coin_are_counted_and_left_out():
    rows = [unit(n, 3, 1, treated=n % 2 == 0) for n in range(10)]
    lost = [unit(20 + n, 50, 50, treated=None) for n in range(3)]
    chosen = [unit(30 + n, 50, 50, p=1.0) for n in range(2)]
    found = weigh([*rows, *lost, *chosen], trial(), rng())
    assert (found.unknown, found.chosen) == (3, 2)
    assert found.treated == found.control == Rate(5, 15, 5)


def test_planned_sessions_are_the_first_ones():
    found = weigh(drawn(0.5, 0.2, 80), trial(planned=50), rng())
    assert found.sessions == tuple(f"s{n}" for n in range(50))
    assert found.beyond == 30
    assert found.treated.sessions + found.control.sessions == 50


def test_before_after_has_facts_and_no_chance():
    rows = [unit(n, 3, n % 2, treated=n >= 20, p=float(n >= 20), settled=n >= 6) for n in range(40)]
    found = weigh(rows, trial(design="before-after"), rng())
    assert found.unsettled == 6
    assert found.control.sessions == 14
    assert found.effects
    assert found.share
    assert found.permutation is None
    assert found.wealth.total == ()
    assert found.anytime_p == 1
    assert found.share_sequence is found.forecast is None


def test_all_on_has_rates_alone():
    found = weigh([unit(n, 2, 1, p=1.0) for n in range(5)], trial(design="all-on"), rng())
    assert found == Evidence(
        trial(design="all-on"),
        Rate(5, 10, 5),
        Rate(0, 0, 0),
        sessions=("s0", "s1", "s2", "s3", "s4"),
    )


def test_one_class_of_mistakes():
    marks = [seen("x", "a", 0, kind="lint:E501"), seen("y", "a", 1, kind="test")]
    draws = {"a": Draw("a", True), "b": Draw("b", False)}
    rows = derive([], [*marks, seen("x", "b", 90, kind="lint:E501")], draws)
    found = weigh(rows, trial(error_class="lint"), rng())
    assert (found.treated, found.control) == (Rate(1, 1, 0), Rate(1, 1, 1))


@pytest.mark.parametrize("design", ["coin", "before-after", "all-on"])
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
    found = weigh(rows, trial(design=design), rng())
    values = [one.value for one in found.effects if one.value is not None]
    for interval in (found.share, found.count):
        values += [interval.low, interval.high] if interval else []
    values += found.wealth.total
    assert np.isfinite(values).all()
    assert 0 < found.anytime_p <= 1
