"""Model calls of the ledger -> the Bill: tokens and dollars by day and operation, newest day first.

The same sums as the report's, by day: what a person looks at who wonders where the money went. A
day is the person's own, not UTC's. The trap: with a subscription nothing is billed by the token, so
dollars are what the calls would have cost at list prices, and the command says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memoria.evidence.report.model_costs import Expense, Expenses, expenses

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date, tzinfo


@dataclass(frozen=True, slots=True)
class Day:
    """What the operations of one day took, the dearest first."""

    day: date
    rows: tuple[Expense, ...]
    usd: float


@dataclass(frozen=True, slots=True)
class Bill:
    """Days newest first, and all of them together."""

    days: tuple[Day, ...]
    total: Expenses


def bill(calls: Iterable[Mapping[str, Any]], zone: tzinfo | None, since: date | None) -> Bill:
    """Sum calls up by the day they were made on in `zone` (None: the machine's own).

    A call without a time that can be read counts in the total alone, unless `since` is given.
    """
    by_day: dict[date, list[Mapping[str, Any]]] = {}
    counted: list[Mapping[str, Any]] = []
    for call in calls:
        day = _day(call.get("at"), zone)
        if since is not None and (day is None or day < since):
            continue
        counted.append(call)
        if day is not None:
            by_day.setdefault(day, []).append(call)
    summed = ((day, expenses(by_day[day])) for day in sorted(by_day, reverse=True))
    days = tuple(Day(day, found.rows, found.usd) for day, found in summed if found.rows)
    return Bill(days, expenses(counted))


def _day(at: object, zone: tzinfo | None) -> date | None:
    if not isinstance(at, str):
        return None
    try:
        moment = datetime.fromisoformat(at)
        return moment.astimezone(zone).date() if moment.tzinfo else moment.date()
    except (ValueError, OverflowError):
        return None
