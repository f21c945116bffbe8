"""`memoria completion bash|zsh|fish`: the table of the verbs -> a script that completes them.

Made of what argparse was told, so that it cannot lag behind; written to stdout, where the shell's
own way of keeping it takes over.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.cli.shell_completion import Command, Option, script

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.workspace import Workspace

PROGRAM = "memoria"


def run(arguments: argparse.Namespace, _: Workspace) -> int:
    """Print the script."""
    text = script(arguments.shell, PROGRAM, verbs())
    if arguments.json:
        terminal.data({"shell": arguments.shell, "script": text})
    else:
        print(text, end="")
    return 0


def verbs() -> tuple[Command, ...]:
    """Give the verbs with all that the command line knows of them."""
    from memoria.cli import main as cli  # noqa: PLC0415 - it loads this module

    parser = cli.command_parser()
    return tuple(_below(parser, ()))


def _below(parser: argparse.ArgumentParser, path: tuple[str, ...]) -> Iterator[Command]:
    for action in parser._actions:  # noqa: SLF001 - argparse tells its options nowhere else
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            summaries = {one.dest: one.help or "" for one in action._choices_actions}  # noqa: SLF001 - as above
            for name, below in action.choices.items():
                yield _command(below, (*path, name), summaries.get(name, ""))


def _command(parser: argparse.ArgumentParser, path: tuple[str, ...], summary: str) -> Command:
    actions = [
        action
        for action in parser._actions  # noqa: SLF001 - as above
        if action.help != argparse.SUPPRESS and not isinstance(action, argparse._SubParsersAction)  # noqa: SLF001 - as above
    ]
    options = tuple(_option(action) for action in actions if action.option_strings)
    choices = [
        str(choice)
        for action in actions
        if not action.option_strings
        for choice in action.choices or ()
    ]
    return Command(path, summary, options, tuple(choices), tuple(_below(parser, path)))


def _option(action: argparse.Action) -> Option:
    return Option(
        names=tuple(action.option_strings),
        has_value=action.nargs != 0,
        choices=tuple(str(choice) for choice in action.choices or ()),
        # argparse writes a percent sign twice
        summary=(action.help or "").replace("%%", "%"),
    )
