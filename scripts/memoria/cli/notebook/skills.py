"""`memoria skills`: a list at a terminal; YAML, JSON or Markdown elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memoria.cli.notebook.lists import tell_skills
from memoria.rules import skills
from memoria.rules.insights.distill import tell
from memoria.text.dates import day

if TYPE_CHECKING:
    import argparse

    from memoria.workspace import Workspace


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """List the skills, or give them whole."""
    named = (arguments.json, arguments.output, arguments.format, arguments.explain)
    if any(named) or not sys.stdout.isatty():
        return skills.run(arguments, work)
    work.vault.require()
    found = skills.skillset(work, backend=arguments.embeddings, since=day(arguments.since))
    least = arguments.min_frequency
    put_aside = {"rejected", "retired"}
    chosen = [one for one in found.skills if one.status not in put_aside and one.frequency >= least]
    tell_skills(work, chosen)
    for first, second in skills.contradictions(found):
        work.terminal.warn(f"These contradict each other: {first!r} and {second!r}")
    tell(work, found.read)
    return 1 if found.read.problems else 0
