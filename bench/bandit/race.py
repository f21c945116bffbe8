"""Policies in one simulated environment -> their regret, session by session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from bench.bandit.simulator import Scene, Simulator, World

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.bandit.contestants import Contestant
    from bench.bandit.simulator import Floats, Ints

    Make = Callable[[Simulator, int], Contestant]


@dataclass(frozen=True, slots=True)
class Result:
    """A run: regret after each session (summed up), mean chance of success, mean slate."""

    regret: Floats
    success: float
    shown: float


def race(world: World, seed: int, make: Make) -> Result:
    """Let a policy choose in each session of an environment; evidence comes late or never."""
    simulator = Simulator(world, seed)
    contestant = make(simulator, seed)
    due: dict[int, list[tuple[Scene, Ints, float]]] = {}
    lost, reached, shown = np.zeros(world.sessions), 0.0, 0
    for number in range(world.sessions):
        for told in due.pop(number, ()):
            contestant.learn(*told)
        scene = simulator.next()
        slate = contestant.choose(scene)
        chance = simulator.success(slate)
        lost[number] = simulator.best(scene.alive) - chance
        reached, shown = reached + chance, shown + len(slate)
        outcome, wait = simulator.feedback(chance)
        if wait is not None:
            due.setdefault(number + wait, []).append((scene, slate, outcome))
    return Result(np.cumsum(lost), reached / world.sessions, shown / world.sessions)
