"""Put the report together: the verdict first, then what it rests on.

What is missing is said in the place of what would be there, with the command that brings it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from memoria.text.numbers import counted, dollars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memoria.capture.recurring_errors import RecurringError
    from memoria.evidence.backtest import Backtest, RepeatedErrors
    from memoria.evidence.report.model_costs import Costs
    from memoria.evidence.report.rule_table import RuleRecords
    from memoria.evidence.study import Studied
    from memoria.rules.model import Rule
    from memoria.vault.storage.history import Capture, Record

# errors that are named at the top, and characters of a token, about
_OPENED, _TOKEN = 6, 4


@dataclass(frozen=True, slots=True)
class Captures:
    """What was captured: sessions, on how many days, the last of them, and what lies in the spool.

    `waiting` counts jobs of the spool, the oldest of the day `since`, `given_up` those that failed;
    `reason` is the commonest.
    """

    sessions: int = 0
    days: int = 0
    last: date | None = None
    waiting: int = 0
    given_up: int = 0
    reason: str = ""
    since: date | None = None


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
    """What the report shows; `scope` is whose sessions, `guards` is what guards did."""

    made: datetime
    scope: str
    studies: Sequence[Studied]
    rules: RuleRecords
    errors: RepeatedErrors
    replay: Backtest
    captures: Captures
    costs: Costs
    opening: Opening
    by_id: Mapping[str, Rule]
    guards: Sequence[Record] = ()

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
        known = self.captures.sessions or self.replay.mistakes
        return self.replay.headline if known else ""

    @property
    def verdict(self) -> Verdict:
        """The sentence of the page."""
        return _verdict(self.study, self.captures)

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The numbers at the top of the page, each with what it counts."""
        return (*_facts(self), *_guarded(self.guards))


def captured_sessions(captures: Iterable[Capture], spool: Captures) -> Captures:
    """Count captured sessions, beside what the spool holds; an entry without a day is left out."""
    known = []
    for capture in captures:
        with suppress(ValueError):
            known.append((date.fromisoformat(capture.day), capture.session))
    days = {day for day, _ in known}
    sessions = len({session for _, session in known})
    return replace(spool, sessions=sessions, days=len(days), last=max(days, default=None))


def _verdict(study: Studied | None, captures: Captures) -> Verdict:
    if study:
        return Verdict(study.conclusion.kind, study.conclusion.sentence, study.notes)
    if not captures.sessions:
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
    opening, rules, captures = report.opening, report.rules, report.captures
    errors, costs = report.errors, report.costs
    since = counted(opening.ended, "session")
    facts = (
        (opening.ended, f"{opening.captured:,}", f"of {since} since the installation captured"),
        (
            opening.told,
            f"{opening.tokens:,}",
            f"tokens told to a session of {opening.project}, about",
        ),
        (
            captures.sessions,
            f"{captures.sessions:,}",
            f"sessions captured on {counted(captures.days, 'day')}",
        ),
        (errors.total, f"{errors.total:,}", "errors and corrections in them"),
        (
            rules.in_force or rules.rows,
            f"{rules.in_force:,}",
            "active rule" if rules.in_force == 1 else "active rules",
        ),
        (costs.rows, dollars(costs.usd), "for model calls, at list prices"),
        (captures.waiting, f"{captures.waiting:,}", "captured, waiting to be written"),
    )
    return ((value, label) for is_shown, value, label in facts if is_shown)


def _guarded(records: Sequence[Record]) -> Iterator[tuple[str, str]]:
    """Tell what the guards did, and which were turned down since they fired too often."""
    made = [str(record.get("decision")) for record in records]
    stopped = sum(decision in {"refused", "asked", "denied"} for decision in made)
    if stopped:
        again = made.count("passed")
        yield f"{stopped:,}", f"calls stopped by a guard, {again:,} made again and let through"
    rows = [record for record in records if record.get("decision") == "turned_down"]
    down = {(str(row.get("session")), str(row.get("id"))) for row in rows}
    if down:
        names = ", ".join(sorted({name for _, name in down}))
        label = "guard that fired too often in a session, and was only told after that"
        yield f"{len(down):,}", f"{label}: {names}"
