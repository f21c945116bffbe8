"""Put the report together: the verdict first, then what it rests on.

What is missing is said in the place of what would be there, with the command that brings it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Any, NamedTuple

from memoria.text.numbers import counted, dollars

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence
    from datetime import datetime

    from memoria.capture.recurring_errors import RecurringError
    from memoria.evidence.backtest import Backtest, RepeatedErrors
    from memoria.evidence.report.model_costs import Costs
    from memoria.evidence.study import Studied
    from memoria.rules.model import Rule

# errors that are named at the top, and characters of a token, about
_OPENED, _TOKEN = 6, 4


@dataclass(frozen=True, slots=True)
class Opening:
    """The errors of the most of all `sessions`, how many are captured, and a start's text.

    `captured` of `ended` sessions since the installation are captured. `told` is what a session of
    `project` would be told at its start now, "" for nothing.
    """

    errors: tuple[RecurringError, ...] = ()
    sessions: int = 0
    captured: int = 0
    ended: int = 0
    project: str = ""
    told: str = ""

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """The errors, each with the command that makes a rule of it, "" where there is none."""
        return tuple(
            (error.told(self.sessions), error.command()) for error in self.errors[:_OPENED]
        )

    @property
    def tokens(self) -> int:
        """How many tokens a start is told, about."""
        return round(len(self.told) / _TOKEN)


class Verdict(NamedTuple):
    """The sentence of the page; `kind` is a conclusion's, or "nothing" and "no study".

    `steps` are commands, each with what it brings.
    """

    kind: str
    sentence: str
    notes: tuple[str, ...] = ()
    steps: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ReportData:
    """What the report shows: of `sessions` captured on so many `days`, `scope` says whose."""

    made: datetime
    scope: str
    studies: Sequence[Studied]
    rules: RuleRecords
    errors: RepeatedErrors
    replay: Backtest
    sessions: int
    days: int
    costs: Costs
    opening: Opening
    by_id: Mapping[str, Rule]

    @property
    def study(self) -> Studied | None:
        """The study that the verdict speaks of, never chosen by its outcome.

        The one that runs, of several that of most sessions, of equal ones the latest.
        """
        numbered = enumerate(self.studies)
        ranks = ((s.experiment.is_running, len(s.evidence.sessions), at) for at, s in numbered)
        at = max(ranks, default=(False, 0, -1))[-1]
        return self.studies[at] if at >= 0 else None

    @property
    def others(self) -> list[Studied]:
        """The other studies, the latest first."""
        leading = self.study
        return [study for study in reversed(self.studies) if study is not leading]

    @property
    def backtest(self) -> str:
        """What a replay of the history says in a sentence, "" where nothing was captured."""
        known = self.sessions or self.replay.mistakes
        return self.replay.headline if known else ""

    @property
    def verdict(self) -> Verdict:
        """The sentence of the page."""
        return _verdict(self.study, self.sessions)

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The numbers at the top of the page, each with what it counts."""
        return tuple(_facts(self))


def _verdict(study: Studied | None, sessions: int) -> Verdict:
    if study:
        return Verdict(study.conclusion.kind, study.conclusion.sentence, study.notes)
    if not sessions:
        return Verdict(
            "nothing",
            "Nothing is captured yet, so there is nothing to report.",
            steps=(
                ("memoria import", "brings in the sessions that Claude Code still has"),
                ("memoria install", "captures those to come"),
            ),
        )
    return Verdict(
        "no study",
        "Whether Memoria helps is not known yet: no A/B test has been run.",
        steps=(("memoria experiment start", "starts one: in some sessions Memoria is silent"),),
    )


def _facts(report: ReportData) -> Iterator[tuple[str, str]]:
    opening, rules, errors, costs = report.opening, report.rules, report.errors, report.costs
    since = counted(opening.ended, "session")
    facts = (
        (opening.ended, f"{opening.captured:,}", f"of {since} since the installation captured"),
        (
            opening.told,
            f"{opening.tokens:,}",
            f"tokens told to a session of {opening.project}, about",
        ),
        (report.sessions, f"{report.sessions:,}", f"sessions on {counted(report.days, 'day')}"),
        (errors.total, f"{errors.total:,}", "errors and corrections in them"),
        (
            rules.in_force or rules.rows,
            f"{rules.in_force:,}",
            "active rule" if rules.in_force == 1 else "active rules",
        ),
        (costs.rows, dollars(costs.usd), "for model calls, at list prices"),
    )
    return ((value, label) for is_shown, value, label in facts if is_shown)


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
    records = [
        RuleRecord(rule, rule.id in in_force, earned[rule.id])
        for rule in rules
        if rule.id in earned
    ]
    tried = [record for record in records if any(record.tried)]
    tried.sort(key=lambda record: (*(-count for count in record.tried), record.rule.id))
    return RuleRecords(tuple(tried[:_MOST]), sum(rule.id in in_force for rule in rules))


def _times(belief: Mapping[str, Any]) -> str:
    """Say by what the odds of a session without a repeated mistake are multiplied, and limits."""
    mean, sd = belief.get("mean"), belief.get("sd")
    if not belief.get("shown") or not all(isinstance(one, int | float) for one in (mean, sd)):
        return "not tried yet"
    if not (abs(mean) < _VAGUE and 0 < sd < _VAGUE):  # type: ignore[arg-type,operator]  # numbers; NaN is neither
        return "not tried yet"
    middle, low, high = (exp(mean + side * _WIDE * sd) for side in (0, -1, 1))  # type: ignore[operator]  # as above
    return f"\u00d7{middle:.2f} ({low:.2f} to {high:.2f})"
