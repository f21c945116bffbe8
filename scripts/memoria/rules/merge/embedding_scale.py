"""Scale the cosines of an embedding model: how near the meanings of two rules are, 0 to 1.

What is near by one model is far by another, so a model is measured by its vectors of rules that
have nothing in common.
"""

from __future__ import annotations

import pkgutil
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# rules about unlike things, by which each model is measured
BACKGROUND = tuple((pkgutil.get_data(__package__, "background.txt") or b"").decode().splitlines())


class Vectors(NamedTuple):
    """What a model, named by its `backend`, makes of texts and of the background: a row each."""

    backend: str
    texts: NDArray[np.float32]
    background: NDArray[np.float32]

    @property
    def usual(self) -> float:
        """Give the cosine that rules without anything in common usually have."""
        import numpy as np  # noqa: PLC0415 - only what a model weighs needs it

        above = np.triu_indices(len(self.background), 1)
        return float(np.median((self.background @ self.background.T)[above]))


def nearness(cosine: float, usual: float) -> float:
    """Bring a cosine to the scale on which what has nothing in common is 0 and a copy 1."""
    return min(1.0, max(0.0, (cosine - usual) / max(1.0 - usual, 1e-6)))
