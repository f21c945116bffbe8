"""Made-up sessions in which it is known what each rule does -> what a policy is measured on.

Built from the project's specification of simulated environments: latent contexts that are seen
through a label that is sometimes wrong and a vector, rules in families of paraphrases whose text
leans to one context, effects in log-odds, arrivals, drift, and one late bit of feedback a session.
Where the specification leaves room, the reading is the one that reproduces its reference figures
best: what spills is a helpful family's effect, what harms does so in the family's own context.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]

# families of 1 to 6 paraphrases; these shares give the specified mean of 2.5
SIZES = np.array([0.32, 0.27, 0.18, 0.12, 0.07, 0.04])


@dataclass(frozen=True, slots=True)
class World:
    """The numbers of an environment; the defaults are the base case."""

    arms: int = 200
    sessions: int = 2_000
    contexts: int = 8
    dimensions: int = 16
    prevalence: float = 0.7
    label_right: float = 0.85
    context_noise: float = 0.55
    family_noise: float = 0.8
    arm_noise: float = 0.25
    helpful: float = 0.45
    spills: float = 0.25
    harmful: float = 0.12
    cost: float = 0.03
    slate: int = 8
    arrival: float = 0.6
    drift: float = 1 / 1_500
    seen: float = 0.7
    delay: float = 3.0
    # other readings of the specification: every family may spill; harm anywhere
    any_spills: bool = False
    harm_anywhere: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """What can be seen of a session before it: its number, label ("" for none), vector, arms."""

    number: int
    label: str
    vector: Floats
    alive: Ints


class Simulator:
    """One environment; the same seed gives the same sessions whatever a policy does."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.fixed = np.random.default_rng([seed, 1])
        self.moving = np.random.default_rng([seed, 2])
        self.number = -1
        self.context = 0
        self._contexts()
        self._families()
        self.effects = np.array([self._effects(family, self.fixed) for family in self._all()])
        self.starts = self._starts()

    def _contexts(self) -> None:
        world = self.world
        shares = np.arange(1, world.contexts + 1) ** -world.prevalence
        self.prevalence = shares / shares.sum()
        self.centres = _unit(self.fixed.normal(size=(world.contexts, world.dimensions)))
        rates = self.fixed.uniform(0.45, 0.80, world.contexts)
        self.bases = np.log(rates / (1 - rates))

    def _families(self) -> None:
        world, sizes = self.world, np.arange(1, len(SIZES) + 1)
        drawn: list[int] = []
        while len(drawn) < world.arms:
            drawn += [len(set(drawn))] * int(self.fixed.choice(sizes, p=SIZES))
        self.family = np.array(drawn[: world.arms])
        self.leaning = self.fixed.integers(world.contexts, size=len(self._all()))
        topics = self._near(self.centres[self.leaning], world.family_noise)
        self.texts = self._near(topics[self.family], world.arm_noise)

    def _all(self) -> range:
        return range(int(self.family.max()) + 1)

    def _near(self, points: Floats, noise: float) -> Floats:
        shaken = self.fixed.normal(size=points.shape) * noise / np.sqrt(self.world.dimensions)
        return _unit(points + shaken)

    def _effects(self, family: int, rng: np.random.Generator) -> Floats:
        """Draw a family's log-odds effect in each context."""
        world, found = self.world, np.zeros(self.world.contexts)
        own = int(self.leaning[family])
        lot = rng.random()
        if lot < world.helpful:
            found[own] = rng.uniform(0.3, 1.2)
        elif lot < world.helpful + world.harmful and not world.harm_anywhere:
            found[own] = -rng.uniform(0.1, 0.5)
        if rng.random() < world.spills and (lot < world.helpful or world.any_spills):
            other = (own + int(rng.integers(1, world.contexts))) % world.contexts
            found[other] = rng.uniform(0.2, 0.8)
        if world.harm_anywhere:
            hurt = (rng.random(world.contexts) < world.harmful) & (found == 0.0)
            found[hurt] = -rng.uniform(0.1, 0.5, int(hurt.sum()))
        return found

    def _starts(self) -> Ints:
        """Say from which session on each arm exists: half from the start, the rest as they come."""
        world, starts = self.world, np.zeros(self.world.arms, np.intp)
        late = self.fixed.permutation(world.arms)[world.arms // 2 :]
        last = max(2, int(world.arrival * world.sessions))
        starts[late] = self.fixed.integers(1, last, size=len(late))
        return starts

    def next(self) -> Scene:
        """Go on to the next session."""
        world, rng = self.world, self.moving
        self.number += 1
        for family in np.flatnonzero(rng.random(len(self.effects)) < world.drift):
            self.effects[family] = self._effects(int(family), rng)
        self.context = int(rng.choice(world.contexts, p=self.prevalence))
        wrong = (self.context + int(rng.integers(1, world.contexts))) % world.contexts
        label = self.context if rng.random() < world.label_right else wrong
        noise = rng.normal(size=world.dimensions) * world.context_noise / np.sqrt(world.dimensions)
        self.chances = rng.random(3)
        return Scene(
            self.number,
            f"{label}" if world.label_right > 0 else "",
            _unit(self.centres[self.context] + noise),
            np.flatnonzero(self.starts <= self.number),
        )

    def success(self, slate: Ints) -> float:
        """Give the chance of a session without a repeated mistake; paraphrases count once."""
        families = np.unique(self.family[slate])
        score = float(self.effects[families, self.context].sum())
        return self._chance(score - self.world.cost * len(slate))

    def best(self, alive: Ints) -> float:
        """Give that chance under the best slate, the effects known."""
        effects = self.effects[np.unique(self.family[alive]), self.context] - self.world.cost
        top = np.sort(effects)[::-1][: self.world.slate]
        return self._chance(float(top[top > 0.0].sum()))

    def _chance(self, score: float) -> float:
        return float(1 / (1 + np.exp(-self.bases[self.context] - score)))

    def feedback(self, chance: float) -> tuple[float, int | None]:
        """Give the outcome and the sessions until it is known, None for never."""
        drawn, seen, late = self.chances
        wait = int(np.log(max(late, 1e-12)) / np.log(self.world.delay / (1 + self.world.delay)))
        return float(drawn < chance), 1 + wait if seen < self.world.seen else None


def _unit(points: Floats) -> Floats:
    return np.asarray(points / np.linalg.norm(points, axis=-1, keepdims=True))
