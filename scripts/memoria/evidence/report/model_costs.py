"""Model calls of the ledger -> Expenses: tokens and dollars by operation.

Dollars are at list prices, as the client said them with each reply. The trap: the offline engine's
calls cost nothing and stand in the ledger as well; a table of zeros looks like a fault, so they are
counted apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from memoria.evidence.charts.axis import numbers
from memoria.evidence.charts.charts import Beam, beams
from memoria.evidence.charts.figures import PHONE, WHOLE, Figure, Key
from memoria.text.numbers import dollars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_NAMES = {
    "flush": "flush: sessions to entries",
    "compile": "compile: entries to articles",
    "query": "query: answers",
    "lint": "lint: contradictions",
    "learn": "learn: rules from reviews",
}


@dataclass(frozen=True, slots=True)
class Expense:
    """What one operation took: calls of a model, tokens in and out, US dollars."""

    task: str
    calls: int
    read: int
    written: int
    usd: float

    @property
    def name(self) -> str:
        """What the operation does."""
        return _NAMES.get(self.task, self.task)

    @property
    def price(self) -> str:
        """Its dollars in words."""
        return dollars(self.usd)


@dataclass(frozen=True, slots=True)
class Expenses:
    """All operations that a model was paid for, the dearest first; `free` counts calls of none."""

    rows: tuple[Expense, ...] = ()
    free: int = 0
    usd: float = 0.0
    figures: tuple[Figure, ...] = ()


def expenses(calls: Iterable[Mapping[str, Any]]) -> Expenses:
    """Sum model calls up by operation; a call without tokens and dollars was no model's."""
    sums: dict[str, list[float]] = {}
    free = 0
    for call in calls:
        numbers_ = [_number(call.get(name)) for name in ("input", "output", "cost_usd")]
        if not any(numbers_):
            free += 1
            continue
        row = sums.setdefault(str(call.get("task") or "other"), [0.0] * 4)
        for at, value in enumerate((1.0, *numbers_)):
            row[at] += value
    rows = [
        Expense(task, int(row[0]), int(row[1]), int(row[2]), row[3]) for task, row in sums.items()
    ]
    rows.sort(key=lambda one: (-one.usd, -one.read, one.task))
    total = sum(one.usd for one in rows)
    return Expenses(tuple(rows), free, total, tuple(_picture(rows)))


def _number(value: object) -> float:
    """Read a number of a record; JSON may hold NaN, Infinity, and what no float can be."""
    try:
        number = float(value) if isinstance(value, int | float) else 0.0
    except OverflowError:
        return 0.0
    return number if isfinite(number) and number > 0 else 0.0


def _picture(rows: Sequence[Expense]) -> Iterator[Figure]:
    """Draw dollars by operation; nothing where no operation cost any."""
    paid = [one for one in rows if one.usd]
    if not paid:
        return
    drawn = [
        Beam(one.name, (one.usd,), dollars(one.usd), f"{one.name}: {dollars(one.usd)}")
        for one in paid
    ]
    x = numbers([one.usd for one in paid], "US dollars")
    yield Figure(
        "expenses",
        "Cost by operation",
        f"US dollars at list prices. Most: {paid[0].name}, {dollars(paid[0].usd)}.",
        beams(drawn, ("again",), x, WHOLE),
        beams(drawn, ("again",), x, PHONE),
        ("operation", "US dollars"),
        tuple((one.name, dollars(one.usd)) for one in paid),
        (Key("again", "US dollars at list prices"),),
    )
