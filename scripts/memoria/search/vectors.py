"""Hits -> the same hits in an order that counts their meaning, too, by the extra `wordllama`.

Scores are fused, not ranks: rank fusion with so small a model loses more than it finds. It is no
default, as it finds one or two in a hundred more for five times the time (bench/RESULTS.md).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from memoria.llm.embedding import wordllama

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from memoria.search.index.ranking import Hit

# hits of BM25 whose meaning is looked at: 20 ms, and hardly a better one is further down
DEPTH = 100
# how much the meaning counts beside the words: of 0.1 to 2 this was best at 10 and 20 hits
_WEIGHT = 0.3


def fused(query: str, hits: Sequence[Hit], embed: Callable[..., Any] | None = None) -> list[Hit]:
    """Order hits by words and meaning; ties stay in their order. `score` becomes the sum of both.

    UsageError where the extra is not installed.
    """
    if not hits:
        return []
    texts = [f"{hit.title}\n{hit.passage}" for hit in hits]
    vectors = np.asarray((embed or wordllama())([*texts, query], norm=True), dtype=np.float64)
    words = _standard(np.array([hit.score for hit in hits]))
    scores = words + _WEIGHT * _standard(vectors[:-1] @ vectors[-1])
    order = np.argsort(-scores, kind="stable")
    return [replace(hits[at], score=float(f"{scores[at]:.4g}")) for at in order]


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    spread = float(values.std())
    return (values - values.mean()) / spread if spread else np.zeros_like(values)
