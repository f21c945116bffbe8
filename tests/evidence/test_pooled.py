"""A team's experiment: the units of all members, and what the verdict then is worth."""

import json
from dataclasses import replace

import numpy as np
import pytest
from studies import drawn, trial, unit

from memoria.evidence.figures import weigh
from memoria.evidence.pooled import fact_of, pooled
from memoria.vault.entry import DETECTOR

MEMBERS = ("ana", "ben", "cid", "dan", "eve")


def fact(one, author="ben"):
    return fact_of(author, one, DETECTOR)


def pool(own, facts, **fields):
    return pooled(own, facts, "ana", trial(**fields), DETECTOR)


def test_colleagues_sessions_come_in_with_a_stratum_of_their_own():
    facts = [fact(unit(2, 3, 1)), fact(unit(1), "ana"), fact(unit(3, project="cli"))]
    units = pool([unit(1)], facts)
    assert [(one.stratum, one.mistakes, one.repeats) for one in units] == [
        ("ana", 1, 0),
        ("ben", 3, 1),
    ]
    assert pool([unit(1)], facts, error_class="test") == [unit(1)]
    assert "s2" not in facts[0].text + facts[0].detail


@pytest.mark.parametrize(
    "more",
    [
        {"mistakes": -1},
        {"repeats": 9},
        {"mistakes": 10**9, "repeats": 0},
        {"mistakes": True},
        {"treated": "yes"},
        {"p": 0.0},
        {"at": "soon"},
        {"at": "1999-01-01T00:00:00+00:00"},
        {"detector": DETECTOR - 1},
    ],
)
def test_what_cannot_be_a_session_counted_alike_is_left_out(more):
    said = fact(unit(1, 2, 1))
    assert len(pool([], [said])) == 1
    detail = json.dumps(json.loads(said.detail) | more)
    assert pool([], [replace(said, detail=detail), replace(said, detail="[]")]) == []


def team(control, treated, sessions, seed):
    """Give the sessions of five members who differ: each repeats more or less than the others."""
    rng = np.random.default_rng(seed)
    facts = []
    for at, name in enumerate(MEMBERS):
        shift = float(rng.uniform(-0.08, 0.08))
        shares = [min(max(share + shift, 0.02), 0.98) for share in (control, treated)]
        own = drawn(*shares, sessions // len(MEMBERS), seed * 10 + at)
        facts += [fact(replace(one, project=f"p{at % 2}"), name) for one in own]
    return pool([], facts, project="")


@pytest.mark.parametrize(
    ("shares", "sessions", "least", "most"),
    [((0.34, 0.12), 200, 0.9, 1.0), ((0.4, 0.4), 200, 0.0, 0.05)],
)
def test_what_a_teams_verdict_is_worth(shares, sessions, least, most):
    teams = (team(*shares, sessions, seed) for seed in range(100, 120))
    crossed = [weigh(units, trial(project="")).crossed for units in teams]
    assert least <= np.mean(crossed) <= most
