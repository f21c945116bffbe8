"""Arguments -> one command -> an exit code; an error becomes one line that says what to do.

A verb's module is imported when the verb is called, so that `memoria --help` is quick and a fault
in one verb leaves the others whole. Data goes to stdout, talk to stderr.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from typing import TYPE_CHECKING

from memoria import __version__
from memoria.errors import MemoriaError
from memoria.verbs import VERBS

if TYPE_CHECKING:
    from collections.abc import Sequence

INTERRUPTED = 130
EPILOG = """exit codes: 0 done; 1 the work found errors or part of it failed; 2 wrong use;
3 vault or state unusable; 4 the model could not be reached (the work is kept); 130 interrupted.
Settings come from the options, then the environment, then the vault's .env file, then defaults."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; every error that Memoria raises on purpose ends here."""
    # what is written is this user's alone, whatever the shell's umask says
    os.umask(0o077)
    arguments = _parser().parse_args(argv)
    try:
        return _run(arguments)
    except MemoriaError as error:
        _say(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        _say("interrupted; what was done stays, and the same command goes on from there")
        return INTERRUPTED
    except BrokenPipeError:
        # the reader of a pipe has gone; nothing is left to say and to nobody
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - lives on
        return 0
    except OSError as error:
        where = error.filename or "the disk"
        _say(f"cannot use {where}: {error.strerror or error}")
        return 3


def _run(arguments: argparse.Namespace) -> int:
    from memoria import settings  # noqa: PLC0415 - `--help` does without it
    from memoria.commands.workspace import workspace  # noqa: PLC0415 - as above

    vault = arguments.vault or getattr(arguments, "folder", "") or ""
    found = settings.load(vault, arguments.engine)
    work = workspace(found, quiet=arguments.quiet)
    module = importlib.import_module(f"memoria.commands.{VERBS[arguments.verb].module}")
    return int(module.run(arguments, work))


def _say(text: str) -> None:
    sys.stderr.write(f"memoria: {' '.join(text.split())}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="memoria",
        description="Memory for Claude Code: sessions become daily logs, logs become a wiki and "
        "rules, rules come back into later sessions.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"memoria {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, verb in VERBS.items():
        own = verbs.add_parser(
            name,
            help=verb.summary,
            description=verb.summary[0].upper() + verb.summary[1:] + ".",
            epilog=f"example: {verb.example}",
        )
        _shared(own)
        verb.options(own)
    return parser


def _shared(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("options of every verb")
    group.add_argument("--vault", default="", metavar="DIR", help="the vault to work on")
    group.add_argument("--engine", default="", metavar="NAME", help="claude, offline or auto")
    group.add_argument("--json", action="store_true", help="print the result as JSON on stdout")
    group.add_argument("--quiet", action="store_true", help="no talk on stderr but errors")
