"""The simulator is what its specification says, and the product's policy beats the seed's in it."""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.bandit import contestants, credit
from bench.bandit.race import race
from bench.bandit.simulator import Simulator, World

from memoria.learning.policy import Options

SMALL = World(arms=80, sessions=300)


def product(policy, every=20, kind=contestants.Product):
    options = Options(policy, k=SMALL.slate)
    return lambda simulator, seed: kind(simulator, seed, options, every)


def test_families_are_as_large_as_specified():
    sizes = Counter(Simulator(World(arms=5_000), 1).family.tolist()).values()
    assert (min(sizes), max(sizes)) == (1, 6)
    assert np.mean(list(sizes)) == pytest.approx(2.5, abs=0.1)


def test_effects_are_as_frequent_and_as_strong_as_specified():
    made = Simulator(World(arms=5_000), 2)
    own = made.effects[np.arange(len(made.effects)), made.leaning]
    others = made.effects.copy()
    others[np.arange(len(made.effects)), made.leaning] = 0.0
    assert np.mean(own > 0) == pytest.approx(0.45, abs=0.04)
    assert np.mean(own < 0) == pytest.approx(0.12, abs=0.03)
    assert (own.min(), own.max()) == (pytest.approx(-0.5, abs=0.02), pytest.approx(1.2, abs=0.02))
    spilled = (others > 0).any(axis=1)[own > 0]
    assert np.mean(spilled) == pytest.approx(0.25, abs=0.04)
    assert not (others > 0).any(axis=1)[own <= 0].any()


def test_sessions_are_as_specified():
    made = Simulator(World(sessions=4_000), 3)
    right, seen, waits, alive = [], [], [], []
    for _ in range(4_000):
        scene = made.next()
        right.append(scene.label == f"{made.context}")
        alive.append(len(scene.alive))
        wait = made.feedback(0.5)[1]
        seen.append(wait is not None)
        waits += [] if wait is None else [wait - 1]
    assert np.mean(right) == pytest.approx(0.85, abs=0.02)
    assert np.mean(seen) == pytest.approx(0.7, abs=0.03)
    assert np.mean(waits) == pytest.approx(3.0, abs=0.3)
    assert alive[0] == 100
    assert alive[2_400] == alive[-1] == 200


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
