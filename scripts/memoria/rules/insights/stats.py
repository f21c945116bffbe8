"""The notebook entry by entry, newest first (`memoria list`), or in numbers (`memoria stats`).

What a person wrote and what was captured are counted apart, since the first is a habit and the
second none.
"""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.rules.insights.distill import read, tell
from memoria.text.dates import day
from memoria.text.numbers import counted
from memoria.text.unicode import strip_hidden
from memoria.vault.project import label
from memoria.vault.storage import clock
from memoria.vault.written.categories import CATEGORIES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.rules.insights.notebook import Leaf, Pattern
    from memoria.workspace import Workspace

_WARNINGS = 3  # that are named without --detailed
LATE = 30  # days: of what a month has brought nothing, it is time to look
_LACKING = {
    "section": ("has no Improvements section", "have no Improvements section"),
    "insights": ("has an empty Improvements section", "have empty Improvements sections"),
    "bullets": (
        "has Improvements without bullets: only bullets are distilled",
        "have Improvements without bullets: only bullets are distilled",
    ),
}


_INDENT = 27  # columns of a day, a time and a kind


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """List the entries, or count and print the numbers."""
    reading, now = read(work, day(arguments.since)), clock.now(work.settings.zone)
    numbers = tally(reading.leaves, now.date())
    if arguments.verb == "list":
        _list(reading.leaves, as_json=arguments.json)
    elif arguments.json:
        terminal.data({"generated_at": now.isoformat(timespec="seconds"), **numbers})
    else:
        for line in _lines(numbers, detailed=arguments.detailed):
            terminal.line(strip_hidden(line))
    tell(work, reading)
    return 1 if reading.problems else 0


# -- Entries --------------------------------------------------------------------------------------


def _list(entries: Iterable[Leaf], *, as_json: bool) -> None:
    leaves = sorted(
        entries, key=lambda leaf: (leaf.day, leaf.time or "24", leaf.source), reverse=True
    )
    if as_json:
        terminal.data([_shown(leaf) for leaf in leaves])
        return
    for leaf in leaves:
        terminal.line(_line(leaf), _INDENT)


def _shown(leaf: Leaf) -> dict[str, Any]:
    return {
        "date": leaf.day.isoformat(),
        "time": leaf.time,
        "kind": leaf.kind,
        "title": leaf.title,
        "project": leaf.project,
        "improvements": len(leaf.patterns),
        "path": f"daily/{leaf.source}",
        "edited": leaf.edited,
    }


def _line(leaf: Leaf) -> str:
    about = counted(len(leaf.patterns), "improvement")
    project = f", {label(leaf.project)}" if leaf.project else ""
    # titles are a person's or a session's: what a terminal would act on is taken out
    text = strip_hidden(f"{leaf.title} ({about}{project})")
    return f"{leaf.day} {leaf.time or '     '} {leaf.kind:<8}  {' '.join(text.split())}"


# -- Numbers --------------------------------------------------------------------------------------


def tally(leaves: Sequence[Leaf], today: date) -> dict[str, Any]:
    """Count, as --json has it."""
    patterns = [pattern for leaf in leaves for pattern in leaf.patterns]
    written = [leaf for leaf in leaves if leaf.kind == "written"]
    covered = sum(bool(leaf.patterns) for leaf in leaves)
    recent = {note.category for note in patterns if today - note.date <= timedelta(days=LATE)}
    return {
        "entries": {
            "total": len(leaves),
            "written": len(written),
            "captured": len(leaves) - len(written),
            "with_improvements": covered,
            "written_with_improvements": sum(not leaf.lacks for leaf in written),
            "coverage_percent": round(100 * covered / len(leaves), 1) if leaves else 0.0,
        },
        "insights": _insights(patterns),
        "blind_spots": {
            "days": LATE,
            "categories": [name for name in CATEGORIES if leaves and name not in recent],
        },
        "warnings": [*_warnings(written)],
    }


def _insights(patterns: Sequence[Pattern]) -> dict[str, Any]:
    counts = Counter(pattern.category for pattern in patterns)
    written = sum(pattern.origin == "written" for pattern in patterns)
    return {
        "total": len(patterns),
        "written": written,
        "captured": len(patterns) - written,
        "by_category": {name: counts[name] for name in CATEGORIES},
        "percent": {
            name: round(100 * counts[name] / max(1, len(patterns)), 1) for name in CATEGORIES
        },
    }


def _warnings(written: Sequence[Leaf]) -> Iterator[str]:
    for lack, (singular, plural) in _LACKING.items():
        if count := sum(leaf.lacks == lack for leaf in written):
            yield f"{counted(count, 'entry', 'entries')} {singular if count == 1 else plural}"
    for leaf in written:
        if leaf.fault:
            yield f"{leaf.source}: its frontmatter cannot be read: {leaf.fault}"


# -- Lines ----------------------------------------------------------------------------------------


def _lines(numbers: Mapping[str, Any], *, detailed: bool) -> Iterator[str]:
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
    quiet = ", ".join(numbers["blind_spots"]["categories"])
    spots = [f"no insight for {LATE} days on {quiet}"] if quiet else []
    warnings = numbers["warnings"][: None if detailed else _WARNINGS]
    for heading, rows in (("Blind spots:", spots), ("Warnings:", warnings)):
        yield from ("", heading, *(f"  - {row}" for row in rows)) if rows else ()
