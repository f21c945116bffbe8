"""Compute the Repeated Mistake Rate and what stands beside it, by arm, class and rule.

RMR is a ratio of sums over sessions, as the buildlog 0.5.0 seed defines it. Its denominator moves
with the treatment, so counts per session are always given with it. A rate over nothing is None.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import erfc, sqrt
from typing import NamedTuple

from memoria.capture.study_units import StudyUnit, filter_error_class

NOTE = (
    "These two take every error for an independent event, but the errors of a session are "
    "alike: at p < .05 they see an effect that is not there in one of five studies, and in three "
    "of four that are looked at after every session up to 200. Do not decide by them."
)


class Rate(NamedTuple):
    """What so many sessions showed."""

    sessions: int
    mistakes: int
    repeats: int

    @property
    def rmr(self) -> float | None:
        """Repeats per mistake, None where there is no mistake."""
        return self.repeats / self.mistakes if self.mistakes else None

    @property
    def repeats_per_session(self) -> float | None:
        """Repeats per session, None where there is no session."""
        return self.repeats / self.sessions if self.sessions else None

    @property
    def mistakes_per_session(self) -> float | None:
        """Mistakes per session, None where there is no session."""
        return self.mistakes / self.sessions if self.sessions else None


class RuleRates(NamedTuple):
    """What sessions with and without a rule showed: they go along, neither makes the other.

    The policy chooses rules for sessions in which they fit, so a rule against a frequent mistake
    stands beside more of it. Only random withholding tells what a rule does.
    """

    rule: str
    with_it: Rate
    without: Rate


def compute_rate(units: Iterable[StudyUnit]) -> Rate:
    """Sum sessions up."""
    sessions = tuple(units)
    mistakes, repeats = sum(u.mistakes for u in sessions), sum(u.repeats for u in sessions)
    return Rate(len(sessions), mistakes, repeats)


def format_headline(total: Rate) -> str:
    """Say in a sentence how many errors came back, for the summary of an import and the report."""
    if not total.mistakes:
        return "No error was found in the captured sessions."
    share = f"{total.repeats} of {total.mistakes}" if total.repeats else f"None of {total.mistakes}"
    return f"{share} errors had been met before in the same project."


def rates_by_project(units: Sequence[StudyUnit]) -> Mapping[str, Rate]:
    """Give the rate of each project, the one of most sessions first."""
    names = _rank_names(unit.project for unit in units)
    return {name: compute_rate(unit for unit in units if unit.project == name) for name in names}


def list_classes(units: Iterable[StudyUnit]) -> list[str]:
    """Name the classes of mistakes without their codes, the most frequent first."""
    return _rank_names(mistake.error_class.split(":")[0] for unit in units for mistake in unit.met)


def _rank_names(names: Iterable[str]) -> list[str]:
    counts = Counter(names)
    return sorted(counts, key=lambda name: (-counts[name], name))


def rates_by_class(units: Sequence[StudyUnit]) -> Mapping[str, Rate]:
    """Give the rate of each class of mistakes, over all sessions."""
    return {name: compute_rate(filter_error_class(units, name)) for name in list_classes(units)}


def rates_by_rule(units: Sequence[StudyUnit], error_class: str) -> tuple[RuleRates, ...]:
    """Say which rules go along with mistakes of a class, the most mistakes per session first.

    With "correction" these are the seed's rules that correlate with corrections.
    """
    units_of_class = filter_error_class(units, error_class)
    rates = []
    for rule in {rule for unit in units_of_class for rule in unit.rules}:
        with_it = [unit for unit in units_of_class if rule in unit.rules]
        without = (unit for unit in units_of_class if rule not in unit.rules)
        rates.append(RuleRates(rule, compute_rate(with_it), compute_rate(without)))
    rates.sort(key=lambda row: (-(row.with_it.mistakes_per_session or 0), row.rule))
    return tuple(rates)


# -- Two rates -------------------------------------------------------------------------------------


def relative_reduction(treated: Rate, control: Rate) -> float | None:
    """Give by which part of the control's RMR it fell, the effect size that buildlog prints."""
    if not control.rmr or treated.rmr is None:
        return None
    return (control.rmr - treated.rmr) / control.rmr


class ClassicalTest(NamedTuple):
    """The seed's tests, two-sided; of two shares chi-squared is z squared, with the same p."""

    z: float
    p: float
    chi_squared: float
    note: str = NOTE


def compute_classical_test(treated: Rate, control: Rate) -> ClassicalTest | None:
    """Test two shares of repeats; None where an arm has no mistake, or all or none are repeats."""
    n1, n0 = treated.mistakes, control.mistakes
    x1, x0 = treated.repeats, control.repeats
    if not n1 or not n0 or not 0 < x1 + x0 < n1 + n0:
        return None
    pooled = (x1 + x0) / (n1 + n0)
    z = (x1 / n1 - x0 / n0) / sqrt(pooled * (1 - pooled) * (1 / n1 + 1 / n0))
    return ClassicalTest(z, erfc(abs(z) / sqrt(2)), z * z)
