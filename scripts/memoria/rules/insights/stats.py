"""`memoria stats`: the notebook in numbers, and what it lacks."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.capture.recurring_errors import recurring_errors
from memoria.rules.insights.counts import LATE, tally
from memoria.rules.insights.distill import read, tell
from memoria.text.dates import day
from memoria.text.unicode import strip_hidden
from memoria.vault.storage import clock

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from datetime import date

    from memoria.rules.insights.counts import Tally
    from memoria.vault.storage.history import Seen
    from memoria.workspace import Workspace

_RECURRING = 50  # signatures that are compared with the rules; the rest came twice
_OUT_OF_FORCE = {"rejected", "retired"}
_WEEKS, _MONTHS = 8, 12  # rows of the terminal's tables; --json has all
_BAR = 30  # characters of the longest bar
_LINE = 78  # characters of an error that is quoted


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Count, and print the numbers."""
    work.vault.require()
    first = day(arguments.since)
    found = read(work, first)
    now = clock.now(work.settings.zone)
    history = work.vault.history()
    mistakes = [seen for seen in history.latest.mistakes if _since(seen, first, work)]
    recurring = recurring_errors(mistakes)[:_RECURRING]
    numbers = tally(found.leaves, now.date(), recurring, _rules(work))
    if arguments.json:
        terminal.data({"generated_at": now.isoformat(timespec="seconds"), **_shown(numbers)})
    else:
        for line in _lines(numbers, detailed=arguments.detailed):
            terminal.line(strip_hidden(line))
    tell(work, found)
    return 1 if found.problems else 0


def _since(seen: Seen, first: date | None, work: Workspace) -> bool:
    """Whether an error was met on a day or after it."""
    return not first or clock.local(seen.mistake.at, work.settings.zone).date() >= first


def _rules(work: Workspace) -> Iterator[str]:
    """Give the texts of the rules that are not out of force."""
    shelf = work.vault.articles
    for path in shelf:
        article = shelf.get(path) if path.startswith("rules/") else None
        if article and str(article.meta.get("status")) not in _OUT_OF_FORCE:
            yield article.title


def _shown(numbers: Tally) -> dict[str, Any]:
    total = max(numbers.insights, 1)
    return {
        "entries": {
            "total": numbers.total,
            "written": numbers.written,
            "captured": numbers.captured,
            "with_improvements": numbers.covered,
            "written_with_improvements": numbers.written_covered,
            "coverage_percent": round(numbers.coverage, 1),
            "by_week": dict(numbers.weeks),
            "by_month": dict(numbers.months),
        },
        "insights": {
            "total": numbers.insights,
            "written": numbers.written_insights,
            "captured": numbers.insights - numbers.written_insights,
            "by_category": dict(numbers.by_category),
            "percent": {name: round(100 * n / total, 1) for name, n in numbers.by_category},
        },
        "streak": asdict(numbers.streak),
        "top_sources": [{"source": name, "insights": n} for name, n in numbers.top_sources],
        "blind_spots": {
            "days": LATE,
            "categories": list(numbers.quiet_categories),
            "projects": list(numbers.quiet_projects),
            "mistakes": [
                {"example": one.line, "count": one.count, "sessions": one.sessions}
                for one in numbers.unruled
            ],
        },
        "warnings": list(numbers.warnings),
    }


def _lines(numbers: Tally, *, detailed: bool) -> Iterator[str]:
    yield from ("Notebook", "========", "")
    yield (
        f"Entries:   {numbers.total} total ({numbers.written} written, {numbers.captured} captured)"
    )
    yield f"Coverage:  {numbers.coverage:.0f}% with improvements"
    yield f"Streak:    {_days(numbers.streak.current)} now, {_days(numbers.streak.longest)} longest"
    yield ""
    yield from _categories(numbers)
    if detailed:
        yield from _detailed(numbers)
    yield from _blind_spots(numbers, detailed=detailed)
    if numbers.warnings:
        yield ""
        yield "Warnings:"
        yield from (f"  - {warning}" for warning in numbers.warnings)


def _days(count: int) -> str:
    return f"{count} day{'' if count == 1 else 's'}"


def _categories(numbers: Tally) -> Iterator[str]:
    yield f"Insights:  {numbers.insights} total ({numbers.written_insights} written by you)"
    total = max(numbers.insights, 1)
    width = max(len(name) for name, _ in numbers.by_category) + 1
    for name, count in numbers.by_category:
        yield f"  {name + ':':<{width}} {count:>5} ({100 * count / total:.0f}%)"


def _detailed(numbers: Tally) -> Iterator[str]:
    yield from _table("Entries per week (from Monday):", numbers.weeks[-_WEEKS:])
    yield from _table("Entries per month:", numbers.months[-_MONTHS:])
    if numbers.top_sources:
        yield from ("", "Top sources:")
        yield from (f"  {count:>4}  {name}" for name, count in numbers.top_sources)


def _table(heading: str, rows: tuple[tuple[str, int], ...]) -> Iterator[str]:
    if not rows:
        return
    yield from ("", heading)
    most = max(count for _, count in rows) or 1
    for name, count in rows:
        yield f"  {name} {count:>5} {'#' * round(_BAR * count / most)}".rstrip()


def _blind_spots(numbers: Tally, *, detailed: bool) -> Iterator[str]:
    quiet = ", ".join(numbers.quiet_categories)
    spots = [f"no insight for {LATE} days on {quiet}"] if quiet else []
    spots += [f"nothing learned in {name} for {LATE} days" for name in numbers.quiet_projects]
    shown = numbers.unruled if detailed else numbers.unruled[:1]
    for one in shown:
        error = " ".join(one.line.split())
        error = error if len(error) <= _LINE else f"{error[: _LINE - 1].rstrip()}…"
        spots.append(f"no rule speaks of an error of {one.sessions} sessions: {error}")
    if spots:
        yield from ("", "Blind spots:")
        yield from (f"  - {spot}" for spot in spots)
