"""Learn by one of the policies, and prepare the compact state from which a hook chooses.

Only the arms given to `compact` can ever be chosen, and the caller gives those that are in force in
the project. Beta-Bernoulli is the seed's policy: every rule that was shown gets the session's
outcome, and a reward is one more win or loss. At a start the task is not known, so a
project's counts over all tasks stand beside those of each task.

bandit.json is what is believed of each rule. Deleted, it comes back the same to the byte: plays are
taken in one order, and numbers keep six digits, since the last ones differ between machines.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from memoria.capture.extract.session_context import SessionContext
from memoria.learning import joint, session_rules
from memoria.learning.arms import Arm
from memoria.learning.joint import PRIOR, Joint
from memoria.learning.play import Play, sort_plays

# an arm's place in the given ones, and the two numbers of its law
Row = tuple[int, float, float]
# a context's label, by rule its wins and losses
Counts = dict[str, dict[str, tuple[float, float]]]
# mean and deviation
Belief = tuple[float, float]

Policy = Literal["none", "all", "beta-thompson", "joint"]
POLICIES: tuple[Policy, ...] = ("none", "all", "beta-thompson", "joint")
# a draw's deviation is damped to this part: over-exploration is the main enemy at a few thousand
# sessions (measured: .2 costs a tenth more regret, 0 as much, and then nothing is tried again)
SPREAD_PART = 0.1
# a slate of 40 is drawn from these: what lies behind them is hardly ever drawn
MAX_CANDIDATES = 200
# times the room: with more rules a line has to be worth its cost, or what nobody knows anything of
# fills the slate (measured with 8 of 40: regret .55 of Beta Thompson's, and .47 with the cost)
_CROWDED_TIMES = 2
# a candidate that is drawn once in 700 sessions: three deviations up
_DEVIATIONS = 3.0
_LAWS = {"joint": "normal", "beta-thompson": "beta"}


@dataclass(frozen=True, slots=True)
class Options:
    """What a person's settings say of selection."""

    policy: Policy = "joint"
    k: int = session_rules.K
    epsilon: float = session_rules.EPSILON


@dataclass(frozen=True, slots=True)
class Learned:
    """What the plays taught; `model` is there for `joint` alone, `counts` for beta-thompson."""

    policy: Policy
    model: Joint | None = None
    counts: Counts | None = None


def learn(policy: Policy, arms: Sequence[Arm], plays: Iterable[Play]) -> Learned:
    """Learn from all plays; `arms` are all rules, in force or not."""
    all_plays = list(plays)
    # where there is no rule there is nothing to fit, and what fits takes half a second to load
    has_rules = arms or any(
        play.shown or play.withheld or play.judged or play.rewards for play in all_plays
    )
    if policy == "joint" and has_rules:
        return Learned(policy, model=joint.fit(arms, all_plays))
    if policy == "beta-thompson":
        counts: Counts = {}
        for play in sort_plays(all_plays):
            add(counts, play)
        return Learned(policy, counts=counts)
    return Learned(policy)


def add(counts: Counts, play: Play) -> None:
    """Add the wins and losses of a play to the counts of its task, and of its project."""
    outcomes = [(name, float(reward == 1)) for name, reward in play.rewards.items()]
    if play.outcome is not None:
        outcomes += [(name, play.outcome) for name in play.shown]
    for label in {play.context.label, f"{play.context.project}|"}:
        row = counts.setdefault(label, {})
        for name, won in outcomes:
            wins, losses = row.get(name, (0.0, 0.0))
            row[name] = (wins + won, losses + 1.0 - won)


def compact(
    learned: Learned, arms: Sequence[Arm], context: SessionContext, options: Options | None = None
) -> dict[str, Any]:
    """Prepare what `session_rules.choose` draws from at a session's start, as JSON can hold it.

    `arms` are the rules in force in the project, in the order in which a person would name them:
    `all` takes them in this order, and where there are more than fit, the first of paraphrases
    stands for all.
    """
    options = options or Options()
    pinned = [arm for arm in arms if arm.pinned]
    free_arms = [arm for arm in arms if not arm.pinned] if learned.policy != "none" else []
    has_room = len(arms) <= options.k and sum(arm.units for arm in arms) <= session_rules.BUDGET
    if learned.model is not None:
        owners = _choose_arms(learned.model, pinned, free_arms, is_whole=has_room)
        rows = _read_effects(learned.model, owners, context)
    else:
        # one win and one loss that never were: the seed's prior
        counts = (learned.counts or {}).get(context.label, {})
        wins_and_losses = (counts.get(arm.id, (0.0, 0.0)) for arm in free_arms)
        rows = [(at, wins + 1.0, losses + 1.0) for at, (wins, losses) in enumerate(wins_and_losses)]
    places = {at: len(pinned) + place for place, (at, *_) in enumerate(rows)}
    return {
        "policy": learned.policy,
        "version": session_rules.VERSION,
        "law": _LAWS.get(learned.policy, "order"),
        "cost": PRIOR.cost if len(arms) > _CROWDED_TIMES * options.k else None,
        "k": len(arms) if learned.policy == "all" else options.k,
        "epsilon": options.epsilon,
        "arms": [[arm.id, arm.units] for arm in (*pinned, *(free_arms[at] for at in places))],
        "pinned": list(range(len(pinned))),
        "rest": [arm.id for at, arm in enumerate(free_arms) if at not in places],
        "labels": {"": [[places[at], *numbers] for at, *numbers in rows]},
    }


def _choose_arms(
    model: Joint, pinned: Sequence[Arm], free_arms: Sequence[Arm], *, is_whole: bool
) -> dict[int, int]:
    """Give the first arm of each family that no pinned rule belongs to, or each arm.

    What is given is the place of the arm and the number of its family.
    """
    if is_whole:
        return {at: model.owner[arm.id] for at, arm in enumerate(free_arms)}
    firsts: dict[int, int] = {}
    pinned_families = {model.owner.get(arm.id) for arm in pinned}
    for at, arm in enumerate(free_arms):
        family = model.owner.get(arm.id)
        if family is not None and family not in pinned_families:
            firsts.setdefault(family, at)
    return {at: family for family, at in firsts.items()}


def _read_effects(model: Joint, owners: Mapping[int, int], context: SessionContext) -> list[Row]:
    """Give the belief of arms in a context; `owners` gives the family by the arm's place."""
    families, places = np.array(list(owners.values()), np.intp), np.array(list(owners), np.intp)
    means, spreads = (rows[families, 0] for rows in joint.predict(model, [context]))
    spreads = SPREAD_PART * spreads
    best = np.sort(np.argsort(-(means + _DEVIATIONS * spreads), kind="stable")[:MAX_CANDIDATES])
    rows = zip(places[best], means[best], spreads[best], strict=True)
    return [(int(at), round(float(mean), 4), round(float(spread), 4)) for at, mean, spread in rows]


# -- bandit.json -----------------------------------------------------------------------------------

# more digits than a person reads, fewer than two machines may differ in
_DIGITS = 6
_REWARD_KEYS = {1: "helped", 0: "no_help", -1: "hurt"}
# what is counted, in the order of the file
_COUNTS = ("shown", "withheld", "outcomes", "successes", "well", "again", *_REWARD_KEYS.values())


def state(learned: Learned, arms: Sequence[Arm], plays: Iterable[Play]) -> dict[str, Any]:
    """Give bandit.json: counts and beliefs by rule, and its family.

    `mean` and `sd` are of the effect in log-odds for `joint`, of the share of successes for
    `beta-thompson`; they are missing where the policy believes nothing.
    """
    ordered = sort_plays(plays)
    records, last_rewards = _count_plays(ordered)
    names = sorted({arm.id for arm in arms} | set(records))
    beliefs = _read_beliefs(learned, names)
    model = learned.model
    rules = {
        name: {
            "family": model.names[model.owner[name]] if model and name in model.owner else name,
            **dict(zip(("mean", "sd"), map(round_value, beliefs.get(name, ())), strict=False)),
            **{key: records[name][key] for key in _COUNTS},
            "last_reward": last_rewards.get(name),
        }
        for name in names
    }
    return {
        "version": session_rules.VERSION,
        "policy": learned.policy,
        "plays": len(ordered),
        "known": sum(
            play.outcome is not None or bool(play.rewards or play.judged) for play in ordered
        ),
        "rules": rules,
    }


def _count_plays(plays: Iterable[Play]) -> tuple[defaultdict[str, Counter[str]], dict[str, Any]]:
    """Count what happened to each rule, and give its last reward."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    last_rewards: dict[str, Any] = {}
    for play in plays:
        outcome = ["outcomes"] if play.outcome is not None else []
        outcome += ["successes"] * round(play.outcome or 0)
        for name in play.shown:
            counts[name].update(["shown", *outcome])
        for name in play.withheld:
            counts[name]["withheld"] += 1
        for name, well in play.judged.items():
            counts[name]["well" if well else "again"] += 1
        for name, reward in play.rewards.items():
            if reward in _REWARD_KEYS:
                counts[name][_REWARD_KEYS[reward]] += 1
                last_rewards[name] = {"at": play.at.isoformat(), "reward": reward}
    return counts, last_rewards


def _read_beliefs(learned: Learned, names: Iterable[str]) -> dict[str, Belief]:
    """Give the belief of each rule, over all projects."""
    if learned.model is not None:
        means, spreads = joint.predict_everywhere(learned.model)
        owners = learned.model.owner.items()
        return {name: (float(means[at]), float(spreads[at])) for name, at in owners}
    if learned.counts is None:
        return {}
    # of a project as a whole; the others are those of its tasks
    counts_of_projects = [row for label, row in learned.counts.items() if label.endswith("|")]
    by_rule = {name: [row[name] for row in counts_of_projects if name in row] for name in names}
    return {
        name: _compute_share(*(sum(side) for side in zip((0.0, 0.0), *counts, strict=True)))
        for name, counts in by_rule.items()
    }


def _compute_share(wins: float, losses: float) -> Belief:
    """Give mean and deviation of Beta(1 + wins, 1 + losses)."""
    total = wins + losses + 2.0
    mean = (wins + 1.0) / total
    return mean, (mean * (1.0 - mean) / (total + 1.0)) ** 0.5


def round_value(value: float) -> float:
    """Keep six digits of a number; a zero has no sign."""
    return float(f"{value:.{_DIGITS}g}") + 0.0
