"""Gather the record of each rule: sessions that got it, rewards, comparisons and beliefs.

Sessions are counted and not lines: a resumed session is given the same rules again. A belief about
a rule that was never tried is what its words promise, which is no evidence; it is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp
from typing import TYPE_CHECKING, Any

from memoria.evidence.charts.axis import TIMES
from memoria.evidence.charts.figures import points, whole
from memoria.evidence.session_arms import ids
from memoria.evidence.withholding.by_rule import by_family, by_rule, earned, idle, to_retire
from memoria.learning.rewards import counted_rewards, rewards

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from memoria.evidence.withholding.adherence import Adherence
    from memoria.evidence.withholding.by_rule import Occasion, Standing
    from memoria.rules.model import Rule
    from memoria.vault.storage.history import History

# rules of the table (`memoria rewards` lists them all)
MOST = 40
# of a normal distribution: 95% of it lies within so many deviations
_WIDE = 1.96
# log-odds: a mean or deviation this large is no estimate
_VAGUE = 10.0


@dataclass(frozen=True, slots=True)
class Belief:
    """What the joint model holds of a rule's effect, in log-odds of a session without repeats."""

    mean: float
    sd: float

    @property
    def low(self) -> float:
        """The lower limit of the middle 95%, in log-odds."""
        return self.mean - _WIDE * self.sd

    @property
    def high(self) -> float:
        """The upper limit of the middle 95%, in log-odds."""
        return self.mean + _WIDE * self.sd

    @property
    def times(self) -> str:
        """By what the odds of a session without a repeated mistake are multiplied."""
        return f"{TIMES}{exp(self.mean):.2f}"

    @property
    def limits(self) -> str:
        """The limits of that factor."""
        return f"{exp(self.low):.2f} to {exp(self.high):.2f}"


@dataclass(frozen=True, slots=True)
class RuleRecord:
    """A rule's record: sessions in which it was injected and withheld, and what it earned.

    `helped`, `did_not_help` and `hurt` count the rewards of value 1, 0 and -1, by a person or
    judged. `posterior` is None for a rule that was never injected, `standing` for one without any
    occasion, `adherence` for one without a check or whose check saw none.
    """

    rule: Rule
    in_force: bool
    injected: int = 0
    withheld: int = 0
    helped: int = 0
    did_not_help: int = 0
    hurt: int = 0
    posterior: Belief | None = None
    standing: Standing | None = None
    adherence: Adherence | None = None

    @property
    def kept(self) -> str:
        """How its check saw it kept, in a sentence; "" where it has none or saw no occasion."""
        return self.adherence.sentence if self.adherence else ""

    @property
    def rewarded(self) -> int:
        """How many rewards it got, of any value."""
        return self.helped + self.did_not_help + self.hurt

    @property
    def is_tried(self) -> bool:
        """Whether it ever reached a session or was kept from one, was rewarded, or checked."""
        return bool(self.injected or self.withheld or self.rewarded or self.adherence)

    @property
    def status(self) -> str:
        """Its status, and that it is not active here where the status could be misread."""
        waits = self.rule.status == "active" and not self.in_force
        return f"{self.rule.status}, not active here" if waits else self.rule.status

    @property
    def earnings(self) -> tuple[str, str]:
        """What it was rewarded with, in words: the good ones and the others; "" for none."""
        if not self.rewarded:
            return "", ""
        hurt = f", {self.hurt} hurt" if self.hurt else ""
        return f"{self.helped} helped", f"{self.did_not_help} did not{hurt}"

    @property
    def compared(self) -> tuple[str, str]:
        """How often its mistake came back with it and without; "" where too few tell."""
        return _compared(self.standing)


@dataclass(frozen=True, slots=True)
class RuleFamily:
    """A family of paraphrases, which learn together, and what withholding them showed."""

    rules: tuple[Rule, ...]
    standing: Standing

    @property
    def compared(self) -> tuple[str, str]:
        """How often their mistake came back with one of them and without, in words."""
        return _compared(self.standing)

    @property
    def difference(self) -> str:
        """The difference that they made, in points, with its interval; "" where too few tell."""
        interval = self.standing.difference
        if interval is None:
            return ""
        return f"{points(interval.estimate)} ({whole(interval.low)} to {whole(interval.high)})"


@dataclass(frozen=True, slots=True)
class RuleRecords:
    """The records of all rules that were tried, those tried most first, and three lists.

    `untried` are in force and reached no session yet; `withheld` counts occasions of all rules on
    which chance kept the rule back. `families` are those of several rules of which enough is known.
    """

    records: tuple[RuleRecord, ...] = ()
    untried: int = 0
    in_force: int = 0
    earned: tuple[RuleRecord, ...] = ()
    retire: tuple[RuleRecord, ...] = ()
    idle: tuple[RuleRecord, ...] = ()
    withheld: int = 0
    families: tuple[RuleFamily, ...] = ()

    @property
    def shown(self) -> tuple[RuleRecord, ...]:
        """The records of the table."""
        return self.records[:MOST]

    @property
    def more(self) -> int:
        """How many records the table leaves out."""
        return len(self.records) - len(self.shown)


def _compared(standing: Standing | None) -> tuple[str, str]:
    if standing is None or standing.state in {"too few", "no comparison"}:
        return "", ""
    return (
        f"{standing.injected_back} of {standing.injected} with it",
        f"{standing.withheld_back} of {standing.withheld} without",
    )


# -- The records -----------------------------------------------------------------------------------


def rule_records(  # noqa: PLR0913 - what is known of rules comes from as many places
    rules: Sequence[Rule],
    *,
    in_force: Container[str],
    history: History,
    injected: Mapping[str, int],
    occasions: Sequence[Occasion],
    beliefs: Mapping[str, Mapping[str, Any]],
    adherence: Mapping[str, Adherence] | None = None,
) -> RuleRecords:
    """Give the records of all rules.

    `in_force` are the ids of those that may be injected here, `injected` counts the sessions that
    each was given to, `adherence` says how rules with a check were kept, `beliefs` what the model
    holds: rule's id to "mean" and "sd", in log-odds, and "family".
    """
    names = {old: rule.id for rule in rules for old in rule.merged}
    withheld, rewarded = _withheld(history, names), _rewarded(history, names)
    standings = {standing.name: standing for standing in by_rule(occasions)}
    records = [
        RuleRecord(
            rule,
            rule.id in in_force,
            injected.get(rule.id, 0),
            withheld.get(rule.id, 0),
            *rewarded.get(rule.id, (0, 0, 0)),
            posterior=_belief(beliefs.get(rule.id, {})) if rule.id in injected else None,
            standing=standings.get(rule.id),
            adherence=(adherence or {}).get(rule.id),
        )
        for rule in rules
    ]
    families = {name: str(row.get("family") or name) for name, row in beliefs.items()}
    return _lists(records, occasions, tuple(_families(rules, occasions, families)))


def _belief(row: Mapping[str, Any]) -> Belief | None:
    """Read "mean" and "sd", in log-odds; None for what is no belief."""
    mean, sd = row.get("mean"), row.get("sd")
    if not isinstance(mean, int | float) or not isinstance(sd, int | float):
        return None
    sound = abs(mean) < _VAGUE and 0 < sd < _VAGUE  # NaN is neither
    return Belief(float(mean), float(sd)) if sound else None


def _families(
    rules: Sequence[Rule], occasions: Sequence[Occasion], families: Mapping[str, str]
) -> Iterator[RuleFamily]:
    """Judge the families of several rules; one rule alone stands in the table of rules."""
    members: dict[str, list[Rule]] = {}
    for rule in rules:
        members.setdefault(families.get(rule.id, rule.id), []).append(rule)
    joined = [
        replace(occasion, family=families.get(occasion.rule, occasion.rule))
        for occasion in occasions
    ]
    for standing in by_family(joined):
        family = tuple(members.get(standing.name, ()))
        if len(family) > 1 and _compared(standing)[0]:
            yield RuleFamily(family, standing)


def _withheld(history: History, names: Mapping[str, str]) -> dict[str, int]:
    """Count the sessions from which each rule was withheld and that were not given it later."""
    sessions: dict[str, dict[str, set[str]]] = {"slate": {}, "withheld": {}}
    for record in history.of("injection"):
        for key, by_rule_ in sessions.items():
            for name in ids(record, key):
                by_rule_.setdefault(names.get(name, name), set()).add(str(record.get("session")))
    given = sessions["slate"]
    return {name: len(kept - given.get(name, set())) for name, kept in sessions["withheld"].items()}


def _rewarded(history: History, names: Mapping[str, str]) -> dict[str, tuple[int, int, int]]:
    """Count the rewards of each value: one a session and rule, and all that name no session."""
    given = rewards((*history.of("reward"), *history.of("judged")))
    counts: dict[str, list[int]] = {}
    for reward in (
        *counted_rewards(given).values(),
        *(reward for reward in given if not reward.session),
    ):
        row = counts.setdefault(names.get(reward.id, reward.id), [0, 0, 0])
        row[1 - reward.value] += 1
    return {name: (row[0], row[1], row[2]) for name, row in counts.items()}


def _lists(
    records: Sequence[RuleRecord], occasions: Sequence[Occasion], families: tuple[RuleFamily, ...]
) -> RuleRecords:
    tried = [record for record in records if record.is_tried]
    tried.sort(
        key=lambda record: (-record.injected - record.withheld, -record.rewarded, record.rule.id)
    )
    by_id = {record.rule.id: record for record in tried}
    standings = [record.standing for record in tried if record.standing]
    unneeded = idle(
        {record.rule.id: record.injected for record in tried if record.in_force}, occasions
    )
    return RuleRecords(
        tuple(tried),
        untried=sum(record.in_force and not record.is_tried for record in records),
        in_force=sum(record.in_force for record in records),
        earned=tuple(by_id[name] for name in earned(standings)),
        retire=tuple(by_id[name] for name in to_retire(standings)),
        idle=tuple(by_id[name] for name in unneeded),
        withheld=sum(not occasion.injected for occasion in occasions),
        families=families,
    )
