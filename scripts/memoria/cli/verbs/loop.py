"""Verbs of the loop: sessions become logs, logs articles, articles answers."""

from __future__ import annotations

import argparse

from memoria.cli.verbs.verb import Verb, argument, flag, text, whole

TITLE = "capture and compile (hooks do it for you)"
VERBS = {
    "flush": Verb(
        "cli.flush",
        "write captured sessions into the daily logs now",
        "memoria flush",
        (
            flag("--sweep", help="also find sessions no hook told of"),
            flag("--detached", help=argparse.SUPPRESS),
        ),
        on_demo=False,
    ),
    "compile": Verb(
        "compile.service",
        "turn new entries into articles and rules",
        "memoria compile --file daily/2026-04-01.md --dry-run",
        (
            flag("--all", help="compile all entries again"),
            text("--file", metavar="LOG", help="only this log: daily/DATE.md"),
            flag("--dry-run", help="print the patch, write nothing"),
        ),
    ),
    "rewrite": Verb(
        "cli.rewrite",
        "let a model write again what was captured without one",
        "memoria rewrite --since 2026-04-01 --project shop",
        (
            text("--since", metavar="DATE", help="entries of that day and later"),
            text("--project", metavar="P", help="projects whose name holds this"),
            flag("--yes", help="do not ask"),
        ),
        on_demo=False,
    ),
    "search": Verb(
        "search.service",
        "find articles and entries by their words",
        'memoria search "token expiry" -k 5 --scope articles',
        (
            argument("words", nargs="*", metavar="WORDS", help="what to look for"),
            argument("-k", type=whole, default=10, metavar="N", help="at most N results"),
            argument(
                "--scope", choices=("articles", "daily", "all"), default="all", help="where to look"
            ),
            text("--project", metavar="P", help="projects whose name holds this"),
            text("--since", metavar="DATE", help="dated on or after it"),
            text("--kind", metavar="K", help="concept, rule, qa, entry, ..."),
            text("--tag", metavar="T", help="articles with this tag"),
        ),
    ),
    "query": Verb(
        "search.ask",
        "answer a question from the vault, with links",
        'memoria query "How long do session tokens last?" --file-back',
        (
            argument("question", nargs="+", metavar="QUESTION", help="what you want to know"),
            flag("--file-back", help="keep the answer as a note under knowledge/qa/"),
        ),
    ),
    "lint": Verb(
        "lint.service",
        "check the vault's health",
        "memoria lint --structural-only --fix",
        (
            flag("--structural-only", help="only the checks that need no model"),
            flag("--fix", help="fix what code can fix safely"),
        ),
    ),
}
