"""Two rates -> the seed's z-test and chi-squared, with how often they are wrong here.

Both take each mistake for an independent toss. Mistakes of a session are alike, so on sessions as
real ones are (3.4 mistakes, correlation .23) these tests at p < .05 call an effect that is not
there in about one of five studies, and in three of four when they are looked at after every
session. They are printed because the seed's protocol names them, beside the tests that hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoria.evidence.rates import Rate

NOTE = (
    "These two take every mistake for an independent event, but the mistakes of a session are "
    "alike: at p < .05 they see an effect that is not there in one of five studies, and in three "
    "of four that are looked at after every session up to 200. Do not decide by them."
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
