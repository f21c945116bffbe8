"""Processes killed at random moments: the short form of `python -m bench.torture.run`."""

import re

import pytest
import steps

pytestmark = steps.forking


def torture(*words):
    done = steps.bench("run", "--show", *words)
    return done.returncode, done.stdout


def test_nothing_that_was_acknowledged_is_lost_and_nothing_is_half_done():
    code, said = torture("--kills", "24", "--sessions", "10")
    assert code == 0, said
    kills, sessions = re.search(r"(\d+) kills .*'session': (\d+)", said).groups()
    assert int(kills) >= 24
    assert int(sessions) >= 10


@pytest.mark.parametrize("part", ["lock", "journal"])
def test_the_harness_finds_the_fault_when_a_part_is_taken_out(part):
    code, said = torture("--kills", "400", "--until-found", "--without", part)
    assert code == 1, said
    assert "damaged rounds 1" in said
