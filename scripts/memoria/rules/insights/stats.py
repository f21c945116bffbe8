"""`memoria stats`: the notebook in numbers, and what it lacks.

What a person wrote and what was captured are counted apart, since the first is a habit and the
second none.
"""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.capture.recurring_errors import recurring_errors
from memoria.rules.insights.distill import read, tell
from memoria.text.dates import day
from memoria.text.numbers import counted
from memoria.text.shorten import brief
from memoria.text.unicode import strip_hidden
from memoria.text.word_overlap import containment, stems
from memoria.vault.storage import clock
from memoria.vault.written.categories import CATEGORIES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.capture.recurring_errors import RecurringError
    from memoria.rules.insights.notebook import Leaf, Pattern
    from memoria.workspace import Workspace

LATE = 30  # days: of what a month has brought nothing, it is time to look
_TOP = 5  # errors that are named
_ABOUT = 0.5  # of the smaller one's words: from here on a rule speaks of an error
_RECURRING = 50  # errors that are compared with the rules; the rest came twice
_OUT_OF_FORCE = {"rejected", "retired"}
_LINE = 78  # characters of an error that is quoted
_LACKING = {
    "section": ("has no Improvements section", "have no Improvements section"),
    "insights": ("has an empty Improvements section", "have empty Improvements sections"),
    "bullets": (
        "has Improvements without bullets: only bullets are distilled",
        "have Improvements without bullets: only bullets are distilled",
    ),
}


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Count, and print the numbers."""
    work.vault.require()
    first, zone = day(arguments.since), work.settings.zone
    found, now = read(work, first), clock.now(zone)
    mistakes = [
        seen
        for seen in work.vault.history().latest.mistakes
        if not first or clock.local(seen.mistake.at, zone).date() >= first
    ]
    recurring = recurring_errors(mistakes)[:_RECURRING]
    numbers = tally(found.leaves, now.date(), recurring, _rules(work))
    if arguments.json:
        terminal.data({"generated_at": now.isoformat(timespec="seconds"), **numbers})
    else:
        for line in _lines(numbers, detailed=arguments.detailed):
            terminal.line(strip_hidden(line))
    tell(work, found)
    return 1 if found.problems else 0


def _rules(work: Workspace) -> Iterator[str]:
    """Give the texts of the rules that are not out of force."""
    shelf = work.vault.articles
    for path in shelf:
        article = shelf.get(path) if path.startswith("rules/") else None
        if article and str(article.meta.get("status")) not in _OUT_OF_FORCE:
            yield article.title


# -- Numbers --------------------------------------------------------------------------------------


def tally(
    leaves: Sequence[Leaf], today: date, recurring: Iterable[RecurringError], rules: Iterable[str]
) -> dict[str, Any]:
    """Count, as --json has it; `recurring` are repeated errors, `rules` the texts of all rules."""
    patterns = [pattern for leaf in leaves for pattern in leaf.patterns]
    written = [leaf for leaf in leaves if leaf.kind == "written"]
    covered = sum(bool(leaf.patterns) for leaf in leaves)
    recent = {one.category for one in patterns if today - one.date <= timedelta(days=LATE)}
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
            "mistakes": [
                {"example": one.line, "count": one.count, "sessions": one.sessions}
                for one in _unruled(recurring, rules)
            ],
        },
        "warnings": [*_warnings(written)],
    }


def _insights(found: Sequence[Pattern]) -> dict[str, Any]:
    counts = Counter(one.category for one in found)
    written = sum(one.origin == "written" for one in found)
    names = (*CATEGORIES, *sorted(counts.keys() - {*CATEGORIES}))
    return {
        "total": len(found),
        "written": written,
        "captured": len(found) - written,
        "by_category": {name: counts[name] for name in names},
        "percent": {name: round(100 * counts[name] / max(1, len(found)), 1) for name in names},
    }


def _unruled(recurring: Iterable[RecurringError], rules: Iterable[str]) -> list[RecurringError]:
    """Give the errors that come back and share too few words with any rule."""
    known = [stems(text) for text in rules]
    return [
        one
        for one in recurring
        if not any(containment(stems(one.line), words) >= _ABOUT for words in known)
    ][:_TOP]


def _warnings(written: Sequence[Leaf]) -> Iterator[str]:
    for lack, (singular, plural) in _LACKING.items():
        if count := sum(leaf.lacks == lack for leaf in written):
            yield f"{counted(count, 'entry', 'entries')} {singular if count == 1 else plural}"
    for name, count in sorted(Counter(leaf.entry for leaf in written).items()):
        if count > 1:
            yield f"{count} files are copies of {name}: they count as one entry in confidence"
    for leaf in written:
        if leaf.fault:
            yield f"{leaf.source}: its frontmatter cannot be read: {leaf.fault}"
        if leaf.own:
            yield f"{leaf.source}: own categories: {', '.join(leaf.own)}"


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
    spots = [*_spots(numbers["blind_spots"], None if detailed else 1)]
    for heading, rows in (("Blind spots:", spots), ("Warnings:", numbers["warnings"])):
        yield from ("", heading, *(f"  - {row}" for row in rows)) if rows else ()


def _spots(blind: Mapping[str, Any], most: int | None) -> Iterator[str]:
    if quiet := ", ".join(blind["categories"]):
        yield f"no insight for {LATE} days on {quiet}"
    for one in blind["mistakes"][:most]:
        error = brief(one["example"], _LINE)
        yield f"no rule speaks of an error of {one['sessions']} sessions: {error}"
