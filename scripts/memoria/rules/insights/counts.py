"""The notebook's leaves -> its Tally: how much was written, what it holds, what it lacks.

Numbers that lead to an act: a category that nothing was learned in of late, a project without an
insight, an error that keeps coming back and that no rule speaks of, entries whose Improvements are
empty. What a person wrote and what was captured are counted apart, since the first is a habit and
the second none. The trap: a streak that ends yesterday is not broken yet today.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from memoria.capture.extract.sentences import containment, stems
from memoria.vault.project import label
from memoria.vault.written.categories import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memoria.capture.recurring_errors import RecurringError
    from memoria.rules.insights.insight import Pattern
    from memoria.rules.insights.notebook import Leaf

LATE = 30  # days: of what a month has brought nothing, it is time to look
_TOP = 5  # sources, projects and mistakes that are named
_ABOUT = 0.5  # of the smaller one's words: from here on a rule speaks of an error
_WEEK = 7
_FEW = 3  # entries of a project, from which on it is strange that nothing was learned


@dataclass(frozen=True, slots=True)
class Streak:
    """Days in a row with an entry: the one that goes on (0: none does), and the longest."""

    current: int
    longest: int


@dataclass(frozen=True, slots=True)
class Tally:
    """The notebook in numbers.

    `covered` are the entries with at least one insight. `by_category` has all four, and those of a
    person's own. `weeks` (by their Monday) and `months` count entries, oldest first, those without
    any between the first and today's among them. `quiet_categories` and `quiet_projects` had no
    insight for LATE days; `unruled` are mistakes of several sessions that no rule speaks of.
    """

    total: int
    written: int
    captured: int
    covered: int
    written_covered: int
    insights: int
    written_insights: int
    by_category: tuple[tuple[str, int], ...]
    weeks: tuple[tuple[str, int], ...]
    months: tuple[tuple[str, int], ...]
    streak: Streak
    top_sources: tuple[tuple[str, int], ...]
    quiet_categories: tuple[str, ...]
    quiet_projects: tuple[str, ...]
    unruled: tuple[RecurringError, ...]
    warnings: tuple[str, ...]

    @property
    def coverage(self) -> float:
        """Percent of the entries that have an insight; 0.0 for an empty notebook."""
        return 100 * self.covered / self.total if self.total else 0.0


def tally(
    leaves: Sequence[Leaf], today: date, recurring: Iterable[RecurringError], rules: Iterable[str]
) -> Tally:
    """Count; `recurring` are the mistakes of several sessions, `rules` the texts of all rules."""
    found = [pattern for leaf in leaves for pattern in leaf.patterns]
    written = [leaf for leaf in leaves if leaf.kind == "written"]
    categories = Counter(one.category for one in found)
    own = sorted(set(categories) - set(CATEGORIES))
    sources = Counter(one.source for one in found)
    days = {leaf.day for leaf in leaves}
    return Tally(
        total=len(leaves),
        written=len(written),
        captured=len(leaves) - len(written),
        covered=sum(bool(leaf.patterns) for leaf in leaves),
        written_covered=sum(not leaf.lacks for leaf in written),
        insights=len(found),
        written_insights=sum(one.origin == "written" for one in found),
        by_category=tuple((name, categories[name]) for name in (*CATEGORIES, *own)),
        weeks=_weeks(leaves, today),
        months=_months(leaves, today),
        streak=streak(days, today),
        top_sources=tuple(sorted(sources.items(), key=lambda one: (-one[1], one[0]))[:_TOP]),
        quiet_categories=_quiet_categories(found, today) if leaves else (),
        quiet_projects=_quiet_projects(leaves, today),
        unruled=_unruled(recurring, rules),
        warnings=tuple(_warnings(written)),
    )


def streak(days: Iterable[date], today: date) -> Streak:
    """Count days in a row; the current one may have its last day today or yesterday."""
    longest = run = 0
    before: date | None = None
    known = set(days)
    for day in sorted(known):
        run = run + 1 if before and day - before == timedelta(days=1) else 1
        longest, before = max(longest, run), day
    last = today if today in known else today - timedelta(days=1)
    current = 0
    while last - timedelta(days=current) in known:
        current += 1
    return Streak(current, longest)


def _weeks(leaves: Sequence[Leaf], today: date) -> tuple[tuple[str, int], ...]:
    counts = Counter(_monday(leaf.day) for leaf in leaves)
    if not counts:
        return ()
    first, last = min(counts), max(*counts, _monday(today))
    number = (last - first).days // _WEEK + 1
    mondays = [first + timedelta(days=_WEEK * index) for index in range(number)]
    return tuple((monday.isoformat(), counts[monday]) for monday in mondays)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _months(leaves: Sequence[Leaf], today: date) -> tuple[tuple[str, int], ...]:
    counts = Counter(leaf.day.replace(day=1) for leaf in leaves)
    if not counts:
        return ()
    month, last = min(counts), max(*counts, today.replace(day=1))
    found = [(f"{month:%Y-%m}", counts[month])]
    while month < last:
        # the 28th and four days are always in the next month
        month = (month.replace(day=28) + timedelta(days=4)).replace(day=1)
        found.append((f"{month:%Y-%m}", counts[month]))
    return tuple(found)


# -- Blind spots ----------------------------------------------------------------------------------


def _quiet_categories(found: Iterable[Pattern], today: date) -> tuple[str, ...]:
    late = {one.category for one in found if today - one.date <= timedelta(days=LATE)}
    return tuple(name for name in CATEGORIES if name not in late)


def _quiet_projects(leaves: Iterable[Leaf], today: date) -> tuple[str, ...]:
    """Give the projects that were worked on of late with nothing learned from it."""
    entries: Counter[str] = Counter()
    taught: set[str] = set()
    for leaf in leaves:
        if leaf.project and today - leaf.day <= timedelta(days=LATE):
            entries[leaf.project] += 1
            taught.update([leaf.project] if leaf.patterns else [])
    quiet = [name for name, count in entries.items() if count >= _FEW and name not in taught]
    return tuple(sorted(map(label, quiet)))


def _unruled(
    recurring: Iterable[RecurringError], rules: Iterable[str]
) -> tuple[RecurringError, ...]:
    """Give the mistakes that come back and share too few words with any rule."""
    known = [stems(text) for text in rules]
    open_ = [
        one
        for one in recurring
        if not any(containment(stems(one.line), words) >= _ABOUT for words in known)
    ]
    return tuple(open_[:_TOP])


# -- Warnings -------------------------------------------------------------------------------------

_LACKING = {
    "section": ("has no Improvements section", "have no Improvements section"),
    "insights": ("has an empty Improvements section", "have empty Improvements sections"),
    "bullets": (
        "has Improvements without bullets: only bullets are distilled",
        "have Improvements without bullets: only bullets are distilled",
    ),
}


def _warnings(written: Sequence[Leaf]) -> Iterable[str]:
    for lack, (one, several) in _LACKING.items():
        count = sum(leaf.lacks == lack for leaf in written)
        if count:
            yield f"{count} {'entry' if count == 1 else 'entries'} {one if count == 1 else several}"
    copies = Counter(leaf.entry for leaf in written)
    for name, count in sorted(copies.items()):
        if count > 1:
            yield f"{count} files are copies of {name}: they count as one entry in confidence"
    for leaf in written:
        if leaf.fault:
            yield f"{leaf.source}: its frontmatter cannot be read: {leaf.fault}"
        if leaf.own:
            yield f"{leaf.source}: own categories: {', '.join(leaf.own)}"
