"""Show the rules by category (`memoria status`), or those that wait (`memoria diff`).

`status` shows every rule that has a note, in force or not, and those without one that wait: as many
as `memoria review` asks about. What is in force is what this machine approved.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.cli.decide import left_out, trust
from memoria.rules.decisions import rulebook
from memoria.rules.model import STATUSES, aged
from memoria.rules.review.waiting_service import stands, waiting_rules
from memoria.text.shorten import brief
from memoria.vault.storage import clock

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from memoria.rules.decisions import Rulebook
    from memoria.rules.model import Rule
    from memoria.workspace import Workspace

# of a rule's text: what fits a line beside its id
_SHOWN = 100


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Show the rules, or with `diff` those that nobody has decided about."""
    work.vault.require()
    book = rulebook(work)
    today = clock.now(work.settings.zone).date()
    rules = [aged(found, today) for found in book.rules]
    if arguments.verb == "diff":
        return _pending(arguments, work, book, waiting_rules(work, book))
    known = {one.id for one in rules}
    rules += [one for one in waiting_rules(work, book) if one.id not in known]
    if arguments.category:
        rules = [found for found in rules if found.category == arguments.category]
    if arguments.json:
        described_rules = [described(book, one) for one in rules]
        out = left_out.left_out(work)
        counts = _counts(book, rules)
        terminal.data({"rules": described_rules, "counts": counts, "left_out": out})
        return 0
    for category in dict.fromkeys(sorted(found.category for found in rules)):
        terminal.line(f"{category}:")
        for one in rules:
            if one.category == category:
                terminal.line(f"  {_line(book, one)}")
    numbers = ", ".join(f"{count} {name}" for name, count in _counts(book, rules).items() if count)
    noun = "rule" if len(rules) == 1 else "rules"
    work.terminal.say(f"{len(rules)} {noun}: {numbers}." if rules else _NONE)
    for text in left_out.told(left_out.left_out(work), book.rules):
        work.terminal.say(text)
    if waits := trust.told_of(trust.count(work)):
        work.terminal.say(f"{waits}.")
    return 0


_NONE = (
    "No rules yet: `memoria remember` teaches one, `memoria compile` finds them in your sessions."
)


def _pending(
    arguments: argparse.Namespace, work: Workspace, book: Rulebook, rules: Sequence[Rule]
) -> int:
    if arguments.json:
        terminal.data({"pending": [described(book, one) for one in rules], "total": len(rules)})
        return 0
    for one in rules:
        terminal.line(_line(book, one))
        for quote in one.quotes[:1]:
            terminal.line(f"      {quote.removeprefix('- ')}")
    count = "1 rule waits" if len(rules) == 1 else f"{len(rules)} rules wait"
    hint = f"{count} for a decision: `memoria review` goes through them."
    work.terminal.say(hint if rules else "Nothing waits for you.")
    return 0


def described(book: Rulebook, one: Rule) -> dict[str, Any]:
    """Give a rule as `--json` prints it."""
    return {
        "id": one.id,
        "rule": one.text,
        "category": one.category,
        "status": stands(book, one),
        "pinned": one.pinned,
        "in_force": book.is_in_force(one),
        "frequency": one.frequency,
        "confidence": one.confidence,
        "scope": list(one.scope),
        "sources": [source.rsplit("/", 1)[-1] for source in one.sources],
        "tags": list(one.tags),
        "aliases": list(one.aliases),
        "superseded_by": one.superseded_by or None,
        "evidence": [quote.removeprefix("- ") for quote in one.quotes],
        "note": f"knowledge/{one.path}.md" if one.path else None,
    }


def _line(book: Rulebook, one: Rule) -> str:
    state: str = stands(book, one)
    if one.status != state:
        state += ": its note says active, which nobody confirmed on this machine"
    if one.pinned and state == "active":
        state += ", pinned"
    if one.superseded_by:
        state = f"superseded by {one.superseded_by}"
    return (
        f"{one.id}  {brief(one.text, _SHOWN)}  ({state}, {one.confidence}, seen {one.frequency}x)"
    )


def _counts(book: Rulebook, rules: Iterable[Rule]) -> dict[str, int]:
    found = Counter(stands(book, one) for one in rules)
    return {name: found[name] for name in STATUSES}
