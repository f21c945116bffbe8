"""Put the report together: the verdict first, then what it rests on.

Numbers side by side invite comparisons that were never fair, so facts (what was captured), evidence
(what a coin decided) and beliefs (what the model holds) stand under headings of their own. What is
missing is said in the place of what would be there, with the command that brings it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from memoria.evidence.backtest.replay import CAVEAT
from memoria.evidence.charts.axis import full_day
from memoria.evidence.report.opening import Opening
from memoria.text.numbers import counted, dollars

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from memoria.evidence.backtest.replay import Backtest
    from memoria.evidence.report.captured_sessions import Captures
    from memoria.evidence.report.model_costs import Costs
    from memoria.evidence.report.repeated_errors import RepeatedErrors
    from memoria.evidence.report.rule_records import RuleRecords
    from memoria.evidence.report.study_section import StudySection
    from memoria.rules.model import Rule
    from memoria.vault.storage.history import History, Record

# what the kinds of a conclusion are called above the verdict
_CHIPS = {
    "better": "Fewer repeats",
    "worse": "More repeats",
    "unclear": "Unclear",
    "no difference": "No difference",
    "not yet": "Not yet known",
    "cannot tell": "Cannot tell",
    "no comparison": "No comparison",
}
# a tick, an exclamation mark, a circle with a hole
_SIGNS = {
    "good": "M13 3.4l1.6 1.5-8.4 9L1.4 9.3l1.5-1.6 3.2 3z",
    "bad": "M6.8 1.5h2.4v8.3H6.8zM6.8 12h2.4v2.5H6.8z",
    "open": "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13zM8 4a4 4 0 1 1 0 8a4 4 0 1 1 0-8z",
}
_WHOLE = "This is said of all projects together: the experiment is one, and a part of it is none."


_NOTHING = Opening()


class Step(NamedTuple):
    """What a person can do next: a command, and what it brings."""

    command: str
    brings: str


class Fact(NamedTuple):
    """A number of the top of the page, with what it counts."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The sentence of the page; `kind` is a conclusion's, or "nothing" and "no study"."""

    kind: str
    chip: str
    sentence: str
    notes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def mood(self) -> str:
        """How the page is to mark it: good, bad or open."""
        return {"better": "good", "worse": "bad"}.get(self.kind, "open")

    @property
    def sign(self) -> str:
        """The path of its symbol in a box of 16 pixels: nobody has to tell it by its colour."""
        return _SIGNS[self.mood]


@dataclass(frozen=True, slots=True)
class ReportData:
    """What all renderings of the report show.

    `scope` is the project that was asked for, "" for all. `study` is the one that the verdict
    speaks of, `others` are further ones. `opening` is what a person can use today.
    """

    made: datetime
    vault: str
    scope: str
    verdict: Verdict
    facts: tuple[Fact, ...]
    study: StudySection | None
    others: tuple[StudySection, ...]
    rules: RuleRecords
    errors: RepeatedErrors
    backtest: str
    captures: Captures
    costs: Costs
    opening: Opening = _NOTHING
    by_id: Mapping[str, Rule] = field(default_factory=dict)
    caveat: str = CAVEAT

    @property
    def day(self) -> str:
        """The day on which it was made."""
        return full_day(self.made.date())


def narrowed(history: History, wanted: str) -> History:
    """Keep of a history what belongs to the projects whose name holds a text; "" keeps all.

    Model calls are kept: the ledger does not know what project they were for.
    """
    if not wanted:
        return history
    kept = {
        kind: tuple(record for record in records if wanted in str(record.get("project") or wanted))
        for kind, records in history.kept.items()
    }
    return replace(
        history,
        captures={
            k: capture for k, capture in history.captures.items() if wanted in capture.project
        },
        stays={k: stay for k, stay in history.stays.items() if wanted in stay.project},
        mistakes=tuple(seen for seen in history.mistakes if wanted in seen.project),
        kept=kept,
    )


def leading(
    studies: Sequence[StudySection],
) -> tuple[StudySection | None, tuple[StudySection, ...]]:
    """Choose the study that the verdict speaks of, never by its outcome.

    The one that runs, of several that of most sessions, of equal ones the latest.
    """
    if not studies:
        return None, ()
    ranked = sorted(
        enumerate(studies), key=lambda pair: (pair[1].running, pair[1].sessions, pair[0])
    )
    first = ranked[-1][1]
    return first, tuple(section for section in reversed(studies) if section is not first)


def report_data(  # noqa: PLR0913 - a page has as many parts
    *,
    made: datetime,
    vault: str,
    scope: str,
    studies: Sequence[StudySection],
    rules: RuleRecords,
    errors: RepeatedErrors,
    backtest: Backtest,
    captures: Captures,
    costs: Costs,
    opening: Opening = _NOTHING,
    all_rules: Iterable[Rule] = (),
    guards: Iterable[Record] = (),
) -> ReportData:
    """Put the report together; `guards` is what guards did."""
    study, others = leading(studies)
    return ReportData(
        made,
        vault,
        scope,
        _verdict(study, captures, scope),
        (
            *(Fact(*pair) for pair in opening.facts),
            *_facts(rules, errors, captures, costs),
            *_guarded(tuple(guards)),
        ),
        study,
        others,
        rules,
        errors,
        backtest.headline if captures.sessions or backtest.mistakes else "",
        captures,
        costs,
        opening,
        {rule.id: rule for rule in all_rules},
    )


def _verdict(study: StudySection | None, captures: Captures, scope: str) -> Verdict:
    if study:
        conclusion = study.verdict
        whole = (_WHOLE,) if scope and study.everywhere else ()
        notes = (*whole, *study.other_notes)
        return Verdict(conclusion.kind, _CHIPS[conclusion.kind], conclusion.sentence, notes)
    if not captures.sessions:
        return Verdict(
            "nothing",
            "Nothing captured",
            "Nothing is captured yet, so there is nothing to report.",
            steps=(
                Step("memoria import", "brings in the sessions that Claude Code still has"),
                Step("memoria install", "captures those to come"),
            ),
        )
    return Verdict(
        "no study",
        "No experiment",
        "Whether Memoria helps is not known yet: no A/B test has been run.",
        steps=(Step("memoria experiment start", "starts one: in some sessions Memoria is silent"),),
    )


def _facts(
    rules: RuleRecords, errors: RepeatedErrors, captures: Captures, costs: Costs
) -> Iterable[Fact]:
    if captures.sessions:
        days = counted(captures.days, "day")
        yield Fact(f"{captures.sessions:,}", f"sessions captured on {days}")
    if errors.total:
        yield Fact(f"{errors.total:,}", "errors and corrections in them")
    if rules.in_force or rules.shown:
        noun = "active rule" if rules.in_force == 1 else "active rules"
        yield Fact(f"{rules.in_force:,}", noun)
    if costs.rows:
        yield Fact(dollars(costs.usd), "for model calls, at list prices")
    if captures.spool.waiting:
        yield Fact(f"{captures.spool.waiting:,}", "captured, waiting to be written")


def _guarded(records: Sequence[Record]) -> Iterable[Fact]:
    """Tell what the guards did, and which were turned down since they fired too often."""
    found = [str(record.get("decision")) for record in records]
    stopped = sum(one in {"refused", "asked", "denied"} for one in found)
    if stopped:
        again = found.count("passed")
        yield Fact(
            f"{stopped:,}", f"calls stopped by a guard, {again:,} made again and let through"
        )
    rows = [record for record in records if record.get("decision") == "turned_down"]
    down = {(str(row.get("session")), str(row.get("id"))) for row in rows}
    if down:
        names = ", ".join(sorted({name for _, name in down}))
        label = "guard that fired too often in a session, and was only told after that"
        yield Fact(f"{len(down):,}", f"{label}: {names}")
