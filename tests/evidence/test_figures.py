"""Evidence: what each design allows to compute, and which sessions are left out."""

import numpy as np
import pytest
from studies import trial, unit

from memoria.evidence.figures import weigh
from memoria.evidence.rates import Rate


def test_sessions_with_a_lost_coin_are_counted_and_left_out():
    rows = [unit(n, 3, 1, treated=n % 2 == 0) for n in range(10)]
    lost = [unit(20 + n, 50, 50, treated=None) for n in range(3)]
    chosen = [unit(30 + n, 50, 50, p=1.0) for n in range(2)]
    found = weigh([*rows, *lost, *chosen], trial())
    assert (found.unknown, found.chosen) == (3, 2)
    assert found.treated == found.control == Rate(5, 15, 5)


@pytest.mark.parametrize("design", ["coin", "before-after"])
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
    found = weigh(rows, trial(design=design))
    values = [one.value for one in found.effects if one.value is not None]
    for interval in (found.share, found.count):
        values += [interval.low, interval.high] if interval else []
    values += found.wealth.total
    assert np.isfinite(values).all()
    assert 0 < found.anytime_p <= 1
