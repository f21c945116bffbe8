import re

import pytest

from memoria.evidence.charts import axis
from memoria.evidence.charts.charts import (
    Beam,
    Limit,
    Row,
    Series,
    Spot,
    beams,
    columns,
    course,
    forest,
    trend,
)
from memoria.evidence.charts.figures import HALF, PHONE, WHOLE


def marks(found, role=""):
    return [one for one in found.traces if one.role.startswith("mark") and one.role.endswith(role)]


def texts(found):
    return [word.text for word in found.words]


def xs(trace):
    return [float(x) for x in re.findall(r"[ML](-?[\d.]+) ", trace.d)]


def inside(found):
    for trace in found.traces:
        for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", trace.d):
            assert -1 <= float(x) <= found.width + 1
            assert -1 <= float(y) <= found.height + 1
    for word in found.words:
        assert 0 <= word.x <= found.width
        assert 0 <= word.y <= found.height


SPOTS = tuple(Spot(day, 1.0 + day / 9, 0.5, 3.0, f"day {day}") for day in range(8))


def pair(size):
    series = (
        Series("treated", "circle", SPOTS[:4]),
        Series("control", "square", tuple(Spot(one.x, 2.0) for one in SPOTS[:4])),
    )
    x, y = axis.dates([0.0, 3.0], "when"), axis.numbers([3.0], "repeats per session")
    return trend(series, x, y, size)


@pytest.mark.parametrize("size", [(HALF, 270), (PHONE, 250)])
def test_a_trend_has_marks_whiskers_and_named_axes(size):
    found = pair(size)
    assert (found.width, found.height) == size
    assert len(marks(found, "treated")) == len(marks(found, "control")) == 4
    assert [one.role for one in found.traces].count("whisker treated") == 4
    assert "whisker control" not in [one.role for one in found.traces]
    assert {"when", "repeats per session", "0"} <= set(texts(found))
    assert marks(found, "treated")[0].tip == "day 0"
    inside(found)


def test_two_series_at_one_place_do_not_hide_each_other():
    found = pair((HALF, 270))
    one, other = (marks(found, role)[0] for role in ("treated", "control"))
    assert abs(xs(one)[0] - xs(other)[0]) > 3


def test_an_interval_that_leaves_the_picture_ends_in_an_arrow():
    y = axis.numbers([2.0], "y")
    spots = (Spot(0, 1.0, 0.5, 90.0), Spot(1, 1.0, 0.5, 1.5))
    found = trend([Series("all", "triangle", spots)], axis.dates([0.0, 1.0], "x"), y, (HALF, 270))
    arrow, bar_ = (one for one in found.traces if one.role.startswith("whisker"))
    assert arrow.d.count("L") == 4
    assert bar_.d.count("L") == 3
    inside(found)


@pytest.mark.parametrize("width", [WHOLE, PHONE])
def test_a_course_shows_its_limit_and_what_is_noted(width):
    path = [0.0, 0.4, 1.4, 1.2]
    x, y = axis.counting(4, "sessions"), axis.powers(path, "e-value")
    limits = [Limit(1.3, "20: enough")]
    found = course(
        path, x, y, limits=limits, size=(width, 300), noted=[(3, "session 3"), (4, "now")]
    )
    assert {"20: enough", "session 3", "now", "e-value", "sessions"} <= set(texts(found))
    assert [one.role for one in found.traces].count("limit") == 1
    (line,) = (one for one in found.traces if one.role == "line path")
    assert line.d.count("L") == 3
    assert len(marks(found, "path")) == 2
    inside(found)


@pytest.mark.parametrize("width", [WHOLE, PHONE])
def test_a_forest_has_a_row_a_rule(width):
    x = axis.factors([-0.7, 0.9], "odds")
    rows = [
        Row(f"rule {n} " + "long " * 30, 0.1 * n, -0.5, 0.8, "all", "triangle") for n in range(5)
    ]
    found = forest(rows, x, width)
    assert len(marks(found)) == 5
    assert len([one for one in found.traces if one.role == "whisker all"]) == 5
    assert "odds" in texts(found)
    assert all(word.text.endswith("…") for word in found.words if word.role == "label")
    inside(found)


@pytest.mark.parametrize("width", [WHOLE, PHONE])
def test_beams_have_parts_one_behind_the_other(width):
    rows = [Beam("one", (3.0, 2.0), "3 of 5"), Beam("two", (0.0, 1.0), "0 of 1")]
    found = beams(rows, ("again", "first"), axis.numbers([5.0], "mistakes", whole=True), width)
    assert len(marks(found, "again")) == 1
    first, second = marks(found, "first")
    assert xs(marks(found, "again")[0])[0] < xs(first)[0]
    assert xs(second)[0] < xs(first)[0]
    assert {"one", "two", "3 of 5", "mistakes"} <= set(texts(found))
    inside(found)


def test_columns_stand_side_by_side():
    spots = [Spot(float(day), float(day % 3 + 1)) for day in range(60)]
    x = axis.dates([0.0, 59.0], "day")
    found = columns(spots, x, axis.numbers([3.0], "sessions", whole=True), (PHONE, 220), "again")
    starts = [xs(one)[0] for one in marks(found, "again")]
    widths = [float(re.search(r"h([\d.]+)", one.d)[1]) for one in marks(found, "again")]
    assert all(
        start + width <= after
        for start, width, after in zip(starts, widths, starts[1:], strict=False)
    )
    inside(found)
