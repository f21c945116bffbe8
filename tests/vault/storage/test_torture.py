"""Processes killed at random moments: the short form of `python -m bench.torture.run`."""

import re

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


def test_the_harness_finds_the_fault_when_the_journal_is_taken_out():
    code, said = torture("--kills", "400", "--until-found", "--without", "journal")
    assert code == 1, said
    assert "damaged rounds 1" in said
