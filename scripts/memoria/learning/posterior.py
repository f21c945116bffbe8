"""Write down what is believed of each rule: the content of bandit.json.

It is the fold of the ledger's plays that a person and the reports read: counts that can be checked
by hand, and the policy's belief beside them, per rule, per family and per project. Deleted, it
comes back the same to the byte: plays are taken in one order, and numbers keep six digits, since
the last ones differ between machines.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memoria.capture.extract.session_context import Context
from memoria.learning import joint, slate
from memoria.learning.play import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memoria.learning.arms import Arm
    from memoria.learning.joint import Joint
    from memoria.learning.play import Play
    from memoria.learning.policy import Learned

    # mean and deviation
    Belief = tuple[float, float]

# more digits than a person reads, fewer than two machines may differ in
_DIGITS = 6
_REWARDS = {1: "helped", 0: "no_help", -1: "hurt"}


@dataclass(slots=True)
class _Record:
    """What happened to one rule."""

    counts: dict[str, int] = field(default_factory=dict)
    projects: dict[str, int] = field(default_factory=dict)
    last: dict[str, Any] | None = None

    def add(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1


# what is counted, in the order of the file
_COUNTED = (
    *("shown", "withheld", "outcomes", "successes"),
    *("well", "again", "helped", "no_help", "hurt"),
)


def state(learned: Learned, arms: Sequence[Arm], plays: Iterable[Play]) -> dict[str, Any]:
    """Give bandit.json: counts and beliefs by rule and by family.

    `mean` and `sd` are of the effect in log-odds for `joint`, of the share of successes for
    `beta-thompson`; they are missing where the policy believes nothing.
    """
    ordered = canonical(plays)
    names = {alias: arm.id for arm in arms for alias in arm.aliases}
    records = _records(ordered, names)
    projects = tuple(sorted({play.context.project for play in ordered}))
    beliefs = _beliefs(learned, projects, {arm.id for arm in arms} | set(records))
    model = learned.model
    rules = {}
    for name in sorted({arm.id for arm in arms} | set(records)):
        record = records.get(name, _Record())
        everywhere, by_project = beliefs.get(name, (None, {}))
        rules[name] = {
            "family": model.names[model.owner[name]] if model and name in model.owner else name,
            **_spelled(everywhere),
            **{what: record.counts.get(what, 0) for what in _COUNTED},
            "last_reward": record.last,
            "projects": {
                project: {**_spelled(by_project.get(project)), "shown": count}
                for project, count in sorted(record.projects.items())
            },
        }
    return {
        "version": slate.VERSION,
        "policy": learned.policy,
        "plays": len(ordered),
        "known": sum(play.known for play in ordered),
        "shared": _shared(model),
        "families": _families(rules),
        "rules": rules,
    }


def _records(plays: Iterable[Play], names: Mapping[str, str]) -> dict[str, _Record]:
    records: dict[str, _Record] = {}

    def record(name: str) -> _Record:
        return records.setdefault(names.get(name, name), _Record())

    for play in plays:
        for name in play.shown:
            mine = record(name)
            mine.add("shown")
            mine.projects[play.context.project] = mine.projects.get(play.context.project, 0) + 1
            if play.outcome is not None:
                mine.add("outcomes")
                mine.counts["successes"] = mine.counts.get("successes", 0) + round(play.outcome)
        for name in play.withheld:
            record(name).add("withheld")
        for name, well in play.judged.items():
            record(name).add("well" if well else "again")
        for name, reward in play.rewards.items():
            if reward in _REWARDS:
                record(name).add(_REWARDS[reward])
                record(name).last = {"at": play.at.isoformat(), "reward": reward}
    return records


def _beliefs(
    learned: Learned, projects: Sequence[str], names: Iterable[str]
) -> dict[str, tuple[Belief | None, dict[str, Belief]]]:
    """Give the belief of each rule everywhere, and in each project."""
    if learned.model is not None:
        return _effects(learned.model, projects)
    if learned.counts is None:
        return {}
    beliefs: dict[str, tuple[Belief | None, dict[str, Belief]]] = {}
    for name in names:
        counts = {
            project: learned.counts[f"{project}|"][name]
            for project in projects
            if name in learned.counts.get(f"{project}|", {})
        }
        wins, losses = (sum(both[side] for both in counts.values()) for side in (0, 1))
        by_project = {project: _share(*both) for project, both in counts.items()}
        beliefs[name] = (_share(wins, losses), by_project)
    return beliefs


def _share(wins: float, losses: float) -> Belief:
    """Give mean and deviation of Beta(1 + wins, 1 + losses)."""
    total = wins + losses + 2.0
    mean = (wins + 1.0) / total
    return mean, (mean * (1.0 - mean) / (total + 1.0)) ** 0.5


def _effects(
    model: Joint, projects: Sequence[str]
) -> dict[str, tuple[Belief | None, dict[str, Belief]]]:
    everywhere = joint.everywhere(model)
    means, spreads = joint.predict(model, [Context(project=project) for project in projects])
    return {
        name: (
            (float(everywhere[0][at]), float(everywhere[1][at])),
            {
                project: (float(means[at, column]), float(spreads[at, column]))
                for column, project in enumerate(projects)
            },
        )
        for name, at in model.owner.items()
    }


def _spelled(belief: Belief | None) -> dict[str, float]:
    return {} if belief is None else {"mean": rounded(belief[0]), "sd": rounded(belief[1])}


def rounded(value: float) -> float:
    """Keep six digits of a number; a zero has no sign."""
    return float(f"{value:.{_DIGITS}g}") + 0.0


def _shared(model: Joint | None) -> dict[str, float]:
    """Give what holds for all rules: how much a text's promise is worth, and so on."""
    if model is None:
        return {}
    weights = model.solution.weights[model.layout.fit : model.layout.ease]
    names = ("fit", "share", "rule", "rest")
    return {name: rounded(float(value)) for name, value in zip(names, weights, strict=True)}


def _families(rules: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Gather the rules of each family; its belief is that of its rules, which are one to it."""
    families: dict[str, Any] = {}
    for name, row in rules.items():
        family = families.setdefault(row["family"], {"rules": [], "shown": 0})
        family["rules"].append(name)
        family["shown"] += row["shown"]
        family.update({key: row[key] for key in ("mean", "sd") if key in row})
    return dict(sorted(families.items()))
