"""A team's experiment: the units of all members, and what the verdict then is worth."""

import json
from dataclasses import replace

import numpy as np
import pytest
from studies import drawn, trial, unit

from memoria.evidence.figures import weigh
from memoria.evidence.pooled import pooled
from memoria.team.outgoing import of_unit
from memoria.vault.entry import DETECTOR

MEMBERS = ("ana", "ben", "cid", "dan", "eve")
ABOUT = {"error_class": "", "days": trial().days, "sessions": trial().sessions}


def fact(one, author="ben", **more):
    return of_unit(author, one, ABOUT | more, DETECTOR)


def pool(own, facts, **fields):
    return pooled(own, facts, "ana", trial(**fields), DETECTOR)


def test_colleagues_sessions_come_in_with_a_stratum_of_their_own():
    units = pool([unit(1)], [fact(unit(2, 3, 1)), fact(unit(1), "ana")])
    assert [(one.stratum, one.mistakes, one.repeats) for one in units] == [
        ("ana", 1, 0),
        ("ben", 3, 1),
    ]


def test_a_unit_holds_no_text_of_its_session():
    assert "s77" not in json.dumps([fact(unit(77)).text, fact(unit(77)).detail])


@pytest.mark.parametrize(
    "more",
    [
        {"mistakes": -1},
        {"repeats": 9},
        {"mistakes": 10**9, "repeats": 0},
        {"treated": "yes"},
        {"p": 0.0},
        {"at": "soon"},
        {"at": "1999-01-01T00:00:00+00:00"},
        {"detector": DETECTOR - 1},
        {"days": 1.0},
    ],
)
def test_what_cannot_be_a_session_counted_alike_is_left_out(more):
    said = fact(unit(1, 2, 1))
    detail = json.dumps(json.loads(said.detail) | more)
    assert pool([], [replace(said, detail=detail)]) == []
    assert len(pool([], [said])) == 1


def team(control, treated, sessions, seed):
    """Give the sessions of five members who differ: each repeats more or less than the others."""
    rng = np.random.default_rng(seed)
    found = []
    for at, name in enumerate(MEMBERS):
        shift = float(rng.uniform(-0.08, 0.08))
        shares = [min(max(share + shift, 0.02), 0.98) for share in (control, treated)]
        own = drawn(*shares, sessions // len(MEMBERS), seed * 10 + at)
        found += [fact(replace(one, project=f"p{at % 2}"), name) for one in own]
    return pooled([], found, "zoe", trial(project=""), DETECTOR)


def share_crossed(control, treated, sessions, studies, first):
    crossed = 0
    for seed in range(first, first + studies):
        units = team(control, treated, sessions, seed)
        crossed += weigh(units, trial(project=""), np.random.default_rng(seed)).crossed
    return crossed / studies


@pytest.mark.parametrize(
    ("shares", "sessions", "studies", "least", "most"),
    [
        ((0.34, 0.12), 200, 20, 0.9, 1.0),
        ((0.5, 0.35), 400, 20, 0.8, 1.0),
        ((0.4, 0.4), 200, 40, 0.0, 0.05),
    ],
)
def test_what_a_teams_verdict_is_worth(shares, sessions, studies, least, most):
    assert least <= share_crossed(*shares, sessions, studies, 100) <= most
