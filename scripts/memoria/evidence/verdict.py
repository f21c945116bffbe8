"""Compute every figure of a study that can be defended, and conclude in one sentence.

Where a person chose the arms, rates and their differences are facts, and there is no chance to
compute with. A figure over too little is None, not 0. "Better" and "worse" need a coin and an
e-value of 20. A measure is named only if its own e-value reached 20 beside the joint one (closed
testing).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import floor, log10
from typing import TYPE_CHECKING, Literal

from memoria.capture.study_units import StudyUnit, build_table, filter_error_class
from memoria.evidence.cluster_intervals import Interval, estimate_share_difference
from memoria.evidence.e_values import THRESHOLD, Wealth, compute_wealth, find_crossing
from memoria.evidence.rates import (
    ClassicalTest,
    Rate,
    compute_classical_test,
    compute_rate,
    relative_reduction,
)
from memoria.text.numbers import format_count

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from memoria.evidence.experiment import Experiment

Kind = Literal[
    "better",  # fewer repeats, and chance does not explain it
    "worse",  # more repeats, and chance does not explain it
    "unclear",  # the arms differ, but one measure says better and the other worse
    "not yet",  # a comparison is going on and has not told so far
    "cannot tell",  # nothing to compare
    "no comparison",  # the design cannot tell, whatever comes in
]
_WRONG_WITH_BEFORE_AFTER = (
    "Before-after cannot say why: chance chose no session, so there is none to compute with.",
    "What else changed in between (the task, the model, the person) is mixed with the treatment.",
    (
        "Repeats rise by themselves while the memory of errors fills; leaving out the sessions "
        "before it was full helps and does not make it fair. `--design chance` is fair."
    ),
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """All figures of an experiment.

    `treated` and `control` are the sessions of known arm (under a coin: those that a coin put
    there); `unknown` counts the sessions whose arm was not recorded, `chosen` those of a coin's
    study whose arm was no coin's, `unsettled` those of before-after whose memory was still filling:
    all three are left out. `sessions` names those that count, in order: the paths of `wealth` go
    along them.
    """

    experiment: Experiment
    treated: Rate
    control: Rate
    unknown: int = 0
    chosen: int = 0
    unsettled: int = 0
    sessions: tuple[str, ...] = ()
    relative_reduction: float | None = None
    share: Interval | None = None
    classical: ClassicalTest | None = None
    wealth: Wealth = field(default_factory=Wealth)

    @property
    def has_both_arms(self) -> bool:
        """Say whether there is anything to compare."""
        return bool(self.treated.sessions and self.control.sessions)

    @property
    def anytime_p(self) -> float:
        """The p-value that holds however often one looked: 1 over the highest e-value."""
        return min(1.0, 1 / self.wealth.peak)


def compute_evidence(sessions: Iterable[StudyUnit], experiment: Experiment) -> Evidence:
    """Compute what an experiment's sessions allow to say."""
    units = sorted(sessions, key=lambda unit: (unit.at, unit.session))
    if experiment.error_class:
        units = list(filter_error_class(units, experiment.error_class))
    with_arm = [unit for unit in units if unit.treated is not None]
    is_coin = experiment.design == "chance"
    counted = [unit for unit in with_arm if (unit.is_randomised if is_coin else unit.settled)]
    left_out = len(with_arm) - len(counted)
    arms = ([unit for unit in counted if unit.treated is arm] for arm in (True, False))
    treated, control = map(compute_rate, arms)
    data = build_table(counted)
    # facts, however the arms came about
    evidence = Evidence(
        experiment,
        treated,
        control,
        unknown=len(units) - len(with_arm),
        chosen=left_out if is_coin else 0,
        unsettled=0 if is_coin else left_out,
        sessions=tuple(unit.session for unit in counted),
        relative_reduction=relative_reduction(treated, control),
        share=estimate_share_difference(data),
        classical=compute_classical_test(treated, control),
    )
    return replace(evidence, wealth=compute_wealth(data)) if is_coin else evidence


# -- The conclusion --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The verdict: its kind, one sentence, and notes in the order of their weight."""

    kind: Kind
    sentence: str
    notes: tuple[str, ...] = ()


def conclude(evidence: Evidence) -> Conclusion:
    """Say in plain words what a study shows."""
    kind, sentence = _choose_verdict(evidence)
    notes = tuple(_format_notes(evidence, kind))
    return Conclusion(kind, sentence[0].upper() + sentence[1:], notes)


def _choose_verdict(evidence: Evidence) -> tuple[Kind, str]:
    if missing := _explain_missing(evidence):
        return "cannot tell", missing
    if evidence.experiment.design == "before-after":
        return "no comparison", f"{_format_change(evidence, 'went')}; this design cannot say why."
    if evidence.wealth.crossed:
        return _build_claim(evidence)
    return "not yet", (
        f"no evidence yet ({_format_rates(evidence)}): a large effect takes some 60 sessions to "
        "see, a small one several hundred."
    )


def _explain_missing(evidence: Evidence) -> str:
    """Say what is missing for any comparison, "" if nothing is."""
    treated, control = evidence.treated, evidence.control
    total, mistakes = treated.sessions + control.sessions, treated.mistakes + control.mistakes
    left_out = evidence.unknown + evidence.chosen + evidence.unsettled
    arm, errors = "with" if treated.sessions else "without", format_count(mistakes, "error")
    sessions, repeats = format_count(left_out, "session"), treated.repeats + control.repeats
    one_arm = f"all {total} sessions so far were {arm} Memoria: there is nothing to compare with."
    reasons = (
        (not total and not left_out, "there is no session in this experiment yet."),
        (not total, f"none of {sessions} can be compared; the notes say why."),
        (total == 1, f"one session cannot tell anything ({errors})."),
        (not evidence.has_both_arms, one_arm),
        (not mistakes, f"{total} sessions and no error: nothing could come back."),
        (not repeats, f"no error came back in either arm ({total} sessions, {errors})."),
    )
    return next((sentence for holds, sentence in reasons if holds), "")


def _build_claim(evidence: Evidence) -> tuple[Kind, str]:
    """Name the measures that moved."""
    moves = _rate_changes(evidence)
    paths = {"share": evidence.wealth.share, "count": evidence.wealth.count}
    measures = [name for name, path in paths.items() if find_crossing(path)] or list(moves)
    peak = format_rounded_down(evidence.wealth.peak)
    odds = f"this would be seen by chance less than once in {peak}"
    has_fallen = min(moves[name] for name in measures) < 0
    if has_fallen and max(moves[name] for name in measures) > 0:
        rates = _format_rates(evidence)
        return "unclear", f"the arms differ ({odds}), but the measures disagree: {rates}."
    change = _format_change(evidence, "fell" if has_fallen else "rose", measures)
    return ("better" if has_fallen else "worse"), f"{change}; {odds}."


def _format_notes(evidence: Evidence, kind: Kind) -> Iterator[str]:
    for count, reason in (
        (evidence.unknown, "the arm was not recorded"),
        (evidence.chosen, "the arm was chosen, not drawn"),
        (evidence.unsettled, "the memory of errors was still filling"),
    ):
        if count:
            yield f"{format_count(count, 'session')} left out: {reason}."
    if evidence.experiment.design == "before-after":
        yield from _WRONG_WITH_BEFORE_AFTER
    by_share, by_count = _rate_changes(evidence).values()
    if kind in {"better", "worse"} and by_share * by_count < 0:
        yield (
            f"The measures disagree ({_format_rates(evidence)}). RMR has all errors below its "
            "line, so it moves also when new errors become fewer or more."
        )
    wealth = evidence.wealth
    if wealth.crossed and kind != "cannot tell":
        yield (
            f"The e-value reached {THRESHOLD:.0f} after session {wealth.crossed}; its highest is "
            f"{format_rounded_down(wealth.peak)}, and it stands at {format_figure(wealth.now)} now."
        )
    if evidence.experiment.outside:
        names = ", ".join(evidence.experiment.outside)
        yield f"Outside the experiment, since they reach both arms (promoted or pinned): {names}."


def _rate_pairs(evidence: Evidence) -> dict[str, tuple[float, float]]:
    """Give (treated, control) of RMR and of repeats per session; 0.0 for what is undefined."""
    treated, control = evidence.treated, evidence.control
    return {
        "share": (treated.rmr or 0.0, control.rmr or 0.0),
        "count": (treated.repeats_per_session or 0.0, control.repeats_per_session or 0.0),
    }


def _rate_changes(evidence: Evidence) -> dict[str, float]:
    return {name: treated - control for name, (treated, control) in _rate_pairs(evidence).items()}


def _format_change(
    evidence: Evidence, verb: str, measures: Container[str] = ("count", "share")
) -> str:
    shares, counts = _rate_pairs(evidence).values()
    treated_count, control_count = map(format_figure, counts)
    texts = {
        "count": f"repeats per session {verb} from {control_count} to {treated_count}",
        "share": f"the share of errors met before {verb} from {shares[1]:.0%} to {shares[0]:.0%}",
    }
    return " and ".join(text for name, text in texts.items() if name in measures)


def _format_rates(evidence: Evidence) -> str:
    shares, counts = _rate_pairs(evidence).values()
    return (
        f"with Memoria {format_figure(counts[0])} repeats per session and {shares[0]:.0%} of the "
        f"errors met before, without {format_figure(counts[1])} and {shares[1]:.0%}"
    )


def format_figure(value: float | None) -> str:
    """Write a number with the two digits that count, a dash for none."""
    if value is None:
        return "-"
    return f"{value:.2g}" if abs(value) < 99.5 else f"{value:,.0f}"  # noqa: PLR2004 - two digits


def format_rounded_down(value: float) -> str:
    """Write a large number with two digits, never as more than it is."""
    if value >= 1e6:  # noqa: PLR2004 - nobody tells more from it
        return "a million"
    if value < 10:  # noqa: PLR2004 - two digits
        return f"{value:.2g}"
    unit = 10 ** (floor(log10(value)) - 1)
    return f"{int(value // unit * unit):,}"
