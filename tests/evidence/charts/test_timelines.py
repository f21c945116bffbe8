from math import log

import numpy as np
from studies import drawn, unit

from memoria.evidence.charts.timelines import rates, stake, stated
from memoria.evidence.e_values import Wealth
from memoria.evidence.figures import Study, weigh
from memoria.evidence.rates import Rate


def weighed(units, **study):
    return weigh(units, Study(**study), np.random.default_rng(0))


def test_rates_are_drawn_by_arm_with_a_table_of_the_same_numbers():
    units = drawn(0.5, 0.12, 120)
    repeats, rmr = rates(units)
    assert (repeats.name, rmr.name) == ("repeats", "rmr")
    for figure in (repeats, rmr):
        assert [key.label for key in figure.keys] == ["with Memoria", "without"]
        assert len({(key.role, key.shape) for key in figure.keys}) == 2
        for drawing in (figure.wide, figure.narrow):
            marks = [one for one in drawing.traces if one.role.startswith("mark")]
            assert len(marks) == len(figure.rows) == 16
        assert "In the latest: with Memoria" in figure.says
        assert all(len(row) == len(figure.header) for row in figure.rows)
    sums = [sum(int(row[place]) for row in repeats.rows) for place in (2, 3, 4)]
    assert sums == [120, sum(u.mistakes for u in units), sum(u.repeats for u in units)]


def test_all_sessions_together_are_one_series_without_a_key():
    repeats, _ = rates([unit(n, 3, 1, treated=None) for n in range(40)])
    assert repeats.keys == ()
    assert {row[1] for row in repeats.rows} == {"all sessions"}


def test_a_few_sessions_are_no_course_of_time():
    assert list(rates(drawn(0.5, 0.12, 19))) == []
    assert list(rates([unit(n, 0, 0) for n in range(60)])) == []
    assert list(rates([])) == []


def test_no_repeat_at_all_is_drawn_at_zero():
    repeats, rmr = rates([unit(n, 2, 0, treated=n % 2 == 0) for n in range(40)])
    assert {row[5] for row in repeats.rows} == {"0"}
    assert {row[5] for row in rmr.rows} == {"0%"}


def test_the_stake_is_drawn_with_its_threshold():
    evidence = weighed(drawn(0.5, 0.12, 160))
    (figure,) = stake(evidence)
    assert evidence.crossed
    assert f"reached 20 after session {evidence.wealth.crossed}" in figure.says
    words = [word.text for word in figure.wide.words]
    assert "20: enough" in words
    assert f"session {evidence.wealth.crossed}" in words
    looks = [int(row[0]) for row in figure.rows]
    assert looks == sorted(set(looks))
    assert looks[-1] == 160
    assert evidence.wealth.crossed in looks
    assert len(looks) <= 28


def test_a_stake_that_is_lost_does_not_stretch_the_axis():
    wealth = Wealth(tuple(-2.0 * n for n in range(40)))
    (figure,) = stake(EvidenceOf(wealth))
    assert "has not reached 20" in figure.says
    assert figure.wide.words[1].text != ""
    ticks = {word.text for word in figure.wide.words}
    assert "0.001" in ticks
    assert "10⁻⁴" not in ticks


class EvidenceOf:
    """As much of the evidence as the picture asks for."""

    def __init__(self, wealth):
        self.wealth = wealth
        self.treated = self.control = Rate(1, 1, 1)


def test_a_stake_of_more_than_anybody_counts_is_drawn():
    wealth = Wealth(tuple(float(n * 20) for n in range(40)))
    (figure,) = stake(EvidenceOf(wealth))
    assert figure.rows[-1] == ("40", "over a million")
    assert stated(20.0) == "20"
    assert log(20) < wealth.total[1]


def test_without_a_coin_there_is_no_stake():
    assert list(stake(weighed(drawn(0.5, 0.12, 60), design="before-after"))) == []
    assert list(stake(weighed(drawn(0.5, 0.12, 9)))) == []
