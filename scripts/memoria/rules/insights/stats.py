"""The notebook entry by entry, newest first (`memoria list`), or in numbers (`memoria stats`).

What a person wrote and what was captured are counted apart, since the first is a habit and the
second none.
"""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.capture.recurring_errors import find_errors_worth_telling
from memoria.rules.insights.notebook import read_notebook, report_problems
from memoria.rules.rulebook import rulebook
from memoria.text.dates import parse_day, parse_midnight
from memoria.text.numbers import format_count
from memoria.text.unicode import strip_hidden
from memoria.vault.project import label
from memoria.vault.storage import clock
from memoria.vault.written.categories import CATEGORIES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.capture.recurring_errors import RecurringError
    from memoria.rules.insights.notebook import Leaf, Pattern
    from memoria.vault.storage.history import RecordedMistake
    from memoria.workspace import Workspace

_SHOWN_ROWS = 3  # blind spots and warnings that are named without --detailed
_RECENT_DAYS = 30  # of what a month has brought nothing, it is time to look
_LACKS = {  # what an entry lacks: how that is said of one, and of several
    "section": ("has no Improvements section", "have no Improvements section"),
    "insights": ("has an empty Improvements section", "have empty Improvements sections"),
    "bullets": (
        "has Improvements without bullets: only bullets are distilled",
        "have Improvements without bullets: only bullets are distilled",
    ),
}
_INDENT_COLUMNS = 27  # a day, a time and a kind


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """List the entries, or count and print the numbers."""
    notebook = read_notebook(work.vault, parse_day(arguments.since))
    if arguments.verb == "list":
        _print_entries(notebook.leaves, as_json=arguments.json)
    else:
        _print_numbers(arguments, work, notebook.leaves)
    report_problems(work.terminal, notebook, arguments.since or "")
    return 1 if notebook.problems else 0


def _print_numbers(arguments: argparse.Namespace, work: Workspace, leaves: Sequence[Leaf]) -> None:
    """Print the numbers, and the errors that no rule speaks of."""
    now, history = clock.now(work.settings.zone), work.vault.history().latest
    numbers, start = tally(leaves, now.date()), parse_midnight(arguments.since, work.settings.zone)
    mistakes = [case for case in history.mistakes if case.mistake.at >= start]
    errors = _find_unruled_errors(work, mistakes)
    if arguments.json:
        numbers["blind_spots"]["errors"] = [
            {"error": error.line, "fix": error.fix, "sessions": error.sessions} for error in errors
        ]
        terminal.print_json({"generated_at": now.isoformat(timespec="seconds"), **numbers})
        return
    sessions = sum(stay.ended >= start for stay in history.sessions.values())
    spots = [error.format_line(sessions) for error in errors]
    for line in _format(numbers, spots, detailed=arguments.detailed):
        terminal.print_line(strip_hidden(line))


def _print_entries(entries: Iterable[Leaf], *, as_json: bool) -> None:
    """Print the entries, newest first; one without a time is the last of its day."""
    leaves = sorted(
        entries, key=lambda leaf: (leaf.day, leaf.time or "24", leaf.source), reverse=True
    )
    if as_json:
        terminal.print_json([_describe_leaf(leaf) for leaf in leaves])
        return
    for leaf in leaves:
        terminal.print_line(_format_leaf(leaf), _INDENT_COLUMNS)


def _describe_leaf(leaf: Leaf) -> dict[str, Any]:
    return {
        "date": leaf.day.isoformat(),
        "time": leaf.time,
        "kind": leaf.said_kind,
        "title": leaf.title,
        "project": leaf.project,
        "improvements": len(leaf.patterns),
        "path": f"daily/{leaf.source}",
        "edited": leaf.edited,
    }


def _format_leaf(leaf: Leaf) -> str:
    count = format_count(len(leaf.patterns), "insight")
    project = f", {label(leaf.project)}" if leaf.project else ""
    # titles are a person's or a session's: what a terminal would act on is taken out
    text = strip_hidden(f"{leaf.title} ({count}{project})")
    return f"{leaf.day} {leaf.time or '     '} {leaf.said_kind:<8}  {' '.join(text.split())}"


def tally(leaves: Sequence[Leaf], today: date) -> dict[str, Any]:
    """Count, as --json has it."""
    patterns = [pattern for leaf in leaves for pattern in leaf.patterns]
    written = [leaf for leaf in leaves if leaf.kind == "written"]
    own = sum(leaf.said_kind == "written" for leaf in leaves)
    with_insights = sum(bool(leaf.patterns) for leaf in leaves)
    first_day = today - timedelta(days=_RECENT_DAYS)
    recent = {pattern.category for pattern in patterns if pattern.date >= first_day}
    return {
        "entries": {
            "total": len(leaves),
            "written": own,
            "captured": len(leaves) - own,
            "with_improvements": with_insights,
            "written_with_improvements": sum(not leaf.lacks for leaf in written),
            "coverage_percent": round(100 * with_insights / len(leaves), 1) if leaves else 0.0,
        },
        "insights": _count_insights(patterns),
        "blind_spots": {
            "days": _RECENT_DAYS,
            "categories": [name for name in CATEGORIES if leaves and name not in recent],
        },
        "warnings": [*_list_warnings(written)],
    }


def _count_insights(patterns: Sequence[Pattern]) -> dict[str, Any]:
    counts = Counter(pattern.heading or pattern.category for pattern in patterns)
    names = dict.fromkeys((*CATEGORIES, *counts))
    written = sum(pattern.origin == "written" for pattern in patterns)
    return {
        "total": len(patterns),
        "written": written,
        "captured": len(patterns) - written,
        "by_category": {name: counts[name] for name in names},
        "percent": {name: round(100 * counts[name] / max(1, len(patterns)), 1) for name in names},
    }


def _list_warnings(written: Sequence[Leaf]) -> Iterator[str]:
    for lack, (singular, plural) in _LACKS.items():
        if count := sum(leaf.lacks == lack for leaf in written):
            yield f"{format_count(count, 'entry', 'entries')} {singular if count == 1 else plural}"
    for leaf in written:
        if leaf.fault:
            yield f"{leaf.source}: its frontmatter cannot be read: {leaf.fault}"


def _find_unruled_errors(work: Workspace, cases: Iterable[RecordedMistake]) -> list[RecurringError]:
    """Give the errors that came back and that no active rule speaks of."""
    book = rulebook(work)
    rules = [rule.text for rule in book.rules if book.is_in_force(rule)]
    return [error for error in find_errors_worth_telling(cases) if not error.is_covered_by(rules)]


def _format(numbers: Mapping[str, Any], spots: Sequence[str], *, detailed: bool) -> Iterator[str]:
    entries, insights = numbers["entries"], numbers["insights"]
    kinds = f"{entries['written']} written, {entries['captured']} captured"
    yield from ("Notebook", "========", "")
    yield f"Entries:   {entries['total']} total ({kinds})"
    yield f"Coverage:  {entries['coverage_percent']:.0f}% with improvements"
    yield ""
    yield f"Insights:  {insights['total']} total ({insights['written']} written by you)"
    width = max(map(len, insights["by_category"])) + 1
    for name, count in insights["by_category"].items():
        share = 100 * count / max(1, insights["total"])
        yield f"  {name + ':':<{width}} {count:>5} ({share:.0f}%)"
    limit = None if detailed else _SHOWN_ROWS
    blind = "Blind spots (errors that came back; no active rule speaks of them):"
    for heading, rows in ((blind, spots[:limit]), ("Warnings:", numbers["warnings"][:limit])):
        if rows:
            yield from ("", heading, *(f"  - {row}" for row in rows))
