"""The policies of Memoria, and simple ones beside them -> one interface to a simulated session.

Those of Memoria are the product's own code: plays are learned from by `selection.learn`, prepared
by `selection.compact` for the context at hand, and drawn from by `session_rules.choose`. What is
not is that the model is fitted every few sessions only, which costs regret and never gains any.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from memoria.capture.extract.session_context import SessionContext
from memoria.learning import joint, policy as selection, session_rules
from memoria.learning.arms import Arm
from memoria.learning.play import EPOCH, Play

if TYPE_CHECKING:
    from bench.bandit.simulator import Floats, Ints, Scene, Simulator

HAS_MABWISER = find_spec("mabwiser") is not None
# room for any slate: the simulator has no budget of characters
ROOM = 1 << 30


class Contestant(Protocol):
    """A policy: it chooses arms for a session and is told later how sessions went."""

    def choose(self, scene: Scene) -> Ints:
        """Choose a slate from the arms that exist."""

    def learn(self, scene: Scene, slate: Ints, outcome: float) -> None:
        """Take in how an earlier session went."""


class Forgetful:
    """A policy that learns nothing."""

    def __init__(self, simulator: Simulator, seed: int) -> None:
        self.simulator, self.rng = simulator, np.random.default_rng([seed, 7])
        self.most = simulator.world.slate

    def learn(self, scene: Scene, slate: Ints, outcome: float) -> None:
        """Learn nothing."""


class Nothing(Forgetful):
    """Inject nothing."""

    def choose(self, scene: Scene) -> Ints:
        """Choose none."""
        return scene.alive[:0]


class Random(Forgetful):
    """Inject any eight."""

    def choose(self, scene: Scene) -> Ints:
        """Choose by chance."""
        return np.asarray(self.rng.permutation(scene.alive)[: self.most])


class Text(Forgetful):
    """Inject the eight whose text is nearest."""

    def choose(self, scene: Scene) -> Ints:
        """Choose by similarity."""
        near = self.simulator.texts[scene.alive] @ scene.vector
        return np.asarray(scene.alive[np.argsort(-near)[: self.most]])


class TextOnce(Forgetful):
    """Inject the eight families whose text is nearest, one wording of each (families are given)."""

    def choose(self, scene: Scene) -> Ints:
        """Choose by similarity, each family once."""
        near = self.simulator.texts[scene.alive] @ scene.vector
        ranked = scene.alive[np.argsort(-near)]
        _, first = np.unique(self.simulator.family[ranked], return_index=True)
        return np.asarray(ranked[np.sort(first)[: self.most]])


class Oracle(Forgetful):
    """Inject what is best, the effects known."""

    def choose(self, scene: Scene) -> Ints:
        """Choose by the true effects."""
        simulator = self.simulator
        families, first = np.unique(simulator.family[scene.alive], return_index=True)
        effects = simulator.effects[families, simulator.context] - simulator.world.cost
        best = np.argsort(-effects)[: self.most]
        return np.asarray(scene.alive[first[best[effects[best] > 0.0]]])


@dataclass
class Product:
    """A policy of Memoria, fitted anew every `every` sessions."""

    simulator: Simulator
    seed: int
    options: selection.Options
    every: int = 1
    prior: joint.Prior = joint.PRIOR
    plays: dict[int, Play] = field(default_factory=dict)
    learned: selection.Learned | None = None
    arms: list[Arm] = field(default_factory=list)
    known: dict[int, Arm] = field(default_factory=dict)

    def context(self, scene: Scene) -> SessionContext:
        """Give a scene as the product sees it."""
        return SessionContext(task=scene.label, words=words(scene.vector))

    def choose(self, scene: Scene) -> Ints:
        """Choose as the product does: learn, prepare, draw."""
        if self.learned is None or scene.number % self.every == 0:
            self.arms = [self._arm(int(at)) for at in scene.alive]
            self.learned = self._fit()
        here = self.context(scene)
        prepared = selection.compact(self.learned, self.arms, here, self.options)
        drawn = session_rules.choose(prepared, f"{self.seed} {scene.number}", budget=ROOM)
        shown = dict.fromkeys(drawn.shown, "")
        at = EPOCH + timedelta(minutes=scene.number)
        self.plays[scene.number] = Play(f"{scene.number}", at, here, shown)
        return np.array([int(name) for name in drawn.shown], np.intp)

    def _fit(self) -> selection.Learned:
        if self.options.policy == "joint":
            model = joint.fit(self.arms, self.plays.values(), self.prior)
            return selection.Learned("joint", model=model)
        return selection.learn(self.options.policy, self.arms, self.plays.values())

    def learn(self, scene: Scene, _slate: Ints, outcome: float) -> None:
        """Fill in the outcome of a session."""
        self.plays[scene.number] = replace(self.plays[scene.number], outcome=outcome)

    def _arm(self, at: int) -> Arm:
        if at not in self.known:
            family = f"family {self.simulator.family[at]}"
            self.known[at] = Arm(f"{at}", words(self.simulator.texts[at]), family)
        return self.known[at]


def words(vector: Floats) -> dict[str, float]:
    """Give a vector as words with weights."""
    return {f"{at:03d}": float(value) for at, value in enumerate(vector)}


class Counted(Product):
    """Beta-Bernoulli, whose counts are added to and need not be made anew."""

    def _fit(self) -> selection.Learned:
        return self.learned or selection.Learned("beta-thompson", counts={})

    def learn(self, scene: Scene, slate: Ints, outcome: float) -> None:
        """Count a session."""
        super().learn(scene, slate, outcome)
        if self.learned and self.learned.counts is not None:
            selection.add(self.learned.counts, self.plays.pop(scene.number))


class Wordless(Product):
    """The product where texts say nothing: it is told the families, and contexts by label alone."""

    def context(self, scene: Scene) -> SessionContext:
        """Give a scene without its words."""
        return SessionContext(task=scene.label)

    def _arm(self, at: int) -> Arm:
        return Arm(f"{at}", family=f"family {self.simulator.family[at]}")


class Mabwiser:
    """Linear Thompson sampling of MABWiser, an arm each; the eight best expectations are a slate.

    Its interface has one arm a decision, so each arm of a slate is told the session's outcome.
    """

    def __init__(self, simulator: Simulator, seed: int) -> None:
        from mabwiser.mab import MAB, LearningPolicy  # type: ignore[import-not-found] # noqa: PLC0415 - optional

        self.most = simulator.world.slate
        self.rng = np.random.default_rng([seed, 9])
        # alpha 1, its default, explores itself to death; .2 is what served best on seeds 0 and 1
        self.mab: Any = MAB([], LearningPolicy.LinTS(alpha=0.2), seed=seed)
        self.arms: set[int] = set()
        self.fitted = False

    def choose(self, scene: Scene) -> Ints:
        """Choose the eight with the highest sampled expectations."""
        for at in map(int, scene.alive):
            if at not in self.arms:
                self.arms.add(at)
                self.mab.add_arm(at)
        if not self.fitted:
            return np.asarray(self.rng.permutation(scene.alive)[: self.most])
        hoped = self.mab.predict_expectations(scene.vector[None])
        return np.array(sorted(hoped, key=lambda at: -hoped[at])[: self.most], np.intp)

    def learn(self, scene: Scene, slate: Ints, outcome: float) -> None:
        """Tell each arm of the slate the outcome."""
        contexts = np.repeat(scene.vector[None], len(slate), axis=0)
        told = (list(map(int, slate)), [outcome] * len(slate), contexts)
        (self.mab.partial_fit if self.fitted else self.mab.fit)(*told)
        self.fitted = True
