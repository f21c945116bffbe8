"""Show how the whole stands (`memoria status`), the rules, or those that wait (`memoria diff`).

`status` lists every rule that has a note, active or not, and those without one that wait: as many
as `memoria review` asks about. Active is what this machine approved.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.cli.decide import start_preview
from memoria.cli.decide.overview import overview
from memoria.cli.setup import other_agents
from memoria.rules.decisions import rulebook
from memoria.rules.model import STATUSES, aged
from memoria.rules.review.card_lines import quoted
from memoria.rules.review.waiting_service import stands, waiting_rules, waiting_without_note
from memoria.text.numbers import counted
from memoria.text.shorten import brief
from memoria.vault.storage import clock

if TYPE_CHECKING:
    import argparse

    from memoria.rules.decisions import Rulebook
    from memoria.rules.model import Rule
    from memoria.workspace import Workspace

# columns of the headings, and of a rule's id with what is between it and its text
_HEADING, _ID = 14, 17
# columns of a rule's text beside what is known of it: with fewer it gets lines of its own
_LEAST = 24


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Show how the whole stands and the rules, or with `diff` those that nobody decided about."""
    work.vault.require()
    book = rulebook(work)
    if arguments.verb == "diff":
        return _pending(arguments, work, book)
    today = clock.now(work.settings.zone).date()
    rules = [*(aged(rule, today) for rule in book.rules), *waiting_without_note(work, book)]
    if arguments.category:
        rules = [rule for rule in rules if rule.category == arguments.category]
    state = None if arguments.rules or arguments.category else overview(work, book)
    standing = Counter(stands(book, rule) for rule in rules)
    counts = {name: standing[name] for name in STATUSES}
    if arguments.json:
        rows = [described(book, rule) for rule in rules]
        value = {"rules": rows, "counts": counts, "left_out": start_preview.left_out(work)}
        terminal.data(value | ({"state": state.as_json()} if state else {}))
        return 0
    for heading, text in state.lines() if state else ():
        terminal.paragraph(text, first=f"{heading}:", indent=_HEADING)
    for category in dict.fromkeys(sorted(rule.category for rule in rules)):
        terminal.line(f"\n{category}:")
        for rule in rules:
            if rule.category == category:
                _tell_rule(book, rule)
    numbers = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    none = "No rules yet: `memoria remember` makes one, `memoria compile` finds them in sessions."
    work.terminal.say(f"{counted(len(rules), 'rule')}: {numbers}." if rules else none)
    for text in start_preview.lines_left_out(work, book.rules):
        work.terminal.say(text)
    for text in other_agents.others(work):
        work.terminal.say(f"{text}.")
    return 0


def _pending(arguments: argparse.Namespace, work: Workspace, book: Rulebook) -> int:
    rules = waiting_rules(work, book)
    if arguments.json:
        terminal.data({"pending": [described(book, rule) for rule in rules], "total": len(rules)})
        return 0
    for rule in rules:
        terminal.paragraph(f"{rule.text} ({_known(book, rule)})", first=rule.id, indent=_ID)
        for words in rule.quotes[:1]:
            terminal.paragraph(quoted(words), first="", indent=_ID)
    count = "1 rule waits" if len(rules) == 1 else f"{len(rules)} rules wait"
    hint = f"{count} for a decision: `memoria review` goes through them."
    work.terminal.say(hint if rules else "Nothing waits for you.")
    return 0


def described(book: Rulebook, rule: Rule) -> dict[str, Any]:
    """Give a rule as `--json` prints it."""
    return {
        "id": rule.id,
        "rule": rule.text,
        "category": rule.category,
        "status": stands(book, rule),
        "pinned": rule.pinned,
        "in_force": book.is_in_force(rule),
        "frequency": rule.frequency,
        "confidence": rule.confidence,
        "scope": list(rule.scope),
        "sources": [source.rsplit("/", 1)[-1] for source in rule.sources],
        "tags": list(rule.tags),
        "aliases": list(rule.aliases),
        "superseded_by": rule.superseded_by or None,
        "evidence": [quote.removeprefix("- ") for quote in rule.quotes],
        "note": f"knowledge/{rule.path}.md" if rule.path else None,
    }


def _tell_rule(book: Rulebook, rule: Rule) -> None:
    known = f"({_known(book, rule)})"
    room = terminal.width() - _ID - len(known) - 1
    if room < _LEAST:
        terminal.paragraph(f"{rule.text} {known}", first=rule.id, indent=_ID)
    else:
        terminal.line(f"{rule.id:<{_ID}}{brief(rule.text, room)} {known}")


def _known(book: Rulebook, rule: Rule) -> str:
    """Say how a rule stands, and in how many sessions it was said."""
    state: str = stands(book, rule)
    if rule.status != state:
        state += ": its note says active, which nobody confirmed on this machine"
    if rule.pinned and state == "active":
        state += ", pinned"
    if rule.superseded_by:
        state = f"retired, replaced by {rule.superseded_by}"
    return f"{state}, said in {counted(rule.frequency, 'session')}"
