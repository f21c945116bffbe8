"""`memoria stats`: the notebook in numbers, and what it lacks.

What a person wrote and what was captured are counted apart, since the first is a habit and the
second none. A streak that ends yesterday is not broken yet today.
"""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.capture.extract.sentences import containment, stems
from memoria.capture.recurring_errors import recurring_errors
from memoria.rules.insights.distill import read, tell
from memoria.text.dates import day
from memoria.text.numbers import counted
from memoria.text.shorten import brief
from memoria.text.unicode import strip_hidden
from memoria.vault.project import label
from memoria.vault.storage import clock
from memoria.vault.written.categories import CATEGORIES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.capture.recurring_errors import RecurringError
    from memoria.rules.insights.notebook import Leaf, Pattern
    from memoria.workspace import Workspace

LATE = 30  # days: of what a month has brought nothing, it is time to look
_TOP = 5  # sources and errors that are named
_ABOUT = 0.5  # of the smaller one's words: from here on a rule speaks of an error
_FEW = 3  # entries of a project, from which on it is strange that nothing was learned
_RECURRING = 50  # errors that are compared with the rules; the rest came twice
_OUT_OF_FORCE = {"rejected", "retired"}
_WEEKS, _MONTHS = 8, 12  # rows of the terminal's tables; --json has all
_BAR = 30  # characters of the longest bar
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
    found = [pattern for leaf in leaves for pattern in leaf.patterns]
    sources = Counter(one.source for one in found)
    return {
        "entries": _entries(leaves, today),
        "insights": _insights(found),
        "streak": streak((leaf.day for leaf in leaves), today),
        "top_sources": [
            {"source": name, "insights": n}
            for name, n in sorted(sources.items(), key=lambda one: (-one[1], one[0]))[:_TOP]
        ],
        "blind_spots": {
            "days": LATE,
            "categories": _quiet_categories(found, today) if leaves else [],
            "projects": _quiet_projects(leaves, today),
            "mistakes": [
                {"example": one.line, "count": one.count, "sessions": one.sessions}
                for one in _unruled(recurring, rules)
            ],
        },
        "warnings": [*_warnings([leaf for leaf in leaves if leaf.kind == "written"])],
    }


def _entries(leaves: Sequence[Leaf], today: date) -> dict[str, Any]:
    written = [leaf for leaf in leaves if leaf.kind == "written"]
    covered = sum(bool(leaf.patterns) for leaf in leaves)
    days = [leaf.day for leaf in leaves]
    return {
        "total": len(leaves),
        "written": len(written),
        "captured": len(leaves) - len(written),
        "with_improvements": covered,
        "written_with_improvements": sum(not leaf.lacks for leaf in written),
        "coverage_percent": round(100 * covered / len(leaves), 1) if leaves else 0.0,
        "by_week": _filled(Counter(map(_monday, days)), _monday(today)),
        "by_month": {
            name[:7]: n
            for name, n in _filled(
                Counter(one.replace(day=1) for one in days), today.replace(day=1), monthly=True
            ).items()
        },
    }


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _filled(counts: Counter[date], last: date, *, monthly: bool = False) -> dict[str, int]:
    """Give the counts of weeks or months, oldest first, those without any in between too."""
    found: dict[str, int] = {}
    at = min(counts, default=None)
    while at and at <= max(*counts, last):
        found[at.isoformat()] = counts[at]
        # the 28th and four days are always in the next month
        step = timedelta(days=32 - at.day if monthly else 7)
        if date.max - at < step:
            break
        at = (at + step).replace(day=1) if monthly else at + step
    return found


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


def streak(days: Iterable[date], today: date) -> dict[str, int]:
    """Count days in a row; the current run may have its last day today or yesterday."""
    longest, runs = 0, dict.fromkeys((today, today - timedelta(days=1)), 0)
    run, before = 0, None
    for one in sorted(set(days)):
        run = run + 1 if before and one - before == timedelta(days=1) else 1
        longest, before = max(longest, run), one
        if one in runs:
            runs[one] = run
    return {"current": max(runs.values()), "longest": longest}


def _quiet_categories(found: Iterable[Pattern], today: date) -> list[str]:
    late = {one.category for one in found if today - one.date <= timedelta(days=LATE)}
    return [name for name in CATEGORIES if name not in late]


def _quiet_projects(leaves: Iterable[Leaf], today: date) -> list[str]:
    """Give the projects that were worked on of late with nothing learned from it."""
    late = [one for one in leaves if one.project and today - one.day <= timedelta(days=LATE)]
    taught = {leaf.project for leaf in late if leaf.patterns}
    entries = Counter(leaf.project for leaf in late if leaf.project not in taught)
    return sorted(label(name) for name, count in entries.items() if count >= _FEW)


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
    entries, insights, run = numbers["entries"], numbers["insights"], numbers["streak"]
    kinds = f"{entries['written']} written, {entries['captured']} captured"
    days = [f"{run[name]} day{'' if run[name] == 1 else 's'}" for name in ("current", "longest")]
    yield from ("Notebook", "========", "")
    yield f"Entries:   {entries['total']} total ({kinds})"
    yield f"Coverage:  {entries['coverage_percent']:.0f}% with improvements"
    yield f"Streak:    {days[0]} now, {days[1]} longest"
    yield ""
    yield f"Insights:  {insights['total']} total ({insights['written']} written by you)"
    width = max(map(len, insights["by_category"])) + 1
    for name, count in insights["by_category"].items():
        yield f"  {name + ':':<{width}} {count:>5} ({insights['percent'][name]:.0f}%)"
    if detailed:
        yield from _table("Entries per week (from Monday):", entries["by_week"], _WEEKS)
        yield from _table("Entries per month:", entries["by_month"], _MONTHS)
        sources = [f"  {one['insights']:>4}  {one['source']}" for one in numbers["top_sources"]]
        yield from ("", "Top sources:", *sources) if sources else ()
    spots = [*_spots(numbers["blind_spots"], None if detailed else 1)]
    for heading, rows in (("Blind spots:", spots), ("Warnings:", numbers["warnings"])):
        yield from ("", heading, *(f"  - {row}" for row in rows)) if rows else ()


def _table(heading: str, counts: Mapping[str, int], most: int) -> Iterator[str]:
    rows = [*counts.items()][-most:]
    if rows:
        yield from ("", heading)
    longest = max((count for _, count in rows), default=0) or 1
    for name, count in rows:
        yield f"  {name} {count:>5} {'#' * round(_BAR * count / longest)}".rstrip()


def _spots(blind: Mapping[str, Any], most: int | None) -> Iterator[str]:
    if quiet := ", ".join(blind["categories"]):
        yield f"no insight for {LATE} days on {quiet}"
    yield from (f"nothing learned in {name} for {LATE} days" for name in blind["projects"])
    for one in blind["mistakes"][:most]:
        error = brief(one["example"], _LINE)
        yield f"no rule speaks of an error of {one['sessions']} sessions: {error}"
