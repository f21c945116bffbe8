"""In the simulator the product's policy beats the seed's."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.bandit import contestants, credit
from bench.bandit.race import race
from bench.bandit.simulator import World

from memoria.learning.policy import Options

SMALL = World(arms=80, sessions=300)


def product(policy, every=20, kind=contestants.Product):
    options = Options(policy, k=SMALL.slate)
    return lambda simulator, seed: kind(simulator, seed, options, every)


def test_nobody_beats_the_oracle_and_the_same_seed_gives_the_same_history():
    oracle, nothing, once = (
        race(SMALL, 4, make)
        for make in (contestants.Oracle, contestants.Nothing, contestants.TextOnce)
    )
    assert oracle.regret[-1] == pytest.approx(0.0, abs=1e-9)
    assert 0.0 < once.regret[-1] < nothing.regret[-1]
    assert race(SMALL, 4, contestants.TextOnce).regret.tolist() == once.regret.tolist()


def test_the_joint_policy_loses_less_than_half_of_the_seeds():
    lost = {
        policy: np.mean([race(SMALL, seed, product(policy)).regret[-1] for seed in (200,)])
        for policy in ("joint", "beta-thompson", "none")
    }
    assert lost["joint"] < 0.5 * lost["beta-thompson"]
    assert lost["joint"] < 0.5 * lost["none"]


def test_credit_is_given_better_than_by_success_when_active():
    found = [credit.sessions(seed, 800, 0.0) for seed in range(200, 204)]
    ours, seeds = (
        np.mean([credit.grade(estimate(one), one.effects)[0] for one in found])
        for estimate in (credit.memoria, credit.when_active)
    )
    assert ours > seeds + 0.05
    assert ours > 0.7
