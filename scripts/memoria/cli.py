"""Arguments -> one command -> an exit code; an error becomes one line that says what to do.

A verb's module is imported when the verb is called, so that `memoria --help` is quick and a fault
in one verb leaves the others whole. Data goes to stdout, talk to stderr.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from memoria import __version__
from memoria.errors import MemoriaError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

INTERRUPTED = 130
EPILOG = """exit codes: 0 done; 1 the work found errors or part of it failed; 2 wrong use;
3 vault or state unusable; 4 the model could not be reached (the work is kept); 130 interrupted.
Settings come from the options, then the environment, then the vault's .env file, then defaults."""


class Verb(NamedTuple):
    """A verb: its module under commands/, what it does, an example, its own options."""

    module: str
    summary: str
    example: str
    options: Callable[[argparse.ArgumentParser], None]


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


def _none(_: argparse.ArgumentParser) -> None:
    return


def _init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", default="", metavar="DIR", help="default ~/memoria")


def _install(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="show the change, write nothing")


def _import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--from", dest="source", metavar="DIR", help="folder with project folders of transcripts"
    )
    parser.add_argument("--since", metavar="DATE", help="only sessions that ended on or after it")
    parser.add_argument("--project", metavar="P", help="only projects whose name holds this")
    parser.add_argument(
        "--limit", type=_count, metavar="N", help="at most N sessions, oldest first"
    )


def _flush(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sweep", action="store_true", help="also find sessions no hook told of")
    parser.add_argument("--detached", action="store_true", help=argparse.SUPPRESS)


def _compile(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="compile all entries again")
    parser.add_argument("--file", metavar="LOG", default="", help="only this log: daily/DATE.md")
    parser.add_argument("--dry-run", action="store_true", help="print the patch, write nothing")


def _lint(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--structural-only", action="store_true", help="only the checks that need no model"
    )
    parser.add_argument("--fix", action="store_true", help="mend what code can mend safely")


def _search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs="*", metavar="WORDS", help="what to look for")
    parser.add_argument("-k", type=_count, default=10, metavar="N", help="at most N results")
    parser.add_argument(
        "--scope", choices=("articles", "daily", "all"), default="all", help="where to look"
    )
    parser.add_argument("--project", default="", metavar="P", help="projects whose name holds this")
    parser.add_argument("--since", default="", metavar="DATE", help="dated on or after it")
    parser.add_argument("--kind", default="", metavar="K", help="concept, rule, qa, entry, ...")
    parser.add_argument("--tag", default="", metavar="T", help="articles with this tag")
    parser.add_argument(
        "--vectors", action="store_true", help="count meaning, too (needs the extra wordllama)"
    )


def _query(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", nargs="+", metavar="QUESTION", help="what you want to know")
    parser.add_argument(
        "--file-back", action="store_true", help="keep the answer as a note under knowledge/qa/"
    )


def _count(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")


VERBS = {
    "start": Verb("start", "make a vault and fill it from your sessions", "memoria start", _import),
    "init": Verb("init", "make a vault", "memoria init ~/memoria", _init),
    "install": Verb(
        "install",
        "capture the sessions of every project from now on",
        "memoria install --vault ~/memoria --dry-run",
        _install,
    ),
    "uninstall": Verb(
        "uninstall", "take the hooks out again, to the byte", "memoria uninstall", _install
    ),
    "import": Verb(
        "import_",
        "bring the sessions that the client still has into the daily logs",
        "memoria import --since 2026-01-01",
        _import,
    ),
    "flush": Verb(
        "flush", "write captured sessions into the daily logs now", "memoria flush", _flush
    ),
    "compile": Verb(
        "compile",
        "turn new entries into articles and rules",
        "memoria compile --file daily/2026-04-01.md --dry-run",
        _compile,
    ),
    "search": Verb(
        "search",
        "find articles and entries by their words",
        'memoria search "token expiry" -k 5 --scope articles',
        _search,
    ),
    "query": Verb(
        "query",
        "answer a question from the vault, with links to where it stands",
        'memoria query "How long do session tokens last?" --file-back',
        _query,
    ),
    "lint": Verb("lint", "check the vault's health", "memoria lint --structural-only --fix", _lint),
    "doctor": Verb(
        "doctor", "say whether capture works, and what is wrong if not", "memoria doctor", _none
    ),
}
