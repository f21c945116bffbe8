import pytest

from memoria.evidence.charts.axis import TIMES
from memoria.evidence.report.beliefs import Belief, Held, belief, picture

NAN = float("nan")


@pytest.mark.parametrize(
    "found",
    [
        {}, {"mean": 1}, {"sd": 1}, {"mean": "x", "sd": 1}, {"mean": 0, "sd": 0},
        {"mean": 1e9, "sd": 1}, {"mean": NAN, "sd": 1}, {"mean": 0, "sd": NAN},
        {"mean": 0, "sd": 99},
    ],
)  # fmt: skip
def test_what_is_no_estimate_is_no_belief(found):
    assert belief(found) is None


def test_a_belief_is_told_as_a_factor():
    found = belief({"mean": 0.6931, "sd": 0.1, "shown": 3})
    assert found == Belief(0.6931, 0.1)
    assert found.times == TIMES + "2.00"
    assert found.limits == "1.64 to 2.43"


def held(text, mean, sd=0.1, shown=5):
    return Held(text, Belief(mean, sd), shown, 1)


def test_the_picture_says_which_are_sure():
    (figure,) = picture([held("a", 0.0), held("b", 1.0), held("c", -1.0), held("d", 2.0, shown=0)])
    assert [row[0] for row in figure.rows] == ["b", "a", "c"]
    assert "1 wholly above 1" in figure.says
    assert "1 wholly below 1" in figure.says
    marks = [one.role for one in figure.wide.traces if one.role.startswith("mark")]
    assert marks == ["mark treated", "mark all", "mark control"]
    assert figure.rows[0][3:] == ("5 sessions", "1 session")


def test_those_injected_most_are_chosen_whatever_is_believed():
    rows = [held(f"rule {n}", n / 100) for n in range(30)]
    (figure,) = picture(rows)
    assert {row[0] for row in figure.rows} == {f"rule {n}" for n in range(12)}
    assert list(picture([])) == []
