"""Read the arguments, run one verb, give its exit code; an error is a line that says what to do.

A verb's module is imported when the verb is called, so that `memoria --help` is quick and a fault
in one verb leaves the others whole. Data goes to stdout, talk to stderr.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import re
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from memoria import __version__, program, terminal
from memoria.cli.verbs.table import ALIASES, DAILY, GROUPS, VERBS
from memoria.cli.verbs.verb import FLAGS, VALUES, UnbrokenHelpFormatter, format_description
from memoria.errors import MemoriaError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.terminal_driver import Driver

INTERRUPTED = 130
# how argparse says that a word is none of those it knows, in Python 3.11 to 3.14
_CHOICE = re.compile(
    r"argument (?P<argument>[^:]+): invalid choice: '(?P<word>[^']*)' \(choose from (?P<known>.*)\)"
)
_MISSING = "the following arguments are required: "
_NAME = 11  # letters of the longest verb, and a space
_WIDTH = 80  # columns of a terminal as it opens
# what decides about rules, and in a demo vault decides nothing for a session
_SAYS_DEMO = {"remember", "review", "promote", "guard"}
_LISTED = 12  # words: more make a line that nobody reads
EPILOG = """exit codes: 0 done; 1 the work found errors or part of it failed; 2 wrong use;
3 vault or state unusable; 4 the model could not be reached (the work is kept);
130 interrupted.
Settings come from the options, then the environment, then your own .env, then
defaults; a vault's own .env sets time zone, limits and excludes alone."""


def main(argv: Sequence[str] | None = None, *, driver: Driver | None = None) -> int:
    """Run the command line; every error that Memoria raises on purpose ends here.

    Who drives the command is looked for, unless a program that calls this says it.
    """
    # what is written is this user's alone, whatever the shell's umask says
    os.umask(0o077)
    terminal.speak_utf8()
    try:
        try:
            return _run(_parse_line(sys.argv[1:] if argv is None else argv), driver)
        finally:  # here a pipe that nobody reads any more is met, and not when the interpreter ends
            if sys.stdout:
                sys.stdout.flush()
    except MemoriaError as error:
        _say(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        _say("interrupted; what was done stays, and the same command goes on from there")
        return INTERRUPTED
    except OSError as error:
        # the reader of a pipe has gone; what is left in the buffer goes to nobody, or the
        # interpreter would fail at it when it ends, and say so
        if _is_unread(error):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        place = error.filename or "the disk"
        _say(f"cannot use {place}: {error.strerror or error}")
        return 3
    finally:  # a program that calls this may speak of another vault next
        program.name_vault("")


def _is_unread(error: OSError) -> bool:
    """Whether nobody reads a pipe any more; Windows calls that an invalid argument."""
    is_nameless = error.errno == errno.EINVAL and error.filename is None
    return isinstance(error, BrokenPipeError) or (sys.platform == "win32" and is_nameless)


def _parse_line(line: Sequence[str]) -> argparse.Namespace:
    words = _reorder_words(line)
    parser = command_parser(words[:1], is_full=words == ["--help", "--all"])
    if not words:
        parser.print_help(sys.stderr)
        sys.exit(UsageError.exit_code)
    arguments, unknown = parser.parse_known_args(words)
    arguments.command_line = tuple(words)
    if unknown:
        _say(_describe_unknown_word(unknown, parser, arguments.verb))
        sys.exit(UsageError.exit_code)
    return arguments


def _reorder_words(line: Sequence[str]) -> list[str]:
    """Put the verb first, behind it the options that stood before; `help VERB` asks it for help."""
    words, options = list(line), []
    while words and words[0].partition("=")[0] in {*VALUES, *FLAGS}:
        has_value = words[0] in VALUES
        options += words[: 1 + has_value]
        words = words[1 + has_value :]
    if words[:1] == ["help"]:
        topic = [word for word in words[1:] if not word.startswith("-")]
        return [*_reorder_words(topic), "--help"] if topic else ["--help", *words[1:]]
    if not words:
        return options
    return [*ALIASES.get(words[0], words[:1]), *options, *words[1:]]


def _run(arguments: argparse.Namespace, driver: Driver | None) -> int:
    from memoria import settings  # noqa: PLC0415 - `--help` does without it
    from memoria.cli.setup import unregistered  # noqa: PLC0415 - as above
    from memoria.workspace import workspace  # noqa: PLC0415 - as above

    vault, verb = getattr(arguments, "folder", "") or arguments.vault or "", arguments.verb
    options = settings.load(vault, arguments.engine, makes_vault=verb in unregistered.MAKING)
    program.name_vault("" if options.chosen else str(options.vault))
    module = importlib.import_module(f"memoria.{VERBS[verb].module}")
    work = workspace(options, quiet=arguments.quiet, driver=driver)
    if work.is_demo and verb != "demo":
        if not VERBS[verb].on_demo:
            raise UsageError(work.explain_demo_refusal(verb))
        if verb in _SAYS_DEMO:
            work.terminal.say(work.demo_notice)
    is_current = True
    with unregistered.admit_vault(work, verb, trust=arguments.trust) as admitted:
        if verb not in unregistered.ANYWHERE:
            admitted.vault.require()
        try:
            code = int(module.run(arguments, admitted))
        finally:
            if (
                admitted.vault.changed
            ):  # what hooks read is brought up to date once for a whole verb
                from memoria.refresh import refresh  # noqa: PLC0415 - few verbs change anything

                is_current = refresh(admitted)
    # a reader that has gone is met here and not at the interpreter's end
    sys.stdout.flush()
    return code if is_current else code or 1


def _say(text: str) -> None:
    terminal.print_stderr(f"memoria: {' '.join(text.split())}")


class _Parser(argparse.ArgumentParser):
    """Says in one line what was wrong, and what was probably meant."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - whatever argparse takes
        super().__init__(**{"formatter_class": UnbrokenHelpFormatter} | options)

    def error(self, message: str) -> NoReturn:
        """End the process with code 2."""
        missing = message.removeprefix(_MISSING)
        name = self.prog.partition(" ")[2]
        if missing != message:
            message = f"{name or 'memoria'} needs {missing}"
            message += f", as in `{VERBS[name].example}`" if name in VERBS else ""
        _say(f"{_hint(message) or message} ({_help_hint(self.prog)})")
        sys.exit(UsageError.exit_code)


def _hint(message: str) -> str:
    """Name what is nearest to a word that is not known, or what there is; "" for other faults."""
    choice = _CHOICE.match(message)
    if not choice:
        return ""
    choices = re.findall(r"'([^']*)'", choice["known"])
    choices_text = f"; there are {', '.join(choices)}" if len(choices) <= _LISTED else ""
    return f"no {choice['argument'].lower()} {choice['word']!r}" + (
        _suggest_nearest(choice["word"], choices) or choices_text
    )


def _describe_unknown_word(words: Sequence[str], parser: argparse.ArgumentParser, verb: str) -> str:
    """Say which of the words that are left over is wrong, and what is nearest to it."""
    unknown = next((word for word in words if word.startswith("-")), words[0])
    options = [name for action in list_actions(parser, verb) for name in action.option_strings]
    suggestion = _suggest_nearest(unknown.partition("=")[0], options)
    return f"{unknown!r} is not understood{suggestion} ({_help_hint(f'{parser.prog} {verb}')})"


def _suggest_nearest(word: str, choices: Sequence[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - for a wrong word alone

    # two dashes make any two options alike
    by_name = {choice.lstrip("-"): choice for choice in choices}
    matches = [by_name[name] for name in get_close_matches(word.lstrip("-"), by_name)]
    # two letters changed places more often than one was left out
    matches.sort(key=lambda name: sorted(name) != sorted(word))
    return f"; did you mean {matches[0]!r}?" if matches else ""


def _help_hint(command: str) -> str:
    return f"`{command} --help` lists what there is"


def list_actions(parser: argparse.ArgumentParser, verb: str = "") -> Iterator[argparse.Action]:
    """Give the options of a verb and of all that stands below it."""
    for action in parser._actions:  # noqa: SLF001 - argparse tells its options nowhere else
        if not verb:
            yield action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            for name, below in action.choices.items():
                if verb in {"", name}:
                    yield from list_actions(below)


class _GroupedHelpFormatter(argparse.RawDescriptionHelpFormatter, UnbrokenHelpFormatter):
    """Lists what a day needs with its summary, and of the other verbs the names alone."""

    whole = False

    def _format_action(self, action: argparse.Action) -> str:
        # the verbs of the command itself; the actions of a verb are a handful
        return self._format_verbs() if action.dest == "verb" else super()._format_action(action)

    def _format_verbs(self) -> str:
        import textwrap  # noqa: PLC0415 - for the help alone

        lines = ["for every day:", *map(_format_summary, DAILY)]
        for title, names in GROUPS.items():
            others = [name for name in names if name not in DAILY]
            text = textwrap.indent(textwrap.fill(", ".join(others), _WIDTH - 4), "  ")
            lines += ["", f"{title}:", *(map(_format_summary, others) if self.whole else [text])]
        hint = "" if self.whole else "\n`memoria help VERB` says more of one.\n"
        return "\n".join(lines) + f"\n{hint}"


class _FullHelpFormatter(_GroupedHelpFormatter):
    """Lists all verbs with their summaries (`memoria help --all`)."""

    whole = True


def _format_summary(name: str) -> str:
    aliases = "".join(f" (also: {short})" for short, full in ALIASES.items() if full == (name,))
    return f"  {name:<{_NAME}} {VERBS[name].summary}{aliases}"


def command_parser(words: Sequence[str] = (), *, is_full: bool = False) -> argparse.ArgumentParser:
    """Make the parser of all verbs; where `words` begin with one, of that alone, which is quick.

    With `is_full` its help has a line for each verb.
    """
    parser = _Parser(
        prog="memoria",
        usage="memoria VERB [options]",
        description="Memory for Claude Code: sessions become daily logs, logs become a wiki and\n"
        "rules, and later sessions are told what bears on them.",
        epilog=EPILOG,
        formatter_class=_FullHelpFormatter if is_full else _GroupedHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"memoria {__version__}")
    verbs = parser.add_subparsers(
        title="verbs", dest="verb", required=True, metavar="VERB", prog="memoria"
    )
    for name, verb in VERBS.items():
        if words and words[0] in VERBS and words[0] != name:
            continue
        verb_parser = verbs.add_parser(
            name,
            help=verb.summary,
            description=format_description(verb.summary),
            epilog=f"example: {verb.example}",
        )
        group = verb_parser.add_argument_group("options of every command, which may stand anywhere")
        for option, (metavar, meaning) in VALUES.items():
            group.add_argument(option, default="", metavar=metavar, help=meaning)
        for option, meaning in FLAGS.items():
            group.add_argument(option, action="store_true", help=meaning)
        verb.add_to(verb_parser)
    return parser
