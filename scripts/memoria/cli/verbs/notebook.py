"""Verbs of the notebook: entries of one's own, and what is drawn from all."""

from __future__ import annotations

from memoria.cli.verbs.verb import Verb, argument, flag, text, whole

BACKENDS = ("token", "wordllama", "sentence-transformers", "openai")

TITLE = "notebook"
VERBS = {
    "new": Verb(
        "cli.new",
        "begin an entry of your own",
        "memoria new --from-session latest",
        (
            argument(
                "slug",
                nargs="?",
                default="",
                metavar="SLUG",
                help="default: from the session's title",
            ),
            text(
                "--date",
                metavar="DATE",
                help="its day (default today, with --from-session the session's)",
            ),
            text(
                "--from-session",
                metavar="ID",
                help="fill it from a captured session: 8 characters of its id, or `latest`",
            ),
            flag("--dry-run", help="print the entry, write nothing"),
        ),
    ),
    "list": Verb(
        "rules.insights.list_entries",
        "list all entries, yours and the captured ones",
        "memoria list",
        (text("--since", metavar="DATE", help="dated on or after it"),),
    ),
    "distill": Verb(
        "cli.insight_lists",
        "extract the insights of all entries by category",
        "memoria distill --since 2026-01-01 -o patterns.yaml",
        (
            text("-o", "--output", metavar="FILE", help="a .json or .yaml file"),
            text("--since", metavar="DATE", help="entries dated on or after it"),
            text(
                "--category",
                metavar="C",
                help="architectural, workflow, tool_usage, domain_knowledge, or one of your own",
            ),
        ),
    ),
    "skills": Verb(
        "cli.insight_lists",
        "merge insights and rules into skills for an agent",
        "memoria skills --format markdown --min-frequency 2",
        (
            text("-o", "--output", metavar="FILE", help="write it to this file"),
            argument(
                "--format", choices=("yaml", "json", "markdown"), default="", help="default yaml"
            ),
            argument(
                "--min-frequency",
                type=whole,
                default=1,
                metavar="N",
                help="seen in N sessions or more",
            ),
            text("--since", metavar="DATE", help="entries dated on or after it"),
            argument(
                "--embeddings",
                choices=BACKENDS,
                default="token",
                metavar="B",
                help=f"what finds paraphrases: {', '.join(BACKENDS)}",
            ),
        ),
    ),
    "stats": Verb(
        "rules.insights.stats",
        "show coverage, streaks and blind spots",
        "memoria stats",
        (
            flag("--detailed", help="weeks, months, top sources, all repeated errors"),
            text("--since", metavar="DATE", help="entries and errors dated on or after it"),
        ),
    ),
}
