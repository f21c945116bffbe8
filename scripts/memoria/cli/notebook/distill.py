"""`memoria distill`: a list at a terminal; JSON elsewhere, or a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memoria.cli.notebook.lists import tell_insights
from memoria.rules.insights import distill

if TYPE_CHECKING:
    import argparse

    from memoria.workspace import Workspace


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """List the insights, or give them whole."""
    if not arguments.json and sys.stdout.isatty():
        arguments.show = tell_insights
    return distill.run(arguments, work)
