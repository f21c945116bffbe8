"""Gather the record of each rule: sessions that got it, rewards and beliefs.

A belief about a rule that was never tried is what its words promise, which is no evidence; it is
left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from memoria.rules.model import Rule

# rules of the table (`memoria rewards` lists them all)
_MOST = 40
# of a normal distribution: 95% of it lies within so many deviations
_WIDE = 1.96
# log-odds: a mean or deviation this large is no estimate
_VAGUE = 10.0


@dataclass(frozen=True, slots=True)
class RuleRecord:
    """A rule's record: what it earned (learning/rewards.py), and whether it is active here."""

    rule: Rule
    in_force: bool
    earned: Mapping[str, Any]

    @property
    def tried(self) -> tuple[int, int]:
        """In how many sessions it was shown or withheld, and how many rewards it got."""
        shown, withheld = (int(self.earned["posterior"].get(name) or 0) for name in _SIDES)
        return shown + withheld, len(self.earned["rewards"])

    @property
    def status(self) -> str:
        """Its status, and that it is not active here where the status could be misread."""
        waits = self.rule.status == "active" and not self.in_force
        return f"{self.rule.status}, not active here" if waits else self.rule.status

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """How often it was told and withheld, what it was rewarded with, what is believed of it."""
        belief, values = self.earned["posterior"], [one["reward"] for one in self.earned["rewards"]]
        told, withheld = (f"{int(belief.get(name) or 0):,}" for name in _SIDES)
        hurt = f", {values.count(-1)} hurt" if -1 in values else ""
        rewarded = f"{values.count(1)} helped, {values.count(0)} did not{hurt}"
        return told, withheld, rewarded if values else "not yet", _times(belief)


_SIDES = ("shown", "withheld")


@dataclass(frozen=True, slots=True)
class RuleRecords:
    """The records of the rules that were tried most; `in_force` counts the active ones."""

    rows: tuple[RuleRecord, ...] = ()
    in_force: int = 0


def rule_records(
    rules: Sequence[Rule], in_force: Container[str], earned: Mapping[str, Mapping[str, Any]]
) -> RuleRecords:
    """Give the records of rules that were tried; `earned` says by id what each has earned."""
    records = [RuleRecord(rule, rule.id in in_force, earned[rule.id]) for rule in rules]
    tried = [record for record in records if any(record.tried)]
    tried.sort(key=lambda record: (*(-count for count in record.tried), record.rule.id))
    return RuleRecords(tuple(tried[:_MOST]), sum(record.in_force for record in records))


def _times(belief: Mapping[str, Any]) -> str:
    """Say by what the odds of a session without a repeated mistake are multiplied, and limits."""
    mean, sd = belief.get("mean"), belief.get("sd")
    if not belief.get("shown") or not all(isinstance(one, int | float) for one in (mean, sd)):
        return "not tried yet"
    if not (abs(mean) < _VAGUE and 0 < sd < _VAGUE):  # type: ignore[arg-type,operator]  # numbers; NaN is neither
        return "not tried yet"
    middle, low, high = (exp(mean + side * _WIDE * sd) for side in (0, -1, 1))  # type: ignore[operator]  # as above
    return f"\u00d7{middle:.2f} ({low:.2f} to {high:.2f})"
