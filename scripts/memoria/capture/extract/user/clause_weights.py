"""Read what each feature of a clause weighs: log-odds of a lasting rule of the user.

The table is clause_weights.txt, written by bench/rules/fit.py: the bias, then lines of a weight and
the names that have it. It is read when a clause is first weighed, since most commands weigh none.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Weights(NamedTuple):
    """A bias and a weight for each feature; a name that is not there weighs nothing."""

    bias: float
    weights: Mapping[str, float]

    def odds(self, names: Iterable[str]) -> float:
        """Give the log-odds of what has these features."""
        return self.bias + sum(self.weights.get(name, 0.0) for name in names)


@cache
def weights() -> Weights:
    """Read the table; a line that begins with a hash says where it comes from."""
    text = (pkgutil.get_data(__package__, "clause_weights.txt") or b"").decode("utf-8")
    rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
    table = {name: float(weight) for weight, *names in rows for name in names}
    return Weights(table.pop("BIAS", 0.0), table)
