from datetime import date

import pytest

from memoria.evidence.charts import figures as figure
from memoria.evidence.charts.axis import MINUS
from memoria.evidence.charts.figures import NONE
from memoria.evidence.cluster_intervals import Interval


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (None, NONE), (0, "0"), (0.0, "0"), (1, "1"), (1.9, "1.9"), (0.48123, "0.48"),
        (0.00012, "0.0001"), (1e-9, "0"), (12.34, "12"), (99.9, "100"), (153.2, "153"),
        (9_762.4, "9,762"), (-1.23, "-1.2"),
    ],
)  # fmt: skip
def test_a_number_has_as_many_digits_as_it_deserves(value, wanted):
    assert figure.rough(value) == wanted


def test_what_is_not_known_is_a_dash():
    for write in (figure.rough, figure.percent, figure.points, figure.signed, figure.limits):
        assert write(None) == NONE


def test_shares_and_differences():
    assert figure.percent(0.123) == "12%"
    assert figure.points(-0.3) == MINUS + "30 points"
    assert figure.points(0.051) == "+5 points"
    assert figure.signed(0.5) == "+0.5"
    assert figure.signed(-0.96) == MINUS + "0.96"
    assert figure.signed(0.0) == "0"


def test_intervals():
    assert figure.limits(Interval(0.5, 0.31, 0.7), share=True) == "31% to 70%"
    assert figure.limits(Interval(0.5, 0, 12.2)) == "0 to 12"


@pytest.mark.parametrize(
    ("p", "wanted"),
    [(0.0001, "p < .001"), (0.0312, "p = .031"), (1.0, "p = 1.000"), (0.5, "p = .500")],
)
def test_a_p_value_is_written_as_papers_do(p, wanted):
    assert figure.chance(p) == wanted


@pytest.mark.parametrize(
    ("since", "until", "wanted"),
    [
        ((2026, 3, 2), (2026, 3, 2), "2 Mar 2026"),
        ((2026, 3, 2), (2026, 3, 9), "2 to 9 Mar 2026"),
        ((2026, 3, 2), (2026, 4, 1), "2 Mar to 1 Apr 2026"),
        ((2025, 12, 2), (2026, 1, 1), "2 Dec 2025 to 1 Jan 2026"),
    ],
)
def test_spans_of_days(since, until, wanted):
    assert figure.between(date(*since), date(*until)) == wanted
