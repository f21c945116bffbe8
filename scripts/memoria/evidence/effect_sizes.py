"""Two rates -> effect sizes, each with its name: the same change has several and they differ.

34 % to 12 % is a difference of 22 points, a relative reduction of .65 (the "effect size" of the
buildlog 0.5.0 seed) and a Cohen's h of .54. The trap: a bare "effect size" can be any of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoria.evidence.rates import Rate


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
        Effect("difference of RMR", _apart(*both), "treated minus control, as a share of mistakes"),
        Effect(
            "relative reduction of RMR",
            _fall(*both),
            "by which part of the control's RMR it fell; the buildlog seed's effect size",
        ),
        Effect("Cohen's h of RMR", h, "on the arcsine scale: .2 is small, .5 medium, .8 large"),
        Effect("difference of repeats per session", _apart(*counts), "treated minus control"),
        Effect(
            "relative reduction of repeats per session",
            _fall(*counts),
            "by which part of the control's repeats they fell",
        ),
        Effect("difference of mistakes per session", _apart(*all_), "treated minus control"),
    )
