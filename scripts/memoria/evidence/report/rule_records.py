"""Gather the record of each rule: sessions that got it, rewards, comparisons and beliefs.

Sessions are counted and not lines: a resumed session is given the same rules again. A belief about
a rule that was never tried is what its words promise, which is no evidence; it is left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Any

from memoria.evidence.report.words import TIMES
from memoria.evidence.withholding.by_rule import by_rule, offers
from memoria.learning.rewards import counted_rewards, rewards

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from memoria.evidence.withholding.adherence import Adherence
    from memoria.evidence.withholding.by_rule import Occasion, Standing
    from memoria.rules.model import Rule
    from memoria.vault.storage.history import History

# rules of the table (`memoria rewards` lists them all)
_MOST = 40
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
    def times(self) -> str:
        """By what the odds of a session without a repeated mistake are multiplied."""
        return f"{TIMES}{exp(self.mean):.2f}"

    @property
    def limits(self) -> str:
        """The limits of the middle 95% of that factor."""
        low, high = (exp(self.mean + side * _WIDE * self.sd) for side in (-1, 1))
        return f"{low:.2f} to {high:.2f}"


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
        """What it was rewarded with, in words: the good ones and the others."""
        hurt = f", {self.hurt} hurt" if self.hurt else ""
        return f"{self.helped} helped", f"{self.did_not_help} did not{hurt}"

    @property
    def compared(self) -> tuple[str, str]:
        """How often its mistake came back with it and without; "" where too few tell."""
        standing = self.standing
        if standing is None or standing.state in {"too few", "no comparison"}:
            return "", ""
        return (
            f"{standing.injected_back} of {standing.injected} with it",
            f"{standing.withheld_back} of {standing.withheld} without",
        )


@dataclass(frozen=True, slots=True)
class RuleRecords:
    """The records of the rules that were tried most, and two lists; `more` are not shown.

    `untried` are in force and reached no session yet; `withheld` counts occasions of all rules on
    which chance kept the rule back.
    """

    shown: tuple[RuleRecord, ...] = ()
    untried: int = 0
    in_force: int = 0
    earned: tuple[RuleRecord, ...] = ()
    retire: tuple[RuleRecord, ...] = ()
    withheld: int = 0
    more: int = 0


def rule_records(  # noqa: PLR0913 - what is known of rules comes from as many places
    rules: Sequence[Rule],
    *,
    in_force: Container[str],
    history: History,
    occasions: Sequence[Occasion],
    beliefs: Mapping[str, Mapping[str, Any]],
    adherence: Mapping[str, Adherence] | None = None,
) -> RuleRecords:
    """Give the records of all rules.

    `in_force` are the ids of those that may be injected here, `adherence` says how rules with a
    check were kept, `beliefs` what the model holds: rule's id to "mean" and "sd", in log-odds.
    """
    names = {old: rule.id for rule in rules for old in rule.merged}
    sides: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    for (_, name), offer in offers(history, names).items():
        sides[offer.injected][name] += 1
    withheld, injected = sides
    rewarded = _rewarded(history, names)
    standings = {standing.name: standing for standing in by_rule(occasions)}
    records = [
        RuleRecord(
            rule,
            rule.id in in_force,
            injected[rule.id],
            withheld[rule.id],
            rewarded[rule.id, 1],
            rewarded[rule.id, 0],
            rewarded[rule.id, -1],
            posterior=_belief(beliefs.get(rule.id, {})) if injected[rule.id] else None,
            standing=standings.get(rule.id),
            adherence=(adherence or {}).get(rule.id),
        )
        for rule in rules
    ]
    return _counted(records, sum(not occasion.injected for occasion in occasions))


def _counted(records: Sequence[RuleRecord], withheld: int) -> RuleRecords:
    tried = [record for record in records if record.is_tried]
    tried.sort(
        key=lambda record: (-record.injected - record.withheld, -record.rewarded, record.rule.id)
    )
    return RuleRecords(
        tuple(tried[:_MOST]),
        untried=sum(record.in_force and not record.is_tried for record in records),
        in_force=sum(record.in_force for record in records),
        earned=_of_state(tried, "earned"),
        retire=_of_state(tried, "retire"),
        withheld=withheld,
        more=len(tried[_MOST:]),
    )


def _belief(row: Mapping[str, Any]) -> Belief | None:
    """Read "mean" and "sd", in log-odds; None for what is no belief."""
    mean, sd = row.get("mean"), row.get("sd")
    if not isinstance(mean, int | float) or not isinstance(sd, int | float):
        return None
    sound = abs(mean) < _VAGUE and 0 < sd < _VAGUE  # NaN is neither
    return Belief(float(mean), float(sd)) if sound else None


def _rewarded(history: History, names: Mapping[str, str]) -> Counter[tuple[str, int]]:
    """Count the rewards by rule and value: one a session and rule, and all that name no session."""
    given = rewards((*history.of("reward"), *history.of("judged")))
    counts: Counter[tuple[str, int]] = Counter()
    without = (reward for reward in given if not reward.session)
    for reward in (*counted_rewards(given).values(), *without):
        counts[names.get(reward.id, reward.id), reward.value] += 1
    return counts


def _of_state(records: Sequence[RuleRecord], state: str) -> tuple[RuleRecord, ...]:
    return tuple(record for record in records if record.standing and record.standing.state == state)
