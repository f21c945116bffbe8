"""Verbs that keep the vault in order."""

from __future__ import annotations

from memoria.cli.verbs.verb import DRY_RUN, Verb, argument, flag, text, whole

TITLE = "upkeep"
VERBS = {
    "undo": Verb(
        "cli.undo",
        "take back the last compile, answer, promotion or decision",
        "memoria undo --dry-run",
        (
            argument(
                "step",
                nargs="?",
                type=whole,
                metavar="STEP",
                help="its number (default: the last one)",
            ),
            flag("--list", help="show the steps, newest first"),
            DRY_RUN,
            flag("--yes", help="do not ask"),
        ),
    ),
    "export": Verb(
        "cli.export",
        "write rules and articles into one file",
        "memoria export --rules -o rules.md",
        (
            text("-o", "--output", metavar="FILE", help="write to it (default: print)"),
            argument(
                "--format",
                choices=("markdown", "jsonl"),
                default="",
                help="default by FILE, else markdown",
            ),
            flag("--rules", help="only the rules"),
            flag("--articles", help="only the articles"),
            text("--project", metavar="P", help="projects whose name holds this"),
            text("--since", metavar="DATE", help="updated on or after it"),
        ),
    ),
    "mcp": Verb(
        "mcp.server",
        "serve the vault to MCP clients, which start it",
        "memoria mcp --vault ~/memoria",
        on_demo=False,
    ),
    "forget": Verb(
        "cli.forgetting.service",
        "remove a session, a project or a text for good",
        "memoria forget --match 'Project Nightjar' --dry-run",
        (
            argument(
                "what",
                nargs="?",
                default="",
                metavar="SESSION|PROJECT",
                help="a session's id, a project",
            ),
            text("--match", metavar="TEXT", help="all that holds this text"),
            text("--since", metavar="DATE", help="what was captured since"),
            flag("--dry-run", help="show what goes, change nothing"),
            flag("--yes", help="do not ask"),
        ),
    ),
    "cost": Verb(
        "cli.evidence.cost",
        "show tokens and money by day and operation",
        "memoria cost --since 2026-04-01",
        (text("--since", metavar="DATE", help="calls made on or after it"),),
    ),
    "completion": Verb(
        "cli.completion",
        "print what lets your shell complete verbs and options",
        "memoria completion bash > ~/.local/share/bash-completion/completions/memoria",
        (argument("shell", choices=("bash", "zsh", "fish", "powershell"), help="your shell"),),
    ),
    "doctor": Verb(
        "cli.doctor",
        "say whether capture works, and what is wrong if not",
        "memoria doctor",
        (
            flag(
                "--audit",
                help="look through vault and state for secrets, open modes, active content and "
                "unapproved rules instead; 1 for errors, 0 for warnings alone",
            ),
        ),
        on_demo=False,
    ),
}
