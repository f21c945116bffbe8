"""Compare two rates: effect sizes by name, and the seed's z-test and chi-squared.

34 % to 12 % is a difference of 22 points, a relative reduction of .65 (the "effect size" of the
buildlog 0.5.0 seed) and a Cohen's h of .54: a bare "effect size" can be any of them. The tests take
each mistake for an independent toss. Mistakes of a session are alike, so on sessions as real ones
are (3.4 mistakes, correlation .23) they call an effect that is not there in about one of five
studies at p < .05, and in three of four when looked at after every session. They are printed
because the seed's protocol names them, beside the tests that hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, erfc, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoria.evidence.rates import Rate

NOTE = (
    "These two take every error for an independent event, but the errors of a session are "
    "alike: at p < .05 they see an effect that is not there in one of five studies, and in three "
    "of four that are looked at after every session up to 200. Do not decide by them."
)


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect size; `value` is None where it is not defined, `means` says what it is."""

    name: str
    value: float | None
    means: str


def cohens_h(one: float, other: float) -> float:
    """Give the distance of two proportions on the arcsine scale; .2 is small, .5 medium, .8 large.

    Positive where `one` is the greater. Source: Cohen 1988, chapter 6.
    """
    return 2 * asin(sqrt(one)) - 2 * asin(sqrt(other))


def _fall(treated: float | None, control: float | None) -> float | None:
    return (control - treated) / control if control and treated is not None else None


def _apart(treated: float | None, control: float | None) -> float | None:
    return None if treated is None or control is None else treated - control


def effects(treated: Rate, control: Rate) -> tuple[Effect, ...]:
    """Give all effect sizes of a comparison; a fall is negative as a difference."""
    both = treated.rmr, control.rmr
    counts = treated.repeats_per_session, control.repeats_per_session
    all_ = treated.mistakes_per_session, control.mistakes_per_session
    h = None if both[0] is None or both[1] is None else cohens_h(both[1], both[0])
    return (
        Effect("difference of RMR", _apart(*both), "treated minus control, as a share of errors"),
        Effect(
            "relative reduction of RMR",
            _fall(*both),
            "by which part of the control's RMR it fell; the effect size that buildlog prints",
        ),
        Effect("Cohen's h of RMR", h, "on the arcsine scale: .2 is small, .5 medium, .8 large"),
        Effect("difference of repeats per session", _apart(*counts), "treated minus control"),
        Effect(
            "relative reduction of repeats per session",
            _fall(*counts),
            "by which part of the control's repeats they fell",
        ),
        Effect("difference of errors per session", _apart(*all_), "treated minus control"),
    )


@dataclass(frozen=True, slots=True)
class Classical:
    """The seed's tests, two-sided; `corrected` is chi-squared with Yates' correction."""

    z: float
    z_p: float
    chi_squared: float
    chi_squared_p: float
    corrected: float
    corrected_p: float
    note: str = NOTE


def classical(treated: Rate, control: Rate) -> Classical | None:
    """Test two shares of repeats; None where an arm has no mistake, or all or none are repeats."""
    n1, n0 = treated.mistakes, control.mistakes
    x1, x0 = treated.repeats, control.repeats
    if not n1 or not n0 or not 0 < x1 + x0 < n1 + n0:
        return None
    pooled = (x1 + x0) / (n1 + n0)
    z = (x1 / n1 - x0 / n0) / sqrt(pooled * (1 - pooled) * (1 / n1 + 1 / n0))
    # Yates: each of the four cells is brought nearer to its expectation by at most a half
    off = abs(x1 - n1 * pooled)
    expected = (n * share for n in (n1, n0) for share in (pooled, 1 - pooled))
    corrected = sum((off - min(0.5, off)) ** 2 / cell for cell in expected)
    return Classical(z, _two_sided(z), z * z, _two_sided(z), corrected, _two_sided(sqrt(corrected)))


def _two_sided(z: float) -> float:
    return erfc(abs(z) / sqrt(2))
