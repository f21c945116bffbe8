"""What is usual: from earlier sessions alone, of the project where it has spoken, fading."""

import numpy as np
import pytest
from studies import drawn

from memoria.capture.repeats import table
from memoria.evidence.baseline import usual_count, usual_share

SAME = np.zeros(40, np.int64)


def test_a_session_does_not_know_itself_or_what_comes_after():
    data = table(drawn(0.5, 0.5, 40))
    whole = usual_share(data.mistakes, data.repeats, data.strata)
    for cut in (1, 7, 39):
        changed = data.repeats.copy()
        changed[cut:] = 0
        part = usual_share(data.mistakes, changed, data.strata)
        assert part[: cut + 1].tolist() == whole[: cut + 1].tolist()


def test_it_finds_what_is_usual():
    found = usual_share(np.full(40, 4.0), np.full(40, 3.0), SAME)
    assert found[0] == pytest.approx(0.4)
    assert found[-1] == pytest.approx(0.75, abs=0.01)
    assert usual_count(np.full(40, 3.0), SAME)[-1] == pytest.approx(3, abs=0.15)
    assert usual_count(np.full(40, 3.0), SAME, 2.0)[0] == pytest.approx(2)


def test_projects_differ():
    strata = np.arange(40) % 2
    found = usual_share(np.full(40, 4.0), 4.0 * strata, strata)
    assert found[-1] > 0.85
    assert found[-2] < 0.15


def test_a_new_project_is_taken_for_average_and_old_habits_fade():
    strata = np.r_[np.zeros(39, np.int64), 1]
    assert usual_share(np.full(40, 4.0), np.full(40, 1.0), strata)[-1] == pytest.approx(
        0.25, abs=0.01
    )
    drift = usual_count(np.r_[np.zeros(300), np.full(300, 2.0)], np.zeros(600, np.int64))
    assert drift[-1] > 1.7


def test_no_mistakes_at_all_stay_a_share():
    found = usual_share(np.zeros(40), np.zeros(40), SAME)
    assert np.isfinite(found).all()
    assert ((found > 0) & (found < 1)).all()
