"""Say what the command line knows of a verb: its module, its summary, its arguments."""

from __future__ import annotations

import argparse
import textwrap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


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
    """What argparse is told of one argument."""

    names: Sequence[str]
    given: dict[str, Any]


class Action(NamedTuple):
    """What follows a verb that has several things to do."""

    summary: str
    arguments: tuple[Argument, ...] = ()


class Verb(NamedTuple):
    """A verb: its module below memoria, what it does, its own arguments or actions, an example.

    `on_demo` is False for a verb that joins a vault to sessions, which the demo vault never is.
    `vault` stands in where none is named: neither the environment nor the current folder may then.
    """

    module: str
    summary: str
    arguments: tuple[Argument, ...] = ()
    example: str = ""
    on_demo: bool = True
    vault: str = ""
    actions: Mapping[str, Action] = MappingProxyType({})

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        """Add the verb's own arguments and actions."""
        _add(parser, self.arguments)
        if self.vault:
            parser.set_defaults(vault=self.vault)
        if self.actions:
            actions = parser.add_subparsers(
                title="actions", dest="action", required=True, metavar="ACTION"
            )
            for name, action in self.actions.items():
                about = f"{sentence(action.summary)}."
                below = actions.add_parser(name, help=action.summary, description=about)
                _add(below, action.arguments)
                _add_again(below)


class Unbroken(argparse.HelpFormatter):
    """Breaks no word at a hyphen: it may be a path or a package."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(f"{indent}{row}" for row in self._split_lines(text, width - len(indent)))


def sentence(text: str) -> str:
    """Give a summary with a capital."""
    return text[0].upper() + text[1:]


def _add(parser: argparse.ArgumentParser, arguments: Iterable[Argument]) -> None:
    for argument in arguments:
        parser.add_argument(*argument.names, **argument.given)


def _add_again(parser: argparse.ArgumentParser) -> None:
    """Let the options of every verb stand behind an action, too."""
    hidden = {"default": argparse.SUPPRESS, "help": argparse.SUPPRESS}
    for name in VALUES:
        parser.add_argument(name, **hidden)  # type: ignore[arg-type]  # two texts
    for name in FLAGS:
        parser.add_argument(name, action="store_true", **hidden)  # type: ignore[arg-type]  # as above


def arg(
    names: str,
    help: str = "",  # noqa: A002 - argparse's name of it
    choices: Sequence[str] = (),
    **given: Any,  # noqa: ANN401 - whatever argparse takes
) -> Argument:
    """Describe an argument by its names and, after them, what stands for its value: "-o FILE".

    An option without value is a flag; one that is not given is "", or None where it has a type.
    """
    words = names.split()
    count = sum(word.startswith("-") for word in words)
    values: dict[str, Any] = {"help": help, **given}
    if choices:
        values["choices"] = choices
    if words[max(count, 1) :]:
        values["metavar"] = words[-1]
    if count and len(words) == count and not choices:
        values.setdefault("action", "store_true")
    elif (count or given.get("nargs") == "?") and not given.keys() & {"type", "required"}:
        values.setdefault("default", "")
    return Argument(words[: max(count, 1)], values)


def whole(words: str) -> int:
    """Read a whole number above 0."""
    if words.isascii() and words.isdigit() and int(words) > 0:
        return int(words)
    raise argparse.ArgumentTypeError(f"{words!r} is not a whole number above 0")


DRY_RUN = arg("--dry-run", "show the change, write nothing")
PROJECT = arg("--project P", "projects whose name holds this")
YES = arg("--yes", "do not ask")
