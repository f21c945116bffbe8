"""`memoria cost`: tokens and money by day and operation, and how much of the hour's budget is left.

The ledger has every model call with what the client said it cost. A person whose tool calls models
unasked wants to see at a glance what for, and where to put a stop.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.evidence.report.costs_by_day import bill
from memoria.llm.budget import recent_calls
from memoria.text.dates import day
from memoria.text.numbers import counted, dollars
from memoria.vault.storage import clock

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from memoria.evidence.report.costs_by_day import Bill
    from memoria.evidence.report.model_costs import Expense
    from memoria.workspace import Workspace

_DAYS = 14  # rows of the terminal's table: two weeks; --json has all
_HEADINGS = ("day", "operation", "calls", "tokens in", "out", "list price")


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Sum up what was called, and print it."""
    work.vault.require()
    since = day(arguments.since)
    found = bill(work.vault.history().calls, work.settings.zone, since)
    used = recent_calls(work.vault.state, clock.now().timestamp())
    most = work.settings.calls_per_hour
    if arguments.json:
        terminal.data(_shown(found, used, most))
        return 0
    if found.total.rows:
        terminal.table(_HEADINGS, [*_rows(found), ("", "", "", "", "", ""), *_sum(found)])
        hidden = len(found.days) - _DAYS
        if hidden > 0:
            work.terminal.say(f"{counted(hidden, 'earlier day')} not shown: --json has all.")
    else:
        terminal.line("No model was called: the offline engine costs nothing.")
    for line in _notes(found, used, most, arguments.since):
        work.terminal.say(line)
    return 0


def _shown(found: Bill, used: int, most: int) -> dict[str, Any]:
    return {
        "days": [
            {"day": str(one.day), "usd": one.usd, "operations": [asdict(row) for row in one.rows]}
            for one in found.days
        ],
        "operations": [asdict(row) for row in found.total.rows],
        "usd": found.total.usd,
        "offline_calls": found.total.free,
        "budget": {"calls_last_hour": used, "calls_per_hour": most},
    }


def _rows(found: Bill) -> Iterator[tuple[str, ...]]:
    for one in found.days[:_DAYS]:
        for at, row in enumerate(one.rows):
            yield _row("" if at else str(one.day), row)


def _sum(found: Bill) -> Iterator[tuple[str, ...]]:
    for row in found.total.rows:
        yield _row("all", row)
    yield "all", "", "", "", "", dollars(found.total.usd)


def _row(day: str, row: Expense) -> tuple[str, ...]:
    return day, row.name, f"{row.calls:,}", f"{row.read:,}", f"{row.written:,}", row.price


def _notes(found: Bill, used: int, most: int, since: str) -> Iterator[str]:
    if found.total.rows:
        yield "With a subscription these calls are not billed by the token but count in its limits."
    when = f" since {since}" if since else ""
    if found.total.free and found.total.rows:
        yield f"{counted(found.total.free, 'call')} of the offline engine{when} cost nothing."
    yield (
        f"Budget: {used} of {most} model calls in the last hour. MEMORIA_CALLS_PER_HOUR in the "
        "vault's .env changes it; MEMORIA_ENGINE=offline calls no model."
    )
