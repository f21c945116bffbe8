"""Learn by one of the policies, and prepare the compact state from which a hook chooses.

There are four policies: nothing, everything, Beta-Bernoulli, or the joint model. The flush calls
this after each session; the session-start hook reads the state and draws from it (`slate.choose`).
Exploration never lifts the gate: only the arms given to `compact` can ever be chosen, and the
caller gives those that are in force in the project.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from memoria.learning import joint, slate, thompson
from memoria.learning.joint import PRIOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memoria.capture.extract.session_context import Context
    from memoria.learning.arms import Arm
    from memoria.learning.joint import Joint
    from memoria.learning.play import Play
    from memoria.learning.thompson import Counts

Policy = Literal["none", "all", "beta-thompson", "joint"]
POLICIES: tuple[Policy, ...] = ("none", "all", "beta-thompson", "joint")
# a draw's deviation is damped to this part: over-exploration is the main enemy at a few thousand
# sessions (measured: .2 costs a tenth more regret, 0 as much, and then nothing is tried again)
ALPHA = 0.1
# a slate of 40 is drawn from these: what lies behind them is hardly ever drawn
CANDIDATES = 200
# times the room: with more rules a line has to be worth its cost, or what nobody knows anything of
# fills the slate (measured with 8 of 40: regret .55 of Beta Thompson's, and .47 with the cost)
_CROWDED = 2
# a candidate that is drawn once in 700 sessions: three deviations up
_REACH = 3.0


@dataclass(frozen=True, slots=True)
class Options:
    """What a person's settings say of selection.

    `candidates` bounds what a label is drawn from; a state for the prompt hook wants all, since
    what fits the prompt may lie anywhere.
    """

    policy: Policy = "joint"
    k: int = slate.K
    epsilon: float = slate.EPSILON
    alpha: float = ALPHA
    cost: float = PRIOR.cost
    candidates: int = CANDIDATES


@dataclass(frozen=True, slots=True)
class Learned:
    """What the plays taught; `model` is there for `joint` alone, `counts` for beta-thompson."""

    policy: Policy
    model: Joint | None = None
    counts: Counts | None = None


def learn(policy: Policy, arms: Sequence[Arm], plays: Iterable[Play]) -> Learned:
    """Learn from all plays; `arms` are all rules, in force or not."""
    if policy == "joint":
        return Learned(policy, model=joint.fit(arms, plays))
    if policy == "beta-thompson":
        names = {alias: arm.id for arm in arms for alias in arm.aliases}
        return Learned(policy, counts=thompson.count(plays, names))
    return Learned(policy)


def compact(
    learned: Learned,
    arms: Sequence[Arm],
    contexts: Mapping[str, Context],
    options: Options | None = None,
) -> dict[str, Any]:
    """Prepare what `slate.choose` draws from, as JSON can hold it.

    `arms` are the rules in force in the project, in the order in which a person would name them:
    `all` takes them in this order, and where there are more than fit, the first of paraphrases
    stands for all. `contexts` gives the context for each label: "" is a session's start, where the
    task is not known yet; others are tasks.
    """
    options = options or Options()
    pinned = [arm for arm in arms if arm.pinned]
    laws = {"joint": "normal", "beta-thompson": "beta"}
    free = [arm for arm in arms if not arm.pinned] if learned.policy != "none" else []
    has_room = len(arms) <= options.k and sum(arm.units for arm in arms) <= slate.BUDGET
    owners = {}
    if learned.model is not None:
        owners = _families(learned.model, pinned, free, each=has_room)
    rows = _rows(learned, owners, free, contexts, options)
    used = sorted({at for candidates in rows.values() for at, *_ in candidates})
    kept = {at: len(pinned) + place for place, at in enumerate(used)}
    return {
        "policy": learned.policy,
        "version": slate.VERSION,
        "law": laws.get(learned.policy, "order"),
        "cost": options.cost if len(arms) > _CROWDED * options.k else None,
        "k": len(arms) if learned.policy == "all" else options.k,
        "epsilon": options.epsilon,
        "arms": [[arm.id, arm.units] for arm in (*pinned, *(free[at] for at in used))],
        "pinned": list(range(len(pinned))),
        "rest": [arm.id for at, arm in enumerate(free) if at not in kept],
        "labels": {
            label: [[kept[at], *numbers] for at, *numbers in candidates]
            for label, candidates in rows.items()
        },
    }


Row = tuple[int, float, float]


def _rows(
    learned: Learned,
    owners: Mapping[int, int],
    free: Sequence[Arm],
    contexts: Mapping[str, Context],
    options: Options,
) -> dict[str, list[Row]]:
    """Give the candidates of each label: an index into `free` and the two numbers of its law."""
    if learned.model is not None:
        return _effects(learned.model, owners, contexts, options)
    if learned.counts is None:
        return {label: [(at, 0.0, 0.0) for at in range(len(free))] for label in contexts}
    rows = {}
    for label, context in contexts.items():
        counts = learned.counts.get(context.label, {})
        # one win and one loss that never were: the seed's prior
        both = (counts.get(arm.id, (0.0, 0.0)) for arm in free)
        rows[label] = [(at, wins + 1.0, losses + 1.0) for at, (wins, losses) in enumerate(both)]
    return rows


def _families(
    model: Joint, pinned: Sequence[Arm], free: Sequence[Arm], *, each: bool
) -> dict[int, int]:
    """Give the first arm of each family that no pinned rule belongs to, or each arm.

    What is given is the place of the arm and the number of its family.
    """
    if each:
        return {at: model.owner[arm.id] for at, arm in enumerate(free)}
    first: dict[int, int] = {}
    taken = {model.owner[arm.id] for arm in pinned if arm.id in model.owner}
    for at, arm in enumerate(free):
        family = model.owner.get(arm.id)
        if family is not None and family not in taken:
            first.setdefault(family, at)
    return {at: family for family, at in first.items()}


def _effects(
    model: Joint,
    owners: Mapping[int, int],
    contexts: Mapping[str, Context],
    options: Options,
) -> dict[str, list[Row]]:
    """Give the belief of arms in each context; `owners` gives the family by the arm's place."""
    families, places = np.array(list(owners.values()), np.intp), np.array(list(owners), np.intp)
    means, spreads = joint.predict(model, list(contexts.values()))
    rows: dict[str, list[Row]] = {}
    for column, label in enumerate(contexts):
        mean, spread = means[families, column], options.alpha * spreads[families, column]
        reach = mean + _REACH * spread
        best = np.argsort(-reach, kind="stable")[: options.candidates]
        rows[label] = [
            (int(places[at]), round(float(mean[at]), 4), round(float(spread[at]), 4))
            for at in np.sort(best)
        ]
    return rows
