"""Say what the command line knows of a verb: its module, its summary, its arguments."""

import argparse
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

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


class Verb(NamedTuple):
    """A verb: its module below memoria, what it does, an example, its arguments and actions.

    Arguments that stand before the first action are arguments of each.
    """

    module: str
    summary: str
    example: str
    usage: Sequence[str]
    on_demo: bool
    vault: str

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        """Add the verb's own arguments and actions."""
        if self.vault:
            parser.set_defaults(vault=self.vault)
        shared_lines, *actions = re.split(r"^\* ", "\n".join(self.usage), flags=re.MULTILINE)
        if not actions:
            _add_arguments(parser, shared_lines)
            return
        subparsers = parser.add_subparsers(
            title="actions", dest="action", required=True, metavar="ACTION"
        )
        for text in actions:
            head, _, lines = text.partition("\n")
            name, _, summary = head.partition("  ")
            description = format_description(summary)
            action_parser = subparsers.add_parser(name, help=summary, description=description)
            _add_arguments(action_parser, shared_lines + lines)
            _add_shared_options(action_parser)


class UnbrokenHelpFormatter(argparse.HelpFormatter):
    """Breaks no word at a hyphen: it may be a path or a package."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        import textwrap  # noqa: PLC0415 - for the help alone

        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(f"{indent}{row}" for row in self._split_lines(text, width - len(indent)))


def format_description(summary: str) -> str:
    """Give a summary as a sentence."""
    return f"{summary[0].upper()}{summary[1:]}."


def _add_arguments(parser: argparse.ArgumentParser, lines: str) -> None:
    for line in lines.splitlines():
        names, options = parse_argument(line)
        parser.add_argument(*names, **options)


def _add_shared_options(parser: argparse.ArgumentParser) -> None:
    """Let the options of every verb stand behind an action, too."""
    hidden = {"default": argparse.SUPPRESS, "help": argparse.SUPPRESS}
    for name in VALUES:
        parser.add_argument(name, **hidden)  # type: ignore[arg-type]  # two texts
    for name in FLAGS:
        parser.add_argument(name, action="store_true", **hidden)  # type: ignore[arg-type]  # as above


def parse_groups(text: str) -> list[tuple[str, str, dict[str, Verb]]]:
    """Read groups of verbs, each as the page of the reference, its title and the verbs."""
    pages: list[tuple[str, str, dict[str, Verb]]] = []
    for block in re.sub(r"\n {12,}", " ", text).strip().split("\n\n"):
        head, *verbs = re.split(r"\n(?=\w)", block)
        page, _, title = head.removeprefix("# ").partition(": ")
        pages.append((page, title, dict(map(_parse_verb, verbs))))
    return pages


def _parse_verb(text: str) -> tuple[str, Verb]:
    head, *lines = (line.strip() for line in text.splitlines())
    [(name, module, no_demo, vault, summary)] = _HEAD.findall(head)
    usage = [line for line in lines if not line.startswith("$ ")]
    example = next((line[2:] for line in lines if line.startswith("$ ")), f"memoria {name}")
    return name, Verb(module, summary, example, usage, not no_demo, vault)


def parse_argument(line: str) -> tuple[list[str], dict[str, Any]]:
    """Read an argument, as argparse is told of it: what is typed, two blanks, what it means.

    First come the names, a positional one with ?, * or + for how many there are; then what stands
    for the value, {choices}, `whole` for a number above 0, `required`, =default and >destination.
    An option without value is a flag; one that is not given is "", or None for a number. (hidden)
    keeps it out of the help.
    """
    typed, _, meaning = line.partition("  ")
    first, *words = typed.split()
    names = [first.rstrip("?*+"), *(word for word in words if word.startswith("-"))]
    options: dict[str, Any] = {"help": argparse.SUPPRESS if meaning == "(hidden)" else meaning}
    if first[-1] in "?*+":
        options["nargs"] = first[-1]
    for word in words[len(names) - 1 :]:
        if word in _MARKS:
            options |= _MARKS[word]
        elif word[0] in _SIGNS:
            options[_SIGNS[word[0]]] = word[1:-1].split(",") if word[0] == "{" else word[1:]
        else:
            options["metavar"] = word
    is_option = first.startswith("-")
    if is_option and not options.keys() & {"metavar", "choices"}:
        options["action"] = "store_true"
    elif (is_option or options.get("nargs") == "?") and not options.keys() & {"type", "required"}:
        options.setdefault("default", "")
    return names, options


def parse_whole_number(words: str) -> int:
    """Read a whole number above 0."""
    if words.isascii() and words.isdigit() and int(words) > 0:
        return int(words)
    raise argparse.ArgumentTypeError(f"{words!r} is not a whole number above 0")


_HEAD = re.compile(r"(\w+) \(([\w.]+)( no-demo)?(?: vault=(\S+))?\): (.+)")
_SIGNS = {"{": "choices", "=": "default", ">": "dest"}
_MARKS: dict[str, dict[str, Any]] = {
    "whole": {"type": parse_whole_number},
    "required": {"required": True},
}
