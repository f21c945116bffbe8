"""Sum model calls up by operation: tokens, and dollars at list prices.

With a subscription nothing is billed by the token. Calls of the offline engine are counted apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memoria.evidence.experiment import positive

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Call = Mapping[str, Any]

_NAMES = {
    "flush": "flush: sessions to entries",
    "compile": "compile: entries to articles",
    "query": "query: answers",
    "lint": "lint: contradictions",
    "learn": "learn: rules from reviews",
}


@dataclass(frozen=True, slots=True)
class OperationCost:
    """What one operation took: calls of a model, tokens read and written, US dollars."""

    task: str
    calls: int
    read: int
    written: int
    usd: float

    @property
    def name(self) -> str:
        """What the operation does."""
        return _NAMES.get(self.task, self.task)


@dataclass(frozen=True, slots=True)
class Costs:
    """All operations that a model was paid for, the dearest first; `free` counts calls of none."""

    rows: tuple[OperationCost, ...] = ()
    free: int = 0
    usd: float = 0.0


def costs(calls: Iterable[Call]) -> Costs:
    """Sum model calls up by operation; a call without tokens and dollars was no model's."""
    sums: dict[str, list[float]] = {}
    free = 0
    for call in calls:
        amounts = [positive(call.get(name)) or 0.0 for name in ("input", "output", "cost_usd")]
        if not any(amounts):
            free += 1
            continue
        row = sums.setdefault(str(call.get("task") or "other"), [0.0] * 4)
        for at, value in enumerate((1.0, *amounts)):
            row[at] += value
    rows = [
        OperationCost(task, int(calls), int(read), int(written), usd)
        for task, (calls, read, written, usd) in sums.items()
    ]
    rows.sort(key=lambda cost: (-cost.usd, -cost.read, cost.task))
    return Costs(tuple(rows), free, sum(cost.usd for cost in rows))
