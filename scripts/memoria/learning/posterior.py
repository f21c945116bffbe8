"""Write down what is believed of each rule: the content of bandit.json.

Deleted, it comes back the same to the byte: plays are taken in one order, and numbers keep six
digits, since the last ones differ between machines.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memoria.learning import joint, slate
from memoria.learning.play import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memoria.learning.arms import Arm
    from memoria.learning.play import Play
    from memoria.learning.policy import Learned

    Belief = tuple[float, float]  # mean and deviation

# more digits than a person reads, fewer than two machines may differ in
_DIGITS = 6
_REWARDS = {1: "helped", 0: "no_help", -1: "hurt"}
# what is counted, in the order of the file
_COUNTED = (
    *("shown", "withheld", "outcomes", "successes"),
    *("well", "again", "helped", "no_help", "hurt"),
)


@dataclass(slots=True)
class _Record:
    """What happened to one rule."""

    counts: Counter[str] = field(default_factory=Counter)
    last: dict[str, Any] | None = None


def state(learned: Learned, arms: Sequence[Arm], plays: Iterable[Play]) -> dict[str, Any]:
    """Give bandit.json: counts and beliefs by rule, and its family.

    `mean` and `sd` are of the effect in log-odds for `joint`, of the share of successes for
    `beta-thompson`; they are missing where the policy believes nothing.
    """
    ordered = canonical(plays)
    records = _records(ordered, {alias: arm.id for arm in arms for alias in arm.aliases})
    names = sorted({arm.id for arm in arms} | set(records))
    beliefs = _beliefs(learned, names)
    model = learned.model
    rules = {}
    for name in names:
        record = records.get(name, _Record())
        rules[name] = {
            "family": model.names[model.owner[name]] if model and name in model.owner else name,
            **_spelled(beliefs.get(name)),
            **{what: record.counts[what] for what in _COUNTED},
            "last_reward": record.last,
        }
    return {
        "version": slate.VERSION,
        "policy": learned.policy,
        "plays": len(ordered),
        "known": sum(play.known for play in ordered),
        "rules": rules,
    }


def _records(plays: Iterable[Play], names: Mapping[str, str]) -> dict[str, _Record]:
    records: dict[str, _Record] = {}

    def add(name: str, *what: str) -> _Record:
        record = records.setdefault(names.get(name, name), _Record())
        record.counts.update(what)
        return record

    for play in plays:
        outcome = ["outcomes"] if play.outcome is not None else []
        outcome += ["successes"] * round(play.outcome or 0)
        for name in play.shown:
            add(name, "shown", *outcome)
        for name in play.withheld:
            add(name, "withheld")
        for name, well in play.judged.items():
            add(name, "well" if well else "again")
        for name, reward in play.rewards.items():
            if reward in _REWARDS:
                given = {"at": play.at.isoformat(), "reward": reward}
                add(name, _REWARDS[reward]).last = given
    return records


def _beliefs(learned: Learned, names: Iterable[str]) -> dict[str, Belief]:
    """Give the belief of each rule, over all projects."""
    if learned.model is not None:
        means, spreads = joint.everywhere(learned.model)
        owners = learned.model.owner.items()
        return {name: (float(means[at]), float(spreads[at])) for name, at in owners}
    if learned.counts is None:
        return {}
    # of a project as a whole; the others are those of its tasks
    rows = [row for label, row in learned.counts.items() if label.endswith("|")]
    known = {name: [row[name] for row in rows if name in row] for name in names}
    return {
        name: _share(*(sum(side) for side in zip((0.0, 0.0), *counts, strict=True)))
        for name, counts in known.items()
    }


def _share(wins: float, losses: float) -> Belief:
    """Give mean and deviation of Beta(1 + wins, 1 + losses)."""
    total = wins + losses + 2.0
    mean = (wins + 1.0) / total
    return mean, (mean * (1.0 - mean) / (total + 1.0)) ** 0.5


def _spelled(belief: Belief | None) -> dict[str, float]:
    return {} if belief is None else {"mean": rounded(belief[0]), "sd": rounded(belief[1])}


def rounded(value: float) -> float:
    """Keep six digits of a number; a zero has no sign."""
    return float(f"{value:.{_DIGITS}g}") + 0.0
