"""`memoria list`: the notebook's entries, written and captured, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.rules.insights.distill import read, tell
from memoria.text.dates import day
from memoria.text.numbers import counted
from memoria.text.unicode import strip_hidden
from memoria.vault.project import label

if TYPE_CHECKING:
    import argparse

    from memoria.rules.insights.notebook import Leaf
    from memoria.workspace import Workspace

_INDENT = 27  # columns of a day, a time and a kind


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """List the entries."""
    reading = read(work, day(arguments.since))
    leaves = sorted(
        reading.leaves, key=lambda leaf: (leaf.day, leaf.time or "24", leaf.source), reverse=True
    )
    if arguments.json:
        terminal.data([_shown(leaf) for leaf in leaves])
    else:
        for leaf in leaves:
            terminal.line(_line(leaf), _INDENT)
    tell(work, reading)
    return 1 if reading.problems else 0


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
