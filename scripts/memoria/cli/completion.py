"""Print what lets a shell complete verbs, options and their values (`memoria completion SHELL`).

shtab makes the script of what argparse was told, so it cannot lag behind; a press of Tab starts no
program. This is the one home of shtab.
"""

import argparse

import shtab

from memoria import terminal
from memoria.cli import main
from memoria.workspace import Workspace

# what the verbs call a value that names a file or a folder
_FILES = frozenset({"FILE", "LOG", "PATH"})
_FOLDER = "DIR"


def run(arguments: argparse.Namespace, _: Workspace) -> int:
    """Print the script."""
    parser = main.command_parser()
    for action in main.list_actions(parser):
        if action.metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # shtab reads it there
        elif action.metavar == _FOLDER:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]  # as above
    text = shtab.complete(parser, arguments.shell)
    if arguments.json:
        terminal.print_json({"shell": arguments.shell, "script": text})
    else:
        terminal.print_document(f"{text}\n")
    return 0
