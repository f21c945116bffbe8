"""Show tokens and money by operation, and the budget of the hour (`memoria cost`).

A person whose tool calls models unasked wants to see at a glance what for, and where to put a stop.
"""

import argparse
from collections.abc import Iterator
from dataclasses import asdict

from memoria import terminal
from memoria.evidence.vault_report import Costs, sum_costs
from memoria.llm.budget import ANSWER_TOKENS, OVERHEAD_TOKENS, PRICES, PRICES_OF, recent_calls
from memoria.text.dates import parse_midnight, parse_moment
from memoria.text.numbers import format_count, format_dollars
from memoria.vault.storage import clock
from memoria.workspace import Workspace

_TOKEN = 4  # characters, about
# operation, model, mean characters of its prompt on 59 real sessions, tokens that it writes (those
# of a query and of a check are assumed)
_MEASURED_ON = "2026-11"
_MEASURED = (
    ("flush, a session", "haiku", 15_600, ANSWER_TOKENS["flush"]),
    ("compile, a day's log", "sonnet", 8_500, ANSWER_TOKENS["compile"]),
    ("query, a question", "sonnet", 35_500, 400),
    ("lint, 20,000 tokens", "haiku", 80_000, 400),
)
_HEADINGS = ("operation", "calls", "tokens in", "out", "list price")


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Sum up what was called, and print it."""
    since, first = parse_midnight(arguments.since, work.settings.zone), parse_midnight("", None)
    calls = work.vault.history().calls
    total = sum_costs(call for call in calls if (parse_moment(call.get("at")) or first) >= since)
    call_count = len(recent_calls(work.vault.state, clock.now().timestamp()))
    limit = work.settings.calls_per_hour
    if arguments.json:
        terminal.print_json(
            {
                "operations": [asdict(row) for row in total.rows],
                "usd": total.usd,
                "offline_calls": total.free,
                "budget": {"calls_last_hour": call_count, "calls_per_hour": limit},
            }
        )
        return 0
    if total.rows:
        rows = []
        for row in total.rows:
            counts = (f"{count:,}" for count in (row.calls, row.read, row.written))
            rows.append((row.name, *counts, format_dollars(row.usd)))
        terminal.print_table(_HEADINGS, [*rows, ("all", "", "", "", format_dollars(total.usd))])
    else:
        terminal.print_line("No model was called: the offline engine costs nothing.")
        measured = f"measured {_MEASURED_ON}, prices of {PRICES_OF}"
        terminal.print_line(f"\nWith the engine claude a call costs ({measured}):")
        usual_rows = (
            (*words, f"{tokens:,}", f"${usd:.4f}") for *words, tokens, usd in list_usual_costs()
        )
        terminal.print_table(("operation", "model", "tokens in", "list price"), usual_rows)
    for line in _format_notes(total, call_count, limit, arguments.since):
        work.terminal.say(line)
    return 0


def list_usual_costs() -> Iterator[tuple[str, str, int, float]]:
    """Give of each operation its model, the tokens it reads and the list price of a call."""
    for name, model, length, output_tokens in _MEASURED:
        price, tokens = PRICES[model], length // _TOKEN + OVERHEAD_TOKENS
        yield name, model, tokens, price.of(tokens, output_tokens)


def _format_notes(total: Costs, count: int, limit: int, since: str) -> Iterator[str]:
    if total.rows:
        yield "With a subscription these calls are not billed by the token but count in its limits."
    since_text = f" since {since}" if since else ""
    if total.free and total.rows:
        yield f"{format_count(total.free, 'call')} of the offline engine{since_text} cost nothing."
    yield (
        f"Budget: {count} of {limit} model calls in the last hour. MEMORIA_CALLS_PER_HOUR in the "
        "vault's .env changes it; MEMORIA_ENGINE=offline calls no model."
    )
