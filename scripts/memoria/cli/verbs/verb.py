"""What the command line knows of a verb: its module, its summary, its arguments."""

from __future__ import annotations

import argparse
import textwrap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


# The options of every verb: with a value (what stands for it, what it means), and without one.
VALUES = {
    "--vault": ("DIR", "the vault to work on"),
    "--engine": ("NAME", "claude, offline or auto"),
}
FLAGS = {
    "--json": "print the result as JSON on stdout",
    "--trust": "read a vault that is not registered on this machine",
    "--quiet": "no talk on stderr but errors",
}


class Argument(NamedTuple):
    """What argparse is told of one argument; or `either`, of which at most one may be given."""

    names: tuple[str, ...]
    given: dict[str, Any]
    either: tuple[Argument, ...] = ()


class Action(NamedTuple):
    """What follows a verb that has several things to do; the verb's `about` tells of them all."""

    summary: str
    arguments: tuple[Argument, ...] = ()


class Verb(NamedTuple):
    """A verb: its module below memoria, what it does, an example, its own arguments.

    `on_demo` is False for a verb that joins a vault to sessions, which the demo vault never is.
    `vault` stands in where none is named: neither the environment nor the current folder may then.
    `about` is the list of the `actions`, where it has some.
    """

    module: str
    summary: str
    example: str
    arguments: tuple[Argument, ...] = ()
    on_demo: bool = True
    vault: str = ""
    about: str = ""
    actions: Mapping[str, Action] = MappingProxyType({})

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        """Add the verb's own arguments and actions."""
        _add(parser, self.arguments)
        if self.vault:
            parser.set_defaults(vault=self.vault)
        if self.actions:
            parser.formatter_class = _ActionsTold
            parser.description = f"{parser.description}\n\n{self.about}"
            actions = parser.add_subparsers(dest="action", required=True, metavar=_ACTION)
            for name, action in self.actions.items():
                about = action.summary[0].upper() + action.summary[1:]
                below = actions.add_parser(name, help=action.summary, description=f"{about}.")
                _add(below, action.arguments)
                _add_again(below)


_ACTION = "ACTION"


class Unbroken(argparse.HelpFormatter):
    """Breaks no word at a hyphen: it may be a path or a package."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(f"{indent}{row}" for row in self._split_lines(text, width - len(indent)))


class _ActionsTold(argparse.RawDescriptionHelpFormatter, Unbroken):
    """Leaves out argparse's list of actions: `about` has them with what follows each."""

    def add_arguments(self, actions: Iterable[argparse.Action]) -> None:
        super().add_arguments(one for one in actions if one.metavar != _ACTION)


def _add(parser: argparse._ActionsContainer, arguments: Iterable[Argument]) -> None:
    for one in arguments:
        if one.either and isinstance(parser, argparse.ArgumentParser):
            _add(parser.add_mutually_exclusive_group(), one.either)
        else:
            parser.add_argument(*one.names, **one.given)


def _add_again(parser: argparse.ArgumentParser) -> None:
    """Let the options of every verb stand behind an action, too."""
    for name in VALUES:
        parser.add_argument(name, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    for name in FLAGS:
        parser.add_argument(
            name, action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )


def argument(*names: str, **given: Any) -> Argument:  # noqa: ANN401 - whatever argparse takes
    """Describe an argument or option in argparse's own words."""
    return Argument(names, given)


def text(*names: str, metavar: str, help: str) -> Argument:  # noqa: A002 - argparse's name of it
    """Describe an option with a text, "" where it is not given."""
    return argument(*names, default="", metavar=metavar, help=help)


def flag(*names: str, help: str) -> Argument:  # noqa: A002 - as above
    """Describe an option that is given or not."""
    return argument(*names, action="store_true", help=help)


def either(*arguments: Argument) -> Argument:
    """Describe arguments of which at most one may be given."""
    return Argument((), {}, arguments)


def whole(words: str) -> int:
    """Read a whole number above 0."""
    if words.isascii() and words.isdigit() and int(words) > 0:
        return int(words)
    raise argparse.ArgumentTypeError(f"{words!r} is not a whole number above 0")


DRY_RUN = flag("--dry-run", help="show the change, write nothing")
