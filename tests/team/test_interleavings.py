"""Random days of four machines: all agree at the end, and what was forgotten is gone.

`python -m bench.team.interleavings` lives through a thousand.
"""

import pytest
from bench.team.interleavings import live
from bench.team.machines import Folder


@pytest.mark.parametrize("seed", range(20))
def test_machines_agree_at_the_end(tmp_path, seed):
    assert live(Folder(tmp_path), tmp_path, seed) == ""


@pytest.mark.parametrize("seed", range(3))
def test_machines_agree_on_a_database(database, tmp_path, seed):
    database.owner.admit("p", "eve")
    assert live(database, tmp_path, seed) == ""
