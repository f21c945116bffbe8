"""Show insights and skills to a person at a terminal: by category, a line each.

A pipe gets them whole, as JSON or YAML. The trap: of a captured session each line of its log is an
insight, and read once it is a note and no skill; so those are counted here and not listed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.rules import skills
from memoria.rules.insights import distill
from memoria.text.numbers import counted
from memoria.text.shorten import brief

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from memoria.rules.model import Rule
    from memoria.workspace import Workspace

_MOST = 8  # lines of a category: with the four of them a screen and a half
_SEEN = 2  # sessions that a line has to be seen in before it counts as a skill by itself
_LOG = len("2026-03-04.md")
_ID, _DAY = 17, 12  # columns of a skill's id, and of a day


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """List them, or where a form is named or nobody looks, give them whole."""
    is_looked_at = sys.stdout.isatty() and not arguments.json
    if arguments.verb == "distill":
        return distill.run(arguments, work, _tell_insights if is_looked_at else terminal.data)
    whole = arguments.format or arguments.output
    return skills.run(arguments, work, _tell_skills if is_looked_at and not whole else None)


def _tell_insights(value: dict[str, Any]) -> None:
    """Print what was distilled, the newest of each category."""
    total = counted(value["statistics"]["total_patterns"], "insight")
    terminal.line(f"{total} of {counted(value['entry_count'], 'entry', 'entries')}")
    for name, group in value["patterns"].items():
        newest = sorted(group, key=lambda insight: str(insight["date"]), reverse=True)
        rows = dict.fromkeys((str(one["date"]), str(one["insight"])) for one in newest)
        _tell(name, [*rows], _DAY, f"`memoria distill --category {name} --json` has them")


def _tell_skills(work: Workspace, rules: Sequence[Rule]) -> None:
    """Print the skills that a note, a person's entry or more than one session's log speaks for."""
    worth = [
        rule
        for rule in rules
        # the name of an entry that a person wrote has more than the day
        if rule.path or rule.frequency >= _SEEN or any(len(name) > _LOG for name in rule.sources)
    ]
    for name in dict.fromkeys(rule.category for rule in worth):
        rows = [(rule.id, rule.text) for rule in worth if rule.category == name]
        _tell(name, rows, _ID, "`--json` has them")
    if not worth:
        terminal.line("No skills yet: nothing was written by you or seen in two sessions.")
    if len(rules) > len(worth):
        single = counted(len(rules) - len(worth), "line")
        work.terminal.say(f"{single} of one session's log not shown: --format yaml has all.")


def _tell(name: str, rows: Sequence[tuple[str, str]], indent: int, where: str) -> None:
    if not rows:
        return
    terminal.line(f"{name} ({len(rows)}):")
    for first, text in rows[:_MOST]:
        terminal.line(f"{first:<{indent}}{brief(text, max(2 * _DAY, terminal.width() - indent))}")
    if len(rows) > _MOST:
        terminal.line(f"{'':<{indent}}and {len(rows) - _MOST} more: {where}")
    terminal.line()
