import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.evidence.charts.drawings import bar, fitted, length, polyline, symbol


def test_paths_are_short_and_have_no_negative_zero():
    assert polyline([(0, -0.01), (10.04, 20.25)]) == "M0 0L10 20.2"
    assert bar(1, 2, 3, 4) == "M1 2h3v4h-3z"


@pytest.mark.parametrize("shape", ["circle", "square", "diamond", "triangle"])
def test_every_shape_is_another_closed_path(shape):
    others = {symbol(one, 8, 8, 4) for one in ("circle", "square", "diamond", "triangle")}
    assert len(others) == 4
    assert symbol(shape, 8, 8, 4).startswith("M")
    assert symbol(shape, 8, 8, 4).endswith("z")


@given(st.lists(st.tuples(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4)), min_size=1, max_size=9))
def test_a_path_holds_numbers_and_nothing_else(points):
    assert re.fullmatch(r"M-?[\d.]+ -?[\d.]+(L-?[\d.]+ -?[\d.]+)*", polyline(points))


@pytest.mark.parametrize(
    ("text", "pixels", "wanted"),
    [
        ("short", 200, "short"),
        ("Put new endpoints behind flags", 170, "Put new endpoints behind…"),
        ("pneumonoultramicroscopic", 70, "pneumono…"),
        ("wwwwwwwwwwwwwwww", 70, "wwwww…"),
        ("", 0, ""),
    ],
)
def test_a_label_is_cut_where_it_would_be_too_long(text, pixels, wanted):
    assert fitted(text, pixels) == wanted


def test_signs_are_wider_than_letters_and_letters_than_points():
    assert length("漢字") > length("mm") > length("ab") > length("il")


@given(st.text(max_size=120), st.floats(20, 900))
def test_what_is_cut_fits(text, pixels):
    assert length(fitted(text, pixels)) <= pixels
